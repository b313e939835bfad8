//! Recent work: the latest threads, each in a few original sentences.

use std::collections::BTreeMap;

use anamne_knowledge::summaries::{Bounds, Digest, Turn};
use anamne_types::{Body, Memory};

use super::{LAST, SelectedMemory};

/// Maximum number of threads.
const THREADS: usize = 6;

/// Maximum number of memories without a thread.
const LONE: usize = 8;

/// Maximum number of messages read from a thread's last session.
const TURNS: usize = 120;

/// A gap of this many seconds separates two sessions of a thread.
const GAP: i64 = 6 * 3_600;

/// Maximum length of a thread's summary, in characters and sentences.
const SUMMARY: Bounds = Bounds {
    share: 0.1,
    at_least: 160,
    at_most: 600,
    sentences: 4,
};

/// Maximum number of a thread's passages that are compared: those of about twenty long messages, in 2 ms.
const COMPARED: usize = 200;

/// The latest threads, by sentences of their last sessions, and the latest memories without a thread; latest first.
pub(super) fn last_threads(latest: &[Memory]) -> Vec<SelectedMemory> {
    let mut order: Vec<Option<&str>> = Vec::new();
    let mut threads: BTreeMap<&str, Vec<&Memory>> = BTreeMap::new();
    let mut lone = Vec::new();
    for memory in latest {
        let thread = memory.thread.as_deref();
        match thread {
            Some(thread) => {
                let turns = threads.entry(thread).or_default();
                if turns.is_empty() {
                    order.push(Some(thread));
                }
                turns.push(memory);
            }
            None if lone.len() < LONE => {
                order.push(None);
                lone.push(memory);
            }
            None => {}
        }
    }
    let mut lone = lone.into_iter();
    let mut chosen = Vec::new();
    let mut shown = 0;
    for place in order {
        match place {
            None => chosen.extend(
                lone.next()
                    .map(|memory| SelectedMemory::whole(memory.clone(), LAST)),
            ),
            Some(thread) if shown < THREADS => {
                shown += 1;
                chosen.extend(summary(&threads[thread]));
            }
            Some(_) => {}
        }
    }
    chosen
}

/// The most representative sentences of a thread's last session; `turns` are latest first.
fn summary(turns: &[&Memory]) -> Vec<SelectedMemory> {
    let mut session: Vec<&Memory> = Vec::new();
    for turn in turns.iter().take(TURNS) {
        let gap = session.last().map_or(0, |later| {
            later.occurred_at.as_second() - turn.occurred_at.as_second()
        });
        if gap > GAP {
            break;
        }
        session.push(turn);
    }
    session.sort_by_key(|turn| (turn.occurred_at, turn.position, turn.row));
    let mut digest = Digest::new();
    for turn in &session {
        digest.read(&Turn {
            id: turn.id,
            row: turn.row,
            author: turn.author.as_deref().unwrap_or_default(),
            role: match &turn.body {
                Body::Message { role } => *role,
                _ => None,
            },
            text: &turn.content,
            at: turn.occurred_at,
        });
    }
    let sentences = digest.sentences_among(&SUMMARY, COMPARED);
    if sentences.is_empty() {
        // No representative sentence: use its end.
        let last = session.last().copied();
        return last
            .map(|memory| SelectedMemory::whole(memory.clone(), LAST))
            .into_iter()
            .collect();
    }
    let memory_of = |id| session.iter().find(|turn| turn.id == id);
    sentences
        .into_iter()
        .filter_map(|sentence| {
            let memory = memory_of(sentence.memory)?;
            let is_whole = memory.content.trim() == sentence.text.trim();
            Some(SelectedMemory {
                passage: (!is_whole).then_some(sentence.text),
                ..SelectedMemory::whole((*memory).clone(), LAST)
            })
        })
        .collect()
}
