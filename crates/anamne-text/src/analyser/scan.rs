//! The scanner: one pass over a block of normalised text that emits base terms.

use super::MAX_TERM_BYTES;
use super::chunk::{Case, Chunk};
use super::language::{LanguageSet, Scores};
use super::script::{Family, Kind, is_han, is_mark, kind};
use super::words::{WordCache, cut};

/// Maximum parts of a chunk with a term for the whole; longer ones are not searched as identifiers.
const MAX_PARTS_OF_WHOLE: usize = 16;

/// Minimum bytes of a word with guest stems.
const MIN_GUEST_BYTES: usize = 3;

/// Receives the base terms of a text.
pub(super) trait Receiver {
    /// Documents also have a term for every single ideograph, so that one-character queries match.
    const DOCUMENT: bool;

    /// Receives a term; `surface` is the lower-case word that it is derived from.
    fn term(
        &mut self,
        term: &str,
        surface: &str,
        position: u32,
        functions: LanguageSet,
        case: Case,
    );
}

/// How a word is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A Latin word of prose: evidence of the language, may have guest terms.
    Latin,
    /// Another word of prose: evidence of the language.
    Prose,
    /// A part of an identifier, path or address: `com` is not Portuguese there.
    Piece,
}

/// A Latin word that may have guest stems once the language is known.
#[derive(Clone, Copy)]
pub(super) struct PlainWord {
    start: u32,
    end: u32,
    pub(super) position: u32,
    pub(super) functions: LanguageSet,
}

/// The Latin words of a block, in lower case.
#[derive(Default)]
pub(super) struct PlainWords {
    text: String,
    words: Vec<PlainWord>,
}

impl PlainWords {
    /// The words with their text, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, PlainWord)> {
        self.words
            .iter()
            .map(|word| (&self.text[word.start as usize..word.end as usize], *word))
    }

    fn push(&mut self, lower: &str, position: u32, functions: LanguageSet) {
        let start = self.text.len() as u32;
        self.text.push_str(lower);
        self.words.push(PlainWord {
            start,
            end: self.text.len() as u32,
            position,
            functions,
        });
    }
}

/// Buffers and counts of a scan, reused for the next block.
#[derive(Default)]
pub(super) struct ScanState {
    pub(super) words: WordCache,
    pub(super) plain: PlainWords,
    pub(super) scores: Scores,
    pub(super) position: u32,
    chunk: Chunk,
    lower: String,
    clusters: Vec<usize>,
}

impl ScanState {
    /// Clears the previous block, but not the position in the document.
    pub(super) fn begin_block(&mut self) {
        self.plain.text.clear();
        self.plain.words.clear();
        self.scores = Scores::default();
    }

    /// Scans a block of text in NFKC.
    pub(super) fn scan<R: Receiver>(&mut self, text: &str, receiver: &mut R) {
        let mut chunk = std::mem::take(&mut self.chunk);
        let mut lower = std::mem::take(&mut self.lower);
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            at = if byte.is_ascii_alphabetic() {
                match end_of_plain_word(bytes, at) {
                    Some(end) => {
                        self.plain_word(&text[at..end], &mut lower, receiver);
                        end
                    }
                    None => self.chunk(text, at, &mut chunk, receiver),
                }
            } else if byte.is_ascii_digit() {
                self.chunk(text, at, &mut chunk, receiver)
            } else if byte.is_ascii() {
                if byte == b'#' {
                    self.numbered(text, at, receiver);
                }
                at + 1
            } else {
                self.outside_ascii(text, at, &mut chunk, receiver)
            };
        }
        self.chunk = chunk;
        self.lower = lower;
    }

    fn plain_word<R: Receiver>(&mut self, word: &str, lower: &mut String, receiver: &mut R) {
        let bytes = word.as_bytes();
        if !bytes.iter().any(u8::is_ascii_uppercase) {
            return self.word(word, Case::Lower, Role::Latin, receiver);
        }
        let case = match bytes {
            [_, second, ..] if second.is_ascii_uppercase() => Case::Upper,
            _ => Case::Capitalised,
        };
        lower.clear();
        lower.push_str(word);
        lower.make_ascii_lowercase();
        self.word(lower, case, Role::Latin, receiver);
    }

    /// Emits the base term of a lower-case word and advances by one position.
    #[inline]
    fn word<R: Receiver>(&mut self, lower: &str, case: Case, role: Role, receiver: &mut R) {
        let (word, term) = self.words.word(lower);
        let functions = if role == Role::Piece {
            word.functions.intersection(LanguageSet::ENGLISH)
        } else {
            self.scores.add(word.evidence);
            word.functions
        };
        receiver.term(term, lower, self.position, functions, case);
        if role == Role::Latin && lower.len() >= MIN_GUEST_BYTES {
            self.plain.push(lower, self.position, functions);
        }
        self.position += 1;
    }

    fn chunk<R: Receiver>(
        &mut self,
        text: &str,
        start: usize,
        chunk: &mut Chunk,
        receiver: &mut R,
    ) -> usize {
        let end = chunk.read(text, start);
        if chunk.is_single() {
            let role = role_of(&chunk.lower, chunk.is_prose());
            let end = self.symbol_suffix(text, end, &chunk.lower, receiver);
            self.word(
                cut(&chunk.lower, MAX_TERM_BYTES),
                chunk.case,
                role,
                receiver,
            );
            return end;
        }
        self.whole(chunk, receiver);
        let prose = chunk.is_prose();
        for part in &chunk.parts {
            let lower = &chunk.lower[part.start..part.end];
            if part.letters && lower.len() == 1 {
                self.position += 1;
            } else {
                self.word(lower, Case::Lower, role_of(lower, prose), receiver);
            }
        }
        end
    }

    /// Emits a term unchanged, at the current position.
    fn bare<R: Receiver>(&self, term: &str, receiver: &mut R) {
        receiver.term(
            term,
            term,
            self.position,
            LanguageSet::default(),
            Case::Lower,
        );
    }

    /// Emits the whole of a chunk with several parts, at the position of the first.
    fn whole<R: Receiver>(&mut self, chunk: &Chunk, receiver: &mut R) {
        if chunk.parts.len() > MAX_PARTS_OF_WHOLE || chunk.lower.len() > MAX_TERM_BYTES {
            return;
        }
        let (word, term) = self.words.word(&chunk.lower);
        receiver.term(
            term,
            &chunk.lower,
            self.position,
            word.functions,
            chunk.case,
        );
        if let Some(number) = chunk.version_number() {
            self.bare(number, receiver);
        }
    }

    /// `C++`, `C#`, `F#`: the letter with its sign, in addition to the letter.
    fn symbol_suffix<R: Receiver>(
        &mut self,
        text: &str,
        end: usize,
        lower: &str,
        receiver: &mut R,
    ) -> usize {
        if lower.len() != 1 || !lower.as_bytes()[0].is_ascii_alphabetic() {
            return end;
        }
        let Some(sign) = ["++", "#"]
            .into_iter()
            .find(|sign| text[end..].starts_with(sign))
        else {
            return end;
        };
        let after = end + sign.len();
        if text[after..].starts_with(char::is_alphanumeric) {
            return end;
        }
        let term = format!("{lower}{sign}");
        self.bare(&term, receiver);
        after
    }

    /// `#1234`: the number with its sign, in addition to the number that the scan reads next.
    fn numbered<R: Receiver>(&mut self, text: &str, at: usize, receiver: &mut R) {
        let digits = text.as_bytes()[at + 1..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let end = at + 1 + digits;
        let inside_word = text[..at].ends_with(char::is_alphanumeric)
            || text[end..].starts_with(char::is_alphanumeric);
        if digits == 0 || digits >= MAX_TERM_BYTES || inside_word {
            return;
        }
        let term = &text[at..end];
        self.bare(term, receiver);
    }

    fn outside_ascii<R: Receiver>(
        &mut self,
        text: &str,
        at: usize,
        chunk: &mut Chunk,
        receiver: &mut R,
    ) -> usize {
        let Some(character) = text[at..].chars().next() else {
            return text.len();
        };
        match kind(character) {
            Kind::Lower | Kind::Upper | Kind::Digit => self.chunk(text, at, chunk, receiver),
            Kind::Unspaced(family) => self.unspaced(text, at, family, receiver),
            Kind::Mark | Kind::Ignorable | Kind::Other => at + character.len_utf8(),
        }
    }

    /// Emits overlapping bigrams of a run of one family, and single ideographs and syllables.
    fn unspaced<R: Receiver>(
        &mut self,
        text: &str,
        start: usize,
        family: Family,
        receiver: &mut R,
    ) -> usize {
        let mut clusters = std::mem::take(&mut self.clusters);
        let end = read_clusters(text, start, family, &mut clusters);
        let count = clusters.len() - 1;
        for at in 0..count {
            let (from, to) = (clusters[at], clusters[at + 1]);
            if at + 1 < count {
                self.gram(&text[from..clusters[at + 2]], receiver);
            }
            let alone = count == 1
                || match family {
                    Family::SoutheastAsian => false,
                    Family::Hangul => R::DOCUMENT,
                    Family::Ideographic => is_wanted_alone::<R>(text, &clusters, at),
                };
            if alone {
                self.gram(&text[from..to], receiver);
            }
            self.position += 1;
        }
        self.clusters = clusters;
        end
    }

    fn gram<R: Receiver>(&mut self, gram: &str, receiver: &mut R) {
        let gram = cut(gram, MAX_TERM_BYTES);
        self.bare(gram, receiver);
    }
}

/// In a document every ideograph also has its own term; in a query only one between syllabic signs, which is a word
/// with its particles.
fn is_wanted_alone<R: Receiver>(text: &str, clusters: &[usize], at: usize) -> bool {
    let han = |at: usize| {
        let start = clusters.get(at).copied().unwrap_or(text.len());
        at + 1 < clusters.len() && text[start..].chars().next().is_some_and(is_han)
    };
    han(at) && (R::DOCUMENT || !(at > 0 && han(at - 1) || han(at + 1)))
}

/// Finds the boundaries between letters (with their marks) of one family, including both ends.
pub(super) fn read_clusters(
    text: &str,
    start: usize,
    family: Family,
    clusters: &mut Vec<usize>,
) -> usize {
    clusters.clear();
    let mut end = start;
    for (offset, character) in text[start..].char_indices() {
        let kind = kind(character);
        if kind == Kind::Unspaced(family) && !is_mark(character) {
            clusters.push(start + offset);
        } else if !matches!(kind, Kind::Mark | Kind::Ignorable) {
            break;
        }
        end = start + offset + character.len_utf8();
    }
    clusters.push(end);
    end
}

fn role_of(lower: &str, prose: bool) -> Role {
    match prose {
        true if is_latin_word(lower) => Role::Latin,
        true => Role::Prose,
        false => Role::Piece,
    }
}

fn is_latin_word(lower: &str) -> bool {
    lower.is_ascii() && lower.bytes().all(|byte| byte.is_ascii_alphabetic())
        || lower.chars().all(
            |letter| matches!(letter, 'a'..='z' | '\u{df}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}'),
        )
}

/// The end of a plain word: ASCII letters in one case without connectors, which needs no further analysis; `None` for
/// everything else.
#[inline]
fn end_of_plain_word(bytes: &[u8], start: usize) -> Option<usize> {
    let mut end = start;
    let mut capitals = 0;
    while let Some(byte) = bytes.get(end).filter(|byte| byte.is_ascii_alphabetic()) {
        capitals += usize::from(byte.is_ascii_uppercase());
        end += 1;
    }
    let length = end - start;
    let one_case = match capitals {
        0 => true,
        1 => bytes[start].is_ascii_uppercase(),
        all => all == length,
    };
    (one_case && length <= MAX_TERM_BYTES && ends_chunk(bytes, end, length)).then_some(end)
}

fn ends_chunk(bytes: &[u8], end: usize, length: usize) -> bool {
    let Some(&next) = bytes.get(end) else {
        return true;
    };
    match next {
        b' ' | b'\n' | b'\r' | b'\t' => true,
        b'_' | b'-' | b'.' | b'/' | b'@' | b'&' | b'\\' | b'\'' => bytes
            .get(end + 1)
            .is_none_or(|after| after.is_ascii() && !after.is_ascii_alphanumeric()),
        b':' => bytes.get(end + 1).is_none_or(u8::is_ascii_whitespace),
        b'+' | b'#' => length > 1,
        _ => next.is_ascii() && !next.is_ascii_digit(),
    }
}
