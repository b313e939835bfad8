//! Properties of the built-in vocabulary, computed once.

use std::sync::{LazyLock, OnceLock};

use anamne_embed::{StaticModel, TokenTable};
use anamne_text::analyser::Analyser;
use rustc_hash::FxHashMap;

/// 64-bit words of a set of all 65 536 tokens.
const SET_WORDS: usize = 1 << 10;

/// A bit set of tokens: small enough for the L1 cache.
#[derive(Clone, Debug)]
pub(super) struct TokenSet(Box<[u64; SET_WORDS]>);

impl Default for TokenSet {
    fn default() -> Self {
        Self(Box::new([0; SET_WORDS]))
    }
}

impl TokenSet {
    pub(super) fn insert(&mut self, token: u16) {
        self.0[usize::from(token >> 6)] |= 1 << (token & 63);
    }

    pub(super) fn union(mut self, other: &Self) -> Self {
        for (own, other) in self.0.iter_mut().zip(other.0.iter()) {
            *own |= other;
        }
        self
    }

    /// 1 if the token is in the set, else 0: a number, so that callers can count without a branch.
    #[inline]
    pub(super) fn bit(&self, token: u16) -> u32 {
        (self.0[usize::from(token >> 6)] >> (token & 63)) as u32 & 1
    }

    #[inline]
    pub(super) fn contains(&self, token: u16) -> bool {
        self.bit(token) == 1
    }
}

/// The wordpieces of the built-in vocabulary, by prefix.
pub(super) struct Vocabulary {
    pub(super) table: &'static dyn TokenTable,
    /// The wordpieces that start a word: no continuation, no punctuation. Also hashed words.
    pub(super) word_starts: TokenSet,
    /// The wordpieces that continue a word.
    pub(super) continuations: TokenSet,
    /// The marks that say nothing by themselves.
    marks: TokenSet,
    by_prefix: FxHashMap<[u8; 2], PrefixGroup>,
}

/// Marks that separate words and sentences. Others, such as `?`, `-`, `$` and `+`, may decide what a text says.
const MARKS: [&str; 6] = [".", ",", ";", ":", "!", "\""];

/// The word-starting pieces with the same first two bytes.
#[derive(Default)]
struct PrefixGroup {
    tokens: Vec<u16>,
    /// By stem, computed when a query first needs them.
    by_stem: OnceLock<FxHashMap<String, Vec<u16>>>,
}

/// Filled by the first recall: one pass over 30 522 short strings, less than a millisecond.
static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(Vocabulary::read);

impl Vocabulary {
    pub(super) fn get() -> &'static Self {
        &VOCABULARY
    }

    /// The words that are a single token.
    pub(super) fn token_set<Word: AsRef<str>>(
        &self,
        words: impl IntoIterator<Item = Word>,
    ) -> TokenSet {
        let (mut set, mut tokens) = (TokenSet::default(), Vec::new());
        for word in words {
            tokens.clear();
            self.table.tokens(word.as_ref(), &mut tokens);
            if let [token] = tokens[..] {
                set.insert(token);
            }
        }
        set
    }

    fn read() -> Self {
        let table = StaticModel::builtin_tokens();
        let mut vocabulary = Self {
            table,
            word_starts: TokenSet::default(),
            continuations: TokenSet::default(),
            marks: TokenSet::default(),
            by_prefix: FxHashMap::default(),
        };
        vocabulary.marks = vocabulary.token_set(MARKS);
        for token in 0..table.rows() as u16 {
            let text = table.token_text(token);
            if text.len() > 2 && text.starts_with("##") {
                vocabulary.continuations.insert(token);
            } else if text.starts_with(char::is_alphanumeric) {
                vocabulary.word_starts.insert(token);
                let group = vocabulary.by_prefix.entry(prefix(text)).or_default();
                group.tokens.push(token);
            }
        }
        for token in table.rows() as u16..=u16::MAX {
            if table.is_hashed(token) {
                vocabulary.word_starts.insert(token);
            }
        }
        vocabulary
    }

    /// The word-starting pieces that have `stem` as their index term. Those whose stem starts with other letters are
    /// not found.
    pub(super) fn with_stem(&self, stem: &str) -> impl Iterator<Item = u16> {
        let tokens = self.by_prefix.get(&prefix(stem)).and_then(|group| {
            let by_stem = group
                .by_stem
                .get_or_init(|| self.tokens_by_stem(&group.tokens));
            by_stem.get(stem)
        });
        tokens.into_iter().flatten().copied()
    }

    fn tokens_by_stem(&self, tokens: &[u16]) -> FxHashMap<String, Vec<u16>> {
        let mut analyser = Analyser::new();
        let mut by_stem: FxHashMap<String, Vec<u16>> = FxHashMap::default();
        for &token in tokens {
            analyser.document(self.table.token_text(token), &mut |stem, _| {
                let tokens = by_stem.entry(stem.to_owned()).or_default();
                if tokens.last() != Some(&token) {
                    tokens.push(token);
                }
            });
        }
        by_stem
    }
}

/// The tokens of a text without marks that only separate words and sentences.
pub(crate) fn without_marks(tokens: &[u16]) -> Vec<u16> {
    let marks = &Vocabulary::get().marks;
    let tokens = tokens.iter().copied();
    tokens.filter(|token| !marks.contains(*token)).collect()
}

/// The tokens of a text, for tests.
#[cfg(test)]
pub(crate) fn tokens_of(text: &str) -> Vec<u16> {
    let mut tokens = Vec::new();
    Vocabulary::get().table.tokens(text, &mut tokens);
    tokens
}

fn prefix(text: &str) -> [u8; 2] {
    let bytes = text.as_bytes();
    [
        bytes.first().copied().unwrap_or(0),
        bytes.get(1).copied().unwrap_or(0),
    ]
}
