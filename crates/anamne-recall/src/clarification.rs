//! Notices queries that may mean several things. Rather too seldom than too often: an agent that is told so asks a person.
//!
//! Only the results are read, and the knowledge graph only if two of their names share a word of the query. O(text read).

use std::collections::{BTreeMap, BTreeSet};

use anamne_text::analyser::is_function_word;
use anamne_types::{Clarification, Hit, QueryReading, ReadingKind, Recall, Row};

use crate::connections::Connections;
use crate::words::ParsedQuery;

/// The first results that are considered.
const CONSIDERED: usize = 10;

/// Maximum bytes of a result in which names are looked for.
const READ: usize = 2_000;

/// Maximum number of readings; a query with more is general rather than ambiguous.
const MOST: usize = 3;

/// A reading dominates if the next one has less than this share of its evidence.
const DOMINATED: f32 = 0.5;

/// Names of each result that are compared with the graph.
const NAMES: usize = 8;

/// Threads answer equally well if the confidence of their best results differs by at most this share.
const AS_LIKELY: f32 = 0.95;

/// Results are peers if the confidence of each is at least this share of the best one's, and that of all others at most
/// this share of the weakest peer's.
const PEER: f32 = 0.6;

/// A query with more content words names what it is about.
const MOST_TERMS: usize = 3;

/// The readings of a query, if it has several of about equal evidence.
pub(crate) fn readings(
    query: &str,
    parsed: &ParsedQuery,
    hits: &[Hit],
    connections: Option<&dyn Connections>,
) -> Option<Clarification> {
    let first = &hits[..hits.len().min(CONSIDERED)];
    of_names(query, first, connections)
        .or_else(|| of_threads(query, parsed, first))
        .or_else(|| of_peers(query, parsed, first))
}

/// Several entities whose full names share a word of the query, which names none of them in full.
fn of_names(
    query: &str,
    hits: &[Hit],
    connections: Option<&dyn Connections>,
) -> Option<Clarification> {
    let asked: BTreeSet<String> = words(query)
        .map(|(word, _)| word.to_lowercase())
        .filter(|word| word.chars().count() > 2 && !is_function_word(word))
        .collect();
    let mut shared: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for hit in hits {
        for (word, name) in full_names(beginning(hit), &asked) {
            shared.entry(word).or_default().insert(name);
        }
    }
    shared.retain(|_, names| names.len() > 1);
    if shared.is_empty() {
        return None;
    }
    let rows: Vec<Row> = hits.iter().map(|hit| hit.memory.row).collect();
    // Without the graph nobody knows whether these are names.
    let named = connections?.names(&rows, NAMES).ok()?;
    let mut found = shared.into_iter().filter_map(|(word, names)| {
        let is_one = |name: &str| names.contains(&name.to_lowercase());
        let mut rows_of: BTreeMap<&str, BTreeSet<Row>> = BTreeMap::new();
        for (row, entity) in named.iter().filter(|(_, entity)| is_one(&entity.name)) {
            rows_of.entry(&entity.name).or_default().insert(*row);
        }
        let readings = divided(hits, &rows_of)?;
        Some(Clarification {
            words: word,
            readings,
        })
    });
    found.next()
}

/// The readings between which the results are divided, if none dominates.
fn divided(hits: &[Hit], rows_of: &BTreeMap<&str, BTreeSet<Row>>) -> Option<Vec<QueryReading>> {
    if !(2..=MOST).contains(&rows_of.len()) {
        return None;
    }
    let is_about = |name: &str, hit: &Hit| rows_of[name].contains(&hit.memory.row);
    let mut readings: Vec<(f32, QueryReading)> = Vec::new();
    for name in rows_of.keys() {
        let alone = |hit: &&Hit| {
            let mut about = rows_of.keys().filter(|other| is_about(other, hit));
            about.next() == Some(name) && about.next().is_none()
        };
        let evidence: f32 = hits.iter().filter(alone).map(|hit| hit.confidence).sum();
        let reading = QueryReading {
            kind: ReadingKind::Entity,
            name: (*name).to_owned(),
            results: hits
                .iter()
                .filter(alone)
                .map(|hit| hit.memory.citation())
                .collect(),
        };
        readings.push((evidence, reading));
    }
    readings.sort_by(|one, other| other.0.total_cmp(&one.0));
    let is_even = readings[1].0 > 0.0 && readings[1].0 >= readings[0].0 * DOMINATED;
    let strongest = readings[0].0;
    let kept = readings
        .into_iter()
        .filter(|(evidence, _)| *evidence >= strongest * DOMINATED);
    is_even.then(|| kept.map(|(_, reading)| reading).collect())
}

/// Two or three threads that answer a short query equally well, each with all of its words.
fn of_threads(query: &str, parsed: &ParsedQuery, hits: &[Hit]) -> Option<Clarification> {
    let terms = parsed.content.terms.len();
    let best = hits.first()?;
    if !(1..=MOST_TERMS).contains(&terms) || best.confidence < Recall::SURE {
        return None;
    }
    let mut threads: Vec<(&str, Vec<String>)> = Vec::new();
    for hit in hits {
        if hit.confidence < best.confidence * AS_LIKELY {
            continue;
        }
        // A note without a thread, or a result that lacks a word, is no reading of its own: nothing is divided.
        let thread = hit.memory.thread.as_deref()?;
        if hit.explanation.matched.len() < terms {
            return None;
        }
        match threads.iter_mut().find(|(known, _)| *known == thread) {
            Some((_, results)) => results.push(hit.memory.citation()),
            None => threads.push((thread, vec![hit.memory.citation()])),
        }
    }
    if !(2..=MOST).contains(&threads.len()) {
        return None;
    }
    let readings = threads.into_iter().map(|(thread, results)| QueryReading {
        kind: ReadingKind::Thread,
        name: thread.to_owned(),
        results,
    });
    Some(Clarification {
        words: query.trim().to_owned(),
        readings: readings.collect(),
    })
}

/// Two or three results that answer a short query with the same of its words, well before all others: in several threads,
/// or each with a name that the others lack.
fn of_peers(query: &str, parsed: &ParsedQuery, hits: &[Hit]) -> Option<Clarification> {
    let best = hits.first()?;
    let matched = &best.explanation.matched;
    if !(1..=MOST_TERMS).contains(&parsed.content.terms.len()) || matched.is_empty() {
        return None;
    }
    let is_peer = |hit: &&Hit| {
        hit.explanation.matched == *matched && hit.confidence >= best.confidence * PEER
    };
    let peers: Vec<&Hit> = hits.iter().take_while(is_peer).collect();
    if !(2..=MOST).contains(&peers.len()) {
        return None;
    }
    let weakest = peers.iter().map(|hit| hit.confidence).reduce(f32::min)?;
    let mut others = hits[peers.len()..].iter();
    if others.any(|hit| hit.confidence > weakest * PEER) {
        return None;
    }
    let (kind, names) = match own_threads(&peers) {
        Some(threads) => (ReadingKind::Thread, threads),
        None => (ReadingKind::Entity, own_names(query, &peers)?),
    };
    let readings = peers.iter().zip(names).map(|(hit, name)| QueryReading {
        kind,
        name,
        results: vec![hit.memory.citation()],
    });
    Some(Clarification {
        words: query.trim().to_owned(),
        readings: readings.collect(),
    })
}

/// The thread of each result, if all are different.
fn own_threads(hits: &[&Hit]) -> Option<Vec<String>> {
    let threads = hits.iter().map(|hit| hit.memory.thread.clone());
    let threads: Vec<String> = threads.collect::<Option<_>>()?;
    let different: BTreeSet<&String> = threads.iter().collect();
    (different.len() == threads.len()).then_some(threads)
}

/// The first name in each result that neither the query nor another of the results has.
fn own_names(query: &str, hits: &[&Hit]) -> Option<Vec<String>> {
    let lower = |text: &str| -> BTreeSet<String> {
        words(text).map(|(word, _)| word.to_lowercase()).collect()
    };
    let asked = lower(query);
    let texts: Vec<&str> = hits.iter().map(|hit| beginning(hit)).collect();
    let all: Vec<BTreeSet<String>> = texts.iter().map(|text| lower(text)).collect();
    let own = |(place, text): (usize, &&str)| {
        let is_shared = |word: &String| {
            let mut others = all.iter().enumerate().filter(|(other, _)| *other != place);
            asked.contains(word) || others.any(|(_, words)| words.contains(word))
        };
        let name = inner_capitals(text).find(|word| !is_shared(&word.to_lowercase()))?;
        Some(name.to_owned())
    };
    texts.iter().enumerate().map(own).collect()
}

/// The capitalised words of a text that begin neither it nor a part of it.
fn inner_capitals(text: &str) -> impl Iterator<Item = &str> {
    let mut begins = true;
    words(text).filter_map(move |(word, ends)| {
        let is_inner = !std::mem::replace(&mut begins, ends);
        let is_capital = word.chars().next().is_some_and(char::is_uppercase);
        (is_inner && is_capital).then_some(word)
    })
}

/// The part of a result in which names are looked for.
fn beginning(hit: &Hit) -> &str {
    let text = &hit.memory.content;
    &text[..text.floor_char_boundary(READ)]
}

/// The pairs of capitalised words of which one is in `asked`: that word, and both in lower case.
fn full_names(text: &str, asked: &BTreeSet<String>) -> Vec<(String, String)> {
    let mut names = Vec::new();
    let mut before: Option<&str> = None;
    for (word, ends) in words(text) {
        let is_name = word.chars().next().is_some_and(char::is_uppercase);
        if let Some(first) = before.filter(|_| is_name) {
            let [one, other] = [first, word].map(str::to_lowercase);
            let name = format!("{one} {other}");
            match (asked.contains(&one), asked.contains(&other)) {
                (true, false) => names.push((one, name)),
                (false, true) => names.push((other, name)),
                _ => {}
            }
        }
        before = (is_name && !ends).then_some(word);
    }
    names
}

/// The words of a text without punctuation around them and without a possessive, and whether punctuation ends each.
fn words(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.split_whitespace().filter_map(|whole| {
        let start = whole.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        let word = start.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        let bare = ["'s", "’s"]
            .iter()
            .find_map(|ending| word.strip_suffix(ending))
            .unwrap_or(word);
        (!bare.is_empty()).then_some((bare, bare.len() < start.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, asked: &[&str], expected: &[(&str, &str)]) {
        let asked = asked.iter().map(|word| (*word).to_owned()).collect();
        let found = full_names(text, &asked);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(word, name)| (word.as_str(), name.as_str()))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn an_inner_capital_begins_no_sentence() {
        let capitals = |text| inner_capitals(text).collect::<Vec<_>>();
        assert_eq!(
            capitals("The Swallow is old. Her oars, at Brenner's yard"),
            ["Swallow", "Brenner"]
        );
        assert_eq!(capitals("Jonas Weber rows"), ["Weber"]);
        assert_eq!(capitals(""), Vec::<&str>::new());
    }

    #[test]
    fn a_full_name_has_a_word_of_the_query_and_another() {
        let runa = ["runa", "crane"];
        check(
            "Then Runa Olsen came, and Runa Berg's boat.",
            &runa,
            &[
                ("runa", "then runa"),
                ("runa", "runa olsen"),
                ("runa", "runa berg"),
            ],
        );
        check("Runa. Olsen said so", &runa, &[]);
        check("runa Olsen, Runa olsen", &runa, &[]);
        check("Runa Olsen", &["runa", "olsen"], &[]);
        check("", &runa, &[]);
        check("Одесса Новая", &["одесса"], &[("одесса", "одесса новая")]);
    }
}
