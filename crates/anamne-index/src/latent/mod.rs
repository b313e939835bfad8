//! A latent semantic index of a space's conversations (Deerwester et al. 1990).
//!
//! A question in the middle of a task may share no word with the memories about it. Which words belong together is
//! learned from the space itself: the strongest directions of its [stretches](STRETCH) of conversation, by their
//! wordpieces; a text is located by its wordpieces in these directions. The index follows no log: it is
//! [computed](LatentIndex::fit) from all columns at once, in milliseconds to seconds, and recomputed after many writes.
//! Newer memories are located by their own wordpieces.

mod decomposition;
mod file;
mod fitting;

use anamne_types::Seq;

/// Positions of a thread that count as one stretch of conversation.
pub const STRETCH: u32 = 8;

/// Maximum number of directions.
pub const DIMENSIONS: usize = 24;

/// Texts are compared in this many of the strongest directions, and the cosines are averaged: few directions separate
/// topics, many separate statements.
const SCALES: [usize; 3] = [6, 12, DIMENSIONS];

/// Tokens by which a newer text is located.
const FIRST_TOKENS: usize = 128;

/// The location of a text: quantised coordinates.
pub type LatentCoordinates = [i8; DIMENSIONS];

/// The latent index as of one event.
#[derive(Clone, Debug, PartialEq)]
pub struct LatentIndex {
    /// Names the vocabulary of the tokens.
    vocabulary: String,
    /// The event as of which it was computed.
    through: Seq,
    tokens: Tokens,
    /// The stretches of threads by ascending key, with their locations.
    stretches: Vec<u64>,
    places: Vec<LatentCoordinates>,
}

/// The vector of each token.
#[derive(Clone, Debug, Default, PartialEq)]
struct Tokens {
    /// The slot of each token plus one; 0 for tokens without a vector.
    slots: Vec<u16>,
    directions: Vec<LatentCoordinates>,
    /// The quantisation step.
    units: Vec<f32>,
}

/// The location of a query.
#[derive(Clone, Copy, Debug)]
pub struct Direction {
    coordinates: [f32; DIMENSIONS],
    /// Its length in the directions of each scale.
    lengths: [f32; SCALES.len()],
}

impl LatentIndex {
    /// The event as of which it was computed.
    pub fn through(&self) -> Seq {
        self.through
    }

    /// The location of a query; `None` if no token has a vector. O(tokens).
    pub fn direction(&self, tokens: &[u16]) -> Option<Direction> {
        let coordinates = self.tokens.sum(counted(tokens))?;
        let length = |scale: usize| coordinates[..scale].iter().map(|part| part * part).sum();
        Some(Direction {
            coordinates,
            lengths: SCALES.map(|scale| f32::sqrt(length(scale))),
        })
    }

    /// The location of the stretch that contains a thread position; `None` for newer memories. O(log stretches).
    pub fn stretch(&self, thread: u32, position: u32) -> Option<&LatentCoordinates> {
        let at = self.stretches.binary_search(&key(thread, position)).ok()?;
        self.places.get(at)
    }

    /// The location of a text by its first tokens; `None` if none of them has a vector. Tokens are weighted by their
    /// count; in short texts this is close to its square root. O(1): at most 128 tokens are read.
    pub fn place(&self, tokens: &[u16]) -> Option<LatentCoordinates> {
        let first = &tokens[..tokens.len().min(FIRST_TOKENS)];
        let sum = self.tokens.sum(first.iter().map(|token| (*token, 1)))?;
        Some(quantised(&sum).0)
    }
}

impl Direction {
    /// The similarity of a text, 0 to 1: the mean of the positive cosines over the scales.
    pub fn nearness(&self, place: &LatentCoordinates) -> f32 {
        let place = place.map(f32::from);
        let mut products = place;
        for (product, own) in products.iter_mut().zip(&self.coordinates) {
            *product *= own;
        }
        let squares = place.map(|part| part * part);
        let (mut product, mut square, mut sum, mut from) = (0.0, 0.0, 0.0, 0);
        for (scale, length) in SCALES.into_iter().zip(self.lengths) {
            product += products[from..scale].iter().sum::<f32>();
            square += squares[from..scale].iter().sum::<f32>();
            from = scale;
            let lengths = length * f32::sqrt(square);
            if lengths > 0.0 {
                sum += (product / lengths).clamp(0.0, 1.0);
            }
        }
        sum / SCALES.len() as f32
    }
}

impl Tokens {
    /// The tokens with a non-zero vector, in ascending order, and their vectors.
    fn new(directions: Vec<(u16, [f32; DIMENSIONS])>) -> Self {
        let mut tokens = Self::default();
        for (token, direction) in directions {
            let (direction, unit) = quantised(&direction);
            tokens.push(token, direction, unit);
        }
        tokens
    }

    fn push(&mut self, token: u16, direction: LatentCoordinates, unit: f32) {
        self.directions.push(direction);
        self.units.push(unit);
        let at = usize::from(token);
        if self.slots.len() <= at {
            self.slots.resize(at + 1, 0);
        }
        self.slots[at] = self.directions.len() as u16;
    }

    /// The tokens with their slots.
    fn numbered(&self) -> impl Iterator<Item = (u16, usize)> {
        let slots = (0..=u16::MAX)
            .zip(&self.slots)
            .filter(|(_, slot)| **slot > 0);
        slots.map(|(token, slot)| (token, usize::from(*slot) - 1))
    }

    /// The sum of token vectors, each weighted by the square root of its count; `None` if the sum is zero.
    fn sum(&self, counted: impl Iterator<Item = (u16, u32)>) -> Option<[f32; DIMENSIONS]> {
        let mut sum = [0.0; DIMENSIONS];
        for (token, count) in counted {
            let slot = self.slots.get(usize::from(token)).copied().unwrap_or(0);
            let Some(slot) = usize::from(slot).checked_sub(1) else {
                continue;
            };
            let share = frequency_weight(count) * self.units[slot];
            for (sum, part) in sum.iter_mut().zip(&self.directions[slot]) {
                *sum += share * f32::from(*part);
            }
        }
        sum.iter().any(|part| *part != 0.0).then_some(sum)
    }
}

/// The weight of a token with this count.
fn frequency_weight(count: u32) -> f32 {
    (count as f32).sqrt()
}

/// Each token with its count.
fn counted(tokens: &[u16]) -> impl Iterator<Item = (u16, u32)> {
    let mut sorted = tokens.to_vec();
    sorted.sort_unstable();
    let mut at = 0;
    std::iter::from_fn(move || {
        let token = *sorted.get(at)?;
        let count = sorted[at..].partition_point(|other| *other == token);
        at += count;
        Some((token, count as u32))
    })
}

/// The coordinates rounded so that the largest is 127, and the quantisation step.
fn quantised(coordinates: &[f32; DIMENSIONS]) -> (LatentCoordinates, f32) {
    let most = coordinates
        .iter()
        .fold(0.0_f32, |most, part| most.max(part.abs()));
    let unit = (most / 127.0).max(f32::MIN_POSITIVE);
    (coordinates.map(|part| (part / unit).round() as i8), unit)
}

/// The key of a stretch: thread, then index in the thread. Memories without a thread have none.
fn key(thread: u32, position: u32) -> u64 {
    u64::from(thread) << 32 | u64::from(position / STRETCH)
}
