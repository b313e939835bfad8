//! Cursors: the place in a list, authenticated, for one caller and one list.

use std::sync::LazyLock;

use anamne::{ListPosition, MemoryId};
use serde::{Deserialize, Serialize};

use crate::http::Problem;

/// The longest cursor, in characters.
const LONGEST: usize = 4_096;

/// Digits of the code that authenticates a cursor.
const CODE: usize = 2 * blake3::OUT_LEN;

/// The key of this process. A cursor ends with it.
static SECRET: LazyLock<[u8; 32]> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    // Each has 74 random bits.
    for _ in 0..4 {
        hasher.update(MemoryId::at(0).as_bytes());
    }
    *hasher.finalize().as_bytes()
});

/// A place in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Place {
    /// After this memory.
    After(ListPosition),
    /// After so many.
    Offset(usize),
}

/// What a cursor belongs to: the caller, the space, and the list.
pub(super) struct Owner<'a>(pub(super) [&'a str; 3]);

impl Owner<'_> {
    /// The cursor of a place.
    pub(super) fn seal(&self, place: &Place) -> Result<String, Problem> {
        let place = serde_json::to_vec(place).map_err(|_| Problem::unexpected())?;
        let digits = place.iter().map(|byte| format!("{byte:02x}"));
        Ok(self.code(&place).to_hex().to_string() + &digits.collect::<String>())
    }

    /// The place of a cursor. One that was made for another caller, space or list, or not by this process, is refused
    /// like any other text.
    pub(super) fn open(&self, cursor: &str) -> Result<Place, Problem> {
        let refused = || {
            Problem::refused("the cursor is not valid here; begin the list again without a cursor")
        };
        if cursor.len() > LONGEST || !cursor.is_ascii() || cursor.len() < CODE {
            return Err(refused());
        }
        let (code, digits) = cursor.split_at(CODE);
        let code = blake3::Hash::from_hex(code).map_err(|_| refused())?;
        let pairs = digits.as_bytes().chunks(2);
        let byte = |pair: &[u8]| {
            let pair = std::str::from_utf8(pair)
                .ok()
                .filter(|pair| pair.len() == 2)?;
            u8::from_str_radix(pair, 16).ok()
        };
        let place: Vec<u8> = pairs.map(byte).collect::<Option<_>>().ok_or_else(refused)?;
        // The comparison takes the same time wherever they differ.
        if self.code(&place) != code {
            return Err(refused());
        }
        serde_json::from_slice(&place).map_err(|_| refused())
    }

    fn code(&self, place: &[u8]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&SECRET);
        for part in self.0 {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.update(place);
        hasher.finalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_opens_for_its_owner_alone() {
        let owner = Owner(["ada", "garden", "{}"]);
        let cursor = owner.seal(&Place::Offset(7)).expect("a cursor");
        assert_eq!(owner.open(&cursor).expect("its place"), Place::Offset(7));
        for other in [
            ["bob", "garden", "{}"],
            ["ada", "house", "{}"],
            ["ada", "garden", "{\"kinds\":[]}"],
            ["adagarden", "", "{}"],
        ] {
            Owner(other).open(&cursor).expect_err("another owner");
        }
    }

    #[test]
    fn a_changed_cursor_is_refused() {
        let owner = Owner(["ada", "garden", "{}"]);
        let cursor = owner.seal(&Place::Offset(7)).expect("a cursor");
        for position in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[position] = if changed[position] == b'0' {
                b'1'
            } else {
                b'0'
            };
            let changed = String::from_utf8(changed).expect("ASCII");
            owner.open(&changed).expect_err("changed");
        }
        for cut in 0..cursor.len() {
            owner.open(&cursor[..cut]).expect_err("cut");
        }
        for garbage in ["", "é", "zz", &"0".repeat(64), &"f".repeat(5_000)] {
            owner.open(garbage).expect_err("garbage");
        }
    }
}
