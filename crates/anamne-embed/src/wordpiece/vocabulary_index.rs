//! Builds the hash index over a wordpiece vocabulary: at compile time for the built-in model, at load time for a
//! folder.
//!
//! Open addressing with linear probing. A slot is a little-endian u32: the high half is a tag from the piece's hash,
//! the low half is its token id; [`EMPTY`] marks a free slot. At most half of the slots are used, so every probe ends.

/// The marker in front of a piece that continues a word.
pub(crate) const CONTINUATION: &str = "##";
/// A free slot. No piece has this value: ids end at 65 534.
pub(crate) const EMPTY: u32 = u32::MAX;
/// Maximum length of a piece in the index, in bytes without its marker.
pub(crate) const LONGEST_PIECE_LIMIT: usize = 128;

/// The two arrays of an index, and the length of its longest piece in bytes.
pub(crate) struct VocabularyIndex {
    /// The start of each piece in the pieces joined with one byte in between, plus the end.
    pub(crate) starts: Vec<[u8; 4]>,
    pub(crate) slots: Vec<[u8; 4]>,
    pub(crate) longest: usize,
}

impl VocabularyIndex {
    /// Indexes `pieces` by position. The error describes what cannot be indexed.
    pub(crate) fn build(pieces: &[&str]) -> Result<Self, String> {
        if pieces.len() >= usize::from(u16::MAX) {
            return Err(format!(
                "{} pieces; at most 65534 are supported",
                pieces.len()
            ));
        }
        let mut slots = vec![EMPTY; (pieces.len() * 2).next_power_of_two().max(2)];
        let mut longest = 0;
        for (token, piece) in pieces.iter().enumerate() {
            let (body, continues) = split_marker(piece);
            if body.len() > LONGEST_PIECE_LIMIT {
                return Err(format!(
                    "piece {token} is longer than {LONGEST_PIECE_LIMIT} bytes"
                ));
            }
            longest = longest.max(body.len());
            let hash = hash_piece(body.as_bytes(), continues);
            let mut slot = first_slot(hash, slots.len());
            while slots[slot] != EMPTY {
                slot = (slot + 1) & (slots.len() - 1);
            }
            slots[slot] = tag(hash) | token as u32;
        }
        let slots = slots.into_iter().map(u32::to_le_bytes).collect();
        Ok(Self {
            starts: starts(pieces),
            slots,
            longest,
        })
    }
}

fn starts(pieces: &[&str]) -> Vec<[u8; 4]> {
    let lengths = pieces.iter().map(|piece| piece.len() as u32 + 1);
    let ends = lengths.scan(0u32, |end, length| {
        *end += length;
        Some(*end)
    });
    std::iter::once(0)
        .chain(ends)
        .map(u32::to_le_bytes)
        .collect()
}

/// The piece without its marker, and whether it had one.
pub(crate) fn split_marker(piece: &str) -> (&str, bool) {
    match piece.strip_prefix(CONTINUATION) {
        Some(body) if !body.is_empty() => (body, true),
        _ => (piece, false),
    }
}

/// The initial hash, different for pieces with and without marker.
pub(crate) fn hash_seed(continues: bool) -> u64 {
    if continues {
        0x51_7C_C1_B7_27_22_0A_95
    } else {
        0xCB_F2_9C_E4_84_22_23_25
    }
}

/// Adds a byte to the hash: Fibonacci multiplication, whose high bits are well mixed.
pub(crate) fn hash_byte(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

pub(crate) fn hash_piece(body: &[u8], continues: bool) -> u64 {
    body.iter()
        .fold(hash_seed(continues), |hash, &byte| hash_byte(hash, byte))
}

/// The first slot to probe; `slots` is a power of two, at least 2.
pub(crate) fn first_slot(hash: u64, slots: usize) -> usize {
    (hash >> (64 - slots.trailing_zeros())) as usize
}

/// The high half of a slot.
pub(crate) fn tag(hash: u64) -> u32 {
    (hash >> 16) as u32 & 0xFFFF_0000
}
