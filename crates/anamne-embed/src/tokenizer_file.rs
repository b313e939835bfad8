//! `tokenizer.json`, if it describes the uncased BERT wordpiece tokenizer, alone or for pairs of texts.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::EmbedError;
use crate::model_file::ModelFile;
use crate::wordpiece::{LONGEST_WORD, Vocabulary, Wordpiece};

/// The kind of a tokenizer file.
pub(crate) enum TokenizerKind {
    /// The wordpiece tokenizer of this crate.
    Wordpiece(Wordpiece),
    /// Another tokenizer; the text is the difference.
    Other(String),
}

#[derive(Deserialize)]
struct TokenizerFile<'json> {
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
    normalizer: Option<Normalizer>,
    pre_tokenizer: Option<Kind>,
    #[serde(borrow)]
    model: &'json RawValue,
}

#[derive(Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the file's own flags")]
struct AddedToken {
    id: u32,
    content: String,
    #[serde(default)]
    single_word: bool,
    #[serde(default)]
    lstrip: bool,
    #[serde(default)]
    rstrip: bool,
    #[serde(default)]
    normalized: bool,
}

impl AddedToken {
    fn is_plain(&self) -> bool {
        let conditions = self.single_word || self.lstrip || self.rstrip || self.normalized;
        !conditions && self.content.starts_with('[')
    }
}

#[derive(Deserialize)]
struct Kind {
    #[serde(default, rename = "type")]
    kind: Option<String>,
}

impl Kind {
    fn is(&self, name: &str) -> bool {
        self.kind.as_deref() == Some(name)
    }
}

#[derive(Deserialize)]
struct Normalizer {
    #[serde(flatten)]
    kind: Kind,
    #[serde(default)]
    clean_text: bool,
    #[serde(default)]
    handle_chinese_chars: bool,
    #[serde(default)]
    strip_accents: Option<bool>,
    #[serde(default)]
    lowercase: bool,
}

impl Normalizer {
    fn is_uncased_bert(&self) -> bool {
        self.kind.is("BertNormalizer")
            && self.clean_text
            && self.handle_chinese_chars
            && self.strip_accents.unwrap_or(true)
            && self.lowercase
    }
}

#[derive(Deserialize)]
struct WordpieceModel {
    unk_token: String,
    #[serde(default = "bert_prefix")]
    continuing_subword_prefix: String,
    #[serde(default = "bert_limit")]
    max_input_chars_per_word: usize,
    vocab: HashMap<String, u32>,
}

fn bert_prefix() -> String {
    "##".to_owned()
}

fn bert_limit() -> usize {
    LONGEST_WORD
}

/// Reads the file. An error means that it is damaged; a valid file of another kind is [`TokenizerKind::Other`].
pub(crate) fn read_wordpiece(file: &ModelFile) -> Result<TokenizerKind, EmbedError> {
    let bad_json = |error: serde_json::Error| file.malformed(error.to_string());
    let tokenizer: TokenizerFile<'_> = serde_json::from_slice(file.bytes()).map_err(bad_json)?;
    let model: Kind = serde_json::from_str(tokenizer.model.get()).map_err(bad_json)?;
    if let Some(difference) = difference(&tokenizer, &model) {
        return Ok(TokenizerKind::Other(difference));
    }
    let model: WordpieceModel = serde_json::from_str(tokenizer.model.get()).map_err(bad_json)?;
    if model.continuing_subword_prefix != bert_prefix()
        || model.max_input_chars_per_word != LONGEST_WORD
    {
        return Ok(TokenizerKind::Other(
            "its wordpieces are not marked as BERT marks them".to_owned(),
        ));
    }
    let unknown = model.vocab.get(&model.unk_token).copied();
    let unknown = unknown.ok_or_else(|| file.malformed("its unknown token is not in `vocab`"))?;
    let pieces = pieces(&model.vocab, &tokenizer.added_tokens)
        .ok_or_else(|| file.malformed("its token ids are not 0, 1, 2, … without gaps"))?;
    Ok(match Vocabulary::new(&pieces, Some(unknown as u16)) {
        Ok(vocabulary) => TokenizerKind::Wordpiece(Wordpiece::new(vocabulary, added(&tokenizer))),
        Err(limit) => TokenizerKind::Other(limit),
    })
}

/// The difference from the uncased BERT tokenizer, if any.
fn difference(tokenizer: &TokenizerFile<'_>, model: &Kind) -> Option<String> {
    if !model.is("WordPiece") {
        let kind = model.kind.as_deref().unwrap_or("unnamed");
        return Some(format!(
            "its tokenizer is of the kind {kind}, not WordPiece"
        ));
    }
    let normalizer = tokenizer.normalizer.as_ref();
    if !normalizer.is_some_and(Normalizer::is_uncased_bert) {
        return Some("its normaliser is not that of uncased BERT".to_owned());
    }
    let words = tokenizer.pre_tokenizer.as_ref();
    if !words.is_some_and(|kind| kind.is("BertPreTokenizer")) {
        return Some("it does not find words as BERT does".to_owned());
    }
    let odd = tokenizer
        .added_tokens
        .iter()
        .find(|token| !token.is_plain())?;
    let content = &odd.content;
    Some(format!(
        "its added token {content:?} is matched in a special way"
    ))
}

/// The marks at the start of a pair and after each text: `[CLS] A [SEP] B [SEP]`, with type 0 up to the first separator and
/// 1 after it. `None` if the file joins texts in another way; if it doesn't say, in BERT's.
pub(crate) fn pair_marks(file: &ModelFile) -> Result<Option<[String; 2]>, EmbedError> {
    let Pairing { post_processor } =
        serde_json::from_slice(file.bytes()).map_err(|error| file.malformed(error.to_string()))?;
    Ok(match post_processor {
        None => Some(["[CLS]".to_owned(), "[SEP]".to_owned()]),
        Some(PostProcessor::BertProcessing { sep, cls }) => Some([cls.0, sep.0]),
        Some(PostProcessor::TemplateProcessing { pair }) => marks_of_template(&pair),
        Some(PostProcessor::Other) => None,
    })
}

#[derive(Deserialize)]
struct Pairing {
    #[serde(default)]
    post_processor: Option<PostProcessor>,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum PostProcessor {
    BertProcessing {
        sep: (String, u32),
        cls: (String, u32),
    },
    TemplateProcessing {
        pair: Vec<TemplatePart>,
    },
    #[serde(other)]
    Other,
}

/// A part of a template: a mark, or one of the two texts.
#[derive(Deserialize)]
enum TemplatePart {
    SpecialToken { id: String, type_id: u32 },
    Sequence { id: String, type_id: u32 },
}

fn marks_of_template(pair: &[TemplatePart]) -> Option<[String; 2]> {
    use TemplatePart::{Sequence, SpecialToken};
    let [
        SpecialToken {
            id: start,
            type_id: 0,
        },
        Sequence {
            id: first,
            type_id: 0,
        },
        SpecialToken {
            id: separator,
            type_id: 0,
        },
        Sequence {
            id: second,
            type_id: 1,
        },
        SpecialToken {
            id: end,
            type_id: 1,
        },
    ] = pair
    else {
        return None;
    };
    let is_bert = first == "A" && second == "B" && separator == end;
    is_bert.then(|| [start.clone(), separator.clone()])
}

/// Every token's text by id; `None` if ids are missing or ambiguous.
fn pieces<'names>(
    vocabulary: &'names HashMap<String, u32>,
    added: &'names [AddedToken],
) -> Option<Vec<&'names str>> {
    let added = added
        .iter()
        .filter(|token| !vocabulary.contains_key(&token.content));
    let named = vocabulary
        .iter()
        .map(|(piece, &token)| (token, piece.as_str()));
    let mut named: Vec<_> = named
        .chain(added.map(|token| (token.id, token.content.as_str())))
        .collect();
    named.sort_unstable();
    let dense = named
        .iter()
        .enumerate()
        .all(|(place, &(token, _))| place == token as usize);
    dense.then(|| named.into_iter().map(|(_, piece)| piece).collect())
}

fn added(tokenizer: &TokenizerFile<'_>) -> Vec<(Cow<'static, str>, u16)> {
    let owned = |token: &AddedToken| (Cow::Owned(token.content.clone()), token.id as u16);
    tokenizer.added_tokens.iter().map(owned).collect()
}
