//! Normal forms, in which equal things meet.
//!
//! An error loses what differs from one occurrence to the next: paths, numbers, ids, hashes, times, addresses and quoted
//! values become placeholders such as `<path>`. Error codes stay. A call loses much less, since its numbers and paths say
//! what it does: only ids, hashes, memory addresses and the names of temporary files. Its options keep their case.
//! [`error_names`] and [`call_names`] tell apart what such a form leaves out.

mod names;
pub mod near;
mod pieces;
mod word;

pub use names::{call_names, error_names, has_names};
use pieces::{Piece, Pieces};

/// Maximum length of a normal form, in bytes.
const MOST_BYTES: usize = 512;

/// Maximum length of a name, in bytes.
const MOST_NAME: usize = 1_024;

/// Bytes of a text that are read: placeholders are often shorter than what they replace.
const MOST_READ: usize = 4 * MOST_BYTES;

/// How a Python error that tells where it happened begins. What happened is in its last line.
const TRACEBACK: &str = "Traceback (most recent call last)";

/// The normal form of a call. O(bytes).
pub fn call(action: &str, object: &str) -> String {
    let text = format!("{} {}", beginning(action), beginning(object));
    let mut form = Form::default();
    for piece in Pieces::of(&text) {
        match piece {
            Piece::Space => form.space(),
            Piece::Quoted(text) => form.add_call(text),
            Piece::Mark(mark) => form.add(mark),
            Piece::Word(word) => form.add_call(&word::in_call(word)),
        }
    }
    form.finished().trim_end_matches([';', ' ']).to_owned()
}

/// The part of a text by which it is known: the beginning, without the white space around it. Texts are equal if these are.
pub fn name(text: &str) -> &str {
    let text = text.trim();
    &text[..text.floor_char_boundary(MOST_NAME)]
}

/// The normal form of an error message. O(bytes).
pub fn error(message: &str) -> String {
    let mut form = Form::default();
    let mut before = "";
    for piece in Pieces::of(beginning(essence(message))) {
        match piece {
            Piece::Space => form.space(),
            Piece::Quoted(_) => form.add("<value>"),
            Piece::Mark(mark) => form.add(mark),
            Piece::Word(word) => {
                form.add(&word::in_error(word, before));
                before = word;
            }
        }
    }
    form.finished()
}

/// The part of an error that says what happened.
fn essence(message: &str) -> &str {
    let message = message.trim();
    if message.starts_with(TRACEBACK) {
        message.lines().next_back().unwrap_or(message)
    } else {
        message
    }
}

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(MOST_READ)]
}

/// A normal form that is being written: lower case but for the options of calls, single spaces.
#[derive(Default)]
struct Form(String);

impl Form {
    fn space(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with(' ') {
            self.0.push(' ');
        }
    }

    fn add(&mut self, text: &str) {
        if self.0.len() < MOST_BYTES && !(text == word::TIME && self.0.ends_with("<time> ")) {
            self.0.push_str(&text.to_lowercase());
        }
    }

    /// Adds a part of a call: options keep their case, since `-d` and `-D` are different ones.
    fn add_call(&mut self, text: &str) {
        for word in text.split_inclusive(char::is_whitespace) {
            let is_option = word.trim_start_matches(['"', '\'', '`']).starts_with('-');
            if is_option && self.0.len() < MOST_BYTES {
                self.0.push_str(word);
            } else {
                self.add(word);
            }
        }
    }

    fn finished(mut self) -> String {
        self.0.truncate(self.0.floor_char_boundary(MOST_BYTES));
        self.0.truncate(self.0.trim_end().len());
        self.0
    }
}

#[cfg(test)]
mod tests;
