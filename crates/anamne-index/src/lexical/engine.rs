//! The tantivy integration: fields, tokens, commit payload, errors.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anamne_store::view::ViewError;
use anamne_text::analyser::{ANALYSER_VERSION, Analyser};
use anamne_types::Seq;
use tantivy::directory::error::LockError;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer, TokenizerManager};
use tantivy::{Index, TantivyError};

/// Version of the fields and of the commit payload; an index with another version is rebuilt.
pub(super) const LEXICAL_FORMAT: u32 = 1;

const TOKENIZER: &str = "anamne";

/// A failure of tantivy or its files.
#[derive(Debug)]
pub(super) struct EngineError {
    /// The error message.
    pub(super) reason: String,
    /// Whether another process holds the writer lock.
    pub(super) busy: bool,
}

impl EngineError {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            busy: false,
        }
    }
}

impl From<TantivyError> for EngineError {
    fn from(error: TantivyError) -> Self {
        let busy = matches!(error, TantivyError::LockFailure(LockError::LockBusy, _));
        Self {
            reason: error.to_string(),
            busy,
        }
    }
}

impl From<std::io::Error> for EngineError {
    fn from(error: std::io::Error) -> Self {
        Self::new(error.to_string())
    }
}

impl From<EngineError> for ViewError {
    fn from(error: EngineError) -> Self {
        Self::Engine(error.reason)
    }
}

/// Runs `work`; turns a panic inside tantivy, which damaged files may cause, into an error.
pub(super) fn guarded<T, E: From<EngineError>>(
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<&str>().map(ToString::to_string);
        let said = said
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Err(EngineError::new(format!("the search engine failed: {said}")).into())
    })
}

/// The number of fields that are searched.
pub(super) const SEARCHED: usize = 2;

/// The fields of the index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    /// The row, the key for finding and deleting documents.
    pub(super) row: Field,
    /// The searched fields: the text, then the author's name.
    pub(super) searched: [Field; SEARCHED],
}

/// The schema and its fields.
pub(super) fn schema() -> (Schema, Fields) {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_fieldnorms(true)
        .set_index_option(IndexRecordOption::WithFreqs);
    let analysed = TextOptions::default().set_indexing_options(indexing);
    let mut schema = Schema::builder();
    let row = schema.add_u64_field("row", INDEXED | FAST);
    let text = schema.add_text_field("text", analysed.clone());
    let author = schema.add_text_field("author", analysed);
    let searched = [text, author];
    (schema.build(), Fields { row, searched })
}

/// Registers our analyser with the index.
pub(super) fn with_analyser(mut index: Index) -> Index {
    // tantivy requires its default tokenizer even if no field uses it.
    let tokenizers = TokenizerManager::default();
    tokenizers.register(TOKENIZER, AnalysedTokens::default());
    index.set_tokenizers(tokenizers);
    index
}

/// The payload of a commit, stored atomically with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CommitMark {
    /// The event up to which the index covers the log.
    pub(super) watermark: Seq,
    /// Rows at or above this number were never indexed.
    pub(super) rows: u64,
}

impl CommitMark {
    /// Encodes the commit payload.
    pub(super) fn to_payload(self) -> String {
        let (watermark, rows) = (self.watermark.0, self.rows);
        format!(
            "lexical {LEXICAL_FORMAT} analyser {ANALYSER_VERSION} watermark {watermark} rows {rows}"
        )
    }

    /// Decodes a commit payload; fails if another version wrote it.
    pub(super) fn from_payload(payload: &str) -> Result<Self, EngineError> {
        let words: Vec<_> = payload.split(' ').collect();
        let [_, format, _, analyser, _, watermark, _, rows] = words[..] else {
            return Err(EngineError::new("made by another version: needs rebuild"));
        };
        if format.parse() != Ok(LEXICAL_FORMAT) || analyser.parse() != Ok(ANALYSER_VERSION) {
            return Err(EngineError::new(format!(
                "format {format} with analyser {analyser}, this version has {LEXICAL_FORMAT} and \
{ANALYSER_VERSION}: needs rebuild"
            )));
        }
        let unreadable = |_| EngineError::new("its watermark is not a number: needs rebuild");
        let watermark = Seq(watermark.parse().map_err(unreadable)?);
        Ok(Self {
            watermark,
            rows: rows.parse().map_err(unreadable)?,
        })
    }
}

/// Our analyser behind tantivy's interface: analyses the whole text, then emits its terms.
#[derive(Default)]
struct AnalysedTokens {
    analyser: Analyser,
    terms: String,
    ends: Vec<usize>,
    next: usize,
    token: Token,
}

impl Clone for AnalysedTokens {
    /// Every indexing thread starts with its own caches.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Tokenizer for AnalysedTokens {
    type TokenStream<'a> = AnalysedStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> AnalysedStream<'a> {
        let (terms, ends) = (&mut self.terms, &mut self.ends);
        terms.clear();
        ends.clear();
        self.next = 0;
        self.analyser.document(text, &mut |term, _| {
            terms.push_str(term);
            ends.push(terms.len());
        });
        AnalysedStream(self)
    }
}

struct AnalysedStream<'a>(&'a mut AnalysedTokens);

impl TokenStream for AnalysedStream<'_> {
    fn advance(&mut self) -> bool {
        let tokens = &mut *self.0;
        let Some(&end) = tokens.ends.get(tokens.next) else {
            return false;
        };
        let before = tokens.next.checked_sub(1);
        let start = before.map_or(0, |before| tokens.ends[before]);
        tokens.token.text.clear();
        tokens.token.text.push_str(&tokens.terms[start..end]);
        tokens.token.position = tokens.next;
        tokens.next += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.0.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.0.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_reads_back_and_other_versions_need_a_rebuild() {
        let mark = CommitMark {
            watermark: Seq(71),
            rows: 12,
        };
        assert_eq!(
            CommitMark::from_payload(&mark.to_payload()).expect("its own words"),
            mark
        );
        for payload in [
            "",
            "lexical 1",
            "lexical 0 analyser 0 watermark 71 rows 12",
            "lexical 1 analyser 1 watermark x rows 1",
        ] {
            let refused = CommitMark::from_payload(payload).expect_err(payload);
            assert!(
                refused.reason.contains("needs rebuild"),
                "{payload}: {}",
                refused.reason
            );
        }
    }

    #[test]
    fn a_panic_in_the_engine_comes_back_as_an_error() {
        let failed: Result<(), EngineError> = guarded(|| panic!("index {} is out of bounds", 3));
        let reason = failed.expect_err("it panicked").reason;
        assert!(reason.contains("index 3 is out of bounds"), "{reason}");
    }
}
