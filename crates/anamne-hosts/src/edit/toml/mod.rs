//! TOML.

mod depth;
mod places;
mod render;
mod value;

use serde_json::Value;
use toml_edit::{Array, Document, InlineTable, Item, Table, TomlError};

use self::places::{
    section, section_lines, section_place, sections, value_line, values, without_lines,
};
use self::render::{dotted, inline, key, pairs};
use self::value::item_value;
use super::brackets::{Brackets, Comments};
use super::document::{Candidates, Notation, wrapped};
use super::splice::{Splice, indentation, line_end, newline, spliced};
use super::{EditError, MAX_NESTING, place, too_deep};

/// A parsed text.
pub(super) struct Toml {
    root: Item,
}

impl Notation for Toml {
    const NULL_IS_EMPTY: bool = false;
    const IMPLICIT_TABLES: bool = true;
    const INDICES: bool = false;

    fn parse(text: &str) -> Result<Self, EditError> {
        if depth::nesting(text) > MAX_NESTING {
            return Err(too_deep());
        }
        let document = Document::parse(text).map_err(|error| syntax(text, &error))?;
        let root = document.into_item();
        Ok(Self { root })
    }

    fn value(&self) -> Value {
        item_value(&self.root)
    }

    fn duplicate(&self, _: &[&str]) -> Option<usize> {
        None
    }

    fn insert(&self, text: &str, table: &[&str], rest: &[&str], value: &Value) -> Candidates {
        match self.at(table) {
            Some(Item::Table(found)) => self.insert_below(text, (table, found), rest, value),
            Some(Item::Value(toml_edit::Value::InlineTable(found))) => {
                insert_inline(text, table, found, rest, value)
            }
            _ => Ok(Vec::new()),
        }
    }

    fn replace(&self, text: &str, path: &[&str], value: &Value) -> Candidates {
        if let Some(span) = self
            .at(path)
            .and_then(Item::as_value)
            .and_then(toml_edit::Value::span)
        {
            return Ok(vec![spliced(
                text,
                vec![Splice::replace(span, inline(value)?)],
            )]);
        }
        let Some((name, table)) = path.split_last() else {
            return Ok(Vec::new());
        };
        let mut candidates = Vec::new();
        for without in self.remove(text, table, &[name])? {
            let parsed = Self::parse(&without)?;
            let parents = parsed.existing(table);
            candidates.extend(parsed.insert(
                &without,
                &path[..parents],
                &path[parents..],
                value,
            )?);
        }
        Ok(candidates)
    }

    fn remove(&self, text: &str, table: &[&str], keys: &[&str]) -> Candidates {
        let edited = match self.at(table) {
            Some(Item::Table(found)) => Some(remove_lines(text, found, keys)),
            Some(Item::Value(toml_edit::Value::InlineTable(found))) => {
                let brackets = table_brackets(text, table, found)?;
                let names = found.iter().enumerate();
                let removed = names.filter(|(_, (name, _))| keys.contains(name));
                let removed: Vec<usize> = removed.map(|(index, _)| index).collect();
                Some(brackets.remove(&removed))
            }
            _ => None,
        };
        Ok(edited.into_iter().map(|edit| spliced(text, edit)).collect())
    }

    fn push(&self, text: &str, list: &[&str], value: &Value) -> Candidates {
        let edited = match self.at(list) {
            Some(Item::ArrayOfTables(_)) if value.is_object() => {
                return self.insert_sections(text, list, list, std::slice::from_ref(value), "[[");
            }
            Some(Item::Value(toml_edit::Value::Array(array))) => {
                array_brackets(text, array).map(|brackets| push_inline(&brackets, value))
            }
            _ => None,
        };
        let edited = edited.transpose()?;
        Ok(edited.into_iter().map(|edit| spliced(text, edit)).collect())
    }

    fn retain(&self, text: &str, list: &[&str], removed: &[usize]) -> Candidates {
        let edited = match self.at(list) {
            Some(Item::ArrayOfTables(tables)) => {
                let tables = removed.iter().filter_map(|&index| tables.get(index));
                let gone = tables.flat_map(|table| sections(&Item::Table(table.clone())));
                let gone = gone.map(|section| section_lines(text, section));
                Some(without_lines(text, gone.collect()))
            }
            Some(Item::Value(toml_edit::Value::Array(array))) => {
                array_brackets(text, array).map(|brackets| brackets.remove(removed))
            }
            _ => None,
        };
        Ok(edited.into_iter().map(|edit| spliced(text, edit)).collect())
    }
}

impl Toml {
    fn at(&self, path: &[&str]) -> Option<&Item> {
        path.iter()
            .try_fold(&self.root, |item, key| item.as_table_like()?.get(key))
    }

    /// The number of keys of `path` that lead to tables.
    fn existing(&self, path: &[&str]) -> usize {
        let exists = |depth: &usize| self.at(&path[..*depth]).is_some();
        (0..=path.len()).rev().find(exists).unwrap_or(0)
    }

    /// Adds to a table that isn't an inline one: as a section, or as a line of the table.
    fn insert_below(
        &self,
        text: &str,
        (path, table): (&[&str], &Table),
        rest: &[&str],
        value: &Value,
    ) -> Candidates {
        let full: Vec<&str> = path.iter().chain(rest).copied().collect();
        let line = format!("{} = {}", self.line_key(path, rest), inline(value)?);
        let has_lines = !table.is_implicit() || table.is_dotted();
        let line = has_lines.then(|| spliced(text, vec![insert_line(text, table, &line)]));
        let sections = match value {
            Value::Object(_) => {
                self.insert_sections(text, path, &full, std::slice::from_ref(value), "[")?
            }
            Value::Array(list) if !list.is_empty() && list.iter().all(Value::is_object) => {
                self.insert_sections(text, path, &full, list, "[[")?
            }
            _ if rest.len() == 1 && has_lines => Vec::new(),
            _ => {
                let (name, parents) = full.split_last().unwrap_or((&"", &[]));
                let value = [wrapped(&[name], value)];
                self.insert_sections(text, path, parents, &value, "[")?
            }
        };
        // A table that consists of dotted keys gets a line like them.
        let (first, second) = if table.is_dotted() {
            (line.into_iter().collect(), sections)
        } else {
            (sections, line.into_iter().collect::<Vec<_>>())
        };
        Ok(first.into_iter().chain(second).collect())
    }

    /// The key of a line for `rest` in the table at `path`, counted from the header above the line.
    fn line_key(&self, path: &[&str], rest: &[&str]) -> String {
        let is_dotted = |depth: &usize| {
            let table = self.at(&path[..*depth]).and_then(Item::as_table);
            table.is_some_and(Table::is_dotted)
        };
        let depths = (1..=path.len()).rev().take_while(is_dotted);
        let from = path.len() - depths.count();
        let keys: Vec<&str> = path[from..].iter().chain(rest).copied().collect();
        dotted(&keys)
    }

    /// Adds sections with this header after those of the table at `below`.
    fn insert_sections(
        &self,
        text: &str,
        below: &[&str],
        header: &[&str],
        tables: &[Value],
        bracket: &str,
    ) -> Candidates {
        let all = sections(&self.root);
        let inside = self.at(below).map(sections).unwrap_or_default();
        let next = match inside.last() {
            Some(last) if !below.is_empty() => {
                all.iter().find(|section| section.start > last.start)
            }
            _ => None,
        };
        let place = section_place(text, next.copied());
        let newline = newline(text);
        let lead = inside
            .last()
            .map_or("", |last| indentation(text, last.start));
        let close = bracket.replace('[', "]");
        let header = format!("{bracket}{}{close}", dotted(header));
        let mut parts = Vec::new();
        for table in tables {
            let lines = std::iter::once(header.clone()).chain(pairs(table)?);
            let lines: Vec<String> = lines.map(|line| format!("{lead}{line}")).collect();
            parts.push(lines.join(newline));
        }
        let sections = parts.join(&format!("{newline}{newline}"));
        let added = match &text[..place] {
            "" => format!("{sections}{newline}"),
            before if before.ends_with('\n') => format!("{newline}{sections}{newline}"),
            _ => format!("{newline}{newline}{sections}"),
        };
        Ok(vec![spliced(text, vec![Splice::insert(place, added)])])
    }
}

/// Adds a line to a table: after its last value, after its header, or above the first header of the text.
fn insert_line(text: &str, table: &Table, line: &str) -> Splice {
    let newline = newline(text);
    let values = values(table);
    if let Some(last) = values.last() {
        let lead = indentation(text, last.start);
        return Splice::insert(line_end(text, last.end), format!("{newline}{lead}{line}"));
    }
    if let Some(section) = section(table) {
        let lead = indentation(text, section.start);
        return Splice::insert(
            line_end(text, section.end),
            format!("{newline}{lead}{line}"),
        );
    }
    let first = sections(&Item::Table(table.clone())).first().copied();
    let place = first.map_or(text.len(), |first| places::with_comment(text, first.start));
    if text[..place].is_empty() || text[..place].ends_with('\n') {
        return Splice::insert(place, format!("{line}{newline}"));
    }
    Splice::insert(place, format!("{newline}{line}"))
}

fn insert_inline(
    text: &str,
    path: &[&str],
    table: &InlineTable,
    rest: &[&str],
    value: &Value,
) -> Candidates {
    let Some((name, inner)) = rest.split_first() else {
        return Ok(Vec::new());
    };
    let entry = format!("{} = {}", key(name), inline(&wrapped(inner, value))?);
    let splices = table_brackets(text, path, table)?.insert(&entry, None);
    Ok(vec![spliced(text, splices)])
}

fn push_inline(brackets: &Brackets<'_>, value: &Value) -> Result<Vec<Splice>, EditError> {
    let is_multiline = brackets.is_multiline().unwrap_or(brackets.has_newline());
    let indentation = is_multiline.then(|| brackets.inner_indentation("  "));
    Ok(brackets.insert(&inline(value)?, indentation.as_deref()))
}

fn remove_lines(text: &str, table: &Table, keys: &[&str]) -> Vec<Splice> {
    let mut lines = Vec::new();
    for name in keys {
        let Some((key, item)) = table.get_key_value(name) else {
            continue;
        };
        let own = key
            .span()
            .zip(item.as_value().and_then(toml_edit::Value::span));
        let own = own.map(|(key, value)| key.start..value.end);
        let dotted = item.as_table().filter(|table| table.is_dotted());
        let values = dotted
            .map(values)
            .unwrap_or_default()
            .into_iter()
            .chain(own);
        lines.extend(values.map(|value| value_line(text, &value)));
        let sections = sections(item).into_iter();
        lines.extend(sections.map(|section| section_lines(text, section)));
    }
    without_lines(text, lines)
}

fn array_brackets<'t>(text: &'t str, array: &Array) -> Option<Brackets<'t>> {
    let span = array.span()?;
    let items = array.iter().map(toml_edit::Value::span);
    Some(Brackets {
        text,
        inside: span.start + 1..span.end - 1,
        entries: items.collect::<Option<_>>()?,
        comments: Comments::Hash,
        padding: "",
    })
}

fn table_brackets<'t>(
    text: &'t str,
    path: &[&str],
    table: &InlineTable,
) -> Result<Brackets<'t>, EditError> {
    let entries = table.iter().map(|(name, value)| {
        let is_dotted = value.as_inline_table().is_some_and(InlineTable::is_dotted);
        let key = table.key(name)?.span()?;
        (!is_dotted).then_some(key.start..value.span()?.end)
    });
    let entries: Option<Vec<_>> = entries.collect();
    let span = table.span().filter(|_| !table.is_dotted());
    let Some((span, entries)) = span.zip(entries) else {
        let place = place(path);
        let reason = format!("{place} has dotted keys inside of braces");
        return Err(EditError::Unsupported(reason));
    };
    Ok(Brackets {
        text,
        inside: span.start + 1..span.end - 1,
        entries,
        comments: Comments::Hash,
        padding: " ",
    })
}

fn syntax(text: &str, error: &TomlError) -> EditError {
    let at = error.span().map_or(0, |span| span.start.min(text.len()));
    let before = text.as_bytes()[..at].split(|byte| *byte == b'\n');
    EditError::Syntax {
        line: before.count(),
        reason: error.message().trim().to_owned(),
    }
}
