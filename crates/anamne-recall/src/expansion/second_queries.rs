//! Second queries, built from the best results: names and rare words that the query lacks, with the query words that
//! they don't contain.

use anamne_embed::StaticModel;
use anamne_text::analyser::is_function_word;
use anamne_types::Row;
use rustc_hash::FxHashSet;

use super::ExpansionRequest;
use super::graph::{Edge, Node, NodeIndex, ReachedGraph};
use super::limits;
use crate::feature_inputs::FeatureInputs;
use crate::views::Columns;
use crate::words::Reader;

/// Runs a second query for each of the best results, and adds edges to its hits.
pub(super) fn run(
    request: &ExpansionRequest<'_>,
    inputs: &FeatureInputs<'_>,
    reader: &mut Reader<'_>,
    seeds: &[(Row, f32)],
    graph: &mut ReachedGraph,
) {
    let best = seeds.iter().take(limits::SECOND_QUERIES);
    let best: Vec<Row> = best.map(|(row, _)| *row).collect();
    let unmatched = unmatched_words(reader, &best);
    let mut queried = FxHashSet::default();
    for &row in &best {
        let Some(index) = graph.index(Node::Memory(row)) else {
            continue;
        };
        let new = new_words(reader, inputs.columns, graph, index, row);
        if new.is_empty() {
            continue;
        }
        let words = [&unmatched[..], &new[..]].concat().join(" ");
        if !queried.insert(words.clone()) {
            continue;
        }
        let found = (request.search)(&words, limits::SECOND_QUERY_ROWS);
        let words: std::rc::Rc<str> = words.into();
        for (rank, row) in found.into_iter().enumerate() {
            let fade = 1.0 + rank as f32 / 8.0;
            let is_live = inputs
                .columns
                .attributes(row)
                .is_some_and(|attributes| attributes.expires_at > request.now);
            if is_live {
                graph.add_edge(
                    index,
                    Node::Memory(row),
                    limits::SECOND_QUERY_STRENGTH / fade,
                    2,
                    Edge::SecondQuery(words.clone()),
                );
            }
        }
    }
}

/// The query words that none of these rows contains.
fn unmatched_words(reader: &mut Reader<'_>, rows: &[Row]) -> Vec<String> {
    let query = reader.query;
    let mut matched = vec![false; query.term_words.len()];
    for &row in rows {
        for (matched, frequency) in matched.iter_mut().zip(reader.read(row).frequencies) {
            *matched |= *frequency > 0.0;
        }
    }
    query.words_where(|term| !matched[term])
}

/// The names and rarest words of a memory that other memories share and the query lacks.
fn new_words(
    reader: &Reader<'_>,
    columns: &dyn Columns,
    graph: &ReachedGraph,
    index: NodeIndex,
    row: Row,
) -> Vec<String> {
    let query = reader.query;
    let is_new = |word: &str| !query.words.iter().any(|known| known == word);
    let mut new: Vec<String> = graph
        .names_in(index)
        .filter(|(name, memories)| {
            *memories > 1 && name.to_lowercase().split_whitespace().any(is_new)
        })
        .map(|(name, _)| name.to_owned())
        .take(limits::NEW_WORDS / 2)
        .collect();
    let mut rare: Vec<(u32, String)> = words_of(columns.tokens(row).unwrap_or_default())
        .into_iter()
        .map(|(word, tokens)| {
            let rows = tokens.iter().map(|token| columns.token_frequency(*token));
            (rows.min().unwrap_or(0), word)
        })
        .filter(|(rows, word)| {
            *rows > 1
                && word.chars().count() > 2
                && !is_function_word(word)
                && is_new(word)
                && !new.iter().any(|name| name.to_lowercase().contains(word))
        })
        .collect();
    rare.sort();
    rare.dedup();
    let room = limits::NEW_WORDS - new.len();
    new.extend(rare.into_iter().take(room).map(|(_, word)| word));
    new
}

/// The lower-case words that wordpieces form, each with its pieces.
fn words_of(tokens: &[u16]) -> Vec<(String, Vec<u16>)> {
    let table = StaticModel::builtin_tokens();
    let mut words: Vec<(String, Vec<u16>)> = Vec::new();
    for &token in tokens {
        let text = table.token_text(token);
        match (text.strip_prefix("##"), words.last_mut()) {
            (Some(rest), Some((word, pieces))) if !rest.is_empty() => {
                word.push_str(rest);
                pieces.push(token);
            }
            _ => words.push((text.to_owned(), vec![token])),
        }
    }
    words.retain(|(word, _)| !word.is_empty() && word.chars().all(char::is_alphanumeric));
    words
}
