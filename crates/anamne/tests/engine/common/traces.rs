//! Searches a text in every file under a folder, in every encoding that a file may have.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anamne::embed::StaticModel;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::files_under;

/// The magic number of a zstd frame.
const FRAME: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// What to search for: the bytes of some encoding of a text, and a name for them.
pub(crate) struct Trace {
    pub(crate) name: String,
    bytes: Vec<u8>,
}

impl Trace {
    /// A word as text, ignoring case.
    pub(crate) fn word(word: &str) -> Self {
        Self {
            name: word.to_owned(),
            bytes: word.as_bytes().to_vec(),
        }
    }

    /// A sentence as stored in the columns: two bytes per wordpiece.
    pub(crate) fn tokens(sentence: &str) -> Self {
        let mut tokens = Vec::new();
        StaticModel::builtin_tokens().tokens(sentence, &mut tokens);
        assert!(tokens.len() > 6, "too short to be found by its tokens");
        Self {
            name: format!("tokens of {sentence:?}"),
            bytes: tokens.into_iter().flat_map(u16::to_le_bytes).collect(),
        }
    }

    /// The digest of a text in the caches.
    pub(crate) fn digest(text: &str) -> Self {
        Self {
            name: format!("digest of {text:?}"),
            bytes: blake3::hash(text.as_bytes()).as_bytes()[..16].to_vec(),
        }
    }
}

/// The traces by their first byte, so that many are found in one pass.
struct Search<'a> {
    traces: &'a [Trace],
    by_first: Vec<Vec<usize>>,
}

impl<'a> Search<'a> {
    fn of(traces: &'a [Trace]) -> Self {
        let mut by_first = vec![Vec::new(); 256];
        for (number, trace) in traces.iter().enumerate() {
            let first = trace.bytes[0];
            by_first[usize::from(first.to_ascii_lowercase())].push(number);
            if first.to_ascii_uppercase() != first.to_ascii_lowercase() {
                by_first[usize::from(first.to_ascii_uppercase())].push(number);
            }
        }
        Self { traces, by_first }
    }

    fn look_in(&self, bytes: &[u8], found: &mut BTreeSet<String>) {
        for (at, byte) in bytes.iter().enumerate() {
            for &number in &self.by_first[usize::from(*byte)] {
                let trace = &self.traces[number];
                let window = bytes.get(at..at + trace.bytes.len());
                if window.is_some_and(|window| window.eq_ignore_ascii_case(&trace.bytes)) {
                    found.insert(trace.name.clone());
                }
            }
        }
    }
}

/// The files under `folder` that contain a trace, each with the names of its traces.
pub(crate) fn traces_in(folder: &Path, traces: &[Trace]) -> Vec<(PathBuf, BTreeSet<String>)> {
    let search = Search::of(traces);
    let mut holders = Vec::new();
    for file in files_under(folder) {
        let mut found = BTreeSet::new();
        search.look_in(file.to_string_lossy().as_bytes(), &mut found);
        let bytes = fs::read(&file).expect("a file");
        search.look_in(&bytes, &mut found);
        for form in unpacked(&bytes).into_iter().chain(values_of(&file)) {
            search.look_in(&form, &mut found);
        }
        if !found.is_empty() {
            holders.push((file, found));
        }
    }
    holders
}

/// The contents of every zstd frame in these bytes, as far as they can be decompressed.
fn unpacked(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    for (at, window) in bytes.windows(FRAME.len()).enumerate() {
        if window == FRAME
            && let Ok(decoder) = zstd::Decoder::new(&bytes[at..])
        {
            let mut text = Vec::new();
            // Bytes after a frame are ignored, and a frame may be truncated.
            let _ = decoder.single_frame().read_to_end(&mut text);
            texts.push(text);
        }
    }
    texts
}

/// Every text and blob of every table, blobs decompressed too, if the file is a readable SQLite database.
///
/// Reads a copy, so that nothing changes.
fn values_of(file: &Path) -> Vec<Vec<u8>> {
    if !fs::read(file).is_ok_and(|bytes| bytes.starts_with(b"SQLite format 3\0")) {
        return Vec::new();
    }
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy.db");
    for side in ["", "-wal"] {
        let beside = |path: &Path| PathBuf::from(format!("{}{side}", path.display()));
        let _ = fs::copy(beside(file), beside(&copy));
    }
    let values = || -> rusqlite::Result<Vec<Vec<u8>>> {
        let connection = Connection::open_with_flags(&copy, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let tables: Vec<String> = connection
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let mut values = Vec::new();
        for table in tables {
            let mut statement = connection.prepare(&format!("SELECT * FROM \"{table}\""))?;
            let columns = statement.column_count();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                for column in 0..columns {
                    match row.get_ref(column)? {
                        ValueRef::Text(bytes) => values.push(bytes.to_vec()),
                        ValueRef::Blob(bytes) => {
                            values.extend(unpacked(bytes));
                            values.push(bytes.to_vec());
                        }
                        _ => {}
                    }
                }
            }
        }
        Ok(values)
    };
    values().unwrap_or_default()
}

/// The kinds of files under a store's folder: paths without numbers, tiers and random names.
pub(crate) fn kinds_in(store: &Path) -> BTreeSet<String> {
    let kind = |file: PathBuf| {
        let path = file.strip_prefix(store).expect("a file of the store");
        let parts = path.iter().map(|part| kind_of(&part.to_string_lossy()));
        parts.collect::<Vec<_>>().join("/")
    };
    files_under(store).into_iter().map(kind).collect()
}

/// A name without the parts that differ between files of the same kind.
fn kind_of(name: &str) -> String {
    let is_hexadecimal =
        |part: &str| part.len() >= 16 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let plain: Vec<_> = name
        .split('.')
        .map(|part| if is_hexadecimal(part) { "HEX" } else { part })
        .collect();
    let mut kind = String::new();
    for letter in plain.join(".").chars() {
        match letter {
            '0'..='9' if kind.ends_with('N') => {}
            '0'..='9' => kind.push('N'),
            letter => kind.push(letter),
        }
    }
    for tier in ["active", "recent", "archive-NQN"] {
        if kind == tier {
            return "TIER".to_owned();
        }
    }
    kind
}
