//! The two faces of a model: vectors of texts, and rows of tokens.

use crate::similarity;
use crate::{EmbedError, ModelIdentity};

/// Turns texts into unit vectors.
///
/// The same model gives the same text the same vector, on every machine up to floating-point
/// rounding; a model that would give another one has another [`ModelIdentity`].
pub trait Embedder: Send + Sync {
    /// Which model this is.
    fn model(&self) -> &ModelIdentity;

    /// The length of each vector.
    fn dimensions(&self) -> usize;

    /// Writes the vector of `text` into `vector`: of unit length, or zero when the text holds
    /// nothing that the model knows.
    ///
    /// Errors: [`EmbedError::VectorLength`] unless `vector` is [`Self::dimensions`] long, and
    /// whatever the model's tokenizer refuses.
    fn embed_into(&self, text: &str, vector: &mut [f32]) -> Result<(), EmbedError>;

    /// The vectors of `texts`, row by row: text `i` is at `i * dimensions()`.
    ///
    /// Stops at the first text that fails.
    fn embed_batch(&self, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let mut vectors = vec![0.0; texts.len() * self.dimensions()];
        for (text, vector) in texts
            .iter()
            .zip(vectors.chunks_exact_mut(self.dimensions().max(1)))
        {
            self.embed_into(text, vector)?;
        }
        Ok(vectors)
    }

    /// Whether a vector costs so much time or money that it is worth asking for many at once and keeping them.
    fn is_costly(&self) -> bool {
        true
    }

    /// The model's rows by token, if it is static and its tokens are numbered below 65 536.
    fn token_table(&self) -> Option<&dyn TokenTable> {
        None
    }
}

/// The rows of a static model, by token.
///
/// Tokens may be stored: a model with the same [`ModelIdentity`] numbers them the same way. A token
/// at or past [`Self::rows`] (from a damaged file, say) has no text and no direction, and is similar
/// to nothing; it is never an error.
pub trait TokenTable: Send + Sync {
    /// Appends the tokens of `text` in order. Words that the model does not know give none. O(bytes).
    fn tokens(&self, text: &str, out: &mut Vec<u16>);

    /// The number of tokens, each with a row.
    fn rows(&self) -> usize;

    /// The piece of text that `token` stands for; one that continues a word begins with `##`.
    fn token_text(&self, token: u16) -> &str;

    /// The row's direction as codes, and one over their Euclidean norm, so that the cosine of two
    /// rows is `dot(a, b) * inverse_norm_a * inverse_norm_b`. A zero row has the inverse norm 0.
    fn unit_row(&self, token: u16) -> (&[i8], f32);

    /// Writes the vector of a text with these `tokens`: the mean of their rows at unit length, or
    /// zero. Equals the text's [`Embedder::embed_into`].
    ///
    /// `out` has [`Embedder::dimensions`] places; more would be left zero, and fewer would hold the
    /// direction of the first dimensions alone.
    fn vector_of(&self, tokens: &[u16], out: &mut [f32]);

    /// Adds a token's row, times `weight`, to `sum`: what [`Self::vector_of`] sums with equal weights.
    fn add_row(&self, token: u16, weight: f32, sum: &mut [f32]);

    /// The cosine of two rows, from -1 to 1; 0 if either is a zero row.
    fn similarity(&self, a: u16, b: u16) -> f32 {
        let mut cosine = [0.0];
        self.similarities(a, &[b], &mut cosine);
        cosine[0]
    }

    /// Writes the cosine of `query`'s row and the row of `tokens[i]` to `out[i]`, up to the
    /// shorter of the two. O(tokens × dimensions); preparing the query once makes this much
    /// faster than as many calls of [`Self::similarity`].
    fn similarities(&self, query: u16, tokens: &[u16], out: &mut [f32]) {
        let rows = tokens.iter().map(|&token| self.unit_row(token));
        similarity::cosines(self.unit_row(query), &rows, out);
    }
}

impl<E: Embedder + ?Sized> Embedder for &E {
    fn model(&self) -> &ModelIdentity {
        (**self).model()
    }

    fn dimensions(&self) -> usize {
        (**self).dimensions()
    }

    fn embed_into(&self, text: &str, vector: &mut [f32]) -> Result<(), EmbedError> {
        (**self).embed_into(text, vector)
    }

    fn embed_batch(&self, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        (**self).embed_batch(texts)
    }

    fn is_costly(&self) -> bool {
        (**self).is_costly()
    }

    fn token_table(&self) -> Option<&dyn TokenTable> {
        (**self).token_table()
    }
}
