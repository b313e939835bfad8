//! Export files: raw bytes, and files with valid digests and a valid chain around foreign content.

use std::path::Path;

use anamne::{BinaryImport, ImportOptions, Options, Store};

use crate::journal::chained;

/// The first bytes of a file.
const MAGIC: &[u8] = b"\x8Aanamne\n";

/// The settings and the events of an input that is no file itself.
const BETWEEN: &[u8] = b"\n---\n";

/// A file as it is, if it begins like one; else settings and events, separated by `---`, as a valid file.
pub(crate) fn file(bytes: &[u8]) -> bool {
    let made;
    let file = if bytes.starts_with(MAGIC) {
        bytes
    } else {
        made = made_of(bytes);
        &made
    };
    let trusted = ImportOptions::default().trusted();
    [trusted, ImportOptions::default()]
        .map(|options| import(file, options))
        .contains(&true)
}

/// Imports into a new store; a refused file must leave no space in it.
fn import(file: &[u8], options: ImportOptions) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open_with(Options::new(folder.path()).background(false)).expect("a store");
    let import = BinaryImport {
        options,
        ..BinaryImport::default()
    };
    let taken = store.import_binary(Path::new("file"), file, &import);
    let spaces = store.spaces().expect("the store can be listed");
    if let Err(error) = taken {
        assert!(spaces.is_empty(), "{spaces:?} after {error}");
        return false;
    }
    for name in &spaces {
        let space = store
            .existing_space(name.as_str())
            .expect("an imported space can be opened");
        let _ = space.remember("after it");
        let found = store
            .verify(Some(name.as_str()))
            .expect("it can be verified");
        assert!(
            found.iter().all(|one| one.examination.findings.is_empty()),
            "{found:?}"
        );
    }
    !spaces.is_empty()
}

/// A file of one space with these settings and events.
fn made_of(bytes: &[u8]) -> Vec<u8> {
    let split = bytes
        .windows(BETWEEN.len())
        .position(|part| part == BETWEEN);
    let (settings, events) = match split {
        Some(at) => (&bytes[..at], &bytes[at + BETWEEN.len()..]),
        None => (&b""[..], bytes),
    };
    let (journal, last_seq, last_hash) = chained(events);
    let manifest = format!(
        r#"{{"made_at":"2026-03-01T12:00:00Z","spaces":[{{"name":"tests","last_seq":{last_seq},"last_hash":"{last_hash}"}}],"extras":[]}}"#
    );
    let mut file = MAGIC.to_vec();
    file.extend(1_u32.to_le_bytes());
    file.extend(0_u32.to_le_bytes());
    let mut digest = *blake3::hash(&file).as_bytes();
    for (tag, text) in [
        (1_u32, manifest.as_bytes()),
        (2, settings),
        (3, journal.as_bytes()),
        (7, b""),
    ] {
        let length = text.len() as u32;
        let header: Vec<u8> = [tag, 0, length, length]
            .iter()
            .flat_map(|field| field.to_le_bytes())
            .collect();
        let mut hasher = blake3::Hasher::new();
        hasher.update(&digest).update(&header).update(text);
        digest = *hasher.finalize().as_bytes();
        file.extend(header);
        file.extend(text);
        file.extend(digest);
    }
    file
}
