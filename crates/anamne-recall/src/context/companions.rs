//! Companions of an entry: the question that a short message answers, and conflicting memories.

use anamne_store::{SpaceSource, StoreError};
use anamne_text::analyser::Analyser;
use anamne_text::sentences::sentences;
use anamne_text::tokens::estimate_tokens;
use anamne_types::{Dispute, Filter, Kind, Memory, MemoryId};

use super::passages::{LongText, PassageQuery, beginning};
use crate::error::RecallError;

/// Messages up to this number of tokens may need the previous message to be understood.
const SHORT_MESSAGE_TOKENS: usize = 14;

/// Maximum bytes of such a message: white space, the cheapest text, has at most 16 per token.
const SHORT_MESSAGE_BYTES: usize = SHORT_MESSAGE_TOKENS * 16;

/// Tokens shown of the question before an answer.
const QUESTION_TOKENS: usize = 24;

/// Tokens shown of a conflicting memory.
const CONFLICT_TOKENS: usize = 32;

/// Conflicting memories shown with one entry.
const MAX_CONFLICTS: usize = 2;

/// Where companions of entries are read from.
pub(super) struct CompanionSource<'space> {
    pub(super) source: &'space SpaceSource,
    pub(super) filter: &'space Filter,
    /// Whether the query is about the present; as of an earlier time entries have no companions.
    pub(super) is_current: bool,
}

/// A memory that is shown in short next to an entry.
pub(super) struct Companion {
    pub(super) memory: Memory,
    /// Its origin, unless written by a person.
    pub(super) origin: String,
    /// Its marker line; empty until it is assigned to an entry.
    pub(super) marks: String,
    pub(super) shown: String,
    pub(super) shortened: bool,
    pub(super) tokens: usize,
}

impl CompanionSource<'_> {
    /// The question that a short message answers, shortened to its last sentence.
    pub(super) fn question_before(
        &self,
        memory: &Memory,
    ) -> Result<Option<Companion>, RecallError> {
        let is_short = self.is_current
            && memory.kind() == Kind::Message
            && memory.thread.is_some()
            && memory.content.len() <= SHORT_MESSAGE_BYTES
            && estimate_tokens(&memory.content) <= SHORT_MESSAGE_TOKENS;
        if !is_short {
            return Ok(None);
        }
        let [Some(row), _] = self.source.thread_neighbours(memory.row)? else {
            return Ok(None);
        };
        let Some((_, before)) = self.source.get_rows(&[row])?.pop() else {
            return Ok(None);
        };
        let Some(question) = last_question(&before.content) else {
            return Ok(None);
        };
        if before.author == memory.author || !passes(self.filter, &before) {
            return Ok(None);
        }
        let shown = beginning(question, QUESTION_TOKENS);
        let shortened = shown.len() < before.content.trim().len();
        self.companion(before, shown, shortened).map(Some)
    }

    /// The memories that contradict one, shortened to sentences about the same subject.
    pub(super) fn conflicting(
        &self,
        memory: &Memory,
        disputes: &[Dispute],
        known: impl Fn(MemoryId) -> bool,
    ) -> Result<Vec<Companion>, RecallError> {
        let mut conflicting = Vec::new();
        if !self.is_current {
            return Ok(conflicting);
        }
        let open = disputes
            .iter()
            .filter(|dispute| dispute.holds != Some(true) && !known(dispute.memory));
        for dispute in open.take(MAX_CONFLICTS) {
            let other = match self.source.get(dispute.memory) {
                Ok(other) => other,
                Err(StoreError::NoMemory { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            let is_trusted = self
                .filter
                .min_trust
                .is_none_or(|least| other.trust >= least);
            if other.deleted_at.is_some() || !is_trusted {
                continue;
            }
            let whole = other.content.trim();
            if estimate_tokens(whole) <= CONFLICT_TOKENS {
                let shown = whole.to_owned();
                conflicting.push(self.companion(other, shown, false)?);
                continue;
            }
            let terms = Analyser::new().query(&beginning(&memory.content, 128));
            let weights = vec![1.0; terms.terms.len()];
            let passage_query = PassageQuery::new(&memory.content, &terms.terms, &weights);
            if let Some(shown) = LongText::read(&other.content, &passage_query)
                .passage(&passage_query, CONFLICT_TOKENS)
            {
                conflicting.push(self.companion(other, shown, true)?);
            }
        }
        Ok(conflicting)
    }

    fn companion(
        &self,
        memory: Memory,
        shown: String,
        shortened: bool,
    ) -> Result<Companion, RecallError> {
        let provenance = self.source.provenance(&[&memory])?;
        let origin = provenance.first().map(|one| one.describe(&memory));
        Ok(Companion {
            memory,
            origin: origin.unwrap_or_default(),
            marks: String::new(),
            shown,
            shortened,
            tokens: 0,
        })
    }
}

/// The last sentence of a text, if it is a question.
fn last_question(text: &str) -> Option<&str> {
    let last = sentences(text).pop()?;
    let sentence = text[last].trim();
    let end =
        sentence.trim_end_matches(|end: char| !end.is_alphanumeric() && !is_question_mark(end));
    end.ends_with(is_question_mark).then_some(sentence)
}

fn is_question_mark(letter: char) -> bool {
    matches!(letter, '?' | '？' | '؟' | ';' | '՞')
}

/// Whether a memory passes the query's filter.
fn passes(filter: &Filter, memory: &Memory) -> bool {
    fn has(wanted: &[String], name: Option<&String>) -> bool {
        wanted.is_empty() || name.is_some_and(|name| wanted.contains(name))
    }
    filter.since.is_none_or(|since| memory.occurred_at >= since)
        && filter.until.is_none_or(|until| memory.occurred_at < until)
        && has(&filter.threads, memory.thread.as_ref())
        && has(&filter.sessions, memory.session.as_ref())
        && has(&filter.authors, memory.author.as_ref())
        && (filter.kinds.is_empty() || filter.kinds.contains(&memory.kind()))
        && filter.categories.is_empty()
        && filter.passes_tags_and_metadata(memory)
        && filter
            .rows
            .as_ref()
            .is_none_or(|rows| rows.binary_search(&memory.row).is_ok())
        && filter
            .min_importance
            .is_none_or(|least| memory.importance >= least)
        && filter.min_trust.is_none_or(|least| memory.trust >= least)
}
