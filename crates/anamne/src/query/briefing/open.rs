//! Open points: unanswered questions and episodes without an outcome. Prefers precision over recall.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use anamne_text::sentences::sentences;
use anamne_types::{Body, Kind, Memory, Role};

use super::noted::{says, words_of};

/// Maximum number of contradictions.
pub(super) const CONTESTED: usize = 3;

/// Maximum number of questions, and of episodes.
const SHOWN: usize = 5;

/// A later memory with this share of a question's words answers or repeats it.
const ANSWERS: f32 = 0.6;

/// Minimum number of content words of a question.
const LEAST_WORDS: usize = 3;

const QUESTION_MARKS: [char; 3] = ['?', '？', '؟'];

/// Tags for open and for finished work.
const TO_DO: [&str; 4] = ["todo", "to-do", "task", "open"];
const DONE: [&str; 4] = ["done", "closed", "resolved", "cancelled"];

/// What begins a sentence about an open point: these before a colon, and [`TO_DO_MARKS`] as they are written here.
const MARKS: [&str; 24] = [
    "todo",
    "fixme",
    "open question",
    "open questions",
    "open point",
    "open points",
    "open issue",
    "open task",
    "open",
    "still open",
    "to do",
    "still to do",
    "action item",
    "next step",
    "next steps",
    "unresolved",
    "unanswered",
    "blocked",
    "offene frage",
    "offener punkt",
    "offen",
    "noch offen",
    "zu tun",
    "noch zu tun",
];
const TO_DO_MARKS: [&str; 2] = ["TODO", "FIXME"];

/// What a sentence about an open point says.
const STILL_OPEN: [&str; 28] = [
    "is still broken",
    "are still broken",
    "still fails",
    "still failing",
    "is still open",
    "are still open",
    "is still missing",
    "are still missing",
    "still need to",
    "still needs to",
    "still have to",
    "still has to",
    "still must",
    "is not solved yet",
    "is not fixed yet",
    "isn't fixed yet",
    "must fix",
    "have to fix",
    "need to fix",
    "needs to be fixed",
    "must be fixed",
    "don't forget to",
    "do not forget to",
    "must not forget",
    "remains to be done",
    "müssen wir noch",
    "wir müssen noch",
    "ist noch kaputt",
];

/// What a memory says of a point that is closed.
const CLOSED: [&str; 20] = [
    "done",
    "fixed",
    "resolved",
    "solved",
    "closed",
    "finished",
    "completed",
    "complete",
    "works now",
    "no longer",
    "cancelled",
    "canceled",
    "obsolete",
    "merged",
    "shipped",
    "erledigt",
    "behoben",
    "gelöst",
    "fertig",
    "abgeschlossen",
];

/// A later memory that says so, with this share of a point's words, closes it.
const CLOSES: f32 = 0.5;

/// Fewest letters that two forms of a word share at their beginning.
const SHARED_LETTERS: usize = 4;

/// Maximum number of points that are looked for, of which closed ones are left out.
const POINTS: usize = 24;

/// The longest text that is searched for open points, in bytes.
const LONGEST: usize = 2 << 10;

/// Open points that a person told in so many words, latest first, with the sentence that tells each.
pub(super) fn points(latest: &[Memory]) -> Vec<(&Memory, String)> {
    let told = latest
        .iter()
        .enumerate()
        .filter(|(_, memory)| is_asked_by_a_person(memory));
    let told = told.filter_map(|(place, memory)| Some((place, memory, point_in(&memory.content)?)));
    let words: Vec<OnceCell<Said>> = vec![OnceCell::new(); latest.len()];
    let said = |place: usize| words[place].get_or_init(|| Said::of(&latest[place].content));
    let open = told.take(POINTS).filter(|(place, _, point)| {
        let point = subject_words(point);
        !(0..*place).any(|later| said(later).closes(&point))
    });
    open.map(|(_, memory, point)| (memory, point))
        .take(SHOWN)
        .collect()
}

/// The words of what is open, without those that say that it is.
fn subject_words(point: &str) -> BTreeSet<String> {
    let mut words = content_words(point);
    let said = MARKS.iter().chain(&STILL_OPEN);
    for word in said.flat_map(|phrase| phrase.split(' ')) {
        words.remove(word);
    }
    words
}

/// The first sentence of a text that tells an open point.
fn point_in(text: &str) -> Option<String> {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let has = |mark: &&str| text.contains(*mark);
    let may_have_mark = text.contains(':') || TO_DO_MARKS.iter().any(has);
    if !may_have_mark && !is_still_open(&words_of(text)) {
        return None;
    }
    let mut each = sentences(text).into_iter();
    let found = each.find(|range| tells_point(text[range.clone()].trim()))?;
    Some(text[found].split_whitespace().collect::<Vec<_>>().join(" "))
}

fn tells_point(sentence: &str) -> bool {
    let first = sentence.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let first = first.split(|letter: char| !letter.is_alphanumeric()).next();
    let mark = sentence.split_once(':').map_or("", |(mark, _)| mark);
    first.is_some_and(|word| TO_DO_MARKS.contains(&word))
        || MARKS.contains(&words_of(mark).trim())
        || !sentence.ends_with(QUESTION_MARKS) && is_still_open(&words_of(sentence))
}

fn is_still_open(words: &str) -> bool {
    STILL_OPEN.iter().any(|phrase| says(words, phrase))
}

/// The words of a memory, for whether it closes a point.
#[derive(Clone)]
struct Said {
    words: BTreeSet<String>,
    is_closing: bool,
}

impl Said {
    /// What the beginning of a text says.
    fn of(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(LONGEST)];
        let said = words_of(text);
        let is_closing = CLOSED.iter().any(|phrase| says(&said, phrase))
            && !text.contains(QUESTION_MARKS)
            && point_in(text).is_none();
        Self {
            words: content_words(text),
            is_closing,
        }
    }

    /// Whether this says that a point with these words is closed: in so many words, or by the past of one of its verbs.
    fn closes(&self, point: &BTreeSet<String>) -> bool {
        let shared = point.iter().filter(|word| self.has_form_of(word)).count();
        let is_about = shared as f32 >= CLOSES * point.len() as f32 && shared >= 2;
        is_about && (self.is_closing || point.iter().any(|word| self.has_past_of(word)))
    }

    fn has_form_of(&self, word: &str) -> bool {
        self.words.contains(word) || self.has_past_of(word)
    }

    /// Whether the past of an English verb is among the words: `rotated` of `rotate`.
    fn has_past_of(&self, word: &str) -> bool {
        let stem = word.strip_suffix('e').unwrap_or(word);
        stem.len() >= SHARED_LETTERS && self.words.contains(&format!("{stem}ed"))
    }
}

/// Memories, latest first, that end with an unanswered question: the last message of a thread or a single note, with no
/// later memory on the same topic. Questions by programs don't count.
pub(super) fn questions(latest: &[Memory]) -> Vec<&Memory> {
    let mut last_of: BTreeMap<&str, &Memory> = BTreeMap::new();
    for memory in latest {
        if let Some(thread) = &memory.thread {
            let last = last_of.entry(thread).or_insert(memory);
            let at = |memory: &Memory| (memory.occurred_at, memory.position, memory.row);
            if at(memory) > at(last) {
                *last = memory;
            }
        }
    }
    let is_last = |memory: &Memory| match &memory.thread {
        Some(thread) => last_of
            .get(thread.as_str())
            .is_some_and(|last| last.id == memory.id),
        None => true,
    };
    // The words of a later memory are needed only if there is a question, and by every question.
    let words: Vec<OnceCell<BTreeSet<String>>> = vec![OnceCell::new(); latest.len()];
    let said = |place: usize| words[place].get_or_init(|| content_words(&latest[place].content));
    let open = latest.iter().enumerate().filter(|(place, memory)| {
        is_asked_by_a_person(memory)
            && is_last(memory)
            && question_in(&memory.content)
                .is_some_and(|question| !is_taken_up(&question, (0..*place).map(said)))
    });
    open.map(|(_, memory)| memory).take(SHOWN).collect()
}

/// The question at the end of a text.
pub(super) fn question_in(text: &str) -> Option<String> {
    if !text.contains(QUESTION_MARKS) {
        return None;
    }
    let last = sentences(text).pop()?;
    let sentence = text[last].trim();
    let end = sentence.trim_end_matches(['"', '”', '»', ')', '*', '_', ' ']);
    end.ends_with(QUESTION_MARKS)
        .then(|| sentence.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn is_asked_by_a_person(memory: &Memory) -> bool {
    let is_told = matches!(memory.kind(), Kind::Message | Kind::Thought | Kind::Fact);
    let by_program = match &memory.body {
        Body::Message { role: Some(role) } => *role != Role::User,
        _ => memory.author.as_deref().is_some_and(|author| {
            ["assistant", "agent", "system", "tool", "ai", "bot", "model"]
                .contains(&author.trim().to_lowercase().as_str())
        }),
    };
    is_told && !by_program
}

/// Whether a later memory is about the question. A question with too few words counts as answered.
fn is_taken_up<'words>(
    question: &str,
    mut later: impl Iterator<Item = &'words BTreeSet<String>>,
) -> bool {
    let words = content_words(question);
    if words.len() < LEAST_WORDS {
        return true;
    }
    let needed = ANSWERS * words.len() as f32;
    later.any(|said| words.intersection(said).count() as f32 >= needed)
}

fn content_words(text: &str) -> BTreeSet<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !anamne_text::analyser::is_function_word(word))
        .collect()
}

/// Episodes without an outcome and memories tagged as to do, latest first.
pub(super) fn unfinished<'stored>(
    episodes: &'stored [Memory],
    latest: &'stored [Memory],
) -> Vec<&'stored Memory> {
    let others = latest
        .iter()
        .filter(|memory| memory.kind() != Kind::Episode);
    let mut open: Vec<&Memory> = episodes
        .iter()
        .chain(others)
        .filter(|memory| is_unfinished(memory))
        .collect();
    open.sort_by_key(|memory| std::cmp::Reverse((memory.occurred_at, memory.row)));
    open.truncate(SHOWN);
    open
}

/// Whether a memory is an episode with a goal and without an outcome, or tagged as to do.
pub(super) fn is_unfinished(memory: &Memory) -> bool {
    let has = |words: &[&str]| {
        let mut tags = memory.tags.iter();
        tags.any(|tag| words.contains(&tag.to_lowercase().as_str()))
    };
    let is_begun = match &memory.body {
        Body::Episode { goal, outcome, .. } => !goal.trim().is_empty() && outcome.trim().is_empty(),
        _ => has(&TO_DO),
    };
    is_begun && !has(&DONE)
}

/// The goal of an episode, if its text doesn't contain it.
pub(super) fn goal_of(memory: &Memory) -> Option<String> {
    match &memory.body {
        Body::Episode { goal, .. }
            if !goal.is_empty() && !memory.content.contains(goal.as_str()) =>
        {
            Some(format!("{} (goal: {})", memory.content.trim(), goal.trim()))
        }
        _ => None,
    }
}
