//! Contradicted memories: what contradicts them, and the place of outdated ones.

use anamne_types::{Dispute, Row};
use rustc_hash::FxHashMap;

use crate::model::SECOND_LOOK;
use crate::ranked::{Ranked, sort};
use crate::recall_context::RecallContext;
use crate::words::Reader;

/// Maximum wordpieces of a memory that is judged by a statement in it. A longer one says much else, for which it may have
/// been found.
const STATEMENT_TOKENS: usize = 64;

/// How far an outdated memory falls behind the one that holds instead: less than scores differ.
const BEHIND: f32 = 1e-3;

/// The contradictions of a query's candidates, each row read once.
#[derive(Default)]
pub(crate) struct KnownDisputes(FxHashMap<Row, Vec<Dispute>>);

impl KnownDisputes {
    /// The contradictions of these rows; as of an earlier time only with memories that existed then, and with what had
    /// happened by the time of validity. Nearly free if there are none.
    pub(crate) fn of(&mut self, context: &RecallContext<'_>, rows: &[Row]) -> Vec<Vec<Dispute>> {
        let Some(disputes) = context.sources.disputes else {
            return vec![Vec::new(); rows.len()];
        };
        let is_unread = |row: &Row| !self.0.contains_key(row);
        let unread: Vec<Row> = rows.iter().copied().filter(is_unread).collect();
        for (row, mut found) in unread.iter().zip(disputes.of(&unread)) {
            if context.sources.past.is_some() {
                let memories = context.memory_reader();
                found.retain(|dispute| memories.get(dispute.memory).is_some());
            }
            if let Some(held) = context.recall.as_of.held
                && !found.is_empty()
            {
                let memories = context.memory_reader();
                found.retain(|dispute| {
                    let other = memories.get(dispute.memory);
                    other.is_some_and(|other| other.occurred_at <= held)
                });
            }
            self.0.insert(*row, found);
        }
        let of_row = |row: &Row| self.0.get(row).cloned().unwrap_or_default();
        rows.iter().map(of_row).collect()
    }

    /// Whether a result is neither superseded nor outdated.
    pub(crate) fn holds(&mut self, context: &RecallContext<'_>, ranked: &Ranked) -> bool {
        let candidate = &ranked.candidate;
        let disputes = self.of(context, &[candidate.row]);
        let mut disputes = disputes.iter().flatten();
        !candidate.attributes.superseded && !disputes.any(|dispute| dispute.holds == Some(false))
    }

    /// Leaves out what was already outdated at the time of validity, if one is given.
    pub(crate) fn drop_outdated(&mut self, context: &RecallContext<'_>, ranked: &mut Vec<Ranked>) {
        if context.recall.as_of.held.is_none() {
            return;
        }
        let rows: Vec<Row> = ranked.iter().map(|ranked| ranked.candidate.row).collect();
        let mut disputes = self.of(context, &rows).into_iter();
        let is_outdated = |dispute: &Dispute| dispute.holds == Some(false);
        ranked.retain(|_| {
            !disputes
                .next()
                .is_some_and(|own| own.iter().any(is_outdated))
        });
    }

    /// Orders the best of `ranked` again so that no short memory with an outdated statement precedes the short memory
    /// that holds instead, if the query found both.
    ///
    /// The feature `outdated` is the lead in score that it loses. To be outdated is no reason to lose more: who asks what
    /// changed wants both.
    pub(crate) fn lower_outdated(
        &mut self,
        context: &RecallContext<'_>,
        reader: &Reader<'_>,
        ranked: &mut [Ranked],
    ) {
        let count = ranked.len().min(SECOND_LOOK);
        let best = &mut ranked[..count];
        let rows: Vec<Row> = best.iter().map(|ranked| ranked.candidate.row).collect();
        let disputes = self.of(context, &rows);
        let is_short = |row: Row| reader.tokens(row).len() <= STATEMENT_TOKENS;
        let mut changes = false;
        // From the last, so that each falls behind the final place of the one that holds.
        for place in (0..count).rev() {
            let current = current_of(&disputes[place], &best[place..])
                .filter(|current| is_short(rows[place]) && is_short(current.candidate.row));
            let Some(current) = current.map(|current| current.score) else {
                continue;
            };
            let outdated = &mut best[place];
            outdated.features.outdated = outdated.score - current + BEHIND;
            outdated.score = outdated.features.score(context.options.weights());
            changes = true;
        }
        if changes {
            sort(ranked);
        }
    }
}

/// The last of `ranked` that holds instead of a memory with these disputes.
fn current_of<'ranked>(disputes: &[Dispute], ranked: &'ranked [Ranked]) -> Option<&'ranked Ranked> {
    let holding = disputes
        .iter()
        .filter(|dispute| dispute.holds == Some(false));
    let mut citations = holding.map(|dispute| dispute.citation.as_str()).peekable();
    citations.peek()?;
    let citations: Vec<&str> = citations.collect();
    let holds_instead = |ranked: &&Ranked| {
        let citation = format!("m{}", ranked.candidate.row);
        citations.contains(&citation.as_str())
    };
    ranked.iter().rfind(holds_instead)
}
