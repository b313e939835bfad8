//! Chunks: units that a reader sees as one word, identifier, number, path or address.
//!
//! A chunk consists of runs of letters and digits joined by single connectors (`_`, `-`, `.`, `/`, `:`, `::`, `@`, `&`,
//! `\`, an apostrophe). A run is split into parts where the case or the kind of character changes, as in program
//! identifiers.

use super::MAX_TERM_BYTES;
use super::script::{Kind, kind};

/// The capitalisation of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Case {
    /// Starts in lower case, or has no case.
    #[default]
    Lower,
    /// Starts with a capital.
    Capitalised,
    /// At least two capitals, and no other letters.
    Upper,
}

/// The connector between two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
    Apostrophe,
    Hyphen,
    Other,
}

/// A part of a chunk: a range of [`Chunk::lower`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Only letters and their marks.
    pub(super) letters: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BorderKind {
    Case,
    Acronym,
    Digit,
}

#[derive(Clone, Copy)]
struct Border {
    at: usize,
    kind: BorderKind,
}

/// The current chunk of the scanner; its buffers are reused for the next.
#[derive(Default)]
pub(super) struct Chunk {
    /// The chunk in lower case, without connectors except points and colons between digits.
    pub(super) lower: String,
    pub(super) parts: Vec<Part>,
    pub(super) case: Case,
    joins: Vec<Join>,
    borders: Vec<Border>,
    split_inside_runs: bool,
    grouped_number: bool,
}

impl Chunk {
    /// Reads the chunk that starts at `start`, a letter or digit; returns its end.
    pub(super) fn read(&mut self, text: &str, start: usize) -> usize {
        self.lower.clear();
        self.parts.clear();
        self.joins.clear();
        self.split_inside_runs = false;
        self.grouped_number = false;
        let mut at = self.read_run(text, start);
        while let Some(after) = self.read_connector(text, at) {
            at = self.read_run(text, after);
        }
        self.remove_clitic();
        at
    }

    /// Whether the chunk is a single word, so that the whole needs no term of its own.
    pub(super) fn is_single(&self) -> bool {
        self.parts.len() == 1 || self.grouped_number
    }

    /// Whether the parts are words of prose (`well-known`, `l'école`), not parts of an identifier.
    pub(super) fn is_prose(&self) -> bool {
        !self.split_inside_runs && self.joins.iter().all(|join| *join != Join::Other)
    }

    /// The number of a version written with a leading `v`: `1.2.3` for `v1.2.3`.
    pub(super) fn version_number(&self) -> Option<&str> {
        let number = self.lower.strip_prefix('v')?;
        let numeric = number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        (numeric && number.contains('.')).then_some(number)
    }

    fn read_run(&mut self, text: &str, start: usize) -> usize {
        let run_start = self.lower.len();
        self.borders.clear();
        let mut end = start;
        let mut cut = false;
        let (mut previous, mut before, mut previous_at) = (Kind::Other, Kind::Other, run_start);
        let (mut letters, mut capitals) = (0_usize, 0_usize);
        for (offset, character) in text[start..].char_indices() {
            let kind = kind(character);
            let inside = previous != Kind::Other;
            match kind {
                Kind::Lower | Kind::Upper | Kind::Digit => {}
                Kind::Mark if inside => {}
                Kind::Ignorable if inside => {
                    end = start + offset + character.len_utf8();
                    continue;
                }
                _ => break,
            }
            end = start + offset + character.len_utf8();
            let here = self.lower.len();
            if here - run_start + character.len_utf8() > MAX_TERM_BYTES {
                cut = true;
                continue;
            }
            push_lower(character, &mut self.lower);
            if kind == Kind::Mark {
                continue;
            }
            if inside {
                self.mark_border(before, previous, kind, previous_at, here);
            }
            letters += usize::from(kind != Kind::Digit);
            capitals += usize::from(kind == Kind::Upper);
            (before, previous, previous_at) = (previous, kind, here);
        }
        if self.joins.is_empty() {
            self.case = case_of(text, start, letters, capitals);
        }
        self.remove_false_boundaries(run_start, cut);
        self.push_parts(run_start);
        end
    }

    fn mark_border(
        &mut self,
        before: Kind,
        previous: Kind,
        kind: Kind,
        previous_at: usize,
        here: usize,
    ) {
        let (at, kind) = match (previous, kind) {
            (Kind::Lower, Kind::Upper) => (here, BorderKind::Case),
            (Kind::Upper, Kind::Lower) if before == Kind::Upper => {
                (previous_at, BorderKind::Acronym)
            }
            (Kind::Digit, Kind::Lower | Kind::Upper) | (Kind::Lower | Kind::Upper, Kind::Digit) => {
                (here, BorderKind::Digit)
            }
            _ => return,
        };
        self.borders.push(Border { at, kind });
    }

    /// Removes boundaries that separate nothing: in the plural of an acronym (`APIs`), around a single letter beside
    /// digits (`E0382`, `v1`, `k8s`), and in apparently encoded data.
    fn remove_false_boundaries(&mut self, run_start: usize, cut: bool) {
        let run_end = self.lower.len();
        if let Some(last) = self.borders.last()
            && last.kind == BorderKind::Acronym
            && last.at + 2 == run_end
            && self.lower.ends_with('s')
        {
            self.borders.pop();
        }
        if self.has_lone_letter_beside_digits(run_start) {
            self.borders
                .retain(|border| border.kind != BorderKind::Digit);
        }
        let pieces = self.borders.len() + 1;
        let encoded = pieces > 4 && (run_end - run_start) < pieces * 3;
        if cut || encoded {
            self.borders.clear();
        }
    }

    fn has_lone_letter_beside_digits(&self, run_start: usize) -> bool {
        let mut start = run_start;
        let mut opened_by_digit = false;
        let ends = self.borders.iter().copied().chain([Border {
            at: self.lower.len(),
            kind: BorderKind::Case,
        }]);
        for border in ends {
            let piece = &self.lower[start..border.at];
            let lone = piece.chars().nth(1).is_none() && piece.chars().all(char::is_alphabetic);
            let closed_by_digit = border.kind == BorderKind::Digit;
            if lone && (opened_by_digit || closed_by_digit) {
                return true;
            }
            start = border.at;
            opened_by_digit = closed_by_digit;
        }
        false
    }

    fn push_parts(&mut self, run_start: usize) {
        self.split_inside_runs |= !self.borders.is_empty();
        let mut start = run_start;
        let ends = self
            .borders
            .iter()
            .map(|border| border.at)
            .chain([self.lower.len()]);
        for end in ends {
            let letters = self.lower[start..end]
                .chars()
                .all(|letter| !matches!(kind(letter), Kind::Digit));
            self.parts.push(Part {
                start,
                end,
                letters,
            });
            start = end;
        }
    }

    /// Reads the connector at `at` if a letter or digit follows it; returns the position after it.
    fn read_connector(&mut self, text: &str, at: usize) -> Option<usize> {
        let rest = &text[at..];
        let connector = rest.chars().next()?;
        let width = connector_width(connector, rest)?;
        let next = kind(rest[width..].chars().next()?);
        if !matches!(next, Kind::Lower | Kind::Upper | Kind::Digit) {
            return None;
        }
        let between_digits =
            next == Kind::Digit && self.lower.ends_with(|last: char| last.is_ascii_digit());
        let join = match connector {
            '\'' | '’' | 'ʼ' => Join::Apostrophe,
            '-' | '‐' => Join::Hyphen,
            ',' if between_digits && groups_thousands(&rest[width..]) && self.may_be_grouped() => {
                self.grouped_number = true;
                Join::Other
            }
            ',' => return None,
            _ => Join::Other,
        };
        self.grouped_number &= connector == ',';
        if between_digits && matches!(connector, '.' | ':') {
            self.lower.push(connector);
        }
        self.joins.push(join);
        Some(at + width)
    }

    /// Whether the chunk so far is a number of at most three digits, or of groups of three.
    fn may_be_grouped(&self) -> bool {
        let digits = self.lower.bytes().all(|byte| byte.is_ascii_digit());
        digits && (self.grouped_number || (self.joins.is_empty() && self.lower.len() <= 3))
    }

    /// Removes clitics: `Anna's` and `we'll` become `anna` and `we`; `don't` becomes `dont`.
    fn remove_clitic(&mut self) {
        let (Some(Join::Apostrophe), Some(tail)) = (self.joins.last(), self.parts.last().copied())
        else {
            return;
        };
        match &self.lower[tail.start..tail.end] {
            "s" | "m" | "re" | "ve" | "ll" | "d" => {
                self.lower.truncate(tail.start);
                self.drop_last_part();
            }
            "t" if self.lower[..tail.start].ends_with('n') => {
                self.drop_last_part();
                if let Some(verb) = self.parts.last_mut() {
                    verb.end = tail.end;
                }
            }
            _ => {}
        }
    }

    fn drop_last_part(&mut self) {
        self.parts.pop();
        self.joins.pop();
    }
}

fn connector_width(connector: char, rest: &str) -> Option<usize> {
    match connector {
        ':' if rest.starts_with("://") => Some(3),
        ':' if rest.starts_with("::") => Some(2),
        '_' | '-' | '‐' | '.' | '/' | ':' | '@' | '&' | '\\' | '\'' | '’' | 'ʼ' | ',' => {
            Some(connector.len_utf8())
        }
        _ => None,
    }
}

/// Whether the text starts with exactly three digits.
fn groups_thousands(rest: &str) -> bool {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits == 3 && !rest[3..].starts_with(char::is_alphabetic)
}

fn push_lower(character: char, lower: &mut String) {
    if character.is_ascii() {
        lower.push(character.to_ascii_lowercase());
    } else {
        lower.extend(character.to_lowercase());
    }
}

fn case_of(text: &str, start: usize, letters: usize, capitals: usize) -> Case {
    if capitals > 1 && capitals == letters {
        Case::Upper
    } else if text[start..].chars().next().is_some_and(char::is_uppercase) {
        Case::Capitalised
    } else {
        Case::Lower
    }
}
