//! The public methods of the engine's types, read from its sources. Shared with the table of the interfaces, in
//! `anamne-cli`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The names of the public methods of the type `of` in the crate `anamne`, whose folder is `engine`.
pub(crate) fn public_methods(engine: &Path, of: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![engine.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).expect("a source");
                found.extend(methods_in(&text, of));
            }
        }
    }
    assert!(!found.is_empty(), "no methods of {of} found");
    found
}

/// The public methods in the blocks `impl TYPE {` of a formatted source.
fn methods_in(text: &str, of: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("impl ") {
            inside = line.trim_end() == format!("impl {of} {{");
        } else if line == "}" {
            inside = false;
        }
        if let (true, Some(rest)) = (inside, line.strip_prefix("    pub fn ")) {
            let end = rest.find(['(', '<']).expect("arguments");
            found.push(rest[..end].to_owned());
        }
    }
    found
}
