//! Dumps of key-value stores: one JSON document that maps keys such as `thought:7`, `chain:2`, `node:9` and
//! `relation:4` to documents or hashes.
//!
//! Thoughts become thoughts of their chain's thread, in order; chains become documents in it; nodes and relations
//! become statements about the knowledge graph, which count as told only if the import is trusted. The key is the
//! external id, so a second import adds nothing.

mod document;
mod entries;

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, Read};

use anamne_store::ImportItem;
use anamne_text::json_size::has_more_values;
use anamne_types::Draft;
use serde_json::Value;
use serde_json::value::RawValue;

use super::intake::{ImportWriter, RecordPosition};
use super::older::{Rest, name, number};
use crate::Error;
use document::{LineNumbers, Part, split};
use entries::{chain, named_node, node, relation, thought, time_of};

/// Maximum length of a dump. It is held in memory as a whole.
const LONGEST_DUMP: u64 = 64 << 20;

/// Maximum values in a dump.
const MOST_VALUES: usize = 4_000_000;

/// The bytes by which a dump is recognised.
const BEGINNING: usize = 256;

/// Whether a stream begins like a dump: with an array of objects, or with an object whose first key names a thing of a dump. Lines
/// of records begin with objects that have other keys.
pub(super) fn is_dump(reader: &mut impl BufRead) -> std::io::Result<bool> {
    let buffer = reader.fill_buf()?;
    let text = String::from_utf8_lossy(&buffer[..buffer.len().min(BEGINNING)]);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if let Some(items) = text.strip_prefix('[') {
        let first = items.trim_start();
        return Ok(first.is_empty() || first.starts_with('{'));
    }
    let key = text.strip_prefix('{').map(str::trim_start);
    let key = key.and_then(|rest| rest.strip_prefix('"')?.split('"').next());
    Ok(key.is_some_and(|key| Key::of(key).is_some()))
}

/// What a key names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    Chain,
    Thought,
    Node,
    Relation,
}

/// A key of a dump: what it names, its id, and a part of it such as `thoughts`.
#[derive(Debug, PartialEq)]
struct Key<'key> {
    thing: Thing,
    id: &'key str,
    part: Option<&'key str>,
}

impl<'key> Key<'key> {
    /// Reads a key; names before the thing are the name space of the program.
    fn of(key: &'key str) -> Option<Self> {
        let mut start = 0;
        for segment in key.split(':') {
            let thing = match segment.to_ascii_lowercase().as_str() {
                "chain" | "chains" => Some(Thing::Chain),
                "thought" | "thoughts" => Some(Thing::Thought),
                "node" | "nodes" | "entity" => Some(Thing::Node),
                "relation" | "relations" | "relationship" | "edge" => Some(Thing::Relation),
                _ => None,
            };
            let end = start + segment.len();
            if let Some(thing) = thing {
                let rest = key.get(end + 1..).filter(|rest| !rest.is_empty())?;
                let (id, part) = match rest.rsplit_once(':') {
                    Some((id, part @ ("thoughts" | "items"))) if thing == Thing::Chain => {
                        (id, Some(part))
                    }
                    _ => (rest, None),
                };
                return Some(Self { thing, id, part });
            }
            start = end + 1;
        }
        None
    }
}

/// An entry, with its place in the text.
struct Entry {
    offset: usize,
    key: String,
    fields: Rest,
}

/// What a dump contains, by kind.
#[derive(Default)]
struct Dump {
    chains: Vec<Entry>,
    thoughts: Vec<Entry>,
    nodes: Vec<Entry>,
    relations: Vec<Entry>,
    /// The order of thoughts that a chain lists, by chain and thought.
    listed: HashMap<(String, String), u32>,
    /// The chain of a thought, as chains list them.
    chain_of: HashMap<String, String>,
    /// Whether a key names a thing of a dump.
    has_things: bool,
    /// The places of entries that can't be read, with the reason.
    bad: Vec<(usize, String)>,
}

/// Imports a dump. Entries that can't be read are reported by their line.
pub(super) fn import(reader: impl BufRead, intake: &mut ImportWriter<'_>) -> Result<(), Error> {
    let failed = |source| Error::Stream {
        action: "read the import",
        source,
    };
    let mut text = String::new();
    let read = reader.take(LONGEST_DUMP + 1).read_to_string(&mut text);
    let bytes = read.map_err(failed)?;
    intake.report.bytes += bytes as u64;
    let whole = position(1);
    if bytes as u64 > LONGEST_DUMP || has_more_values(&text, MOST_VALUES) {
        let reason = format!(
            "a dump may have {LONGEST_DUMP} bytes and {MOST_VALUES} values; split it, or write one record per line"
        );
        return intake.skip_record(&whole, &reason);
    }
    let text = text.trim_start_matches('\u{feff}');
    let parts = match split(text) {
        Ok(parts) => parts,
        Err(error) => {
            let reason = format!("not one JSON document, so nothing of it is imported: {error}");
            return intake.skip_record(&whole, &reason);
        }
    };
    let dump = Dump::of(parts);
    intake.report.lines += dump.count();
    if !dump.has_things && !dump.bad.is_empty() {
        let reason = "one JSON document, but no dump: no key names a thought, chain, node or relation; write one record per line";
        return intake.skip_record(&whole, reason);
    }
    dump.store(text, intake)
}

fn position(number: u64) -> RecordPosition {
    RecordPosition {
        line: number,
        file: None,
    }
}

impl Dump {
    /// Sorts the entries of a document.
    fn of(parts: Vec<Part<'_>>) -> Self {
        let mut dump = Self::default();
        for Part { offset, entry } in parts {
            let (key, value) = match entry {
                Some((key, value)) => (key, read(value)),
                None => ("?".to_owned(), Ok(Value::Null)),
            };
            let added = value.and_then(|value| dump.add(offset, &key, value));
            if let Err(reason) = added {
                dump.bad.push((offset, format!("{key}: {reason}")));
            }
        }
        dump
    }

    fn count(&self) -> u64 {
        let entries = [&self.chains, &self.thoughts, &self.nodes, &self.relations];
        let stored: usize = entries.iter().map(|entries| entries.len()).sum();
        (stored + self.bad.len()) as u64
    }

    fn add(&mut self, offset: usize, key: &str, value: Value) -> Result<(), String> {
        let Some(Key { thing, id, part }) = Key::of(key) else {
            return Err("no thought, chain, node or relation".to_owned());
        };
        self.has_things = true;
        if part.is_some() {
            return self.add_order(id, &decoded(value));
        }
        let Value::Object(fields) = decoded(value) else {
            return Err("its value is no object".to_owned());
        };
        let mut fields: Rest = fields
            .into_iter()
            .map(|(name, value)| (name, decoded(value)))
            .collect();
        fields.entry("id".to_owned()).or_insert_with(|| id.into());
        if thing == Thing::Chain {
            for list in ["thoughts", "thought_ids"] {
                if let Some(order) = fields.get(list).filter(|order| is_order(order)).cloned() {
                    self.add_order(id, &order)?;
                    fields.remove(list);
                }
            }
        }
        let entry = Entry {
            offset,
            key: key.to_owned(),
            fields,
        };
        match thing {
            Thing::Chain => self.chains.push(entry),
            Thing::Thought => self.thoughts.push(entry),
            Thing::Node => self.nodes.push(entry),
            Thing::Relation => self.relations.push(entry),
        }
        Ok(())
    }

    /// Records the order of the thoughts that a chain lists.
    fn add_order(&mut self, chain: &str, order: &Value) -> Result<(), String> {
        let Value::Array(ids) = order else {
            return Err("its value is no list of thoughts".to_owned());
        };
        for (place, id) in (0..).zip(ids) {
            let id = name(id).ok_or("its value is no list of thoughts")?;
            let id = Key::of(&id).map_or(id.as_str(), |key| key.id).to_owned();
            self.chain_of
                .entry(id.clone())
                .or_insert_with(|| chain.to_owned());
            self.listed.insert((chain.to_owned(), id), place);
        }
        Ok(())
    }

    /// Stores the entries in the order of the text, so that an import that stops has everything before that place.
    fn store(mut self, text: &str, intake: &mut ImportWriter<'_>) -> Result<(), Error> {
        let names: BTreeMap<String, String> = self.nodes.iter().filter_map(named_node).collect();
        let bad = std::mem::take(&mut self.bad).into_iter();
        let mut drafts: Vec<(usize, Result<Draft, String>)> =
            bad.map(|(offset, reason)| (offset, Err(reason))).collect();
        for entry in std::mem::take(&mut self.chains) {
            drafts.push((entry.offset, Ok(chain(entry))));
        }
        drafts.extend(self.ordered_thoughts());
        for entry in self.nodes {
            drafts.push((entry.offset, node(entry)));
        }
        for entry in self.relations {
            drafts.push((entry.offset, relation(entry, &names)));
        }
        drafts.sort_by_key(|(offset, _)| *offset);
        let mut lines = LineNumbers::of(text);
        for (offset, draft) in drafts {
            let draft = draft.and_then(|draft| match draft.check() {
                Ok(()) => Ok(draft),
                Err(refusal) => Err(refusal.to_string()),
            });
            let place = position(lines.at(offset));
            match draft {
                Ok(draft) => {
                    let bytes = draft.content.len();
                    intake.take(place, bytes, ImportItem::new(draft), Vec::new())?;
                }
                Err(reason) => intake.skip_record(&place, &reason)?,
            }
        }
        Ok(())
    }

    /// The thoughts of each chain by their order: as the chain lists them, else by number and time.
    fn ordered_thoughts(&mut self) -> Vec<(usize, Result<Draft, String>)> {
        let mut chains: BTreeMap<Option<String>, Vec<(Order, Entry)>> = BTreeMap::new();
        for entry in std::mem::take(&mut self.thoughts) {
            let id = entry.fields.get("id").and_then(name).unwrap_or_default();
            let stated = entry.fields.get("chain_id").or(entry.fields.get("chain"));
            let stated = stated.and_then(name);
            let chain = stated
                .map(|chain| Key::of(&chain).map_or(chain.clone(), |key| key.id.to_owned()))
                .or_else(|| self.chain_of.get(&id).cloned());
            let place = chain
                .as_ref()
                .and_then(|chain| self.listed.get(&(chain.clone(), id)));
            let order = Order {
                listed: place.copied().unwrap_or(u32::MAX),
                number: entry
                    .fields
                    .get("thought_number")
                    .and_then(number)
                    .unwrap_or(u32::MAX),
                at: time_of(&entry.fields).map_or(i64::MAX, jiff::Timestamp::as_microsecond),
                key: entry.key.clone(),
            };
            chains.entry(chain).or_default().push((order, entry));
        }
        let mut drafts = Vec::new();
        for (chain, mut thoughts) in chains {
            thoughts.sort_by(|(one, _), (other, _)| one.cmp(other));
            for (place, (_, entry)) in (0..).zip(thoughts) {
                drafts.push((entry.offset, thought(entry, chain.as_deref(), place)));
            }
        }
        drafts
    }
}

/// By what thoughts of a chain are ordered.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Order {
    listed: u32,
    number: u32,
    at: i64,
    key: String,
}

fn is_order(list: &Value) -> bool {
    let Value::Array(items) = list else {
        return false;
    };
    items.iter().all(|item| name(item).is_some())
}

/// A value of the document, whose syntax was checked. An error names no place: it would count from the value.
fn read(value: &RawValue) -> Result<Value, String> {
    serde_json::from_str(value.get()).map_err(|error| {
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default();
        format!("its value can't be read: {reason}")
    })
}

/// A value that is stored as JSON in a text, as hashes have it.
fn decoded(value: Value) -> Value {
    match value {
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(&text).unwrap_or(Value::String(text))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_name_things_with_or_without_a_name_space() {
        let key = |thing, id, part| Some(Key { thing, id, part });
        for (text, expected) in [
            ("thought:7", key(Thing::Thought, "7", None)),
            ("app:v1:node:Mara Lind", key(Thing::Node, "Mara Lind", None)),
            ("relation:a:b", key(Thing::Relation, "a:b", None)),
            ("chain:2:thoughts", key(Thing::Chain, "2", Some("thoughts"))),
            ("thought:", None),
            ("session:4", None),
            ("text", None),
        ] {
            assert_eq!(Key::of(text), expected, "{text}");
        }
    }

    #[test]
    fn lines_of_records_are_no_dump() {
        for (text, expected) in [
            (" \n{\n \"thought:1\": {}}", true),
            ("\u{feff}[{\"key\": 1}]", true),
            ("{\"text\": \"thought:1\"}", false),
            ("{\"thought\": \"a field\"}", false),
            ("[1]", false),
            ("[2026-11-28] a line of a log", false),
            ("", false),
        ] {
            assert_eq!(
                is_dump(&mut text.as_bytes()).expect("read"),
                expected,
                "{text}"
            );
        }
    }
}
