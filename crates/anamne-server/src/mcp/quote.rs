//! Formats memories as text for a model: quoted line by line, with their origin, within a token budget.
//!
//! Every line of recalled content starts with `> `, and names from memories are quoted, so that nothing in them can
//! look like a line of the server.

use std::collections::BTreeMap;
use std::fmt::Write;

use anamne::text::analyser::{Analyser, QueryTerm};
use anamne::text::quote::{escape_invisible, quote_block, quote_name};
use anamne::text::snippet::snippet;
use anamne::text::tokens::{estimate_tokens, truncate_to_tokens};
use anamne::{ConflictKind, Dispute, Error, ErrorKind, Memory, Provenance, Store};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::call_context::CallContext;
use super::reply::plain;

/// Default token budget of a reply's text.
pub(crate) const DEFAULT_BUDGET: i64 = 2_000;

/// Minimum tokens of a shortened memory; with less room it is left out.
const SHORTEST: usize = 24;

/// Maximum tokens of the note after a shortened content.
const MARK: usize = 16;

/// Characters per token in most scripts; the result is then cut to its exact tokens.
const CHARACTERS_PER_TOKEN: usize = 4;

/// Maximum tags in a heading.
const TAGS: usize = 6;

/// Maximum number of left-out memories that are named.
const NAMED: usize = 8;

/// A memory to show.
pub(crate) struct Entry<'a> {
    pub(crate) memory: &'a Memory,
    /// Who wrote it.
    pub(crate) provenance: Provenance,
    /// Whether another memory replaces it, and which: `superseded by m2`, or empty.
    pub(crate) superseded: String,
    /// An additional remark for the heading.
    pub(crate) remark: String,
    /// The time zone of its time.
    pub(crate) zone: TimeZone,
}

/// The formatted text, and what it shows of each memory by id.
pub(crate) struct Quoted {
    pub(crate) text: String,
    /// The shortened contents, as shown.
    shortened: BTreeMap<String, String>,
    provenances: BTreeMap<String, Provenance>,
}

/// Memories with their provenance, as entries without a remark.
pub(crate) fn entries<'a>(
    call: &CallContext,
    memories: impl Iterator<Item = &'a Memory>,
) -> Result<Vec<Entry<'a>>, Error> {
    let store = &call.store;
    let memories: Vec<&Memory> = memories.collect();
    let provenances = store.provenance(&memories)?;
    let entries = memories.into_iter().zip(provenances);
    entries
        .map(|(memory, provenance)| {
            Ok(Entry {
                memory,
                provenance,
                superseded: superseded(store, memory)?,
                remark: String::new(),
                zone: call.zone.clone(),
            })
        })
        .collect()
}

/// The mark of a superseded memory, with its successor if that one is still there; empty for others.
fn superseded(store: &Store, memory: &Memory) -> Result<String, Error> {
    let Some(id) = memory.superseded_by else {
        return Ok(String::new());
    };
    let successor = match store.existing_space(&memory.space)?.read(id) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        read => Some(read?),
    };
    let successor = successor.filter(|successor| successor.deleted_at.is_none());
    Ok(successor.map_or_else(
        || "superseded".to_owned(),
        |successor| format!("superseded by {}", successor.citation()),
    ))
}

/// The query terms that shortened contents are centred on.
pub(crate) fn terms(question: &str) -> Vec<QueryTerm> {
    Analyser::new().query(question).terms
}

/// Formats memories under `title` in at most `budget` tokens; shortens all of them evenly before any is left out.
pub(crate) fn quote(
    title: &str,
    entries: &[Entry<'_>],
    terms: &[QueryTerm],
    budget: usize,
) -> Quoted {
    let headings: Vec<String> = entries.iter().map(Entry::heading).collect();
    let heading_costs: Vec<usize> = headings.iter().map(|text| cost(text) + 1).collect();
    let wholes: Vec<String> = entries
        .iter()
        .map(|entry| quote_block(&entry.memory.content))
        .collect();
    let costs: Vec<usize> = wholes.iter().map(|text| cost(text) + 1).collect();
    let shown = how_many(title, entries, &heading_costs, &costs, budget);
    let spent = cost(title) + heading_costs[..shown].iter().sum::<usize>();
    let footer_cost = cost(&footer(entries.len(), &entries[shown..]));
    let share = fair_share(&costs[..shown], budget.saturating_sub(spent + footer_cost));
    let mut text = title.to_owned();
    let mut shortened = BTreeMap::new();
    for index in 0..shown {
        text.push_str("\n\n");
        text.push_str(&headings[index]);
        text.push('\n');
        if costs[index] <= share {
            text.push_str(&wholes[index]);
            continue;
        }
        let memory = entries[index].memory;
        let part = shorten(&memory.content, terms, share);
        text.push_str(&quote_block(&part));
        shortened.insert(memory.id.to_string(), part);
    }
    let left_out = &entries[shown..];
    if !shortened.is_empty() || !left_out.is_empty() {
        text.push_str(&footer(shortened.len(), left_out));
    }
    let provenances = entries.iter();
    Quoted {
        text,
        shortened,
        provenances: provenances
            .map(|entry| (entry.memory.id.to_string(), entry.provenance))
            .collect(),
    }
}

impl Quoted {
    /// Adds the provenance to a memory in JSON, and shortens its content as in the text.
    pub(crate) fn complete(&self, memory: &mut Value) {
        let id = memory["id"].as_str().unwrap_or_default().to_owned();
        if let Some(provenance) = self.provenances.get(&id) {
            memory["provenance"] = plain(provenance);
        }
        if let Some(part) = self.shortened.get(&id) {
            memory["content"] = json!(part);
            memory["shortened"] = json!(true);
        }
    }
}

/// A time in the zone in which times are read.
pub(crate) fn minute(instant: Timestamp, zone: &TimeZone) -> String {
    let moment = instant.to_zoned(zone.clone());
    moment.strftime("%Y-%m-%d %H:%M").to_string()
}

impl Entry<'_> {
    /// The citation and origin of the memory.
    pub(crate) fn heading(&self) -> String {
        let memory = self.memory;
        let mut heading = format!("[{}] {}", memory.citation(), memory.kind());
        let mut add = |label: &str, value: &str| {
            heading.push_str(", ");
            heading.push_str(label);
            heading.push_str(value);
        };
        if let Some(category) = memory.body.category() {
            add("", category.as_str());
        }
        add("", &minute(memory.occurred_at, &self.zone));
        if let Some(author) = &memory.author {
            add("by ", &quote_name(author));
        }
        if let Some(thread) = &memory.thread {
            add("in ", &quote_name(thread));
        }
        if !memory.tags.is_empty() {
            let tags: Vec<String> = memory
                .tags
                .iter()
                .take(TAGS)
                .map(|tag| quote_name(tag))
                .collect();
            add("tags ", &tags.join(" "));
        }
        let origin = self.provenance.describe(memory);
        if !origin.is_empty() {
            add("", &origin);
        }
        for words in [&self.superseded, &self.remark] {
            if !words.is_empty() {
                add("", words);
            }
        }
        heading
    }
}

/// A note on the memories that dispute this one; empty if there are none.
pub(crate) fn disputed(disputes: &[Dispute]) -> String {
    let said = disputes.iter().filter_map(|dispute| {
        let other = &dispute.citation;
        match (dispute.kind, dispute.holds) {
            (_, Some(true)) => None,
            (ConflictKind::Superseded, _) => Some(format!(", outdated by {other}")),
            (ConflictKind::Contested, None) => Some(format!(", contested by {other}")),
            (ConflictKind::Contested, Some(false)) => Some(format!(", wrong: {other} holds")),
        }
    });
    said.collect()
}

fn cost(text: &str) -> usize {
    estimate_tokens(text) + 1
}

/// The passage relevant to the question, in at most `share` tokens, with the total length.
fn shorten(content: &str, terms: &[QueryTerm], share: usize) -> String {
    let room = share.saturating_sub(MARK).max(8);
    // Escapes cost more than the characters they replace.
    let shown = escape_invisible(content);
    let passage = snippet(&shown, terms, room * CHARACTERS_PER_TOKEN);
    let passage = truncate_to_tokens(&passage, room);
    let ellipsis = if passage.ends_with('…') { "" } else { "…" };
    format!(
        "{passage}{ellipsis} [of {} characters]",
        content.chars().count()
    )
}

/// How many of the first entries fit, at least shortened; at least one.
fn how_many(
    title: &str,
    entries: &[Entry<'_>],
    headings: &[usize],
    contents: &[usize],
    budget: usize,
) -> usize {
    let least = |shown: usize| {
        let contents = contents[..shown].iter();
        cost(title)
            + headings[..shown].iter().sum::<usize>()
            + contents
                .map(|cost| (*cost).min(SHORTEST + MARK))
                .sum::<usize>()
            + cost(&footer(shown, &entries[shown..]))
    };
    (1..=entries.len())
        .rev()
        .find(|shown| least(*shown) <= budget)
        .unwrap_or(entries.len().min(1))
}

/// The largest share such that contents cut to it fit into `room`.
pub(crate) fn fair_share(costs: &[usize], room: usize) -> usize {
    let mut sorted = costs.to_vec();
    sorted.sort_unstable();
    let mut room = room;
    for (index, cost) in sorted.iter().enumerate() {
        let share = room / (sorted.len() - index);
        if *cost > share {
            return share;
        }
        room -= cost;
    }
    usize::MAX
}

fn footer(shortened: usize, left_out: &[Entry<'_>]) -> String {
    let mut footer = String::from("\n\n");
    if shortened > 0 {
        footer.push_str(
            "Entries marked \"of … characters\" are shortened; memory_get returns the full text.",
        );
    }
    if !left_out.is_empty() {
        let named: Vec<String> = left_out
            .iter()
            .take(NAMED)
            .map(|entry| entry.memory.citation())
            .collect();
        let more = if left_out.len() > NAMED { ", …" } else { "" };
        let _ = write!(
            footer,
            " {} left out for lack of space: {}{more}.",
            left_out.len(),
            named.join(", ")
        );
    }
    footer
}
