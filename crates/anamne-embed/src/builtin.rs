//! The model compiled into the binary.
//!
//! `build.rs` derived these files from `models/anamne-static-v1`; here they are only borrowed, so the table consists of
//! file-backed pages, and nothing is parsed or built at start.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::token_rows::TokenRows;
use crate::wordpiece::{Vocabulary, Wordpiece};
use crate::{Embedder, ModelIdentity, StaticModel, TokenTable};

include!(concat!(env!("OUT_DIR"), "/constants.rs"));

const NAME: &str = "anamne-static";
/// Changes whenever a token or a row does; a test checks it against the bytes.
const REVISION: &str = "v2";

/// Aligns each row of 256 codes to cache lines.
#[repr(C, align(64))]
struct Aligned<Bytes: ?Sized>(Bytes);

static TABLE: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/table.bin")));
static SCALES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/scales.bin"));
static INVERSE_NORMS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/inverse_norms.bin"));
static PIECES: &str = include_str!(concat!(env!("OUT_DIR"), "/vocabulary.txt"));
static PIECE_STARTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/piece_starts.bin"));
static SLOTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/slots.bin"));

/// The tokens matched in the raw text, with their ids.
const ADDED: [(&str, u16); 5] = [
    ("[PAD]", 0),
    ("[UNK]", UNKNOWN),
    ("[CLS]", 101),
    ("[SEP]", 102),
    ("[MASK]", 103),
];

static MODEL: LazyLock<StaticModel> = LazyLock::new(|| {
    let rows = TokenRows::from_parts(
        DIMENSIONS,
        bytemuck::cast_slice(&TABLE.0),
        words(INVERSE_NORMS),
        words(SCALES),
    );
    let vocabulary = Vocabulary {
        text: Cow::Borrowed(PIECES),
        starts: Cow::Borrowed(words(PIECE_STARTS)),
        slots: Cow::Borrowed(words(SLOTS)),
        longest: LONGEST_PIECE,
        unknown: Some(UNKNOWN),
    };
    let added = ADDED
        .map(|(content, token)| (Cow::Borrowed(content), token))
        .into();
    let tokenizer = Wordpiece::new(vocabulary, added).hashing_other_scripts();
    StaticModel::with_wordpiece(ModelIdentity::new(NAME, REVISION), tokenizer, rows)
});

pub(crate) fn model() -> &'static StaticModel {
    &MODEL
}

pub(crate) fn tokens() -> &'static dyn TokenTable {
    model()
        .token_table()
        .expect("the built-in model has a wordpiece tokenizer")
}

fn words(bytes: &'static [u8]) -> &'static [[u8; 4]] {
    bytes.as_chunks().0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_revision_names_these_bytes() {
        let mut hasher = blake3::Hasher::new();
        hasher
            .update(PIECES.as_bytes())
            .update(SCALES)
            .update(&TABLE.0);
        // Of hashed words too: a Russian stem, a function word, and two pairs of letters.
        let mut hashed = Vec::new();
        tokens().tokens("мастерская который 東京 서버", &mut hashed);
        for token in hashed {
            hasher.update(&token.to_le_bytes());
            let (row, _) = tokens().unit_row(token);
            hasher.update(bytemuck::cast_slice(row));
        }
        let found = hasher.finalize().to_hex();
        // Stored vectors and tokens belong to a revision: changed bytes need a new revision.
        assert_eq!((REVISION, &found[..16]), ("v2", "b33cbbc49a1dff68"));
    }

    #[test]
    fn the_added_tokens_are_where_the_vocabulary_has_them() {
        for (content, token) in ADDED {
            assert_eq!(tokens().token_text(token), content);
        }
    }
}
