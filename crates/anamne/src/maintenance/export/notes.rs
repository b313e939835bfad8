//! Memories as a folder of Markdown notes.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anamne_store::create_private_folder;
use anamne_types::{LinkType, Memory, MemoryId, Skipped};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::file_names::FileNames;
use super::selection::selected;
use super::{ExportReport, ExportSelection, Links, PAGE, failed};
use crate::space::Space;
use crate::{Error, front_matter};

/// The leading properties of a note, in order.
const FIRST: [&str; 12] = [
    "id",
    "kind",
    "category",
    "role",
    "title",
    "name",
    "thread",
    "position",
    "author",
    "occurred_at",
    "importance",
    "tags",
];

/// Writes memories as notes into `folder`, which is created when complete.
pub(crate) fn notes(
    space: &Space,
    folder: &Path,
    selection: ExportSelection,
) -> Result<ExportReport, Error> {
    if !is_free(folder)? {
        return Err(Error::Unsuitable {
            path: folder.to_owned(),
            reason: "not empty; use an empty or new folder",
        });
    }
    let chosen = selected(space, selection)?;
    let part = unfinished(folder);
    let written = write_all(space, &chosen.ids, &part).and_then(|written| {
        if folder.exists() {
            fs::remove_dir(folder).map_err(failed)?;
        }
        fs::rename(&part, folder).map_err(failed)?;
        Ok(ExportReport {
            personal: chosen.personal,
            experience: chosen.experience,
            ..written
        })
    });
    if written.is_err() {
        // If removal fails too, the folder is left.
        let _ = fs::remove_dir_all(&part);
    }
    written
}

fn is_free(folder: &Path) -> Result<bool, Error> {
    match fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Ok(false),
        Err(error) => Err(failed(error)),
    }
}

fn unfinished(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    folder.with_file_name(name)
}

fn write_all(space: &Space, ids: &[MemoryId], folder: &Path) -> Result<ExportReport, Error> {
    let mut skipped = Skipped::default();
    let links = Links::among(space, ids, &mut skipped)?;
    let mut names = FileNames::default();
    let mut name_of = HashMap::with_capacity(ids.len());
    for page in ids.chunks(PAGE) {
        for memory in &space.source().get_undamaged(page, &mut skipped)? {
            name_of.insert(memory.id, names.name(memory));
        }
    }
    create_private_folder(folder)?;
    let mut written = 0;
    let named: Vec<_> = ids
        .iter()
        .copied()
        .filter(|id| name_of.contains_key(id))
        .collect();
    for page in named.chunks(PAGE) {
        for memory in &space.source().get_undamaged(page, &mut skipped)? {
            let Some(name) = name_of.get(&memory.id) else {
                continue;
            };
            let note = note(memory, &links, &name_of)?;
            let path = folder.join(format!("{name}.md"));
            write_note(&path, &note)?;
            written += 1;
        }
    }
    Ok(ExportReport {
        exported: written,
        skipped,
        ..ExportReport::default()
    })
}

fn write_note(path: &Path, note: &str) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        create_private_folder(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(failed)?;
    file.write_all(note.as_bytes()).map_err(failed)
}

/// A note: every field as a property, and the content plus one line break.
fn note(
    memory: &Memory,
    links: &Links,
    name_of: &HashMap<MemoryId, String>,
) -> Result<String, Error> {
    let unwritable = |error: serde_json::Error| failed(error.into());
    let mut fields: Map<String, Value> = as_written(memory).map_err(unwritable)?;
    fields.remove("content");
    fields.remove("space");
    let mut wikilinks: BTreeMap<LinkType, Vec<Value>> = BTreeMap::new();
    let mut exported = Vec::new();
    for link in links.of(memory) {
        let end = name_of.get(&link.to).map(String::as_str);
        if let Some(end) = end {
            let shown = wikilinks.entry(link.link_type).or_default();
            shown.push(format!("[[{end}]]").into());
        }
        exported.push(as_written::<Value>(&links.exported(link, end)).map_err(unwritable)?);
    }
    let mut properties = Vec::new();
    for name in FIRST {
        properties.extend(fields.remove_entry(name));
    }
    properties.extend(fields);
    let shown = |(link_type, ends): (LinkType, Vec<Value>)| {
        (link_type.as_str().to_owned(), Value::Array(ends))
    };
    properties.extend(wikilinks.into_iter().map(shown));
    if !exported.is_empty() {
        properties.push(("links".to_owned(), Value::Array(exported)));
    }
    let mut note = String::with_capacity(memory.content.len() + 512);
    front_matter::write(&properties, &mut note);
    note.push_str(&memory.content);
    note.push('\n');
    Ok(note)
}

/// The JSON of a value, parsed again so that numbers keep their written digits.
fn as_written<T: DeserializeOwned>(value: &impl Serialize) -> serde_json::Result<T> {
    serde_json::from_str(&serde_json::to_string(value)?)
}
