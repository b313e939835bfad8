//! Splits a text into words, quoted values, marks and spaces.

/// Maximum length of a quoted value, in bytes: bounds the search for the closing quote.
const MOST_QUOTED: usize = 120;

/// Characters that no word has.
const MARKS: [char; 15] = [
    '"', '\'', '`', '(', ')', '{', '}', '[', ']', '<', '>', ',', ';', '=', '|',
];

/// Marks that a URL may have.
const IN_URLS: [char; 4] = [',', ';', '=', '|'];

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// White space of any length.
    Space,
    /// A value with its quotes.
    Quoted(&'a str),
    /// One character that no word has.
    Mark(&'a str),
    /// Anything else up to the next of these.
    Word(&'a str),
}

/// The pieces of a text, in order.
pub(super) struct Pieces<'a> {
    rest: &'a str,
    /// Whether the last piece was a word, in which an apostrophe is no quote.
    in_word: bool,
}

impl<'a> Pieces<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self {
            rest: text.trim(),
            in_word: false,
        }
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    /// The bytes of the word that begins here. A URL goes on after marks that its query has.
    fn word_bytes(&self) -> usize {
        let ends = |of_url: bool| {
            let ends_word = |next: char| {
                next.is_whitespace()
                    || MARKS.contains(&next) && !(of_url && IN_URLS.contains(&next))
            };
            self.rest.find(ends_word).unwrap_or(self.rest.len())
        };
        let bytes = ends(false);
        if self.rest[..bytes].contains("://") {
            ends(true)
        } else {
            bytes
        }
    }

    /// The bytes of the quoted value that begins here, quotes included.
    fn quoted(&self, opening: char) -> Option<usize> {
        let closing = match opening {
            '"' | '\'' | '`' => opening,
            '‘' => '’',
            '“' => '”',
            _ => return None,
        };
        let value = &self.rest[opening.len_utf8()..];
        let value = &value[..value.floor_char_boundary(MOST_QUOTED)];
        let end = value.find([closing, '\n'])?;
        value[end..]
            .starts_with(closing)
            .then_some(opening.len_utf8() + end + closing.len_utf8())
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let first = self.rest.chars().next()?;
        let was_in_word = std::mem::take(&mut self.in_word);
        if first.is_whitespace() {
            self.rest = self.rest.trim_start();
            return Some(Piece::Space);
        }
        if !was_in_word && let Some(bytes) = self.quoted(first) {
            return Some(Piece::Quoted(self.take(bytes)));
        }
        let is_mark = |character: char| MARKS.contains(&character);
        if is_mark(first) {
            return Some(Piece::Mark(self.take(first.len_utf8())));
        }
        self.in_word = true;
        Some(Piece::Word(self.take(self.word_bytes())))
    }
}
