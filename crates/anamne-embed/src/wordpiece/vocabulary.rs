//! A wordpiece vocabulary: pieces by token, tokens by piece, greedy splitting of words.

use std::borrow::Cow;

use super::vocabulary_index::{
    EMPTY, LONGEST_PIECE_LIMIT, VocabularyIndex, first_slot, hash_byte, hash_piece, hash_seed,
    split_marker, tag,
};

/// Maximum length of a word, in characters; a longer one is unknown.
pub(crate) const LONGEST_WORD: usize = 100;

/// Pieces and their index, borrowed from the binary or owned.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    /// The pieces in token order, each followed by a separator byte.
    pub(crate) text: Cow<'static, str>,
    pub(crate) starts: Cow<'static, [[u8; 4]]>,
    pub(crate) slots: Cow<'static, [[u8; 4]]>,
    pub(crate) longest: usize,
    pub(crate) unknown: Option<u16>,
}

impl Vocabulary {
    /// Indexes `pieces` by position. The error describes what cannot be indexed.
    pub(crate) fn new(pieces: &[&str], unknown: Option<u16>) -> Result<Self, String> {
        let index = VocabularyIndex::build(pieces)?;
        let mut text = pieces.join("\n");
        text.push('\n');
        Ok(Self {
            text: Cow::Owned(text),
            starts: Cow::Owned(index.starts),
            slots: Cow::Owned(index.slots),
            longest: index.longest,
            unknown,
        })
    }

    /// Number of pieces.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The piece of a token, with `##` if it continues a word; empty for an unknown token.
    pub(crate) fn piece(&self, token: u16) -> &str {
        let token = usize::from(token);
        let (Some(&start), Some(&end)) = (self.starts.get(token), self.starts.get(token + 1))
        else {
            return "";
        };
        let range = u32::from_le_bytes(start) as usize..u32::from_le_bytes(end) as usize - 1;
        self.text.get(range).unwrap_or_default()
    }

    /// Passes the tokens of a normalised word of at most [`LONGEST_WORD`] characters to `emit`: the longest piece that
    /// begins it, then the longest that continues it, and so on. Returns whether the word is known: one with a remainder
    /// that matches no piece has no tokens.
    pub(crate) fn split(&self, word: &[u8], emit: &mut impl FnMut(u16)) -> bool {
        if let Some(token) = self.token(word) {
            self.emit_known(&[token], emit);
            return true;
        }
        let mut tokens = [0; LONGEST_WORD];
        let mut count = 0;
        let mut start = 0;
        while start < word.len() {
            let Some((token, length)) = self.longest_piece(&word[start..], start > 0) else {
                return false;
            };
            // A piece has at least one character, so the count stays below that of the word.
            tokens[count] = token;
            count += 1;
            start += length;
        }
        self.emit_known(&tokens[..count], emit);
        true
    }

    /// The token of a whole word, if it is one piece.
    pub(crate) fn token(&self, word: &[u8]) -> Option<u16> {
        if word.len() > self.longest {
            return None;
        }
        self.find(word, false, hash_piece(word, false))
    }

    fn emit_known(&self, tokens: &[u16], emit: &mut impl FnMut(u16)) {
        for &token in tokens {
            if Some(token) != self.unknown {
                emit(token);
            }
        }
    }

    /// The longest piece at the start of `rest`, and its length in bytes.
    fn longest_piece(&self, rest: &[u8], continues: bool) -> Option<(u16, usize)> {
        let mut hashes = [0; LONGEST_PIECE_LIMIT];
        let longest = rest.len().min(self.longest);
        let mut hash = hash_seed(continues);
        for (slot, &byte) in hashes.iter_mut().zip(&rest[..longest]) {
            hash = hash_byte(hash, byte);
            *slot = hash;
        }
        (1..=longest).rev().find_map(|length| {
            let token = self.find(&rest[..length], continues, hashes[length - 1])?;
            Some((token, length))
        })
    }

    fn find(&self, body: &[u8], continues: bool, hash: u64) -> Option<u16> {
        let mut slot = first_slot(hash, self.slots.len());
        loop {
            let entry = u32::from_le_bytes(self.slots[slot]);
            if entry == EMPTY {
                return None;
            }
            let token = entry as u16;
            if entry & 0xFFFF_0000 == tag(hash) && self.is_piece(token, body, continues) {
                return Some(token);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    fn is_piece(&self, token: u16, body: &[u8], continues: bool) -> bool {
        let (piece, marked) = split_marker(self.piece(token));
        marked == continues && piece.as_bytes() == body
    }
}
