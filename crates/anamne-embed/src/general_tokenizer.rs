//! Any tokenizer supported by the `tokenizers` crate: BPE, Unigram, other normalisers.

use serde::Deserialize;
use tokenizers::Tokenizer;

use crate::EmbedError;
use crate::model_file::ModelFile;

/// A tokenizer and its unknown token, which is omitted.
#[derive(Debug)]
pub(crate) struct GeneralTokenizer {
    tokenizer: Tokenizer,
    unknown: Option<u32>,
}

#[derive(Deserialize)]
struct UnknownToken {
    model: UnknownTokenOfModel,
}

#[derive(Deserialize)]
struct UnknownTokenOfModel {
    #[serde(default)]
    unk_token: Option<String>,
    #[serde(default)]
    unk_id: Option<u32>,
}

impl GeneralTokenizer {
    pub(crate) fn read(file: &ModelFile) -> Result<Self, EmbedError> {
        let mut tokenizer = Tokenizer::from_bytes(file.bytes())
            .map_err(|error| file.malformed(error.to_string()))?;
        tokenizer.with_padding(None);
        tokenizer
            .with_truncation(None)
            .map_err(|error| file.malformed(error.to_string()))?;
        let UnknownToken { model } = serde_json::from_slice(file.bytes())
            .map_err(|error| file.malformed(error.to_string()))?;
        let named = model
            .unk_token
            .and_then(|token| tokenizer.token_to_id(&token));
        Ok(Self {
            tokenizer,
            unknown: model.unk_id.or(named),
        })
    }

    /// Number of tokens, including added ones.
    pub(crate) fn token_count(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    /// The tokens of `text` in order. The error is the tokenizer's message.
    pub(crate) fn tokens(&self, text: &str) -> Result<impl Iterator<Item = u32>, String> {
        let encoding = self
            .tokenizer
            .encode_fast(text, false)
            .map_err(|error| error.to_string())?;
        let tokens = encoding.get_ids().to_vec();
        Ok(tokens
            .into_iter()
            .filter(|&token| Some(token) != self.unknown))
    }
}
