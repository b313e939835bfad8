//! What the placeholders of a normal form stand for.

use super::pieces::{Piece, Pieces};
use super::word::{self, TIME};
use super::{beginning, essence};

/// The placeholders of names. The others stand for numbers and times.
const NAMES: [&str; 6] = ["<value>", "<path>", "<url>", "<address>", "<hash>", "<id>"];

/// A digest of the names and numbers that the normal form of an error leaves out, without times and memory addresses; 0 if there are
/// none. Errors with one normal form say the same if these are equal. O(bytes).
pub fn error_names(message: &str) -> i64 {
    let mut names = Names::default();
    let mut before = "";
    for piece in Pieces::of(beginning(essence(message))) {
        match piece {
            Piece::Space | Piece::Mark(_) => {}
            Piece::Quoted(text) => {
                let value = text.trim_matches(['"', '\'', '`', '‘', '’', '“', '”']);
                names.add(value);
            }
            Piece::Word(word) => {
                names.add_replaced(word, &word::in_error(word, before));
                before = word;
            }
        }
    }
    names.digest()
}

/// The same for the normal form of a call. O(bytes).
pub fn call_names(action: &str, object: &str) -> i64 {
    let text = format!("{} {}", beginning(action), beginning(object));
    let mut names = Names::default();
    for piece in Pieces::of(&text) {
        if let Piece::Word(word) = piece {
            names.add_replaced(word, &word::in_call(word));
        }
    }
    names.digest()
}

/// Whether the normal form of an error has placeholders of names. O(bytes).
pub fn has_names(form: &str) -> bool {
    NAMES.iter().any(|name| form.contains(name))
}

/// What placeholders stand for, as it is read.
#[derive(Default)]
struct Names {
    hasher: blake3::Hasher,
    has_some: bool,
}

impl Names {
    fn add(&mut self, name: &str) {
        self.has_some = true;
        self.hasher.update(name.to_lowercase().as_bytes());
        self.hasher.update(&[0]);
    }

    /// Adds a word if its form is another one, unless it is a time or a memory address, which say nothing.
    fn add_replaced(&mut self, word: &str, form: &str) {
        if form != word && !form.starts_with(TIME) && !word.starts_with("0x") {
            self.add(word);
        }
    }

    fn digest(&self) -> i64 {
        if !self.has_some {
            return 0;
        }
        let digest = self.hasher.finalize();
        let first = digest.as_bytes().first_chunk().copied();
        i64::from_le_bytes(first.unwrap_or_default())
    }
}
