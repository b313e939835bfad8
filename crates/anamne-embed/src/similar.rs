//! For each token of the built-in model, the tokens with similar meaning.

/// `models/anamne-static-v1/similar.bin`: eight bytes of magic and version, the number of tokens and of pairs (u32),
/// the start of each token's pairs (u32, one more than tokens), then all tokens (u16) and all cosines (u8, 255ths); all
/// little-endian.
static BYTES: &[u8] = include_bytes!("../../../models/anamne-static-v1/similar.bin");

const MAGIC: &[u8; 8] = b"ANSIM\x01\0\0";
const HEADER: usize = 16;

/// The tokens of the built-in vocabulary whose rows have a cosine of at least 0.4 with a given one: at most 48 per
/// token, the nearest. Borrowed from the binary; nothing is parsed or computed.
#[derive(Clone, Copy, Debug)]
pub struct SimilarTokens {
    starts: &'static [[u8; 4]],
    tokens: &'static [[u8; 2]],
    cosines: &'static [u8],
}

impl SimilarTokens {
    /// The table of the built-in model. Takes nanoseconds.
    pub fn builtin() -> Self {
        debug_assert_eq!(&BYTES[..8], MAGIC);
        let number = |at: usize| {
            u32::from_le_bytes([BYTES[at], BYTES[at + 1], BYTES[at + 2], BYTES[at + 3]]) as usize
        };
        let (count, pairs) = (number(8), number(12));
        let (starts, rest) = BYTES[HEADER..].split_at((count + 1) * 4);
        let (tokens, cosines) = rest.split_at(pairs * 2);
        Self {
            starts: starts.as_chunks().0,
            tokens: tokens.as_chunks().0,
            cosines,
        }
    }

    /// The tokens similar to `token` with their cosines, by ascending token; includes `token` itself unless its row is
    /// zero.
    pub fn of(self, token: u16) -> impl Iterator<Item = (u16, f32)> {
        let start = |token: usize| {
            self.starts
                .get(token)
                .map_or(0, |&start| u32::from_le_bytes(start) as usize)
        };
        let range =
            start(usize::from(token))..start(usize::from(token) + 1).max(start(usize::from(token)));
        let tokens = self.tokens.get(range.clone()).unwrap_or_default();
        let cosines = self.cosines.get(range).unwrap_or_default();
        tokens
            .iter()
            .zip(cosines)
            .map(|(&token, &cosine)| (u16::from_le_bytes(token), f32::from(cosine) / 255.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StaticModel;

    #[test]
    fn the_table_holds_the_models_own_cosines() {
        let (similar, model) = (SimilarTokens::builtin(), StaticModel::builtin_tokens());
        assert_eq!(similar.starts.len(), model.rows() + 1);
        assert_eq!(similar.cosines.len(), similar.tokens.len());
        for token in (0..model.rows() as u16).step_by(97) {
            let found: Vec<_> = similar.of(token).collect();
            let own = model.unit_row(token).1 > 0.0;
            assert_eq!(
                found.iter().any(|(other, _)| *other == token),
                own,
                "token {token}"
            );
            for (other, cosine) in found {
                let expected = model.similarity(token, other);
                assert!(
                    (cosine - expected).abs() < 0.005,
                    "{token} and {other}: {cosine} against {expected}"
                );
            }
        }
    }

    #[test]
    fn a_token_without_similar_ones_has_none() {
        assert_eq!(SimilarTokens::builtin().of(u16::MAX).count(), 0);
        assert_eq!(SimilarTokens::builtin().of(0).count(), 0);
    }
}
