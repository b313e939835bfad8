//! YAML.
//!
//! Block mappings and lists are edited by lines, flow collections between their brackets. An empty value, `{}` and `[]`
//! become blocks with their first entry; a block without entries becomes `{}` or `[]`.

mod places;
mod read;
mod render;

use std::ops::Range;

use serde_json::{Map, Value};

use self::places::{
    after_colon, after_comments, column, content_end, dash, is_flow, lines, member_end,
};
use self::read::{is_null, read};
use self::render::{Layout, inline, is_block, string};
use super::EditError;
use super::brackets::{Brackets, Comments};
use super::document::{Candidates, Notation, wrapped};
use super::node::{Member, Node};
use super::splice::{Splice, lead, line_end, newline, spliced};

/// A parsed text; no root if it is empty.
pub(super) struct Yaml {
    root: Option<Node>,
}

impl Notation for Yaml {
    const NULL_IS_EMPTY: bool = true;
    const IMPLICIT_TABLES: bool = false;
    const INDICES: bool = false;

    fn parse(text: &str) -> Result<Self, EditError> {
        let root = read(text)?;
        Ok(Self { root })
    }

    fn value(&self) -> Value {
        let root = self.root.as_ref();
        root.map_or_else(|| Value::Object(Map::new()), Node::value)
    }

    fn duplicate(&self, path: &[&str]) -> Option<usize> {
        self.root.as_ref()?.duplicate(path)
    }

    fn insert(&self, text: &str, table: &[&str], rest: &[&str], value: &Value) -> Candidates {
        let Some((key, inner)) = rest.split_first() else {
            return Ok(Vec::new());
        };
        let value = wrapped(inner, value);
        let Some(root) = &self.root else {
            return Ok(vec![first(text, key, &value)]);
        };
        let Some(node) = root.at(table) else {
            return Ok(Vec::new());
        };
        let mut splices = Vec::new();
        if is_flow(text, node) {
            let whole = wrapped(&[key], &value);
            splices.extend(self.opened(text, table, node, &whole));
            let entry = format!("{}: {}", string(key), inline(&value));
            splices.push(brackets(text, node).insert(&entry, None));
        } else if let Some(members) = node.members() {
            splices.extend(self.below(text, members, key, &value));
        }
        Ok(all(text, splices))
    }

    fn replace(&self, text: &str, path: &[&str], value: &Value) -> Candidates {
        let Some((member, parent)) = self.member(path) else {
            return Ok(Vec::new());
        };
        if is_flow(text, parent) {
            let splice = Splice::replace(member.node.span.clone(), inline(value));
            return Ok(vec![spliced(text, vec![splice])]);
        }
        Ok(all(text, self.replaced(text, member, value)))
    }

    fn remove(&self, text: &str, table: &[&str], keys: &[&str]) -> Candidates {
        let Some(node) = self.root.as_ref().and_then(|root| root.at(table)) else {
            return Ok(Vec::new());
        };
        let removed = node.indices(keys);
        if is_flow(text, node) {
            return Ok(vec![spliced(text, brackets(text, node).remove(&removed))]);
        }
        let members = node.members().unwrap_or_default();
        let entries = members.iter();
        let entries = entries.map(|member| member.key.start..member_end(text, member));
        Ok(all(
            text,
            self.removed(text, table, &entries.collect::<Vec<_>>(), &removed),
        ))
    }

    fn push(&self, text: &str, list: &[&str], value: &Value) -> Candidates {
        let Some(node) = self.root.as_ref().and_then(|root| root.at(list)) else {
            return Ok(Vec::new());
        };
        let mut splices = Vec::new();
        if is_flow(text, node) {
            splices.extend(self.opened(text, list, node, &Value::Array(vec![value.clone()])));
            splices.push(brackets(text, node).insert(&inline(value), None));
        } else if let Some(items) = node.items() {
            splices.extend(self.after_items(text, items, value));
        }
        Ok(all(text, splices))
    }

    fn retain(&self, text: &str, list: &[&str], removed: &[usize]) -> Candidates {
        let Some(node) = self.root.as_ref().and_then(|root| root.at(list)) else {
            return Ok(Vec::new());
        };
        if is_flow(text, node) {
            return Ok(vec![spliced(text, brackets(text, node).remove(removed))]);
        }
        let items = node.items().unwrap_or_default().iter();
        let entries = items.map(|item| Some(dash(text, item)?..content_end(text, item)));
        let Some(entries) = entries.collect::<Option<Vec<_>>>() else {
            return Ok(Vec::new());
        };
        Ok(all(text, self.removed(text, list, &entries, removed)))
    }
}

fn all(text: &str, edits: impl IntoIterator<Item = Vec<Splice>>) -> Vec<String> {
    let edits = edits.into_iter();
    edits.map(|edit| spliced(text, edit)).collect()
}

impl Yaml {
    /// The member at a path and the table that it is in.
    fn member(&self, path: &[&str]) -> Option<(&Member, &Node)> {
        let (key, table) = path.split_last()?;
        let parent = self.root.as_ref()?.at(table)?;
        Some((parent.member(key)?, parent))
    }

    fn layout(&self, text: &str) -> Layout {
        let members = self.root.as_ref().and_then(Node::members);
        let members = members.unwrap_or_default();
        Layout {
            newline: newline(text),
            unit: unit(text, members).unwrap_or(2),
            dash: dash_offset(text, members).unwrap_or(2),
        }
    }

    /// Adds a line below the last entry of a block.
    fn below(
        &self,
        text: &str,
        members: &[Member],
        key: &str,
        value: &Value,
    ) -> Option<Vec<Splice>> {
        let (first, last) = (members.first()?, members.last()?);
        let column = column(text, first.key.start)?;
        let layout = self.layout(text);
        let line = layout.line(column, &layout.entry(key, value, column));
        let end = after_comments(text, member_end(text, last), column);
        Some(vec![Splice::insert(end, line)])
    }

    fn after_items(&self, text: &str, items: &[Node], value: &Value) -> Option<Vec<Splice>> {
        let (first, last) = (items.first()?, items.last()?);
        let column = column(text, dash(text, first)?)?;
        let layout = self.layout(text);
        let line = layout.line(column, &layout.item(value, column));
        let end = after_comments(text, content_end(text, last), column);
        Some(vec![Splice::insert(end, line)])
    }

    /// Writes `{}` or `[]` behind a key as a block, if a removal would write the same again.
    fn opened(&self, text: &str, path: &[&str], node: &Node, value: &Value) -> Option<Vec<Splice>> {
        let (member, parent) = self.member(path)?;
        let colon = after_colon(text, member)?;
        let is_usual = matches!(&text[colon..node.span.end], " {}" | " []");
        if !is_usual || is_flow(text, parent) {
            return None;
        }
        let column = column(text, member.key.start)?;
        let block = self.layout(text).value(value, column);
        Some(vec![
            Splice::delete(colon..node.span.end),
            Splice::insert(line_end(text, node.span.end), block),
        ])
    }

    /// Gives a member of a block another value.
    fn replaced(&self, text: &str, member: &Member, value: &Value) -> Option<Vec<Splice>> {
        let colon = after_colon(text, member)?;
        let node = &member.node;
        let is_line = node.spans().is_empty() || is_flow(text, node);
        let column = column(text, member.key.start)?;
        let new = self.layout(text).value(value, column);
        Some(match (is_line, is_block(value)) {
            (true, false) if is_null(node) && node.span.is_empty() => {
                vec![Splice::insert(colon, format!(" {new}"))]
            }
            (true, false) if text[colon..node.span.start].contains('\n') => {
                // The sign of a block scalar goes with its lines.
                vec![Splice::replace(colon..node.span.end, format!(" {new}"))]
            }
            (true, false) => vec![Splice::replace(node.span.clone(), new)],
            (true, true) => {
                let end = content_end(text, node).max(colon);
                vec![
                    Splice::delete(colon..end),
                    Splice::insert(line_end(text, end), new),
                ]
            }
            (false, false) => {
                vec![Splice::replace(
                    colon..content_end(text, node),
                    format!(" {new}"),
                )]
            }
            (false, true) => {
                let start = line_end(text, colon);
                vec![Splice::replace(start..content_end(text, node), new)]
            }
        })
    }

    /// Removes entries of a block, which start with their key or dash. A block without entries becomes empty brackets.
    fn removed(
        &self,
        text: &str,
        path: &[&str],
        entries: &[Range<usize>],
        removed: &[usize],
    ) -> Option<Vec<Splice>> {
        let first = entries.first()?.start;
        let starts_line = lead(text, first).is_some();
        let is_emptied = removed.len() == entries.len();
        if !starts_line && is_emptied {
            let last = entries.last()?.end;
            return Some(vec![Splice::replace(first..last, "{}")]);
        }
        let mut splices = Vec::new();
        for &index in removed {
            let entry = entries.get(index)?.clone();
            let range = match entries.get(index + 1) {
                Some(next) if index == 0 && !starts_line => entry.start..next.start,
                _ => lines(text, entry),
            };
            splices.push(Splice::delete(range));
        }
        if is_emptied && let Some((member, _)) = self.member(path) {
            let brackets = if member.node.items().is_some() {
                " []"
            } else {
                " {}"
            };
            splices.push(Splice::insert(after_colon(text, member)?, brackets));
        }
        Some(splices)
    }
}

/// A text without a value, with its first key.
fn first(text: &str, key: &str, value: &Value) -> String {
    let layout = Layout {
        newline: newline(text),
        unit: 2,
        dash: 2,
    };
    let entry = layout.entry(key, value, 0);
    match text {
        "" => format!("{entry}{}", layout.newline),
        text if text.ends_with('\n') => format!("{text}{entry}{}", layout.newline),
        text => format!("{text}{}{entry}", layout.newline),
    }
}

fn brackets<'t>(text: &'t str, node: &Node) -> Brackets<'t> {
    let is_table = node.members().is_some();
    Brackets {
        text,
        inside: node.span.start + 1..node.span.end - 1,
        entries: node.spans(),
        comments: Comments::Hash,
        padding: if is_table { " " } else { "" },
    }
}

/// The spaces of one level: those of the first block inside of a block.
fn unit(text: &str, members: &[Member]) -> Option<usize> {
    let inner = members.iter().filter(|member| !is_flow(text, &member.node));
    let mut inner = inner.filter_map(|member| Some((member, member.node.members()?.first()?)));
    let (outer, first) = inner.next()?;
    let outer = column(text, outer.key.start)?;
    let unit = column(text, first.key.start)?.checked_sub(outer)?;
    (unit > 0).then_some(unit)
}

/// The spaces between a key and the dashes of its list, of the first such list.
fn dash_offset(text: &str, members: &[Member]) -> Option<usize> {
    let lists = members.iter().filter(|member| !is_flow(text, &member.node));
    let mut lists = lists.filter_map(|member| Some((member, member.node.items()?.first()?)));
    if let Some((member, first)) = lists.next() {
        let outer = column(text, member.key.start)?;
        return column(text, dash(text, first)?)?.checked_sub(outer);
    }
    let mut inner = members.iter().filter_map(|member| member.node.members());
    inner.find_map(|members| dash_offset(text, members))
}
