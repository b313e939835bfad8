//! The naming words around a place.

use std::ops::Range;

use super::words::{Named, Topic, Words, words};

/// The naming words of a text, read only near the places that ask for them.
pub(super) struct Context<'text> {
    text: &'text str,
    /// The words read, by place.
    named: Vec<Named>,
    /// Where reading stopped.
    done: usize,
    steps: usize,
}

impl<'text> Context<'text> {
    /// How far before a value its name may end.
    const BEFORE: usize = 48;
    /// How far after a value its name may end.
    const AFTER: usize = 32;
    /// How much is read at once.
    const BLOCK: usize = 192;

    pub(super) fn new(text: &'text str) -> Self {
        Self {
            text,
            named: Vec::new(),
            done: 0,
            steps: 0,
        }
    }

    /// Forgets what was read, so that words before it can be read.
    pub(super) fn restart(&mut self) {
        self.named.clear();
        self.done = 0;
    }

    /// How many bytes were looked at.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    /// The nearest topic before a place that is one of those picked. O(1), amortised.
    pub(super) fn nearest(&mut self, at: usize, pick: impl Fn(Topic) -> bool) -> Option<Topic> {
        self.read_to(at);
        let last = self.named.partition_point(|named| named.span.end <= at);
        let floor = at.saturating_sub(Self::BEFORE);
        if last == 0 || self.named[last - 1].span.end < floor {
            return None;
        }
        let floor = self.start_of_clause(at, floor);
        let near = self.named[..last]
            .iter()
            .rev()
            .take_while(|named| named.span.end > floor);
        let mut topics = near.flat_map(|named| words().topics(named.word).iter().copied());
        topics.find(|topic| pick(*topic))
    }

    /// Whether one of the topics names what stands before or, closely, after a value.
    pub(super) fn names(&mut self, value: &Range<usize>, pick: impl Fn(Topic) -> bool) -> bool {
        self.nearest(value.start, &pick).is_some() || self.follows(value.end, pick)
    }

    /// Whether one of the topics follows a place closely, on the same line.
    pub(super) fn follows(&mut self, at: usize, pick: impl Fn(Topic) -> bool) -> bool {
        self.read_to(at);
        let first = self.named.partition_point(|named| named.span.start < at);
        let near = self.named[first..]
            .iter()
            .take_while(|named| named.span.end <= at + Self::AFTER);
        let picked = |named: &&Named| words().topics(named.word).iter().any(|topic| pick(*topic));
        let Some(named) = near.into_iter().find(picked) else {
            return false;
        };
        let between = &self.text.as_bytes()[at..named.span.start];
        !between
            .iter()
            .any(|byte| byte.is_ascii_digit() || b"\n.;,".contains(byte))
    }

    /// Where the clause before a place starts: after a line break or the end of a sentence. A line break directly before the
    /// place counts as a blank.
    fn start_of_clause(&mut self, at: usize, floor: usize) -> usize {
        let bytes = self.text.as_bytes();
        self.steps += at - floor;
        let mut has_words = false;
        for place in (floor..at).rev() {
            let is_end = match bytes[place] {
                b'\n' => has_words,
                b';' => true,
                b'.' | b'!' | b'?' => {
                    bytes.get(place + 1) == Some(&b' ')
                        && bytes.get(place + 2).is_some_and(u8::is_ascii_uppercase)
                }
                _ => false,
            };
            if is_end {
                return place;
            }
            has_words |= bytes[place].is_ascii_alphanumeric() || bytes[place] >= 0x80;
        }
        floor
    }

    /// Reads the words up to a place and a bit more.
    fn read_to(&mut self, at: usize) {
        let want = self.text.len().min(at + Self::AFTER + Words::MOST);
        if want <= self.done {
            return;
        }
        let from = self.done.saturating_sub(Words::MOST);
        let from = from.max(at.saturating_sub(Self::BEFORE + Words::MOST));
        let to = self.text.len().min(at + Self::BLOCK);
        let known = self.named.last().map_or(0, |named| named.span.end);
        let from = from.max(known);
        self.steps += to.saturating_sub(from);
        self.done = to;
        if from >= to {
            return;
        }
        let words = words();
        let is_call = |word| words.topics(word) == [Topic::Call];
        let text = self.text;
        let found = words.leftmost(text.as_bytes(), from..to).into_iter();
        self.named.extend(found.filter(|found| {
            let Range { start, end } = found.span;
            is_whole(text, start, end)
                && !(is_call(found.word) && is_in_constant(text.as_bytes(), start, end))
        }));
    }
}

/// Whether a word is a part of a name such as `VRING_CALL`.
fn is_in_constant(bytes: &[u8], start: usize, end: usize) -> bool {
    super::scan::before(bytes, start) == Some(b'_') || bytes.get(end) == Some(&b'_')
}

/// Whether a word is not a part of a longer one; `phone` is one in `phoneNumber` and `home_phone`.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let (Some(word), Some(left), Some(right)) =
        (text.get(start..end), text.get(..start), text.get(end..))
    else {
        return false;
    };
    let first = word.chars().next().unwrap_or(' ');
    let last = word.chars().next_back().unwrap_or(' ');
    if first >= '\u{900}' {
        return true;
    }
    let joins = |left: Option<char>, right: Option<char>| match (left, right) {
        (Some(left), Some(right)) => {
            left.is_alphabetic()
                && right.is_alphabetic()
                && right < '\u{900}'
                && !(left.is_lowercase() && right.is_uppercase())
        }
        _ => false,
    };
    !joins(left.chars().next_back(), Some(first)) && !joins(Some(last), right.chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(text: &str) -> Option<Topic> {
        let at = text
            .find(|one: char| one.is_ascii_digit())
            .expect("a digit");
        Context::new(text).nearest(at, |_| true)
    }

    #[test]
    fn the_nearest_word_counts() {
        for (text, topic) in [
            ("Phone: 1", Some(Topic::Phone)),
            ("phoneNumber=1", Some(Topic::Phone)),
            ("phone, order 1", Some(Topic::Other)),
            ("hotel 1", None),
            ("Phone\n  1", Some(Topic::Phone)),
            ("Phone\nwas 1", None),
            ("Phone it. Then 1", None),
            (
                "my phone is on the other side of the very big garden of ours 1",
                None,
            ),
            ("电话1", Some(Topic::Phone)),
            ("née le 1", Some(Topic::Birth)),
        ] {
            assert_eq!(nearest(text), topic, "{text}");
        }
    }

    #[test]
    fn words_may_follow() {
        let mut context = Context::new("030 1 (mobil), 2");
        assert!(context.follows(5, |topic| topic == Topic::Phone));
        assert!(!context.follows(14, |topic| topic == Topic::Phone));
    }
}
