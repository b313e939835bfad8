//! Imports Markdown notes: those of a folder, or one file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use anamne_store::{ImportItem, read_regular};
use anamne_text::normal::content_hash;
use anamne_types::{Limits, LinkType};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::intake::{ImportWriter, RecordPosition};
use super::note_ids::NoteIds;
use super::properties::move_own;
use super::record::{ImportedLink, Record, full_weight, instant};
use super::{GoneNote, ImportOptions, ImportReport};
use crate::derived::imports::{FoundNotes, NotesFolder};
use crate::space::Space;
use crate::{Error, front_matter};

/// Maximum bytes of a note.
const LONGEST_NOTE: u64 = 8 * Limits::CONTENT_BYTES as u64;

/// Imports every note under a folder into `space`, ordered by path, or the note in a file.
pub(crate) fn import_notes(
    space: &Space,
    path: &Path,
    options: ImportOptions,
    progress: &mut dyn FnMut(&ImportReport),
) -> Result<ImportReport, Error> {
    let mut passed_over = 0;
    let notes = if path.is_file() {
        vec![Note::alone(path)]
    } else {
        notes_under(path, &mut passed_over)?
    };
    let folder = NotesFolder::at(path).map_err(|source| Error::Stream {
        action: "read the folder of notes",
        source,
    })?;
    let ids = Ids::of(space, folder, &notes)?;
    let mut intake = ImportWriter::new(space, options, progress);
    intake.report.passed_over = passed_over;
    let taken = take_each(&notes, &ids, &mut intake).and_then(|()| intake.finish_records());
    let (mut report, found) = intake.into_found();
    let found = guarded(space, found);
    let noted = space.inner.derived.imports.note(folder, &found);
    taken?;
    noted?;
    if path.is_dir() && options.updates {
        report.gone = notes_gone(space, folder, &found)?;
    }
    Ok(report)
}

fn take_each(notes: &[Note], ids: &Ids<'_>, intake: &mut ImportWriter<'_>) -> Result<(), Error> {
    for note in notes {
        intake.report.lines += 1;
        let place = RecordPosition {
            line: intake.report.lines,
            file: Some(note.name.clone()),
        };
        let read = load(note).and_then(|text| {
            let (mut properties, content) = owned(&text)?;
            properties.retain(|_, value| !value.is_null());
            let wikilinks = take_wikilinks(&mut properties);
            let id = ids.of_path(&note.name);
            Ok((
                text.len(),
                arrival(note, id, properties, content)?,
                wikilinks,
            ))
        });
        match read {
            Ok((bytes, (mut arrival, mut links), wikilinks)) => {
                intake.report.bytes += bytes as u64;
                // A time to come is that of a wrong clock.
                let now = intake.space.now();
                arrival.file_changed_at = note.changed_at.filter(|at| *at <= now);
                add_wikilinks(&mut links, wikilinks, ids)?;
                intake.take(place, bytes, arrival, links)?;
            }
            Err(reason) => intake.skip_record(&place, &reason)?,
        }
    }
    Ok(())
}

/// What was found, with each path as the guard lets it be stored. O(bytes of the paths).
fn guarded(space: &Space, found: FoundNotes) -> FoundNotes {
    let memories = found.memories.into_iter();
    let skipped = found.skipped.into_iter();
    FoundNotes {
        memories: memories
            .map(|(id, path)| (id, guarded_path(space, &path)))
            .collect(),
        skipped: skipped.map(|path| guarded_path(space, &path)).collect(),
    }
}

/// The path of a note as the guard lets it be stored. O(bytes).
pub(super) fn guarded_path(space: &Space, path: &str) -> String {
    if space.config().guard.skips(path) {
        return path.to_owned();
    }
    space.guarded_text(path)
}

/// The memories of the notes that a folder no longer has.
fn notes_gone(
    space: &Space,
    folder: NotesFolder,
    found: &FoundNotes,
) -> Result<Vec<GoneNote>, Error> {
    let gone = space.inner.derived.imports.gone(folder, found)?;
    let named = gone.into_iter().map(|(memory, file)| GoneNote {
        citation: memory.citation(),
        memory: memory.id,
        file,
    });
    Ok(named.collect())
}

/// The ids of the notes of an import.
struct Ids<'a> {
    /// Of the notes that state none, by path.
    by_path: HashMap<String, String>,
    /// Of all, as wikilinks name them: by path without extension, or by file name.
    by_name: HashMap<String, String>,
    assigned: NoteIds<'a>,
}

impl<'a> Ids<'a> {
    fn of(space: &'a Space, folder: NotesFolder, notes: &[Note]) -> Result<Self, Error> {
        let mut stated = HashMap::new();
        let mut texts = HashMap::new();
        for note in notes {
            // An unreadable note is reported later, in order.
            if let Ok((mut properties, content)) = load(note).and_then(|text| owned(&text)) {
                match properties.remove("id") {
                    Some(Value::String(id)) => drop(stated.insert(note.name.clone(), id)),
                    _ => drop(texts.insert(note.name.clone(), content_hash(&content))),
                }
            }
        }
        let assigned = NoteIds::of(space, folder, &texts)?;
        let mut by_path = HashMap::new();
        for path in texts.into_keys() {
            let id = assigned.id_of(&path)?;
            by_path.insert(path, id);
        }
        let mut by_name = HashMap::new();
        for Note { name: path, .. } in notes {
            let Some(id) = stated.get(path).or_else(|| by_path.get(path)) else {
                continue;
            };
            let name = path.trim_end_matches(".md");
            if let Some((_, stem)) = name.rsplit_once('/') {
                let by_stem = by_name.entry(stem.to_owned());
                by_stem.or_insert_with(|| id.clone());
            }
            by_name.insert(name.to_owned(), id.clone());
        }
        Ok(Self {
            by_path,
            by_name,
            assigned,
        })
    }

    fn of_path<'ids>(&'ids self, path: &'ids str) -> &'ids str {
        self.by_path.get(path).map_or(path, String::as_str)
    }

    /// The id of the note that a wikilink names. The memory of a note that is gone may still be in the store.
    fn of_wikilink(&self, target: &str) -> Result<String, Error> {
        match self.by_name.get(target) {
            Some(id) => Ok(id.clone()),
            None => self.assigned.id_of(&format!("{target}.md")),
        }
    }
}

/// A note's file, and its path in the folder, separated by `/`.
struct Note {
    path: PathBuf,
    name: String,
    /// Why it is unreadable, if so; it may be a folder then.
    unreadable: Option<String>,
    /// When the file was last changed.
    changed_at: Option<Timestamp>,
}

impl Note {
    /// The note in a file that was named itself.
    fn alone(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default();
        Self {
            path: path.to_owned(),
            name: name.to_string_lossy().into_owned(),
            unreadable: None,
            changed_at: std::fs::metadata(path).ok().as_ref().and_then(changed_at),
        }
    }
}

fn changed_at(metadata: &Metadata) -> Option<Timestamp> {
    Timestamp::try_from(metadata.modified().ok()?).ok()
}

/// The notes of a folder, ordered by path; counts the other files.
fn notes_under(folder: &Path, passed_over: &mut u64) -> Result<Vec<Note>, Error> {
    let failed = |source| Error::Stream {
        action: "read the folder of notes",
        source,
    };
    let mut notes = Vec::new();
    let paths = entries(folder).map_err(failed)?;
    collect(folder, paths, &mut notes, passed_over);
    Ok(notes)
}

/// Collects the notes among and below `paths`, without hidden folders and symbolic links, but with unreadable entries.
fn collect(root: &Path, paths: Vec<PathBuf>, notes: &mut Vec<Note>, passed_over: &mut u64) {
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') {
            continue;
        }
        let metadata = std::fs::symlink_metadata(&path);
        let changed_at = metadata.as_ref().ok().and_then(changed_at);
        let unreadable = match metadata {
            Ok(metadata) if metadata.is_dir() => match entries(&path) {
                Ok(below) => {
                    collect(root, below, notes, passed_over);
                    continue;
                }
                Err(error) => Some(format!("can't read the folder: {error}")),
            },
            Ok(metadata) if metadata.is_file() && is_markdown(&path) => None,
            Ok(_) => {
                *passed_over += 1;
                continue;
            }
            Err(error) => Some(format!("can't read metadata: {error}")),
        };
        let parts = path.strip_prefix(root).unwrap_or(&path).iter();
        let name: Vec<_> = parts.map(std::ffi::OsStr::to_string_lossy).collect();
        let name = name.join("/");
        notes.push(Note {
            path,
            name,
            unreadable,
            changed_at,
        });
    }
}

/// The entries of a folder, sorted.
fn entries(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

fn load(note: &Note) -> Result<String, String> {
    if let Some(reason) = &note.unreadable {
        return Err(reason.clone());
    }
    let bytes = read_regular(&note.path, LONGEST_NOTE).map_err(|unfit| unfit.to_string())?;
    let bytes = bytes.ok_or("no longer there")?;
    String::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))
}

/// The properties and the content; an export adds one line break to every content.
///
/// If the first line ends with CRLF, every line is read as one that ends with a line feed. No export begins so, but editors and
/// version control convert notes.
fn owned(text: &str) -> Result<(Map<String, Value>, String), String> {
    let (properties, content) = front_matter::read(text)?;
    let first = text.split_once('\n').map(|(line, _)| line);
    let content = if first.is_some_and(|line| line.ends_with('\r')) {
        Cow::Owned(content.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(content)
    };
    let content = content.strip_suffix('\n').unwrap_or(&content);
    Ok((properties, content.to_owned()))
}

fn arrival(
    note: &Note,
    id: &str,
    mut properties: Map<String, Value>,
    content: String,
) -> Result<(ImportItem, Vec<ImportedLink>), String> {
    move_own(&mut properties);
    if !properties.contains_key("id") {
        properties.insert("id".to_owned(), id.into());
        let is_plain = !properties.contains_key("kind") && !properties.contains_key("category");
        if is_plain {
            properties.insert("kind".to_owned(), "document".into());
            let stem = note.name.trim_end_matches(".md");
            let title = stem.rsplit('/').next().unwrap_or(stem);
            properties.entry("title").or_insert_with(|| json!(title));
        }
    }
    if let Some(tags) = properties.get_mut("tags") {
        *tags = tag_list(tags);
    }
    take_time(&mut properties);
    properties.insert("content".to_owned(), content.into());
    let record: Record =
        serde_json::from_value(properties.into()).map_err(|error| error.to_string())?;
    record.into_arrival()
}

/// Adds the links that properties state as wikilinks, unless they are there.
fn add_wikilinks(
    links: &mut Vec<ImportedLink>,
    wikilinks: Vec<(LinkType, String)>,
    ids: &Ids<'_>,
) -> Result<(), Error> {
    for (link_type, target) in wikilinks {
        let to = ids.of_wikilink(&target)?;
        if !links
            .iter()
            .any(|link| link.link_type == link_type && is_end(link, &to, &target))
        {
            links.push(ImportedLink {
                to,
                link_type,
                weight: full_weight(),
                reason: String::new(),
                created_at: None,
                note: None,
            });
        }
    }
    Ok(())
}

/// Properties that tell when a note was written, the most telling first.
const WRITTEN: [&str; 6] = [
    "created_at",
    "created",
    "date",
    "updated_at",
    "updated",
    "modified",
];

/// Takes the time of a note that states none from the first of [`WRITTEN`] that can be read.
fn take_time(properties: &mut Map<String, Value>) {
    let stated = ["time", "occurred_at", "timestamp"];
    if stated.iter().any(|name| properties.contains_key(*name)) {
        return;
    }
    let time = |name: &&str| {
        let text = match properties.get(*name)? {
            Value::String(text) => text.clone(),
            // A day without dashes.
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        instant(name, Some(text)).ok()?
    };
    if let Some(time) = WRITTEN.iter().find_map(time) {
        properties.insert("time".to_owned(), time.to_string().into());
    }
}

fn is_end(link: &ImportedLink, to: &str, target: &str) -> bool {
    link.to == to || link.note.as_deref() == Some(target)
}

/// Removes and returns the properties that are named like a link type and contain wikilinks.
fn take_wikilinks(properties: &mut Map<String, Value>) -> Vec<(LinkType, String)> {
    let mut found = Vec::new();
    for &link_type in LinkType::ALL {
        let targets: Option<Vec<_>> = match properties.get(link_type.as_str()) {
            Some(Value::String(text)) => wikilink(text).map(|target| vec![target]),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| item.as_str().and_then(wikilink))
                .collect(),
            _ => None,
        };
        if let Some(targets) = targets {
            properties.remove(link_type.as_str());
            found.extend(targets.into_iter().map(|target| (link_type, target)));
        }
    }
    found
}

/// The target of a wikilink: `[[folder/note]]`, `[[note|shown]]`, `[[note#part]]`.
fn wikilink(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix("[[")?.strip_suffix("]]")?;
    let target = inner.split(['|', '#']).next()?.trim();
    Some(target.trim_end_matches(".md").to_owned())
}

/// Tags as a list of strings, however they are written.
fn tag_list(tags: &Value) -> Value {
    let word = |tag: &Value| match tag {
        Value::String(tag) => json!(tag),
        other => json!(other.to_string()),
    };
    match tags {
        Value::Array(tags) => tags.iter().map(word).collect(),
        Value::String(tags) => tags
            .split([',', ' '])
            .filter(|tag| !tag.is_empty())
            .map(|tag| json!(tag))
            .collect(),
        other => json!([word(other)]),
    }
}
