//! What is written in the same conversations as what: a latent semantic index (Deerwester et al. 1990).
//!
//! A question in the midst of a matter names it by words that no memory of it need hold. Which words go together is learned from
//! the space itself: of its [stretches](STRETCH) of conversation, by the wordpieces that they hold, the strongest
//! directions are kept, and a text is where its pieces lie in them. It follows no log: it is [made](LatentIndex::fit) of all columns
//! at once, which takes from milliseconds to seconds, and recreated when much has been written since. What was written since
//! is placed by its own pieces.

mod decomposition;
mod file;
mod fitting;

use anamne_types::Seq;

/// Positions of a thread that count as one stretch of conversation.
pub const STRETCH: u32 = 8;

/// Directions that are kept, at most.
pub const DIMENSIONS: usize = 24;

/// Two texts are compared in so many of the strongest directions, and the cosines' mean is taken: the few tell one matter
/// from another, the many what is said of it.
const SCALES: [usize; 3] = [6, 12, DIMENSIONS];

/// Tokens of a text that was written since, by which it is placed.
const FIRST_TOKENS: usize = 128;

/// Where a text lies: its coordinates, each a multiple of one length.
pub type Place = [i8; DIMENSIONS];

/// The latent index, as of one event.
#[derive(Clone, Debug, PartialEq)]
pub struct LatentIndex {
    /// Names the vocabulary of the tokens.
    vocabulary: String,
    /// The log's event as of which it was made.
    through: Seq,
    tokens: Tokens,
    /// The stretches of threads by rising key, and where each lies.
    stretches: Vec<u64>,
    places: Vec<Place>,
}

/// What each token adds to the place of a text.
#[derive(Clone, Debug, Default, PartialEq)]
struct Tokens {
    /// One more than the slot of each token; 0 for those that say nothing.
    slots: Vec<u16>,
    directions: Vec<Place>,
    /// The length of which a direction's coordinates are multiples.
    units: Vec<f32>,
}

/// Where a question lies.
#[derive(Clone, Copy, Debug)]
pub struct Direction {
    coordinates: [f32; DIMENSIONS],
    /// Its length in the directions of each scale.
    lengths: [f32; SCALES.len()],
}

impl LatentIndex {
    /// The log's event as of which it was made.
    pub fn through(&self) -> Seq {
        self.through
    }

    /// Where a question lies; `None` when none of its tokens says anything. O(tokens).
    pub fn direction(&self, tokens: &[u16]) -> Option<Direction> {
        let coordinates = self.tokens.sum(counted(tokens))?;
        let length = |scale: usize| coordinates[..scale].iter().map(|part| part * part).sum();
        Some(Direction {
            coordinates,
            lengths: SCALES.map(|scale| f32::sqrt(length(scale))),
        })
    }

    /// Where the stretch lies to which a position of a thread belongs; `None` for what was written since. O(log stretches).
    pub fn stretch(&self, thread: u32, position: u32) -> Option<&Place> {
        let at = self.stretches.binary_search(&key(thread, position)).ok()?;
        self.places.get(at)
    }

    /// Where a text lies by its first tokens; `None` when none of them says anything. A token counts as often as it occurs,
    /// which in short texts is about the root of it. O(1): at most 128 tokens are looked at.
    pub fn place(&self, tokens: &[u16]) -> Option<Place> {
        let first = &tokens[..tokens.len().min(FIRST_TOKENS)];
        let sum = self.tokens.sum(first.iter().map(|token| (*token, 1)))?;
        Some(quantised(&sum).0)
    }
}

impl Direction {
    /// How near a text is, 0 to 1: the mean over the scales of the cosine, where it is positive.
    pub fn nearness(&self, place: &Place) -> f32 {
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
    /// The tokens that say something, by rising number, with what each adds.
    fn new(directions: Vec<(u16, [f32; DIMENSIONS])>) -> Self {
        let mut tokens = Self::default();
        for (token, direction) in directions {
            let (direction, unit) = quantised(&direction);
            tokens.push(token, direction, unit);
        }
        tokens
    }

    fn push(&mut self, token: u16, direction: Place, unit: f32) {
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
        let slots = (0..).zip(&self.slots).filter(|(_, slot)| **slot > 0);
        slots.map(|(token, slot)| (token, usize::from(*slot) - 1))
    }

    /// The sum of what tokens add, each as often as the root of its count; `None` when they add nothing.
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

/// How much a token counts that occurs so often.
fn frequency_weight(count: u32) -> f32 {
    (count as f32).sqrt()
}

/// Each token with how often it occurs.
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

/// The nearest place whose largest coordinate is 127, and the length of which its coordinates are multiples.
fn quantised(coordinates: &[f32; DIMENSIONS]) -> (Place, f32) {
    let most = coordinates
        .iter()
        .fold(0.0_f32, |most, part| most.max(part.abs()));
    let unit = (most / 127.0).max(f32::MIN_POSITIVE);
    (coordinates.map(|part| (part / unit).round() as i8), unit)
}

/// The number of a stretch: its thread, then its place in it. Memories without a thread are in none.
fn key(thread: u32, position: u32) -> u64 {
    u64::from(thread) << 32 | u64::from(position / STRETCH)
}
