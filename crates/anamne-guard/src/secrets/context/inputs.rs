//! What a value and its surroundings look like, in numbers.

use std::cell::Cell;

use super::codes;
use super::tokens::{Sort, Tokens, is_mark};
use super::words::{NAMING, SECTIONS, Topics, joined_topics, topics};
use crate::secrets::letters;

/// How many tokens on either side of a value are read.
const REACH: usize = 9;

/// The names of the inputs that tell of the value alone.
const LOOK: [&str; 30] = [
    "length",
    "digits",
    "small",
    "capital",
    "symbols",
    "changes",
    "changes_share",
    "unusual",
    "unusual_share",
    "run",
    "vowels",
    "distinct",
    "replaced",
    "digit_count",
    "starts_capital",
    "ends_digit",
    "ends_symbol",
    "is_hex",
    "is_number",
    "slashes",
    "points",
    "dashes",
    "underscores",
    "marks",
    "brackets",
    "has_extension",
    "is_word_number",
    "starts_symbol",
    "is_year",
    "is_foreign",
];

/// The names of the inputs that tell of the place.
const PLACE: [&str; 29] = [
    "in_ticks",
    "in_quotes",
    "in_emphasis",
    "in_brackets",
    "is_value",
    "after_colon",
    "after_equals",
    "after_dash",
    "after_slash",
    "after_comma",
    "after_hash",
    "before_call",
    "before_comma",
    "before_stop",
    "before_end",
    "before_bracket",
    "is_first",
    "is_last",
    "line_tokens",
    "code",
    "prose",
    "bars",
    "left_length",
    "left_letters",
    "left_candidate",
    "right_length",
    "right_letters",
    "right_candidate",
    "candidates",
];

/// The inputs for each section of words: the distance to the left and to the right, whether one is on the line, how
/// many there are.
const NEAR: [&str; 4] = ["left", "right", "line", "count"];

/// How many inputs there are.
pub(super) const INPUTS: usize = LOOK.len() + PLACE.len() + NEAR.len() * SECTIONS.len();

/// The names of all inputs, in order.
pub(crate) fn names() -> Vec<String> {
    let near = NEAR.iter().flat_map(|what| {
        SECTIONS
            .iter()
            .map(move |section| format!("{what}_{section}"))
    });
    let own = LOOK.iter().chain(&PLACE).map(|name| (*name).to_owned());
    own.chain(near).collect()
}

/// A piece of text with what its words are about.
pub(super) struct Surroundings<'text> {
    piece: &'text str,
    pub(super) tokens: Tokens,
    /// What each token is about; read when it is needed.
    topics: Vec<Option<Topics>>,
    /// The line that was counted last.
    counted: Cell<Option<(usize, LineCounts)>>,
    lower: String,
}

/// What a line is made of, as shares of its bytes.
#[derive(Clone, Copy, Debug)]
struct LineCounts {
    /// Brackets, semicolons, equals signs.
    code: f32,
    /// Letters and blanks.
    prose: f32,
    /// How many vertical bars it has.
    bars: f32,
}

impl LineCounts {
    fn of(line: &str) -> Self {
        let (mut code, mut prose, mut bars) = (0_usize, 0_usize, 0_usize);
        for byte in line.bytes() {
            code += usize::from(b"(){};=<>".contains(&byte));
            prose += usize::from(byte.is_ascii_alphabetic() || byte == b' ' || byte >= 0x80);
            bars += usize::from(byte == b'|');
        }
        let share = |count: usize| count as f32 / (line.len() + 1) as f32;
        Self {
            code: share(code),
            prose: share(prose),
            bars: bars as f32,
        }
    }
}

/// Which words are near a value.
#[derive(Clone, Debug)]
pub(super) struct Near {
    left: [usize; SECTIONS.len()],
    right: [usize; SECTIONS.len()],
    is_on_line: [bool; SECTIONS.len()],
    count: [usize; SECTIONS.len()],
}

impl Near {
    /// Whether anything near says that there may be a secret.
    pub(super) fn names_a_secret(&self) -> bool {
        self.count[..NAMING].iter().any(|count| *count > 0)
    }

    /// The naming section that is nearest.
    pub(super) fn nearest(&self) -> usize {
        let distance = |section: &usize| self.left[*section].min(self.right[*section]);
        (0..NAMING).min_by_key(distance).unwrap_or_default()
    }

    fn see(&mut self, topics: Topics, distance: usize, is_left: bool, is_on_line: bool) {
        for section in 0..SECTIONS.len() {
            if topics >> section & 1 == 0 {
                continue;
            }
            let side = if is_left {
                &mut self.left
            } else {
                &mut self.right
            };
            side[section] = side[section].min(distance);
            self.is_on_line[section] |= is_on_line;
            self.count[section] += 1;
        }
    }
}

impl<'text> Surroundings<'text> {
    pub(super) fn of(piece: &'text str) -> Self {
        let tokens = Tokens::of(piece);
        Self {
            topics: vec![None; tokens.all.len()],
            piece,
            tokens,
            counted: Cell::new(None),
            lower: String::new(),
        }
    }

    fn text(&self, token: usize) -> &'text str {
        &self.piece[self.tokens.all[token].span.clone()]
    }

    fn topics(&mut self, token: usize) -> Topics {
        if let Some(known) = self.topics[token] {
            return known;
        }
        let text = self.text(token);
        let found = match self.tokens.all[token].sort {
            Sort::Script => joined_topics(text),
            _ => topics(text, &mut self.lower),
        };
        self.topics[token] = Some(found);
        found
    }

    /// The words near a token: on its line, and before it on the line before.
    pub(super) fn near(&mut self, token: usize) -> Near {
        let line = self.tokens.all[token].line;
        let mut near = Near {
            left: [REACH + 1; SECTIONS.len()],
            right: [REACH + 1; SECTIONS.len()],
            is_on_line: [false; SECTIONS.len()],
            count: [0; SECTIONS.len()],
        };
        for (distance, other) in (1..=REACH).zip((0..token).rev()) {
            let its_line = self.tokens.all[other].line;
            if its_line + 1 < line {
                break;
            }
            near.see(self.topics(other), distance, true, its_line == line);
        }
        for (distance, other) in (1..=REACH).zip(token + 1..self.tokens.lines[line].tokens.end) {
            near.see(self.topics(other), distance, false, true);
        }
        near
    }

    /// Whether the words before a number name it as a code.
    pub(super) fn is_named_code(&self, token: usize) -> bool {
        let is_linked = matches!(self.joint(token), ':' | '：' | '=');
        codes::is_named(self.before(token), is_linked)
    }

    /// Whether a value is a digest that is the key of an entry.
    pub(super) fn is_label(&self, token: usize) -> bool {
        let own = &self.tokens.all[token];
        let is_part = own.sort == Sort::Value && self.piece[..own.span.start].ends_with(':');
        codes::is_label(self.text(token), is_part, self.before(token))
    }

    /// The tokens before a token on its line, the nearest first.
    fn before(&self, token: usize) -> impl Iterator<Item = (&'text str, Sort)> {
        let all = &self.tokens.all;
        let start = self.tokens.lines[all[token].line].tokens.start;
        let before = (start..token).rev();
        before.map(|other| (self.text(other), all[other].sort))
    }

    /// What stands before a token, blanks and quotes aside.
    fn joint(&self, token: usize) -> char {
        let before = &self.piece[..self.tokens.all[token].span.start];
        let before = before.trim_end_matches([' ', '`', '"', '\'', '*']);
        before.chars().next_back().unwrap_or('\n')
    }

    /// The inputs of a token. O(bytes of the token).
    pub(super) fn inputs(&self, token: usize, near: &Near) -> [f32; INPUTS] {
        let mut all = [0.0; INPUTS];
        let numbers = look(self.text(token)).into_iter().chain(self.place(token));
        let line = near.is_on_line.map(usize::from);
        let nearness = [near.left, near.right, line, near.count];
        let nearness = nearness.as_flattened().iter().map(|value| *value as f32);
        for (input, number) in all.iter_mut().zip(numbers.chain(nearness)) {
            *input = number;
        }
        all
    }

    fn counts(&self, line: usize) -> LineCounts {
        if let Some((_, counts)) = self.counted.get().filter(|(counted, _)| *counted == line) {
            return counts;
        }
        let counts = LineCounts::of(&self.piece[self.tokens.lines[line].span.clone()]);
        self.counted.set(Some((line, counts)));
        counts
    }

    fn place(&self, token: usize) -> [f32; PLACE.len()] {
        let Tokens { all, lines } = &self.tokens;
        let own = &all[token];
        let line = &lines[own.line];
        let before = &self.piece[..own.span.start];
        let last = before.chars().next_back();
        let is_after = |marks: &[char]| last.is_some_and(|one| marks.contains(&one));
        let joint = self.joint(token);
        let next = self.piece[own.span.end..].chars().next().unwrap_or('\n');
        let neighbour = |other: Option<usize>| {
            let other = other.filter(|other| line.tokens.contains(other));
            other.map_or([0.0; 3], |other| {
                let text = self.text(other);
                let letters = text.chars().all(char::is_alphabetic);
                [
                    text.len() as f32,
                    flag(letters),
                    flag(all[other].may_be_secret),
                ]
            })
        };
        let left = neighbour(token.checked_sub(1));
        let right = neighbour(Some(token + 1));
        let from = line.tokens.start.max(token.saturating_sub(REACH));
        let until = line.tokens.end.min(token + REACH + 1);
        let candidates = all[from..until]
            .iter()
            .filter(|other| other.may_be_secret)
            .count();
        let counts = self.counts(own.line);
        [
            flag(is_after(&['`'])),
            flag(is_after(&['"', '\'', '«', '„', '“', '‘', '「'])),
            flag(is_after(&['*', '_'])),
            flag(is_after(&['(', '[', '{', '<'])),
            flag(own.sort == Sort::Value),
            flag(matches!(joint, ':' | '：')),
            flag(joint == '='),
            flag(matches!(joint, '-' | '—' | '–' | '>' | '→')),
            flag(joint == '/'),
            flag(joint == ','),
            flag(is_after(&['#'])),
            flag(next == '('),
            flag(matches!(next, ',' | ';')),
            flag(matches!(next, '.' | '!')),
            flag(next == '\n'),
            flag(next == ')'),
            flag(token == line.tokens.start),
            flag(token + 1 == line.tokens.end),
            line.tokens.len() as f32,
            counts.code,
            counts.prose,
            counts.bars,
            left[0],
            left[1],
            left[2],
            right[0],
            right[1],
            right[2],
            candidates as f32,
        ]
    }
}

fn flag(is_so: bool) -> f32 {
    f32::from(u8::from(is_so))
}

/// What a value looks like.
fn look(value: &str) -> [f32; LOOK.len()] {
    let bytes = value.as_bytes();
    let length = bytes.len() as f32;
    let sort = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    let mut sorts = [0_usize; 4];
    let (mut seen, mut changes, mut run, mut longest, mut vowels, mut replaced) =
        (0_u128, 0, 0, 0, 0, 0);
    let (mut marks, mut brackets) = (0, 0);
    let (mut slashes, mut points, mut dashes, mut underscores) = (0, 0, 0, 0);
    for (at, byte) in bytes.iter().copied().enumerate() {
        sorts[sort(byte)] += 1;
        if byte.is_ascii() {
            seen |= 1 << byte;
        }
        changes += usize::from(at > 0 && sort(bytes[at - 1]) != sort(byte));
        run = if byte.is_ascii_alphabetic() {
            run + 1
        } else {
            0
        };
        longest = longest.max(run);
        vowels += usize::from(b"aeiouAEIOU".contains(&byte));
        let is_letter = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at))
                .is_some_and(u8::is_ascii_alphabetic)
        };
        replaced += usize::from(
            b"013457@$!".contains(&byte) && is_letter(at.checked_sub(1)) && is_letter(Some(at + 1)),
        );
        marks += usize::from(is_mark(byte));
        brackets += usize::from(b"(){}[];,=<>".contains(&byte));
        slashes += usize::from(byte == b'/');
        points += usize::from(byte == b'.');
        dashes += usize::from(byte == b'-');
        underscores += usize::from(byte == b'_');
    }
    let [digits, small, capital, symbols] = sorts;
    let (pairs, unusual) = letters::unusual_pairs(value);
    let first = bytes.first().copied().unwrap_or_default();
    let last = bytes.last().copied().unwrap_or_default();
    let share = |count: usize| count as f32 / length.max(1.0);
    let number = value.trim_start_matches(|one: char| one.is_ascii_alphabetic());
    let is_word_number = number.len() < value.len()
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit());
    [
        length,
        share(digits),
        share(small),
        share(capital),
        share(symbols),
        changes as f32,
        share(changes),
        unusual as f32,
        unusual as f32 / pairs.max(1) as f32,
        longest as f32,
        share(vowels),
        share(seen.count_ones() as usize),
        replaced as f32,
        digits as f32,
        flag(first.is_ascii_uppercase()),
        flag(last.is_ascii_digit()),
        flag(!last.is_ascii_alphanumeric()),
        flag(bytes.iter().all(u8::is_ascii_hexdigit)),
        flag(digits == bytes.len()),
        slashes as f32,
        points as f32,
        dashes as f32,
        underscores as f32,
        marks as f32,
        brackets as f32,
        flag(has_extension(value)),
        flag(is_word_number),
        flag(b"$%&#/-.~@".contains(&first)),
        flag(bytes.len() == 4 && (value.starts_with("19") || value.starts_with("20"))),
        flag(!value.is_ascii()),
    ]
}

/// Whether a value ends as a file does: `.rs`, `.json`.
fn has_extension(value: &str) -> bool {
    let is_extension = |end: &str| {
        (2..=4).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    value
        .rsplit_once('.')
        .is_some_and(|(_, end)| is_extension(end))
}
