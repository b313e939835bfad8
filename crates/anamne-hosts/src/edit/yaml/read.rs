//! Reads YAML into a tree with the place of everything.

use std::borrow::Cow;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag};
use serde_json::Value;

use super::super::node::{Member, Node, Shape};
use super::super::{EditError, MAX_NESTING, too_deep};

/// The root of a text with one document; `None` if it is empty or null.
pub(super) fn read(text: &str) -> Result<Option<Node>, EditError> {
    let mut reader = Reader {
        offsets: Offsets::of(text),
        text,
        open: Vec::new(),
        root: None,
        documents: 0,
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| syntax(&error))?;
        reader.take(event, span)?;
    }
    Ok(reader.root.filter(|root| !is_null(root)))
}

pub(super) fn is_null(node: &Node) -> bool {
    matches!(node.shape, Shape::Scalar(Value::Null))
}

struct Reader<'t> {
    text: &'t str,
    offsets: Offsets<'t>,
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
}

/// A collection that isn't complete.
struct Open {
    start: usize,
    shape: Shape,
    key: Option<(String, Range<usize>)>,
}

impl Reader<'_> {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), EditError> {
        let span = self.offsets.range(span);
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    let reason = "it holds several documents".to_owned();
                    return Err(EditError::Unsupported(reason));
                }
                Ok(())
            }
            Event::MappingStart(..) => self.start(span.start, Shape::Table(Vec::new())),
            Event::SequenceStart(..) => self.start(span.start, Shape::List(Vec::new())),
            Event::MappingEnd | Event::SequenceEnd => self.end(span.end),
            Event::Alias(anchor) => {
                // Never resolved: aliases of aliases grow without bound.
                let shape = Shape::Scalar(Value::from(format!("*{anchor}")));
                self.add(Node { span, shape })
            }
            Event::Scalar(text, style, _, tag) => {
                let shape = Shape::Scalar(scalar(text, style, tag.as_deref()));
                self.add(Node { span, shape })
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
        }
    }

    fn start(&mut self, start: usize, shape: Shape) -> Result<(), EditError> {
        if self.open.len() >= MAX_NESTING {
            return Err(too_deep());
        }
        let key = None;
        self.open.push(Open { start, shape, key });
        Ok(())
    }

    fn end(&mut self, end: usize) -> Result<(), EditError> {
        let Some(Open { start, shape, .. }) = self.open.pop() else {
            return Ok(());
        };
        let mut node = Node {
            span: start..end,
            shape,
        };
        if !super::places::is_flow(self.text, &node) {
            // The end of a block is where its last entry ends, not where the next token starts.
            let last = node.spans().last().map(|span| span.end);
            node.span.end = last.unwrap_or(start);
        }
        self.add(node)
    }

    fn add(&mut self, mut node: Node) -> Result<(), EditError> {
        if matches!(node.shape, Shape::Scalar(_)) {
            // Block scalars and their like end with line breaks that may be more than theirs.
            let used = self.text[node.span.clone()].trim_end().len();
            node.span.end = node.span.start + used;
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match (&mut open.shape, open.key.take()) {
            (Shape::List(items), _) => items.push(node),
            (Shape::Table(members), Some((name, key))) => {
                members.push(Member { name, key, node });
            }
            _ => open.key = Some((key_name(&self.text[node.span.clone()], &node)?, node.span)),
        }
        Ok(())
    }
}

fn key_name(text: &str, node: &Node) -> Result<String, EditError> {
    match &node.shape {
        Shape::Scalar(Value::String(name)) => Ok(name.clone()),
        Shape::Scalar(_) => Ok(text.to_owned()),
        _ => Err(EditError::Unsupported(
            "it has a key that is a collection".to_owned(),
        )),
    }
}

/// A scalar by the core schema of YAML 1.2.
fn scalar(text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    if tag.is_some() || style != ScalarStyle::Plain {
        return Value::from(text);
    }
    plain(&text).unwrap_or_else(|| Value::from(text))
}

/// What an unquoted scalar means if it isn't a string.
pub(super) fn plain(text: &str) -> Option<Value> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Some(Value::Null),
        "true" | "True" | "TRUE" => return Some(Value::from(true)),
        "false" | "False" | "FALSE" => return Some(Value::from(false)),
        _ => {}
    }
    let radix = |prefix, radix| i64::from_str_radix(text.strip_prefix(prefix)?, radix).ok();
    if let Some(number) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Some(Value::from(number));
    }
    let is_numeric = |byte: u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    if !text.bytes().all(is_numeric) || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole = text.parse::<i64>().map(Value::from);
    let whole = whole.or_else(|_| text.parse::<u64>().map(Value::from));
    whole.ok().or_else(|| {
        let number = serde_json::Number::from_f64(text.parse::<f64>().ok()?)?;
        Some(Value::Number(number))
    })
}

fn syntax(error: &ScanError) -> EditError {
    EditError::Syntax {
        line: error.marker().line(),
        reason: error.info().to_owned(),
    }
}

/// Byte offsets of characters: the parser counts characters.
struct Offsets<'t> {
    text: &'t str,
    /// The byte offset of every 64th character; empty if all are of one byte.
    known: Vec<usize>,
}

const STEP: usize = 64;

impl<'t> Offsets<'t> {
    fn of(text: &'t str) -> Self {
        let known = if text.is_ascii() {
            Vec::new()
        } else {
            let starts = text.char_indices().map(|(at, _)| at);
            starts.step_by(STEP).collect()
        };
        Self { text, known }
    }

    fn range(&self, span: Span) -> Range<usize> {
        let start = self.byte(span.start.index());
        start..self.byte(span.end.index()).max(start)
    }

    fn byte(&self, character: usize) -> usize {
        if self.known.is_empty() {
            return character.min(self.text.len());
        }
        let Some(&from) = self.known.get(character / STEP) else {
            return self.text.len();
        };
        let mut after = self.text[from..].char_indices();
        let found = after.nth(character % STEP);
        found.map_or(self.text.len(), |(at, _)| from + at)
    }
}
