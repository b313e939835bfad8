//! Unique, portable file names for notes and folders.

use std::collections::{HashMap, HashSet};

use anamne_types::{Body, Memory};

/// Maximum characters of a name taken from text.
const LONGEST: usize = 60;

/// Maximum bytes of it: with position, id and extension a name stays below 255 bytes.
const LONGEST_BYTES: usize = 120;

/// Reserved device names.
const RESERVED: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// The names used so far, compared ignoring case.
#[derive(Default)]
pub(super) struct FileNames {
    folder_of_thread: HashMap<String, String>,
    folders: HashSet<String>,
    notes: HashSet<String>,
}

impl FileNames {
    /// The path of a memory's note without extension, separated by `/`.
    ///
    /// In its thread's folder the name begins with the position, elsewhere with the date; then the first words and the
    /// end of the id.
    pub(super) fn name(&mut self, memory: &Memory) -> String {
        let folder = memory.thread.as_deref().map(|thread| self.folder(thread));
        let first = match memory.position {
            Some(position) if folder.is_some() => format!("{position:04}"),
            _ => memory.occurred_at.strftime("%Y-%m-%d").to_string(),
        };
        let id = memory.id.to_string();
        let words = safe(first_words(memory)).unwrap_or_else(|| "note".to_owned());
        let ends = [&id[id.len() - 8..], id.as_str()];
        let paths = ends.map(|end| match &folder {
            Some(folder) => format!("{folder}/{first} {words} {end}"),
            None => format!("{first} {words} {end}"),
        });
        let [short, long] = paths;
        if self.notes.insert(short.to_lowercase()) {
            short
        } else {
            self.notes.insert(long.to_lowercase());
            long
        }
    }

    fn folder(&mut self, thread: &str) -> String {
        if let Some(folder) = self.folder_of_thread.get(thread) {
            return folder.clone();
        }
        let plain = safe(thread).unwrap_or_else(|| "thread".to_owned());
        let numbered = (2u32..).map(|number| format!("{plain} {number}"));
        let folder = std::iter::once(plain.clone())
            .chain(numbered)
            .find(|folder| self.folders.insert(folder.to_lowercase()))
            .unwrap_or(plain);
        self.folder_of_thread
            .insert(thread.to_owned(), folder.clone());
        folder
    }
}

fn first_words(memory: &Memory) -> &str {
    let named = match &memory.body {
        Body::Document { title, .. } => title,
        Body::Skill { name, .. } => name,
        _ => "",
    };
    if named.trim().is_empty() {
        memory.content.trim().lines().next().unwrap_or_default()
    } else {
        named
    }
}

/// The text without characters special to file systems or wikilinks; `None` if empty.
fn safe(text: &str) -> Option<String> {
    let mut name = String::new();
    let mut count = 0;
    for character in text.chars() {
        let plain = !character.is_control()
            && !character.is_whitespace()
            && !r#"\/:*?"<>|#^[]%`"#.contains(character)
            && !('\u{200b}'..='\u{200f}').contains(&character)
            && !('\u{202a}'..='\u{202e}').contains(&character);
        if count >= LONGEST || name.len() + character.len_utf8() > LONGEST_BYTES {
            break;
        }
        if plain {
            name.push(character);
            count += 1;
        } else if !name.ends_with(' ') && !name.is_empty() {
            name.push(' ');
            count += 1;
        }
    }
    let name = name.trim_matches([' ', '.']).to_owned();
    if RESERVED.contains(&name.to_lowercase().as_str()) {
        return Some(format!("{name}_"));
    }
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(safe(text).as_deref(), expected, "{text:?}");
    }

    #[test]
    fn names_hold_nothing_that_a_system_minds() {
        check("a/b\\c: \"d\" <e> [[f]]", Some("a b c d e f"));
        check("../../etc/passwd", Some("etc passwd"));
        check(".hidden.", Some("hidden"));
        check("CON", Some("CON_"));
        check("\u{202e}\u{0}\n", None);
        check("Ünïcödé 記憶", Some("Ünïcödé 記憶"));
        for wide in ["𒀀", "😀", "字", "é"] {
            let name = safe(&wide.repeat(300)).expect("a name");
            assert!(name.len() <= LONGEST_BYTES, "{} bytes", name.len());
        }
        assert_eq!(
            safe(&"long ".repeat(50)).expect("a name").chars().count(),
            59
        );
    }

    #[test]
    fn threads_that_look_alike_have_folders_of_their_own() {
        let mut names = FileNames::default();
        let folders = ["Standup", "standup", "stand/up", "stand up", "Standup"]
            .map(|thread| names.folder(thread));
        assert_eq!(
            folders,
            ["Standup", "standup 2", "stand up", "stand up 2", "Standup"]
        );
    }
}
