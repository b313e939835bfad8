//! Eight-bit codes, sign codes, and the query compared with them.

use super::rotation::Rotation;
use super::simd;

/// A rotated vector with eight bits per dimension: `code × scale`.
pub(super) struct Code {
    pub(super) places: Vec<i8>,
    pub(super) scale: f32,
}

impl Code {
    /// The code of `vector` at unit length; `None` for a zero vector.
    ///
    /// The scale minimises the squared error for the rounded values.
    pub(super) fn new(rotation: &Rotation, vector: &[f32]) -> Option<Self> {
        let unit = unit(vector)?;
        let turned = rotation.apply(&unit);
        let step = greatest(&turned) / 127.0;
        let places: Vec<i8> = turned
            .iter()
            .map(|place| (place / step).round() as i8)
            .collect();
        let (mut along, mut square) = (0.0, 0.0);
        for (&place, &code) in turned.iter().zip(&places) {
            along += place * f32::from(code);
            square += f32::from(code) * f32::from(code);
        }
        Some(Self {
            places,
            scale: along / square,
        })
    }
}

/// Appends the signs of `places`, 64 per word; a set bit is a negative value.
pub(super) fn signs(places: &[i8], words: &mut Vec<u64>) {
    words.extend(
        places
            .chunks(64)
            .map(|chunk| bits(chunk, |place| *place < 0)),
    );
}

/// A word with a bit for each element that satisfies `is_set`.
fn bits<Place>(places: &[Place], is_set: impl Fn(&Place) -> bool) -> u64 {
    let places = places.iter().enumerate();
    places.fold(0, |word, (at, place)| word | u64::from(is_set(place)) << at)
}

/// A rotated query with sixteen bits per dimension, and its signs.
pub(super) struct Query {
    pub(super) places: Vec<i16>,
    pub(super) scale: f32,
    pub(super) signs: Vec<u64>,
}

impl Query {
    /// The query for `vector` at unit length; `None` for a zero vector.
    pub(super) fn new(rotation: &Rotation, vector: &[f32]) -> Option<Self> {
        let turned = rotation.apply(&unit(vector)?);
        // Keeps the sum of products with eight-bit values within 32 bits.
        let most = (i32::MAX / (127 * turned.len() as i32)).min(32_767) as f32;
        let scale = greatest(&turned) / most;
        let places: Vec<i16> = turned
            .iter()
            .map(|place| (place / scale).round() as i16)
            .collect();
        let negative = |chunk: &[f32]| bits(chunk, |place| *place < 0.0);
        let signs = turned.chunks(64).map(negative).collect();
        Some(Self {
            places,
            scale,
            signs,
        })
    }

    /// Cosine between the query and a code.
    #[inline]
    pub(super) fn cosine(&self, places: &[i8], scale: f32) -> f32 {
        self.as_cosine(simd::dot(&self.places, places), scale)
    }

    /// [`Self::cosine`] for each of these codes, which is faster than one by one.
    #[inline]
    pub(super) fn cosines(&self, codes: &[(&[i8], f32)], mut found: impl FnMut(f32)) {
        let (batches, rest) = codes.as_chunks::<{ simd::BATCH }>();
        for batch in batches {
            let dots = simd::dots(&self.places, batch.map(|(places, _)| places));
            for (dot, (_, scale)) in dots.into_iter().zip(batch) {
                found(self.as_cosine(dot, *scale));
            }
        }
        for (places, scale) in rest {
            found(self.cosine(places, *scale));
        }
    }

    #[inline]
    fn as_cosine(&self, dot: i32, scale: f32) -> f32 {
        (dot as f32 * self.scale * scale).clamp(-1.0, 1.0)
    }
}

fn unit(vector: &[f32]) -> Option<Vec<f32>> {
    // Divide by the largest magnitude first, so that the squares of huge and tiny vectors stay in range.
    let most = greatest(vector);
    if most == 0.0 || !most.is_finite() {
        return None;
    }
    let length = vector
        .iter()
        .map(|place| (place / most).powi(2))
        .sum::<f32>()
        .sqrt();
    Some(vector.iter().map(|place| place / most / length).collect())
}

fn greatest(vector: &[f32]) -> f32 {
    vector.iter().fold(0.0, |most, place| most.max(place.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_survive_the_codes() {
        let rotation = Rotation::new(256);
        let wave =
            |step: f32| -> Vec<f32> { (0..256).map(|at| (at as f32 * step).sin() * 3.0).collect() };
        for step in [0.1, 0.11, 0.13, 0.5, 1.7] {
            let (one, other) = (wave(0.1), wave(step));
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            let exact = dot(&one, &other) / (dot(&one, &one) * dot(&other, &other)).sqrt();
            let (query, code) = (
                Query::new(&rotation, &one).unwrap(),
                Code::new(&rotation, &other).unwrap(),
            );
            let coded = query.cosine(&code.places, code.scale);
            assert!((exact - coded).abs() < 2e-3, "{exact} became {coded}");
        }
    }

    #[test]
    fn a_zero_vector_has_no_code() {
        let rotation = Rotation::new(64);
        assert!(Code::new(&rotation, &[0.0; 64]).is_none());
        assert!(Query::new(&rotation, &[0.0; 64]).is_none());
        assert!(Code::new(&rotation, &[1e-30; 64]).is_some());
    }
}
