//! Reading memories from JSON lines.

use std::collections::BTreeMap;
use std::io::BufRead;

use anamne_types::{
    Body, Category, Draft, Kind, Limits, Link, LinkType, MemoryId, Metadata, Refusal, Role,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::space::Space;

/// How many records go into one transaction. Small enough that other writers wait only milliseconds.
const BATCH: usize = 512;

/// The longest line that is read: the largest content with every byte escaped, and room for the rest.
const LONGEST_LINE: u64 = 8 * Limits::CONTENT_BYTES as u64;

/// How an import deals with lines that can't be taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadLines {
    /// The import ends at the first one; what came before it stays.
    #[default]
    Stop,
    /// They are reported and passed over.
    Skip,
}

/// A line that could not be taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BadLine {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// What an import did so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// Lines read, empty ones included.
    pub lines: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Memories that are new.
    pub imported: u64,
    /// Memories that were there already.
    pub known: u64,
    /// Links that were drawn.
    pub links: u64,
    /// Lines that were passed over.
    pub bad: Vec<BadLine>,
}

/// One line: a record of a conversation, or a memory as `export` writes it.
#[derive(Debug, Deserialize)]
struct Record {
    #[serde(default)]
    id: Option<Text>,
    #[serde(alias = "content")]
    text: String,
    #[serde(default)]
    thread: Option<Text>,
    #[serde(default)]
    position: Option<u32>,
    #[serde(default, alias = "occurred_at")]
    time: Option<String>,
    #[serde(default)]
    author: Option<String>,
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    kind: Option<Kind>,
    #[serde(default)]
    category: Option<Category>,
    #[serde(default)]
    role: Option<Role>,
    #[serde(default)]
    importance: Option<u8>,
    #[serde(default)]
    confidence: Option<f32>,
    #[serde(default)]
    trust: Option<f32>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    metadata: Metadata,
    #[serde(default, alias = "expires")]
    expires_at: Option<String>,
    #[serde(default)]
    links: Vec<ImportedLink>,
    /// Fields of typed bodies, and what an export tells beyond what can be told again.
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

/// A link as it stands in an exported memory: its start is the memory itself.
#[derive(Debug, Deserialize)]
struct ImportedLink {
    to: String,
    #[serde(rename = "type")]
    link_type: LinkType,
    #[serde(default = "full_weight")]
    weight: f32,
    #[serde(default)]
    reason: String,
}

fn full_weight() -> f32 {
    1.0
}

/// An id or a thread, written as a string or as a number.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Text {
    Words(String),
    Number(i64),
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        match text {
            Text::Words(words) => words,
            Text::Number(number) => number.to_string(),
        }
    }
}

/// What an export tells that a new store decides for itself.
const DECIDED_ANEW: [&str; 9] = [
    "row",
    "space",
    "created_at",
    "updated_at",
    "version",
    "seq",
    "deleted_at",
    "superseded_by",
    "surroundings",
];

/// The fields of typed bodies.
const OF_BODIES: [&str; 15] = [
    "goal", "plan", "outcome", "tool_log", "salience", "name", "trigger", "steps", "code", "title",
    "source", "document", "heading", "sources", "follows",
];

impl Record {
    fn into_draft(mut self) -> Result<(Draft, Vec<ImportedLink>), String> {
        let external_id = match self.rest.remove("external_id") {
            Some(serde_json::Value::String(id)) => Some(id),
            _ => self.id.take().map(String::from),
        };
        let body = self.body()?;
        for name in DECIDED_ANEW {
            self.rest.remove(name);
        }
        self.metadata.append(&mut self.rest);
        let draft = Draft {
            content: self.text,
            body,
            thread: self.thread.map(String::from),
            position: self.position,
            session: self.session,
            author: self.author,
            trust: self.trust,
            importance: self.importance,
            confidence: self.confidence,
            tags: self.tags,
            metadata: self.metadata,
            external_id,
            occurred_at: instant("time", self.time)?,
            expires_at: instant("expires_at", self.expires_at)?,
        };
        draft.check().map_err(|refusal| refusal.to_string())?;
        Ok((draft, self.links))
    }

    /// The body that kind, category, role and the body's own fields make.
    fn body(&mut self) -> Result<Body, String> {
        let kind = self.kind.unwrap_or(if self.category.is_some() {
            Kind::Fact
        } else {
            Kind::Message
        });
        match kind {
            Kind::Message => return Ok(Body::Message { role: self.role }),
            Kind::Fact => {
                return Ok(Body::Fact {
                    category: self.category,
                });
            }
            _ => {}
        }
        let mut fields = serde_json::Map::new();
        fields.insert("kind".to_owned(), kind.as_str().into());
        for name in OF_BODIES {
            if let Some(value) = self.rest.remove(name) {
                fields.insert(name.to_owned(), value);
            }
        }
        serde_json::from_value(fields.into())
            .map_err(|error| format!("not the body of a {kind}: {error}"))
    }
}

/// An RFC 3339 instant; a date and time without an offset is taken as UTC.
fn instant(field: &str, text: Option<String>) -> Result<Option<Timestamp>, String> {
    let Some(text) = text else { return Ok(None) };
    let civil = || {
        text.parse::<jiff::civil::DateTime>()
            .ok()?
            .to_zoned(jiff::tz::TimeZone::UTC)
            .ok()
    };
    let instant = text
        .parse()
        .ok()
        .or_else(|| civil().map(|zoned| zoned.timestamp()));
    instant
        .map(Some)
        .ok_or_else(|| Refusal::new(field, "an RFC 3339 instant", &text).to_string())
}

/// A batch of drafts on its way into the space.
#[derive(Default)]
struct Batch {
    lines: Vec<u64>,
    drafts: Vec<Draft>,
    links: Vec<(usize, Vec<ImportedLink>)>,
}

/// Links whose end is not there yet, by the number of their line.
type Pending = Vec<(u64, MemoryId, ImportedLink)>;

/// Reads records from `reader` into `space`, and calls `progress` after every batch.
///
/// A record that is there already (by its id, else by its place in its thread, else by its content)
/// changes nothing, so an import that was interrupted is simply run again.
pub(crate) fn import(
    space: &Space,
    mut reader: impl BufRead,
    bad_lines: BadLines,
    progress: &mut dyn FnMut(&ImportReport),
) -> Result<ImportReport, Error> {
    let mut report = ImportReport::default();
    let mut batch = Batch::default();
    let mut pending = Pending::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = read_line(&mut reader, &mut line)?;
        if read > 0 {
            report.lines += 1;
            report.bytes += read as u64;
            match parse(&line) {
                Ok(Some((draft, links))) => batch.push(report.lines, draft, links),
                Ok(None) => {}
                Err(reason) => {
                    let bad = BadLine {
                        line: report.lines,
                        reason,
                    };
                    if bad_lines == BadLines::Stop {
                        batch.store(space, bad_lines, &mut report, &mut pending)?;
                        return Err(Error::BadLine {
                            line: bad.line,
                            reason: bad.reason,
                        });
                    }
                    report.bad.push(bad);
                }
            }
        }
        if batch.drafts.len() == BATCH || read == 0 {
            batch.store(space, bad_lines, &mut report, &mut pending)?;
            progress(&report);
        }
        if read == 0 {
            draw_links(space, bad_lines, &pending, &mut report)?;
            return Ok(report);
        }
    }
}

/// Reads one line, but never more of it than [`LONGEST_LINE`]; returns the bytes read.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> Result<usize, Error> {
    let failed = |source| Error::Stream {
        action: "read the import",
        source,
    };
    let mut limited = std::io::Read::take(&mut *reader, LONGEST_LINE);
    let read = limited.read_until(b'\n', line).map_err(failed)?;
    if read as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
        let skipped = reader.skip_until(b'\n').map_err(failed)?;
        return Ok(read + skipped);
    }
    Ok(read)
}

/// A line as a draft with its links; `None` for an empty one.
fn parse(line: &[u8]) -> Result<Option<(Draft, Vec<ImportedLink>)>, String> {
    let text = std::str::from_utf8(line).map_err(|error| format!("not UTF-8: {error}"))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(None);
    }
    if text.len() as u64 >= LONGEST_LINE {
        return Err(format!("longer than {LONGEST_LINE} bytes"));
    }
    let record: Record = serde_json::from_str(text).map_err(|error| error.to_string())?;
    record.into_draft().map(Some)
}

impl Batch {
    fn push(&mut self, line: u64, draft: Draft, links: Vec<ImportedLink>) {
        if !links.is_empty() {
            self.links.push((self.drafts.len(), links));
        }
        self.lines.push(line);
        self.drafts.push(draft);
    }

    /// Stores the batch in one transaction and empties it.
    fn store(
        &mut self,
        space: &Space,
        bad_lines: BadLines,
        report: &mut ImportReport,
        pending: &mut Pending,
    ) -> Result<(), Error> {
        let Self {
            lines,
            drafts,
            links,
        } = std::mem::take(self);
        if drafts.is_empty() {
            return Ok(());
        }
        let mut ids = Vec::with_capacity(drafts.len());
        let mut first_bad = None;
        for (&line, outcome) in lines.iter().zip(space.remember_each(&drafts)?) {
            match outcome {
                Ok(remembered) => {
                    report.imported += u64::from(!remembered.duplicate);
                    report.known += u64::from(remembered.duplicate);
                    ids.push(Some(remembered.id));
                }
                Err(refused) => {
                    ids.push(None);
                    let bad = BadLine {
                        line,
                        reason: refused.to_string(),
                    };
                    first_bad.get_or_insert_with(|| bad.clone());
                    report.bad.push(bad);
                }
            }
        }
        for (index, links) in links {
            let Some(from) = ids[index] else { continue };
            pending.extend(links.into_iter().map(|link| (lines[index], from, link)));
        }
        match first_bad {
            Some(bad) if bad_lines == BadLines::Stop => Err(Error::BadLine {
                line: bad.line,
                reason: bad.reason,
            }),
            _ => Ok(()),
        }
    }
}

/// Draws the links once all memories are there; their ends are named by the ids of the import.
fn draw_links(
    space: &Space,
    bad_lines: BadLines,
    pending: &Pending,
    report: &mut ImportReport,
) -> Result<(), Error> {
    for (line, from, link) in pending {
        let drawn = space
            .find_imported(&link.to)?
            .ok_or_else(|| format!("the link's end {:?} is not there", link.to));
        let drawn = drawn.and_then(|to| {
            let ImportedLink {
                link_type,
                weight,
                reason,
                ..
            } = link;
            let link = Link {
                from: *from,
                to,
                link_type: *link_type,
                weight: *weight,
                reason: reason.clone(),
                created_at: Timestamp::UNIX_EPOCH,
            };
            space.link(&link).map_err(|error| error.to_string())
        });
        match drawn {
            Ok(_) => report.links += 1,
            Err(reason) if bad_lines == BadLines::Stop => {
                return Err(Error::BadLine {
                    line: *line,
                    reason,
                });
            }
            Err(reason) => report.bad.push(BadLine {
                line: *line,
                reason,
            }),
        }
    }
    Ok(())
}
