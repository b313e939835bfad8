//! The two interfaces of a model: vectors of texts, and rows of tokens.

use crate::similarity;
use crate::{EmbedError, ModelIdentity};

/// Turns texts into unit vectors.
///
/// A model is deterministic: a text has the same vector on every machine up to floating-point rounding. A model with
/// different vectors has a different [`ModelIdentity`].
pub trait Embedder: Send + Sync {
    /// The identity of the model.
    fn model(&self) -> &ModelIdentity;

    /// The length of each vector.
    fn dimensions(&self) -> usize;

    /// Writes the vector of `text` into `vector`: of unit length, or zero if the text contains nothing that the model
    /// knows.
    ///
    /// Errors: [`EmbedError::VectorLength`] unless the length of `vector` is [`Self::dimensions`], and errors of the
    /// model's tokenizer.
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

    /// Whether a vector costs so much time or money that batching and caching pay off.
    fn is_costly(&self) -> bool {
        true
    }

    /// The vectors of `texts`, in order, as far as they can be had without asking another program; `None` for the others.
    fn embed_at_hand(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
        let vectors = self.embed_batch(texts)?;
        let rows = vectors.chunks_exact(self.dimensions().max(1));
        Ok(rows.map(|row| Some(row.to_vec())).collect())
    }

    /// Whether a vector needs another program: then it is asked for in the background only, see
    /// [`Self::embed_at_hand`].
    fn is_remote(&self) -> bool {
        false
    }

    /// Whether texts leave this machine; those of private memories may not.
    fn leaves_machine(&self) -> bool {
        false
    }

    /// The model's rows by token, if it is static and its token ids are below 65 536.
    fn token_table(&self) -> Option<&dyn TokenTable> {
        None
    }
}

/// The rows of a static model, by token.
///
/// Token ids may be stored: a model with the same [`ModelIdentity`] uses the same ids. A token at or above
/// [`Self::rows`] has no text. It is a hashed word, or (from a damaged file, say) has a zero row and is similar to
/// nothing; it is never an error.
pub trait TokenTable: Send + Sync {
    /// Appends the tokens of `text` in order; unknown words have none. O(bytes).
    fn tokens(&self, text: &str, out: &mut Vec<u16>);

    /// Number of tokens with a text; each has a row.
    fn rows(&self) -> usize;

    /// The text of `token`; a piece that continues a word begins with `##`.
    fn token_text(&self, token: u16) -> &str;

    /// The row's direction as codes, and the inverse of their Euclidean norm, so that the cosine of two rows is
    /// `dot(a, b) * inverse_norm_a * inverse_norm_b`. The inverse norm of a zero row is 0.
    fn unit_row(&self, token: u16) -> (&[i8], f32);

    /// Writes the vector of a text with these `tokens`: the mean of their rows at unit length, or zero. Equals the
    /// text's [`Embedder::embed_into`].
    ///
    /// `out` has [`Embedder::dimensions`] elements; additional ones stay zero, and a shorter `out` gets the direction
    /// of the first dimensions only.
    fn vector_of(&self, tokens: &[u16], out: &mut [f32]);

    /// Adds a token's row, times `weight`, to `sum`; [`Self::vector_of`] is such a sum with equal weights.
    fn add_row(&self, token: u16, weight: f32, sum: &mut [f32]);

    /// Whether the token stands for the words with one hash, in a script that the vocabulary doesn't have: it is like no
    /// other token.
    fn is_hashed(&self, _token: u16) -> bool {
        false
    }

    /// Whether such a token stands for words with a grammatical role rather than a meaning.
    fn is_hashed_function_word(&self, _token: u16) -> bool {
        false
    }

    /// The token of the words whose term in the lexical index is `term`, if they are hashed and have a meaning.
    fn token_of_term(&self, _term: &str) -> Option<u16> {
        None
    }

    /// The cosine of two rows, from -1 to 1; 0 if either is a zero row.
    fn similarity(&self, a: u16, b: u16) -> f32 {
        let mut cosine = [0.0];
        self.similarities(a, &[b], &mut cosine);
        cosine[0]
    }

    /// Writes the cosine of `query`'s row and the row of `tokens[i]` to `out[i]`, up to the shorter of the two.
    /// O(tokens × dimensions); much faster than as many calls of [`Self::similarity`], because the query is prepared
    /// once.
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

    fn embed_at_hand(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
        (**self).embed_at_hand(texts)
    }

    fn is_remote(&self) -> bool {
        (**self).is_remote()
    }

    fn leaves_machine(&self) -> bool {
        (**self).leaves_machine()
    }

    fn token_table(&self) -> Option<&dyn TokenTable> {
        (**self).token_table()
    }
}
