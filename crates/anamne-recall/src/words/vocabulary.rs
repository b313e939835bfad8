//! What is known of every piece of the built-in vocabulary, found out once.

use std::sync::LazyLock;

use anamne_embed::{StaticModel, TokenTable};
use rustc_hash::FxHashMap;

/// The bit of a token's mark that says that it begins a word; the others hold its place among the meetings.
pub(super) const BEGINS_WORD: u16 = 0x8000;

/// The pieces of the built-in vocabulary, sorted by how they begin.
pub(super) struct Vocabulary {
    pub(super) table: &'static dyn TokenTable,
    /// [`BEGINS_WORD`] for each piece that begins a word (no continuation, no punctuation), else 0.
    pub(super) marks: Vec<u16>,
    /// Whether a piece continues a word.
    continues: Vec<bool>,
    by_beginning: FxHashMap<[u8; 2], Vec<u16>>,
}

/// Filled at the first recall: one pass over 30 522 short strings, well under a millisecond.
static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(Vocabulary::read);

impl Vocabulary {
    pub(super) fn get() -> &'static Self {
        &VOCABULARY
    }

    fn read() -> Self {
        let table = StaticModel::builtin_tokens();
        let mut vocabulary = Self {
            table,
            marks: vec![0; table.rows()],
            continues: vec![false; table.rows()],
            by_beginning: FxHashMap::default(),
        };
        for token in 0..table.rows() {
            let text = table.token_text(token as u16);
            vocabulary.continues[token] = text.len() > 2 && text.starts_with("##");
            if !vocabulary.continues[token] && text.starts_with(char::is_alphanumeric) {
                vocabulary.marks[token] = BEGINS_WORD;
                vocabulary
                    .by_beginning
                    .entry(beginning(text))
                    .or_default()
                    .push(token as u16);
            }
        }
        vocabulary
    }

    pub(super) fn continues_word(&self, token: u16) -> bool {
        self.continues
            .get(usize::from(token))
            .copied()
            .unwrap_or(false)
    }

    /// The pieces that begin a word and begin like `term`, all but its last letter: those that may share its stem.
    pub(super) fn like<'term>(
        &'static self,
        term: &'term str,
    ) -> impl Iterator<Item = (u16, &'static str)> + 'term {
        let shared = term
            .char_indices()
            .next_back()
            .map_or(0, |(last, _)| last)
            .max(term.len().min(2));
        let shared = if term.is_char_boundary(shared) {
            shared
        } else {
            term.len()
        };
        let candidates = self
            .by_beginning
            .get(&beginning(term))
            .map_or(&[][..], Vec::as_slice);
        candidates
            .iter()
            .map(|&token| (token, self.table.token_text(token)))
            .filter(move |(_, text)| text.as_bytes().starts_with(&term.as_bytes()[..shared]))
    }
}

fn beginning(text: &str) -> [u8; 2] {
    let bytes = text.as_bytes();
    [
        bytes.first().copied().unwrap_or(0),
        bytes.get(1).copied().unwrap_or(0),
    ]
}
