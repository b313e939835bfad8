//! The edits that all syntaxes share: where a path leads, what the result must be, and the proof that it is.

use serde_json::{Map, Value};

use super::{Document, EditError, MAX_LENGTH, place};

/// Texts that an edit may lead to, the preferred one first.
pub(super) type Candidates = Result<Vec<String>, EditError>;

/// A syntax: how its texts are read, and which splices carry out an edit. Offsets are bytes of `text`, the text that was
/// parsed.
pub(super) trait Notation: Sized {
    /// Whether a key without a value is an empty table or list.
    const NULL_IS_EMPTY: bool;
    /// Whether a table may exist only through its children.
    const IMPLICIT_TABLES: bool;
    /// Whether a path may lead through a list, by the index of an element.
    const INDICES: bool;

    fn parse(text: &str) -> Result<Self, EditError>;

    /// The whole text as a table.
    fn value(&self) -> Value;

    /// The number of keys of `path` up to the first one that stands twice in its table.
    fn duplicate(&self, path: &[&str]) -> Option<usize>;

    /// Adds `value` at `rest` below an existing table that doesn't have the first key of `rest`.
    fn insert(&self, text: &str, table: &[&str], rest: &[&str], value: &Value) -> Candidates;

    /// Replaces an existing value.
    fn replace(&self, text: &str, path: &[&str], value: &Value) -> Candidates;

    /// Removes existing keys of a table.
    fn remove(&self, text: &str, table: &[&str], keys: &[&str]) -> Candidates;

    /// Appends to an existing list.
    fn push(&self, text: &str, list: &[&str], value: &Value) -> Candidates;

    /// Removes the elements of an existing list with these indices, which ascend.
    fn retain(&self, text: &str, list: &[&str], removed: &[usize]) -> Candidates;
}

/// A text of one syntax.
pub(super) struct Edited<N> {
    has_mark: bool,
    text: String,
    parsed: N,
    value: Value,
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Where a path leads.
enum Place<'a> {
    There(&'a Value),
    /// The tables of so many keys exist; the next key doesn't.
    Missing(usize),
    /// The value at so many keys is null and counts as empty.
    Empty(usize),
}

impl<N: Notation> Edited<N> {
    pub(super) fn open(text: &str) -> Result<Self, EditError> {
        if text.len() > MAX_LENGTH {
            let reason = format!("longer than {} MiB", MAX_LENGTH >> 20);
            return Err(EditError::Unsupported(reason));
        }
        let bare = text.strip_prefix(BYTE_ORDER_MARK);
        let has_mark = bare.is_some();
        let text = bare.unwrap_or(text).to_owned();
        let parsed = N::parse(&text)?;
        let value = parsed.value();
        if !value.is_object() {
            return Err(not_a_table(&[]));
        }
        Ok(Self {
            has_mark,
            text,
            parsed,
            value,
        })
    }

    /// Adopts the first candidate that has the expected value.
    fn adopt(
        &mut self,
        path: &[&str],
        candidates: Candidates,
        expected: &Value,
    ) -> Result<(), EditError> {
        for text in candidates? {
            let Ok(edited) = Self::open(&text) else {
                continue;
            };
            if !edited.has_mark && same::<N>(&edited.value, expected, path) {
                let has_mark = self.has_mark;
                *self = Self { has_mark, ..edited };
                return Ok(());
            }
        }
        let place = place(path);
        let reason = format!("{place} can't be edited without rewriting what is around it");
        Err(EditError::Unsupported(reason))
    }

    /// Where `path` leads. Refuses a path through something else than tables, or through a key that stands twice.
    fn find(&self, path: &[&str]) -> Result<Place<'_>, EditError> {
        if let Some(keys) = self.parsed.duplicate(path) {
            let place = place(&path[..keys]);
            return Err(EditError::Unsupported(format!("{place} stands twice")));
        }
        let mut value = &self.value;
        for (depth, key) in path.iter().enumerate() {
            if value.is_null() && N::NULL_IS_EMPTY {
                return Ok(Place::Empty(depth));
            }
            if let (Value::Array(list), true) = (value, N::INDICES)
                && let Some(element) = element(list, key)
            {
                value = element;
                continue;
            }
            let table = value
                .as_object()
                .ok_or_else(|| not_a_table(&path[..depth]))?;
            let Some(next) = table.get(*key) else {
                return Ok(Place::Missing(depth));
            };
            value = next;
        }
        Ok(Place::There(value))
    }

    fn set_step(&mut self, path: &[&str], value: &Value) -> Result<(), EditError> {
        let candidates = match self.find(path)? {
            Place::There(old) if old == value => return Ok(()),
            Place::There(Value::Object(old)) if value.is_object() => {
                let gone = gone(old, value);
                return self.merge(path, &gone, value);
            }
            Place::There(Value::Array(old)) if N::INDICES && keeps_elements(old, value) => {
                let old = old.clone();
                return self.merge_list(path, &old, value);
            }
            Place::There(_) if path.is_empty() => return Err(not_a_table(path)),
            Place::There(_) => self.parsed.replace(&self.text, path, value),
            Place::Missing(depth) => {
                let (table, rest) = path.split_at(depth);
                self.parsed.insert(&self.text, table, rest, value)
            }
            Place::Empty(depth) => {
                let (empty, rest) = path.split_at(depth);
                self.parsed
                    .replace(&self.text, empty, &wrapped(rest, value))
            }
        };
        let mut expected = self.value.clone();
        put(&mut expected, path, value.clone());
        self.adopt(path, candidates, &expected)
    }

    /// Makes an existing table equal to `value` key by key.
    fn merge(&mut self, path: &[&str], gone: &[String], value: &Value) -> Result<(), EditError> {
        self.remove_keys(path, gone)?;
        for (key, value) in super::keys::ordered(value) {
            let path: Vec<&str> = path.iter().copied().chain([key]).collect();
            self.set_step(&path, value)?;
        }
        Ok(())
    }

    /// Makes a list equal to a list that keeps its elements, or lacks some of them: comments between the others stay.
    fn merge_list(&mut self, path: &[&str], old: &[Value], value: &Value) -> Result<(), EditError> {
        let new = value.as_array().map_or(&[][..], Vec::as_slice);
        if new.len() < old.len() {
            let removed = removed(old, new);
            let candidates = self.parsed.retain(&self.text, path, &removed);
            let mut expected = self.value.clone();
            put(&mut expected, path, value.clone());
            return self.adopt(path, candidates, &expected);
        }
        for (index, element) in new.iter().enumerate() {
            let index = index.to_string();
            let path: Vec<&str> = path.iter().copied().chain([index.as_str()]).collect();
            self.set_step(&path, element)?;
        }
        Ok(())
    }

    fn remove_keys(&mut self, table: &[&str], keys: &[String]) -> Result<(), EditError> {
        if keys.is_empty() {
            return Ok(());
        }
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        for key in &keys {
            let path: Vec<&str> = table.iter().copied().chain([*key]).collect();
            self.find(&path)?;
        }
        let mut expected = self.value.clone();
        if let Some(Value::Object(map)) = at_mut(&mut expected, table) {
            map.retain(|key, _| !keys.contains(&key.as_str()));
        }
        let candidates = self.parsed.remove(&self.text, table, &keys);
        self.adopt(table, candidates, &expected)
    }

    /// Carries out an edit of several steps: all or none.
    fn wholly<T>(
        &mut self,
        edit: impl FnOnce(&mut Self) -> Result<T, EditError>,
    ) -> Result<T, EditError> {
        let before = self.text.clone();
        let done = edit(self);
        if done.is_err() && self.text != before {
            let has_mark = self.has_mark;
            *self = Self::open(&before)?;
            self.has_mark = has_mark;
        }
        done
    }
}

impl<N: Notation> Document for Edited<N> {
    fn get(&self, path: &[&str]) -> Option<Value> {
        let mut value = &self.value;
        for key in path {
            value = value.as_object()?.get(*key)?;
        }
        Some(value.clone())
    }

    fn set(&mut self, path: &[&str], value: &Value) -> Result<(), EditError> {
        self.wholly(|text| text.set_step(path, value))
    }

    fn remove(&mut self, path: &[&str]) -> Result<bool, EditError> {
        let Some((key, table)) = path.split_last() else {
            let reason = "the top level can't be removed".to_owned();
            return Err(EditError::Unsupported(reason));
        };
        if !matches!(self.find(path)?, Place::There(_)) {
            return Ok(false);
        }
        self.remove_keys(table, &[(*key).to_owned()])?;
        Ok(true)
    }

    fn push(&mut self, path: &[&str], value: &Value) -> Result<(), EditError> {
        let Place::There(old) = self.find(path)? else {
            return self.set(path, &Value::Array(vec![value.clone()]));
        };
        if old.is_null() && N::NULL_IS_EMPTY {
            return self.set(path, &Value::Array(vec![value.clone()]));
        }
        let list = old.as_array().ok_or_else(|| not_a_list(path))?;
        let longer: Vec<Value> = list.iter().chain([value]).cloned().collect();
        let mut expected = self.value.clone();
        put(&mut expected, path, Value::Array(longer));
        let candidates = self.parsed.push(&self.text, path, value);
        self.adopt(path, candidates, &expected)
    }

    fn retain(&mut self, path: &[&str], keep: &dyn Fn(&Value) -> bool) -> Result<usize, EditError> {
        let Place::There(old) = self.find(path)? else {
            return Ok(0);
        };
        if old.is_null() && N::NULL_IS_EMPTY {
            return Ok(0);
        }
        let list = old.as_array().ok_or_else(|| not_a_list(path))?;
        let removed: Vec<usize> = (0..list.len()).filter(|&at| !keep(&list[at])).collect();
        if removed.is_empty() {
            return Ok(0);
        }
        let kept = list.iter().filter(|value| keep(value)).cloned().collect();
        let mut expected = self.value.clone();
        put(&mut expected, path, Value::Array(kept));
        let candidates = self.parsed.retain(&self.text, path, &removed);
        self.adopt(path, candidates, &expected)?;
        Ok(removed.len())
    }

    fn text(&self) -> String {
        let mark = self.has_mark.then_some(BYTE_ORDER_MARK);
        mark.into_iter().chain(self.text.chars()).collect()
    }
}

fn not_a_table(path: &[&str]) -> EditError {
    let (place, expected) = (place(path), "a table");
    EditError::Shape { place, expected }
}

fn not_a_list(path: &[&str]) -> EditError {
    let (place, expected) = (place(path), "a list");
    EditError::Shape { place, expected }
}

/// The element at an index that is written as a key.
fn element<'a>(list: &'a [Value], key: &str) -> Option<&'a Value> {
    list.get(key.parse::<usize>().ok()?)
}

/// Whether a list has as many elements as the old one, or some of them in their order.
fn keeps_elements(old: &[Value], new: &Value) -> bool {
    let Some(new) = new.as_array() else {
        return false;
    };
    let is_shortened = || removed(old, new).len() == old.len() - new.len();
    new.len() == old.len() || (new.len() < old.len() && is_shortened())
}

/// The indices of the elements of `old` that are left out of `new`, which has the others in their order.
fn removed(old: &[Value], new: &[Value]) -> Vec<usize> {
    let mut kept = new.iter().peekable();
    let mut removed = Vec::new();
    for (index, value) in old.iter().enumerate() {
        if kept.next_if(|next| *next == value).is_none() {
            removed.push(index);
        }
    }
    removed
}

/// The keys of `old` that `new` doesn't have.
fn gone(old: &Map<String, Value>, new: &Value) -> Vec<String> {
    let gone = old.keys().filter(|key| new.get(key).is_none());
    gone.cloned().collect()
}

/// `value` inside of tables with these keys.
pub(super) fn wrapped(keys: &[&str], value: &Value) -> Value {
    let inner = value.clone();
    keys.iter().rev().fold(inner, |value, key| {
        Value::Object(Map::from_iter([((*key).to_owned(), value)]))
    })
}

fn at_mut<'a>(value: &'a mut Value, path: &[&str]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, key| match value {
        Value::Array(list) => list.get_mut(key.parse::<usize>().ok()?),
        value => value.get_mut(*key),
    })
}

/// Puts `new` at `path`; whatever on the way isn't a table becomes one.
fn put(value: &mut Value, path: &[&str], new: Value) {
    let Some((key, rest)) = path.split_first() else {
        *value = new;
        return;
    };
    if let (Value::Array(list), Ok(index)) = (&mut *value, key.parse::<usize>())
        && let Some(element) = list.get_mut(index)
    {
        return put(element, rest, new);
    }
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    if let Value::Object(map) = value {
        put(map.entry(*key).or_insert(Value::Null), rest, new);
    }
}

/// Whether two values are equal, apart from empty tables on `path` that the syntax has no way to write.
fn same<N: Notation>(one: &Value, other: &Value, path: &[&str]) -> bool {
    one == other || (N::IMPLICIT_TABLES && pruned(one, path) == pruned(other, path))
}

fn pruned(value: &Value, path: &[&str]) -> Value {
    let mut value = value.clone();
    prune(&mut value, path);
    value
}

/// Removes the empty table or list at `path`, and the tables on the way that become empty by that.
fn prune(value: &mut Value, path: &[&str]) {
    let (Some((key, rest)), Value::Object(map)) = (path.split_first(), value) else {
        return;
    };
    let Some(inner) = map.get_mut(*key) else {
        return;
    };
    prune(inner, rest);
    let is_empty = match inner {
        Value::Object(map) => map.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    };
    if is_empty {
        map.remove(*key);
    }
}
