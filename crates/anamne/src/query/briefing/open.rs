//! Open points: unanswered questions and episodes without an outcome. Prefers precision over recall.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use anamne_text::sentences::sentences;
use anamne_types::{Body, Kind, Memory, Role};

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
