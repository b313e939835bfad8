//! What an entry can't be read without: the question that a short turn answers, and the other side of what is contested.

use anamne_store::{SpaceSource, StoreError};
use anamne_text::analyser::Analyser;
use anamne_text::sentences::sentences;
use anamne_text::tokens::estimate_tokens;
use anamne_types::{Dispute, Filter, Kind, Memory, MemoryId};

use super::passages::{LongText, PassageQuery, beginning};
use crate::error::RecallError;

/// A turn of so many tokens or fewer may say nothing without the one before it.
const SHORT_MESSAGE_TOKENS: usize = 14;

/// Tokens of a question that are shown beside its answer.
const QUESTION_TOKENS: usize = 24;

/// Tokens of the other side that are shown.
const CONFLICT_TOKENS: usize = 32;

/// Other sides that are shown beside one entry.
const MAX_CONFLICTS: usize = 2;

/// Where what stands beside an entry is found.
pub(super) struct CompanionSource<'space> {
    pub(super) source: &'space SpaceSource,
    pub(super) filter: &'space Filter,
    /// Whether memories are wanted as they are; as of an instant nothing stands beside an entry.
    pub(super) is_current: bool,
}

/// A memory that is shown in short beside another one.
pub(super) struct Companion {
    pub(super) memory: Memory,
    /// Where it comes from, if it is not a person's words.
    pub(super) origin: String,
    /// The line of ours above it; empty until it is known what it stands beside.
    pub(super) marks: String,
    pub(super) shown: String,
    pub(super) shortened: bool,
    pub(super) tokens: usize,
}

impl CompanionSource<'_> {
    /// The question that a short turn answers, shortened to its last sentence.
    pub(super) fn question_before(
        &self,
        memory: &Memory,
    ) -> Result<Option<Companion>, RecallError> {
        let is_short = self.is_current
            && memory.kind() == Kind::Message
            && memory.thread.is_some()
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
        self.beside(before, shown, shortened).map(Some)
    }

    /// The memories that speak against one, shortened to what speaks of the same.
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
                conflicting.push(self.beside(other, shown, false)?);
                continue;
            }
            let terms = Analyser::new().query(&beginning(&memory.content, 128));
            let weights = vec![1.0; terms.terms.len()];
            let passage_query = PassageQuery::new(&memory.content, &terms.terms, &weights);
            if let Some(shown) = LongText::read(&other.content, &passage_query)
                .passage(&passage_query, CONFLICT_TOKENS)
            {
                conflicting.push(self.beside(other, shown, true)?);
            }
        }
        Ok(conflicting)
    }

    fn beside(
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

/// The last sentence of a text, if it asks.
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

/// Whether a question's filter lets a memory pass that it did not find.
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
        && filter.tags.iter().all(|tag| memory.tags.contains(tag))
        && filter
            .min_importance
            .is_none_or(|least| memory.importance >= least)
        && filter.min_trust.is_none_or(|least| memory.trust >= least)
}
