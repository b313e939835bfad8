//! A static model: a tokenizer and one row per token.

use std::path::Path;

use anamne_text::analyser::has_other_scripts;

#[cfg(feature = "model2vec")]
use crate::general_tokenizer::GeneralTokenizer;
use crate::hashed_words::HashedWord;
use crate::token_rows::{TokenRows, normalise};
use crate::wordpiece::Wordpiece;
use crate::{EmbedError, Embedder, ModelFile, ModelIdentity, TokenTable, builtin, model2vec};

/// A model whose vector of a text is the mean of its tokens' rows, at unit length.
///
/// Takes some hundred nanoseconds per word, and needs no network, no thread and, once loaded, no memory per call. Texts
/// are never truncated.
#[derive(Debug)]
pub struct StaticModel {
    identity: ModelIdentity,
    table: Table,
}

#[derive(Debug)]
enum Table {
    Wordpiece(WordpieceTable),
    #[cfg(feature = "model2vec")]
    General(Box<GeneralTokenizer>, TokenRows),
}

impl StaticModel {
    /// The model compiled into the binary: `anamne-static`, English, 256 dimensions, 30 522 tokens.
    ///
    /// The first call takes microseconds, later ones nothing; the table stays in the pages of the binary.
    pub fn builtin() -> &'static Self {
        builtin::model()
    }

    /// The token table of [`Self::builtin`].
    pub fn builtin_tokens() -> &'static dyn TokenTable {
        builtin::tokens()
    }

    /// Loads a Model2Vec folder: `model.safetensors`, `tokenizer.json` and `config.json`.
    ///
    /// `embeddings` may be f32, f16, bf16 or i8; `weights` and `mapping` are supported. Vectors have unit length even
    /// if the configuration says `"normalize": false`, because [`Embedder`] guarantees it. The identity is the folder's
    /// name with a checksum of the model's files, so different contents are a different model. Takes about 0.1 s for
    /// 30 000 tokens.
    ///
    /// Errors: [`EmbedError::Read`], [`EmbedError::Malformed`] for a damaged file, and [`EmbedError::Unsupported`] for
    /// a tokenizer that requires the crate's feature `model2vec`.
    pub fn load(folder: &Path) -> Result<Self, EmbedError> {
        model2vec::load(folder)
    }

    /// Builds the model `name` from files in memory, in the order of [`MODEL_FILES`](crate::MODEL_FILES), like
    /// [`StaticModel::load`]. Limiting their sizes is the caller's part.
    pub fn from_files(name: &str, files: &[ModelFile; 3]) -> Result<Self, EmbedError> {
        model2vec::from_files(name, files)
    }

    pub(crate) fn with_wordpiece(
        identity: ModelIdentity,
        tokenizer: Wordpiece,
        rows: TokenRows,
    ) -> Self {
        Self {
            identity,
            table: Table::Wordpiece(WordpieceTable { tokenizer, rows }),
        }
    }

    #[cfg(feature = "model2vec")]
    pub(crate) fn with_general_tokenizer(
        identity: ModelIdentity,
        tokenizer: GeneralTokenizer,
        rows: TokenRows,
    ) -> Self {
        Self {
            identity,
            table: Table::General(Box::new(tokenizer), rows),
        }
    }

    fn rows(&self) -> &TokenRows {
        match &self.table {
            Table::Wordpiece(table) => &table.rows,
            #[cfg(feature = "model2vec")]
            Table::General(_, rows) => rows,
        }
    }
}

impl Embedder for StaticModel {
    fn model(&self) -> &ModelIdentity {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        self.rows().dimensions()
    }

    fn embed_into(&self, text: &str, vector: &mut [f32]) -> Result<(), EmbedError> {
        EmbedError::check_length(self.dimensions(), vector.len())?;
        vector.fill(0.0);
        match &self.table {
            Table::Wordpiece(table) => table
                .tokenizer
                .each_token(text, |token| table.add_row(token, 1.0, vector)),
            #[cfg(feature = "model2vec")]
            Table::General(tokenizer, rows) => {
                let tokens = tokenizer
                    .tokens(text)
                    .map_err(|problem| EmbedError::Tokenizer {
                        model: self.identity.to_string(),
                        problem,
                    })?;
                tokens.for_each(|token| rows.add_row(token as usize, 1.0, vector));
            }
        }
        normalise(vector);
        Ok(())
    }

    fn is_costly(&self) -> bool {
        false
    }

    fn token_table(&self) -> Option<&dyn TokenTable> {
        match &self.table {
            Table::Wordpiece(table) => Some(table),
            #[cfg(feature = "model2vec")]
            Table::General(..) => None,
        }
    }
}

/// The table of a model with a wordpiece tokenizer.
#[derive(Debug)]
struct WordpieceTable {
    tokenizer: Wordpiece,
    rows: TokenRows,
}

impl WordpieceTable {
    fn hashed_word(&self, token: u16) -> Option<HashedWord> {
        let hashes = self.tokenizer.hashes_other_scripts();
        hashes.then(|| HashedWord::of(token)).flatten()
    }
}

impl TokenTable for WordpieceTable {
    fn tokens(&self, text: &str, out: &mut Vec<u16>) {
        self.tokenizer.each_token(text, |token| out.push(token));
    }

    fn rows(&self) -> usize {
        self.tokenizer.vocabulary().len()
    }

    fn token_text(&self, token: u16) -> &str {
        self.tokenizer.vocabulary().piece(token)
    }

    fn unit_row(&self, token: u16) -> (&[i8], f32) {
        match self.hashed_word(token) {
            Some(word) => word.unit_row(),
            None => self.rows.unit_row(usize::from(token)),
        }
    }

    fn vector_of(&self, tokens: &[u16], out: &mut [f32]) {
        out.fill(0.0);
        for &token in tokens {
            self.add_row(token, 1.0, out);
        }
        normalise(out);
    }

    fn add_row(&self, token: u16, weight: f32, sum: &mut [f32]) {
        match self.hashed_word(token) {
            Some(word) => word.add_row(weight, sum),
            None => self.rows.add_row(usize::from(token), weight, sum),
        }
    }

    fn is_hashed(&self, token: u16) -> bool {
        self.hashed_word(token).is_some()
    }

    fn is_hashed_function_word(&self, token: u16) -> bool {
        self.hashed_word(token)
            .is_some_and(HashedWord::is_function_word)
    }

    fn token_of_term(&self, term: &str) -> Option<u16> {
        let hashes = self.tokenizer.hashes_other_scripts() && has_other_scripts(term);
        hashes.then(|| HashedWord::token(term, false))
    }
}
