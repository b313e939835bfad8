//! The passage of a text that shows why it matched.

use rustc_hash::FxHashMap;

use crate::analyser::{Analyser, QueryTerm};
use crate::border;

/// Maximum number of terms considered.
const MAX_TERMS: usize = 64;

/// Maximum number of repeated terms counted in a passage.
const MAX_REPEATED: usize = 3;

/// Extracts the passage of at most `max_chars` characters with the most query terms.
///
/// Runs of white space become single spaces, and `…` (included in the length) marks truncation. If no term matches, the
/// snippet is the beginning of the text. Linear in the text; analyses only words that may match.
///
/// ```
/// use anamne_text::{analyser::Analyser, snippet::snippet};
///
/// let text = "Nothing of interest here, and then some more. The backups run at night. And so on it goes.";
/// let query = Analyser::new().query("when does the backup run?");
/// assert_eq!(snippet(text, &query.terms, 40), "…The backups run at night. And so on it…");
/// ```
pub fn snippet(text: &str, terms: &[QueryTerm], max_chars: usize) -> String {
    let text = text.trim();
    let terms = &terms[..terms.len().min(MAX_TERMS)];
    if max_chars == 0 {
        return String::new();
    }
    let whole = spaced(text).take(max_chars + 1).count() <= max_chars;
    if whole {
        return spaced(text).collect();
    }
    let start = best_passage(&find_matches(text, terms), max_chars)
        .map_or(0, |passage| start_of_context(text, &passage, max_chars));
    render(text, start, max_chars)
}

/// Occurrences of the query terms in a text: byte and index of the term, by byte. Only the first 64 terms are
/// considered. Linear in the text; analyses only words that may match.
pub fn occurrences(text: &str, terms: &[QueryTerm]) -> Vec<(usize, usize)> {
    let found = places(text, &terms[..terms.len().min(MAX_TERMS)]);
    found
        .into_iter()
        .map(|(byte, _, term)| (byte, term))
        .collect()
}

/// One occurrence of a query term.
struct Match {
    byte: usize,
    first_char: usize,
    end_char: usize,
    term: usize,
}

/// The passage to show.
struct Passage {
    byte: usize,
    chars: usize,
}

fn best_passage(matches: &[Match], max_chars: usize) -> Option<Passage> {
    let terms = matches
        .iter()
        .fold(0, |terms, next| terms | 1_u64 << next.term);
    let highest = score(terms, MAX_REPEATED);
    let mut best: Option<(usize, Passage)> = None;
    for (at, first) in matches.iter().enumerate() {
        // Matches in the same word have the same passage; the first one covers them all.
        if at > 0 && matches[at - 1].byte == first.byte {
            continue;
        }
        let near = matches[at..]
            .iter()
            .take_while(|next| next.first_char - first.first_char < max_chars);
        let (mut seen, mut repeated, mut end) = (0_u64, 0, first.end_char);
        for next in near
            .take(64)
            .filter(|next| next.end_char - first.first_char <= max_chars)
        {
            let term = 1 << next.term;
            if seen & term != 0 {
                repeated += 1;
            } else {
                seen |= term;
                end = end.max(next.end_char);
            }
        }
        let score = score(seen, repeated);
        if best.as_ref().is_none_or(|(top, _)| score > *top) {
            let (byte, chars) = (first.byte, end - first.first_char);
            best = Some((score, Passage { byte, chars }));
        }
        if score == highest {
            break;
        }
    }
    best.map(|(_, passage)| passage)
}

/// The score of a passage with these terms, one bit each, and `repeated` repetitions.
fn score(terms: u64, repeated: usize) -> usize {
    terms.count_ones() as usize * 4 + repeated.min(MAX_REPEATED)
}

/// Every occurrence of a term, by position; at most the first few of a term repeated within one word.
fn find_matches(text: &str, terms: &[QueryTerm]) -> Vec<Match> {
    let mut places = places(text, terms);
    let mut said = (0, None);
    places.retain(|place| {
        let again = if said.1 == Some(*place) { said.0 } else { 0 };
        said = (again + 1, Some(*place));
        again <= MAX_REPEATED
    });
    count_chars(text, &places)
}

/// Byte, length and term of every occurrence, by position.
fn places(text: &str, terms: &[QueryTerm]) -> Vec<(usize, usize, usize)> {
    let mut places = Vec::new();
    find_words(text, terms, &mut places);
    let unspaced = terms
        .iter()
        .enumerate()
        .filter(|(_, term)| is_unspaced(&term.text));
    for (at, term) in unspaced {
        let found = text.match_indices(&term.text);
        places.extend(found.map(|(byte, found)| (byte, found.len(), at)));
    }
    places.sort_unstable();
    places
}

fn is_unspaced(term: &str) -> bool {
    term.starts_with(|first| matches!(first, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'..))
}

fn count_chars(text: &str, places: &[(usize, usize, usize)]) -> Vec<Match> {
    let (mut byte_before, mut chars) = (0, 0);
    // A word that matches several terms is counted once.
    let (mut word, mut word_chars) = (0..0, 0);
    let counted = places.iter().map(|&(byte, length, term)| {
        chars += text[byte_before..byte].chars().count();
        byte_before = byte;
        if word != (byte..byte + length) {
            word = byte..byte + length;
            word_chars = text[word.clone()].chars().count();
        }
        Match {
            byte,
            first_char: chars,
            end_char: chars + word_chars,
            term,
        }
    });
    counted.collect()
}

fn find_words(text: &str, terms: &[QueryTerm], places: &mut Vec<(usize, usize, usize)>) {
    let heads = TermPrefixes::of(terms);
    // Of equal terms, the first is used.
    let numbers: FxHashMap<&str, usize> = terms
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, term)| !is_unspaced(&term.text))
        .map(|(number, term)| (term.text.as_str(), number))
        .collect();
    let mut analyser = Analyser::new();
    for word in text.split_whitespace() {
        if !heads.may_match(word) {
            continue;
        }
        let byte = word.as_ptr() as usize - text.as_ptr() as usize;
        analyser.document(word, &mut |found, _| {
            if let Some(term) = numbers.get(found) {
                places.push((byte, word.len(), *term));
            }
        });
    }
}

/// The first letters of the ASCII words that can match a term: stems keep the first two, except `die` (from `dying`)
/// and similar ones.
struct TermPrefixes {
    single: [bool; 256],
    /// By the first byte, a bit for each second byte.
    pairs: [[u64; 4]; 256],
}

impl TermPrefixes {
    fn of(terms: &[QueryTerm]) -> Self {
        let mut heads = Self {
            single: [false; 256],
            pairs: [[0; 4]; 256],
        };
        for term in terms {
            let stem = term.text.trim_start_matches(['~', '#']).as_bytes();
            let is_short = matches!(stem, [_] | b"die" | b"lie" | b"tie" | b"vie");
            match stem {
                _ if !stem.is_ascii() => {}
                [first, ..] if is_short => {
                    heads.single[usize::from(first.to_ascii_lowercase())] = true;
                }
                [first, second, ..] => {
                    let second = second.to_ascii_lowercase();
                    heads.pairs[usize::from(first.to_ascii_lowercase())]
                        [usize::from(second / 64)] |= 1 << (second % 64);
                }
                [..] => {}
            }
        }
        heads
    }

    fn may_match(&self, word: &str) -> bool {
        let mut before = 0;
        !word.is_ascii()
            || word.bytes().any(|byte| {
                let byte = byte.to_ascii_lowercase();
                let pairs = &self.pairs[usize::from(std::mem::replace(&mut before, byte))];
                self.single[usize::from(byte)]
                    || pairs[usize::from(byte / 64)] & (1 << (byte % 64)) != 0
            })
    }
}

/// The start of the snippet: some way before the passage, at the start of a sentence or a word.
fn start_of_context(text: &str, passage: &Passage, max_chars: usize) -> usize {
    let lead = max_chars.saturating_sub(passage.chars + 2) / 3;
    let before = &text[..passage.byte];
    let Some((start, _)) = before.char_indices().rev().nth(lead) else {
        return 0;
    };
    let context = &before[start..];
    let sentence = context
        .rmatch_indices(['.', '!', '?', '\n', '。'])
        .find_map(|(at, stop)| {
            let after = &context[at + stop.len()..];
            (stop == "\n" || stop == "。" || after.starts_with(char::is_whitespace))
                .then(|| context.len() - after.trim_start().len())
        });
    let word = || {
        let space = context.find(char::is_whitespace)?;
        Some(context.len() - context[space..].trim_start().len())
    };
    let unspaced = || (!context.bytes().any(|byte| byte.is_ascii())).then_some(0);
    let lead = sentence.or_else(word).or_else(unspaced);
    start + lead.unwrap_or(context.len())
}

fn render(text: &str, start: usize, max_chars: usize) -> String {
    let mut snippet = String::new();
    let room = if start > 0 {
        snippet.push('…');
        max_chars - 1
    } else {
        max_chars
    };
    let lead = snippet.len();
    if spaced(&text[start..]).take(room + 1).count() <= room {
        snippet.extend(spaced(&text[start..]));
        return snippet;
    }
    snippet.extend(spaced(&text[start..]).take(room));
    if room == 0 {
        return snippet;
    }
    retreat_to_word(&mut snippet, lead);
    snippet.push('…');
    snippet
}

/// Makes room for one character at the end, at a word boundary if one is near.
fn retreat_to_word(snippet: &mut String, lead: usize) {
    let last = snippet.pop();
    if last == Some(' ') {
        return;
    }
    let far = border::at_or_before(snippet, lead + (snippet.len() - lead) * 2 / 3);
    if let Some(space) = snippet[far..].rfind(' ') {
        snippet.truncate(far + space);
    }
}

/// The characters of a text with every run of white space replaced by one space.
fn spaced(text: &str) -> impl Iterator<Item = char> {
    let mut after_space = true;
    text.trim().chars().filter_map(move |character| {
        let space = character.is_whitespace();
        let kept = !(space && after_space);
        after_space = space;
        kept.then_some(if space { ' ' } else { character })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, query: &str, max_chars: usize, expected: &str) {
        let query = Analyser::new().query(query);
        assert_eq!(snippet(text, &query.terms, max_chars), expected);
    }

    const STORY: &str = "Long ago there was a mill by the river.\n\nThe miller kept three cats, and every evening \
        they waited at the door. When winter came, the river froze and the mill stood still for weeks.";

    #[test]
    fn the_passage_with_most_terms_is_shown() {
        check(
            STORY,
            "cat at the door",
            60,
            "…cats, and every evening they waited at the door. When…",
        );
        check(
            STORY,
            "frozen river in winter",
            60,
            "…When winter came, the river froze and the mill stood still…",
        );
        check(STORY, "submarine", 30, "Long ago there was a mill by…");
    }

    #[test]
    fn a_short_text_is_shown_whole() {
        check("  two\n\nlines ", "lines", 60, "two lines");
        check("", "lines", 60, "");
    }

    #[test]
    fn text_without_spaces_is_found_and_cut_by_characters() {
        check(
            "これは長い文章です。猫が庭で寝ています。犬は家にいます。",
            "庭で",
            14,
            "…猫が庭で寝ています。犬は…",
        );
    }

    #[test]
    fn a_word_that_says_terms_without_end_is_one_match_each() {
        let text = format!(
            "It began. {} And the harbour port, at last.",
            "port,".repeat(1000)
        );
        let query = Analyser::new().query("port harbour");
        assert_eq!(occurrences(&text, &query.terms).len(), 1002);
        assert_eq!(find_matches(&text, &query.terms).len(), MAX_REPEATED + 3);
        assert_eq!(
            snippet(&text, &query.terms, 40),
            "…And the harbour port, at last."
        );
    }

    #[test]
    fn every_term_may_match_the_words_that_it_comes_from() {
        for (word, query) in [
            ("Dying", "die"),
            ("X", "x"),
            ("C#", "c#"),
            ("#12", "#12"),
            ("getHTTPResponse", "response"),
            ("Häuser", "Haus"),
            ("lies", "lying"),
        ] {
            let query = Analyser::new().query(query);
            let text = format!("One two {word} three");
            assert!(!occurrences(&text, &query.terms).is_empty(), "{word}");
        }
    }

    proptest! {
        #[test]
        fn a_snippet_is_never_longer_than_asked(text in any::<String>(), query in any::<String>(), max in 0_usize..50) {
            let query = Analyser::new().query(&query);
            prop_assert!(snippet(&text, &query.terms, max).chars().count() <= max);
        }

        #[test]
        fn a_snippet_of_prose_keeps_to_its_length(text in "([a-zäß字]{1,5}[ .\n]{1,2}){0,30}", query in "[a-zäß字]{1,3}", max in 0_usize..50) {
            let query = Analyser::new().query(&query);
            prop_assert!(snippet(&text, &query.terms, max).chars().count() <= max);
        }
    }
}
