//! The pass over a text.

use std::ops::Range;

use super::context::Context;
use super::number::Number;
use super::{ADDRESS, BIRTH_DATE, CARD, EMAIL, IBAN, IP, NATIONAL, PHONE};
use super::{address, card, date, email, iban, ip, national, phone};
use crate::{DataKind, Finding};

/// A pass over a text.
pub(super) struct Scan<'text> {
    pub(super) text: &'text str,
    /// The words near numbers.
    pub(super) context: Context<'text>,
    /// Where the last finding ended.
    pub(super) floor: usize,
    /// How many bytes were looked at.
    pub(super) steps: usize,
}

type Found = Option<(DataKind, Range<usize>)>;

impl<'text> Scan<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        Self {
            text,
            context: Context::new(text),
            floor: 0,
            steps: 0,
        }
    }

    /// Finds everything but names. O(bytes): it looks around each anchor within fixed bounds.
    pub(super) fn run(&mut self, found: &mut Vec<Finding>) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while let Some(anchor) = next_anchor(bytes, at) {
            self.steps += anchor + 1 - at;
            at = self.visit(anchor, found);
        }
        self.steps += bytes.len() - at + self.context.steps();
    }

    /// Finds the kinds with a checksum as [`Scan::run`] does; others only near them, where they may cover them. O(bytes).
    pub(super) fn run_checked(&mut self, found: &mut Vec<Finding>) {
        let bytes = self.text.as_bytes();
        let (mut at, mut visited) = (0, 0);
        while let Some(digits) = next_digit(bytes, at) {
            let end = end_of_digits(bytes, digits);
            self.steps += end - at;
            at = end;
            if !self.has_checked(digits, end) {
                continue;
            }
            let from = digits.saturating_sub(Self::REACH);
            visited = visited.max(start_of_word(bytes, from, digits));
            self.context.restart();
            while let Some(anchor) = next_anchor(bytes, visited).filter(|anchor| *anchor < end) {
                self.steps += anchor + 1 - visited;
                visited = self.visit(anchor, found);
            }
            at = at.max(visited);
        }
        self.steps += bytes.len() - at + self.context.steps();
    }

    /// How far before a number a finding may begin that covers it.
    const REACH: usize = 160;

    /// Whether a kind with a checksum begins at the digits in a place, if nothing else does.
    fn has_checked(&mut self, start: usize, end: usize) -> bool {
        let bytes = self.text.as_bytes();
        let letters = letters_before(bytes, start);
        if letters > 0 {
            return self.after_letters(start, letters).is_some();
        }
        if is_joined_before(bytes, start) || (end - start < 6 && !may_go_on(bytes, start, end)) {
            return false;
        }
        let Some(number) = Number::read(self.text, start) else {
            return false;
        };
        self.steps += number.end() - start;
        number.digits().len() >= 6
            && (card::at(self, &number).is_some() || national::at(self, &number).is_some())
    }

    /// Looks around an anchor; returns where to go on.
    fn visit(&mut self, anchor: usize, found: &mut Vec<Finding>) -> usize {
        let bytes = self.text.as_bytes();
        let (finding, next) = if bytes[anchor] == b'@' {
            let span = email::at(self, anchor);
            (span.map(|span| (EMAIL, span)), anchor + 1)
        } else {
            let end = end_of_digits(bytes, anchor);
            self.steps += end - anchor;
            (self.at_digits(anchor, end), end)
        };
        let floor = self.floor;
        let is_apart = |(_, span): &(DataKind, Range<usize>)| span.start >= floor;
        let Some((kind, span)) = finding.filter(is_apart) else {
            return next;
        };
        self.floor = span.end;
        found.push(Finding {
            kind,
            span: span.clone(),
        });
        next.max(span.end)
    }

    /// What starts or ends at the digits in a place.
    fn at_digits(&mut self, start: usize, end: usize) -> Found {
        let bytes = self.text.as_bytes();
        let letters = letters_before(bytes, start);
        if letters > 0 {
            return self.after_letters(start, letters);
        }
        if let Some(span) = ip::version_6(self, start) {
            return Some((IP, span));
        }
        if is_joined_before(bytes, start) {
            return None;
        }
        if end - start <= 5
            && let Some(span) = address::at(self, start, end)
        {
            return Some((ADDRESS, span));
        }
        if end - start < 6 && !may_go_on(bytes, start, end) {
            return None;
        }
        let number = Number::read(self.text, start)?;
        self.steps += number.end() - start;
        self.of_number(&number)
    }

    fn of_number(&mut self, number: &Number) -> Found {
        if let Some(span) = ip::version_4(self, number) {
            return Some((IP, span));
        }
        if let Some(span) = date::at(self, number) {
            return Some((BIRTH_DATE, span));
        }
        if number.digits().len() < 6 {
            return None;
        }
        if let Some(span) = card::at(self, number) {
            return Some((CARD, span));
        }
        if let Some(span) = national::at(self, number) {
            return Some((NATIONAL, span));
        }
        phone::at(self, number).map(|span| (PHONE, span))
    }

    /// What starts with a few letters before digits.
    fn after_letters(&mut self, start: usize, letters: usize) -> Found {
        let bytes = self.text.as_bytes();
        let from = start - letters;
        self.steps += iban::MOST;
        if letters >= 2
            && may_precede_account(bytes, start - 2, letters)
            && let Some(span) = iban::at(self.text, start - 2)
        {
            return Some((IBAN, span));
        }
        if is_joined_before(bytes, from) {
            return None;
        }
        let span = national::after_letters(self, from, letters);
        span.map(|span| (NATIONAL, span))
    }
}

/// Whether more groups, or a month, may stand next to a few digits.
fn may_go_on(bytes: &[u8], start: usize, end: usize) -> bool {
    let follows = |byte: &u8| b" -./()stnre".contains(byte) || *byte >= 0x80;
    before(bytes, start) == Some(b' ') && end - start <= 2 || bytes.get(end).is_some_and(follows)
}

/// Whether an account number may start at a place: it tells more than its neighbours, so a slash or an escaped line break
/// may stand before it.
fn may_precede_account(bytes: &[u8], start: usize, letters: usize) -> bool {
    match before(bytes, start) {
        Some(b'/' | b'-' | b'.' | b':' | b'#' | b'*' | b'~') => true,
        Some(b'n' | b'r' | b't') if letters == 3 => before(bytes, start - 1) == Some(b'\\'),
        _ => letters == 2 && !is_joined_before(bytes, start),
    }
}

/// The next `@` or digit.
fn next_anchor(bytes: &[u8], from: usize) -> Option<usize> {
    let is_anchor = |byte: &u8| byte.is_ascii_digit() || *byte == b'@';
    Some(from + bytes.get(from..)?.iter().position(is_anchor)?)
}

/// The next digit.
fn next_digit(bytes: &[u8], from: usize) -> Option<usize> {
    let digit = bytes.get(from..)?.iter().position(u8::is_ascii_digit)?;
    Some(from + digit)
}

/// The first place of a range at which no word goes on that began before it.
fn start_of_word(bytes: &[u8], from: usize, to: usize) -> usize {
    let goes_on = before(bytes, from).is_some_and(is_word);
    let word = bytes[from..to].iter().take_while(|byte| is_word(**byte));
    from + if goes_on { word.count() } else { 0 }
}

/// The end of the digits from a place.
pub(super) fn end_of_digits(bytes: &[u8], start: usize) -> usize {
    let others = bytes[start..]
        .iter()
        .position(|byte| !byte.is_ascii_digit());
    others.map_or(bytes.len(), |length| start + length)
}

/// How many ASCII letters, of up to seven, stand directly before a place.
fn letters_before(bytes: &[u8], start: usize) -> usize {
    let before = bytes[..start].iter().rev().take(7);
    before.take_while(|byte| byte.is_ascii_alphabetic()).count()
}

/// The byte before a place.
pub(super) fn before(bytes: &[u8], at: usize) -> Option<u8> {
    at.checked_sub(1).map(|before| bytes[before])
}

/// Whether what stands before a place makes it a part of something longer.
pub(super) fn is_joined_before(bytes: &[u8], start: usize) -> bool {
    let beyond = || start.checked_sub(2).map(|at| bytes[at]);
    match before(bytes, start) {
        None => false,
        Some(b'-') => beyond().is_some_and(|byte| is_word(byte) || b"-)]}*/.".contains(&byte)),
        Some(b'/') => beyond().is_some_and(|byte| is_word(byte) || b")]}*.".contains(&byte)),
        Some(b'.' | b':') => beyond().is_some_and(|byte| byte.is_ascii_digit()),
        Some(byte) => is_word(byte) || b"@#$%\\*~^".contains(&byte),
    }
}

/// Whether what stands after a place makes it a part of something longer.
pub(super) fn is_joined_after(bytes: &[u8], end: usize) -> bool {
    let beyond = bytes.get(end + 1).copied();
    match bytes.get(end).copied() {
        None => false,
        Some(b'-' | b'/' | b'.' | b':' | b'+') => beyond.is_some_and(is_word),
        Some(byte) => is_word(byte) || b"@%*\\^~=".contains(&byte),
    }
}

/// Whether numbers are a part of a calculation: `(872) 391 - 8872 =`.
pub(super) fn is_term(bytes: &[u8], start: usize, end: usize) -> bool {
    let follows = bytes.get(end..).unwrap_or_default();
    let goes_on = matches!(
        follows,
        [b' ', b'=' | b'^', ..] | [b' ', b'*' | b'+', b' ', ..]
    ) || follows.starts_with(" ×".as_bytes())
        || follows.starts_with(" ≈".as_bytes());
    let before = &bytes[..start];
    let before = before.strip_suffix(b"(").unwrap_or(before);
    let is_after_term = matches!(before, [.., one, b' ', b'*' | b'+' | b'^', b' ']
        if one.is_ascii_digit() || *one == b')');
    goes_on || is_after_term
}

/// Whether a byte is a part of a word in code.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
