//! The normalised form of a memory: its words without capitals, punctuation, articles and contractions.

use anamne_types::{Memory, Row};
use jiff::Timestamp;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

use crate::summaries::words::{Weights, WordSort};
use crate::vectors::vector_of;

/// A memory, normalised for comparison.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) row: Row,
    /// When it happened.
    pub(crate) at: Timestamp,
    pub(crate) author: String,
    /// Its kind and category: only memories with the same ones are merged.
    pub(crate) sort: (u8, u8),
    /// Importance, confidence and trust: the rank among equals.
    pub(crate) regard: (u8, u32, u32),
    /// Its normalised words, in order.
    pub(crate) words: Vec<String>,
    /// For each word, whether it follows a mark that separates clauses or sentences.
    pub(crate) parted: Vec<bool>,
    /// Details that must not differ: numbers, dates and names, in order.
    pub(crate) particulars: Vec<String>,
    /// Number of negations.
    pub(crate) denials: usize,
    /// Whether it is in the first person.
    pub(crate) own: bool,
    pub(crate) vector: Vec<f32>,
}

impl Form {
    /// Normalises a memory. Linear in its text.
    pub(crate) fn of(memory: &Memory, weights: &mut Weights<'_>) -> Self {
        let mut text = memory.content.clone();
        memory.body.append_searchable(&mut text);
        let mut words = Vec::new();
        let mut particulars = Vec::new();
        let mut parted = Vec::new();
        let (mut denials, mut own) = (0, false);
        let (mut end_before, mut after_mark) = (0, false);
        for word in weights.words(&text) {
            if matches!(
                word.sort,
                WordSort::Number | WordSort::Name | WordSort::Time
            ) {
                particulars.push(word.plain.clone());
            }
            after_mark |= text[end_before..word.span.start].contains(PARTING);
            end_before = word.span.end;
            for part in parts(&word.plain) {
                denials += usize::from(denies(&part));
                own |= matches!(
                    part.as_str(),
                    "i" | "my" | "me" | "mine" | "we" | "our" | "us"
                );
                if !is_form(&part) {
                    words.push(part);
                    parted.push(std::mem::take(&mut after_mark));
                }
            }
        }
        Self {
            row: memory.row,
            at: memory.occurred_at,
            author: memory.author.clone().unwrap_or_default(),
            sort: (
                memory.kind().number(),
                memory
                    .body
                    .category()
                    .map_or(0, anamne_types::Category::number),
            ),
            regard: (
                memory.importance,
                thousandths(memory.confidence),
                thousandths(memory.trust),
            ),
            words,
            parted,
            particulars,
            denials,
            own,
            vector: vector_of(&text),
        }
    }

    /// The MinHash signature of its words: the minimum hash under each of `COUNT` permutations.
    pub(crate) fn minima<const COUNT: usize>(&self) -> [u64; COUNT] {
        let mut minima = [u64::MAX; COUNT];
        for word in &self.words {
            let hash = hash_of(word);
            for (order, least) in minima.iter_mut().enumerate() {
                *least = (*least).min(mixed(hash, order as u64));
            }
        }
        minima
    }
}

/// Marks that separate clauses and sentences.
const PARTING: [char; 13] = [
    '.', ',', ';', ':', '!', '?', '(', '–', '—', '\n', '。', '，', '、',
];

fn thousandths(share: f32) -> u32 {
    (share.clamp(0.0, 1.0) * 1_000.0) as u32
}

fn hash_of(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    word.hash(&mut hasher);
    hasher.finish()
}

/// A permutation of the hashes, by number (the finaliser of SplitMix64).
fn mixed(hash: u64, order: u64) -> u64 {
    let mut mixed = hash ^ order.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A word, split from its contraction.
fn parts(plain: &str) -> Vec<String> {
    let whole = match plain {
        "can't" | "cannot" => return vec!["can".to_owned(), "not".to_owned()],
        "won't" => return vec!["will".to_owned(), "not".to_owned()],
        "shan't" => return vec!["shall".to_owned(), "not".to_owned()],
        whole => whole,
    };
    let endings = [
        ("n't", "not"),
        ("'re", "are"),
        ("'ll", "will"),
        ("'ve", "have"),
        ("'m", "am"),
    ];
    for (ending, stands_for) in endings {
        if let Some(stem) = whole.strip_suffix(ending).filter(|stem| !stem.is_empty()) {
            return vec![stem.to_owned(), stands_for.to_owned()];
        }
    }
    vec![whole.to_owned()]
}

/// Words that don't affect the meaning: articles and courtesy.
fn is_form(part: &str) -> bool {
    one_of!(part, "a" "an" "the" "please" "really" "just" "very" "so" "ok" "okay" "yes" "well")
}

/// Negations.
pub(crate) fn denies(part: &str) -> bool {
    one_of!(
        part,
        "not" "no" "never" "none" "nobody" "nothing" "neither" "nor" "without" "nicht" "kein"
        "keine" "keinen" "nie" "pas" "jamais" "non" "sin" "nunca" "não" "sem" "geen" "niet"
    )
}
