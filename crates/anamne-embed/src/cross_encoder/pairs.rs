//! A query and a text as one row of tokens: `[CLS] query [SEP] text [SEP]`.

use crate::EmbedError;
use crate::model_file::ModelFile;
use crate::tokenizer_file::{TokenizerKind, pair_marks, read_wordpiece};
use crate::wordpiece::Wordpiece;

/// Maximum tokens of a query, and at most half of the pair. The text gets the rest.
const QUERY_TOKENS: usize = 64;

/// Makes pairs.
pub(super) struct PairTokenizer {
    wordpiece: Wordpiece,
    start: u16,
    separator: u16,
}

/// A pair.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) tokens: Vec<i32>,
    /// 0 for the query, 1 for the text.
    pub(super) types: Vec<i32>,
}

impl PairTokenizer {
    /// The tokenizer in a file; refused if it is not the uncased wordpiece tokenizer of BERT.
    pub(super) fn read(file: &ModelFile) -> Result<Self, EmbedError> {
        const REMEDY: &str = "use a cross-encoder with the uncased BERT wordpiece tokenizer";
        let wordpiece = match read_wordpiece(file)? {
            TokenizerKind::Wordpiece(wordpiece) => wordpiece,
            TokenizerKind::Other(reason) => return Err(file.unsupported(reason, REMEDY)),
        };
        let marks = pair_marks(file)?;
        let Some([start, separator]) = marks else {
            let reason = "it joins query and text in another way than BERT".to_owned();
            return Err(file.unsupported(reason, REMEDY));
        };
        let token = |name: &str| {
            let token = wordpiece.token_named(name);
            token.ok_or_else(|| file.malformed(format!("it has no token {name}")))
        };
        Ok(Self {
            start: token(&start)?,
            separator: token(&separator)?,
            wordpiece: wordpiece.of_plain_text(),
        })
    }

    /// The number of tokens that a text can have.
    pub(super) fn tokens(&self) -> usize {
        self.wordpiece.vocabulary().len()
    }

    /// The tokens of a query, for pairs of at most `most` tokens.
    pub(super) fn query(&self, query: &str, most: usize) -> Vec<i32> {
        self.first_tokens(query, QUERY_TOKENS.min(most / 2))
    }

    /// A pair of at most `most` tokens. A text that is too long is truncated. O(bytes).
    pub(super) fn pair(&self, query: &[i32], text: &str, most: usize) -> Pair {
        let (start, separator) = (i32::from(self.start), i32::from(self.separator));
        let mut tokens = Vec::with_capacity(most);
        tokens.push(start);
        tokens.extend(query);
        tokens.push(separator);
        let mut types = vec![0; tokens.len()];
        // One place is for the last separator.
        tokens.extend(self.first_tokens(text, most.saturating_sub(tokens.len() + 1)));
        tokens.push(separator);
        types.resize(tokens.len(), 1);
        Pair { tokens, types }
    }

    fn first_tokens(&self, text: &str, most: usize) -> Vec<i32> {
        let mut tokens = Vec::new();
        self.wordpiece.each_token(text, |token| {
            if tokens.len() < most {
                tokens.push(i32::from(token));
            }
        });
        tokens
    }
}
