//! Computing the index from all columns.

use std::ops::Range;

use anamne_types::{Row, Seq};
use roaring::RoaringBitmap;

use super::decomposition::{SparseRows, directions};
use super::{DIMENSIONS, LatentCoordinates, LatentIndex, Tokens, frequency_weight, key, quantised};
use crate::columns::ColumnsSnapshot;

/// Minimum number of texts.
const MIN_TEXTS: usize = 16;

/// Maximum number of sampled texts, spread evenly.
const MAX_SAMPLED_TEXTS: usize = 2_048;

/// Minimum document frequency of a token.
const MIN_DOCUMENT_FREQUENCY: u32 = 2;

/// The power of a token's inverse document frequency.
const IDF_POWER: f32 = 2.5;

/// A row with the number of its text: its stretch, or the row itself if it has no thread.
struct Member<'a> {
    text: u64,
    row: Row,
    tier: &'a ColumnsSnapshot,
}

/// Counts tokens.
struct Counts {
    counts: Vec<u32>,
    /// The distinct tokens counted so far.
    counted: Vec<u16>,
}

impl LatentIndex {
    /// Computes the index from the columns of all tiers, hottest first, as of event `through`. `None` if there are too
    /// few texts.
    ///
    /// The directions are computed from about two thousand sampled texts; then every stretch is located in them:
    /// O(tokens of all rows · 24).
    pub fn fit(tiers: &[ColumnsSnapshot], vocabulary: String, through: Seq) -> Option<Self> {
        let members = members(tiers);
        let texts = texts(&members);
        if texts.len() < MIN_TEXTS {
            return None;
        }
        let mut counts = Counts::new();
        let step = texts.len().div_ceil(MAX_SAMPLED_TEXTS);
        let sample: Vec<Vec<(u16, u32)>> = texts
            .iter()
            .step_by(step)
            .map(|text| counts.of(&members[text.clone()]).collect())
            .collect();
        let tokens = learn(&sample);
        let mut index = Self {
            vocabulary,
            through,
            tokens,
            stretches: Vec::new(),
            places: Vec::new(),
        };
        for text in texts {
            let members = &members[text];
            if let [first, ..] = members
                && !is_alone(first.text)
                && let Some(place) = index.placed(counts.of(members))
            {
                index.stretches.push(first.text);
                index.places.push(place);
            }
        }
        Some(index)
    }

    fn placed(&self, counted: impl Iterator<Item = (u16, u32)>) -> Option<LatentCoordinates> {
        Some(quantised(&self.tokens.sum(counted)?).0)
    }
}

/// All live rows, sorted by the number of their text.
fn members(tiers: &[ColumnsSnapshot]) -> Vec<Member<'_>> {
    let mut members = Vec::new();
    let mut hotter = RoaringBitmap::new();
    for tier in tiers {
        let rows = tier.select_where(|_| true) - &hotter;
        for row in rows.iter().map(Row) {
            if let Some(attributes) = tier.attributes(row) {
                let text = match attributes.thread {
                    0 => u64::from(row.0),
                    thread => key(thread, attributes.position),
                };
                members.push(Member { text, row, tier });
            }
        }
        hotter |= rows;
    }
    members.sort_unstable_by_key(|member| (member.text, member.row));
    members
}

/// Whether a text number denotes a single row without a thread.
fn is_alone(text: u64) -> bool {
    text >> 32 == 0
}

/// The range of members of each text.
fn texts(members: &[Member<'_>]) -> Vec<Range<usize>> {
    let mut start = 0;
    let texts = members.chunk_by(|one, other| one.text == other.text);
    texts
        .map(|text| {
            let range = start..start + text.len();
            start = range.end;
            range
        })
        .collect()
}

/// Computes the token vectors from the token counts of some texts.
fn learn(texts: &[Vec<(u16, u32)>]) -> Tokens {
    let mut holding = vec![0_u32; 1 << 16];
    for &(token, _) in texts.iter().flatten() {
        holding[usize::from(token)] += 1;
    }
    let idf = |token: u16| {
        let (all, holding) = (texts.len() as f32, holding[usize::from(token)] as f32);
        (1.0 + (all - holding + 0.5) / (holding + 0.5))
            .ln()
            .powf(IDF_POWER)
    };
    let telling: Vec<u16> = (0..=u16::MAX)
        .filter(|token| holding[usize::from(*token)] >= MIN_DOCUMENT_FREQUENCY)
        .collect();
    let mut rows = SparseRows::new(telling.len());
    for text in texts {
        rows.push(text.iter().filter_map(|&(token, count)| {
            let column = telling.binary_search(&token).ok()?;
            Some((column as u32, frequency_weight(count) * idf(token)))
        }));
    }
    let directions = directions::<DIMENSIONS>(&rows);
    let weighted = |(&token, direction): (&u16, [f32; DIMENSIONS])| {
        let idf = idf(token);
        (token, direction.map(|part| part * idf))
    };
    Tokens::new(telling.iter().zip(directions).map(weighted).collect())
}

impl Counts {
    fn new() -> Self {
        Self {
            counts: vec![0; 1 << 16],
            counted: Vec::new(),
        }
    }

    /// The tokens of a text with their counts.
    fn of(&mut self, members: &[Member<'_>]) -> impl Iterator<Item = (u16, u32)> {
        for member in members {
            for &token in member.tier.tokens(member.row).unwrap_or_default() {
                let count = &mut self.counts[usize::from(token)];
                if *count == 0 {
                    self.counted.push(token);
                }
                *count += 1;
            }
        }
        let counts = &mut self.counts;
        let taken = |token: u16| (token, std::mem::take(&mut counts[usize::from(token)]));
        let counted: Vec<_> = self.counted.drain(..).map(taken).collect();
        counted.into_iter()
    }
}
