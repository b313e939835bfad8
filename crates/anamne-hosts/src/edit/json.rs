//! JSON with comments and trailing commas.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions, errors::ParseError, parse_to_ast,
};
use serde_json::{Map, Value};

use super::brackets::{Brackets, Comments};
use super::document::{Candidates, Notation, wrapped};
use super::keys::ordered;
use super::node::{Member, Node, Shape};
use super::splice::{Splice, indentation, lead, newline, spliced};
use super::{EditError, MAX_NESTING, too_deep};

/// A parsed text; no root if it is empty.
pub(super) struct Json {
    root: Option<Node>,
    unit: String,
}

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

const COLLECTED: CollectOptions = CollectOptions {
    comments: CommentCollectionStrategy::Off,
    tokens: false,
};

impl Notation for Json {
    const NULL_IS_EMPTY: bool = false;
    const IMPLICIT_TABLES: bool = false;
    const INDICES: bool = true;

    fn parse(text: &str) -> Result<Self, EditError> {
        let parsed = parse_to_ast(text, &COLLECTED, &OPTIONS).map_err(|error| syntax(&error))?;
        let root = parsed.value.map(|value| node(value, 0)).transpose()?;
        let unit = root.as_ref().and_then(|root| unit(text, root));
        let unit = unit.unwrap_or("  ").to_owned();
        Ok(Self { root, unit })
    }

    fn value(&self) -> Value {
        let root = self.root.as_ref();
        root.map_or_else(|| Value::Object(Map::new()), Node::value)
    }

    fn duplicate(&self, path: &[&str]) -> Option<usize> {
        self.root.as_ref()?.duplicate(path)
    }

    fn insert(&self, text: &str, table: &[&str], rest: &[&str], value: &Value) -> Candidates {
        let Some(root) = &self.root else {
            return Ok(vec![self.first(text, &wrapped(rest, value))]);
        };
        let (Some(node), Some((key, inner))) = (root.at(table), rest.split_first()) else {
            return Ok(Vec::new());
        };
        let key = format!("{}:", Value::from(*key));
        Ok(vec![self.added(text, node, &key, &wrapped(inner, value))])
    }

    fn replace(&self, text: &str, path: &[&str], value: &Value) -> Candidates {
        let Some(node) = self.at(path) else {
            return Ok(Vec::new());
        };
        let indentation = indentation(text, node.span.start);
        let layout = self.layout(text, indentation);
        let value = layout.render(value);
        let splice = Splice::replace(node.span.clone(), value);
        Ok(vec![spliced(text, vec![splice])])
    }

    fn remove(&self, text: &str, table: &[&str], keys: &[&str]) -> Candidates {
        let node = self.at(table);
        let edited = node.map(|node| without(text, node, &node.indices(keys)));
        Ok(edited.into_iter().collect())
    }

    fn push(&self, text: &str, list: &[&str], value: &Value) -> Candidates {
        let node = self.at(list);
        let edited = node.map(|node| self.added(text, node, "", value));
        Ok(edited.into_iter().collect())
    }

    fn retain(&self, text: &str, list: &[&str], removed: &[usize]) -> Candidates {
        let node = self.at(list);
        let edited = node.map(|node| without(text, node, removed));
        Ok(edited.into_iter().collect())
    }
}

impl Json {
    fn at(&self, path: &[&str]) -> Option<&Node> {
        self.root.as_ref()?.at(path)
    }

    fn layout<'a>(&'a self, text: &str, indentation: &'a str) -> Layout<'a> {
        Layout {
            newline: newline(text),
            indentation,
            unit: &self.unit,
        }
    }

    /// A text without a value, with its first one.
    fn first(&self, text: &str, value: &Value) -> String {
        let layout = self.layout(text, "");
        let newline = layout.newline;
        let separator = match text {
            "" => "",
            text if text.ends_with('\n') => "",
            _ => newline,
        };
        format!("{text}{separator}{}{newline}", layout.render(value))
    }

    /// The text with an entry added to an object or an array.
    fn added(&self, text: &str, node: &Node, key: &str, value: &Value) -> String {
        let brackets = brackets(text, node);
        let is_multiline = brackets.is_multiline().unwrap_or(true);
        let splices = if is_multiline {
            let inner = brackets.inner_indentation(&self.unit);
            let value = self.layout(text, &inner).render(value);
            let space = if key.is_empty() { "" } else { " " };
            brackets.insert(&format!("{key}{space}{value}"), Some(&inner))
        } else {
            let space = if key.is_empty() || is_dense(text, node) {
                ""
            } else {
                " "
            };
            brackets.insert(&format!("{key}{space}{value}"), None)
        };
        spliced(text, splices)
    }
}

fn brackets<'t>(text: &'t str, node: &Node) -> Brackets<'t> {
    let is_table = node.members().is_some();
    Brackets {
        text,
        inside: node.span.start + 1..node.span.end - 1,
        entries: node.spans(),
        comments: Comments::Slash,
        padding: if is_table { " " } else { "" },
    }
}

fn without(text: &str, node: &Node, removed: &[usize]) -> String {
    spliced(text, brackets(text, node).remove(removed))
}

/// Whether the colons of an object are followed by no space.
fn is_dense(text: &str, node: &Node) -> bool {
    let last = node.members().and_then(<[Member]>::last);
    last.is_some_and(|member| &text[member.key.end..member.node.span.start] == ":")
}

/// The indentation of one level: that of the first entry on a line of its own, against the line of its bracket.
fn unit<'t>(text: &'t str, root: &Node) -> Option<&'t str> {
    let first = root.spans().first()?.start;
    let outer = indentation(text, root.span.start);
    let unit = lead(text, first)?.strip_prefix(outer)?;
    (!unit.is_empty()).then_some(unit)
}

/// How new values are written.
struct Layout<'a> {
    newline: &'static str,
    indentation: &'a str,
    unit: &'a str,
}

impl Layout<'_> {
    /// The value as JavaScript hosts write it, so that a host that writes the file anew changes nothing.
    fn render(&self, value: &Value) -> String {
        let mut text = String::new();
        self.write(value, 1, &mut text);
        text
    }

    fn write(&self, value: &Value, depth: usize, text: &mut String) {
        match value {
            Value::Object(map) if !map.is_empty() => {
                text.push('{');
                for (index, (key, value)) in ordered(value).into_iter().enumerate() {
                    self.start(index, depth, text);
                    text.push_str(&Value::from(key).to_string());
                    text.push_str(": ");
                    self.write(value, depth + 1, text);
                }
                self.end(depth, '}', text);
            }
            Value::Array(list) if !list.is_empty() => {
                text.push('[');
                for (index, value) in list.iter().enumerate() {
                    self.start(index, depth, text);
                    self.write(value, depth + 1, text);
                }
                self.end(depth, ']', text);
            }
            other => text.push_str(&other.to_string()),
        }
    }

    fn start(&self, index: usize, depth: usize, text: &mut String) {
        if index > 0 {
            text.push(',');
        }
        self.line(depth, text);
    }

    fn end(&self, depth: usize, bracket: char, text: &mut String) {
        self.line(depth - 1, text);
        text.push(bracket);
    }

    fn line(&self, depth: usize, text: &mut String) {
        text.push_str(self.newline);
        text.push_str(self.indentation);
        (0..depth).for_each(|_| text.push_str(self.unit));
    }
}

fn node(value: ast::Value<'_>, depth: usize) -> Result<Node, EditError> {
    if depth > MAX_NESTING {
        return Err(too_deep());
    }
    let range = value.range();
    let shape = match value {
        ast::Value::StringLit(text) => Shape::Scalar(Value::from(text.value.as_ref())),
        ast::Value::NumberLit(number) => Shape::Scalar(number_of(number.value)),
        ast::Value::BooleanLit(boolean) => Shape::Scalar(Value::from(boolean.value)),
        ast::Value::NullKeyword(_) => Shape::Scalar(Value::Null),
        ast::Value::Object(object) => Shape::Table(members(object, depth)?),
        ast::Value::Array(array) => {
            let items = array.elements.into_iter();
            let items = items.map(|item| node(item, depth + 1));
            Shape::List(items.collect::<Result<_, _>>()?)
        }
    };
    let span = range.start..range.end;
    Ok(Node { span, shape })
}

fn members(object: ast::Object<'_>, depth: usize) -> Result<Vec<Member>, EditError> {
    let members = object.properties.into_iter().map(|property| {
        let key = property.name.range();
        Ok(Member {
            name: property.name.as_str().to_owned(),
            key: key.start..key.end,
            node: node(property.value, depth + 1)?,
        })
    });
    members.collect()
}

/// A number; its digits as a string if it is out of range.
fn number_of(digits: &str) -> Value {
    serde_json::from_str(digits).unwrap_or_else(|_| Value::from(digits))
}

fn syntax(error: &ParseError) -> EditError {
    EditError::Syntax {
        line: error.line_display(),
        reason: error.kind().to_string(),
    }
}
