//! The tortured space.

use std::path::Path;

use anamne::{Options, Space, Store};

use crate::failure::Failure;

/// Its name.
pub(super) const SPACE: &str = "torture";

/// Opens it with background work, as programs do.
pub(super) fn open(store: &Path) -> Result<Space, Failure> {
    Ok(Store::open(store)?.space(SPACE)?)
}

/// Opens its store without background work.
pub(super) fn quiet_store(store: &Path) -> Result<Store, Failure> {
    Ok(Store::open_with(Options::new(store).background(false))?)
}

/// A word that occurs in one memory only: letters derived from two numbers.
pub(super) fn rare_word(process: usize, write: usize) -> String {
    let mut state = (process as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (write as u64 + 1).wrapping_mul(0xD1B5_4A32_D192_ED03);
    let mut word = String::new();
    for index in 0..12 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let letters: &[u8] = if index % 2 == 0 {
            b"bdfgklmnprstvz"
        } else {
            b"aeiou"
        };
        word.push(char::from(letters[(state >> 33) as usize % letters.len()]));
    }
    word
}
