//! One recall under way: what it sees, and as of when.

use anamne_types::{Filter, Recall, Signals};
use jiff::Timestamp;
use roaring::RoaringBitmap;

use crate::candidates::{Searched, search};
use crate::error::RecallError;
use crate::filter;
use crate::past::{AsOfColumns, Texts};
use crate::ranking_options::RankingOptions;
use crate::sources::RecallSources;
use crate::views::{Columns, VectorSearch};
use crate::words::ParsedQuery;

/// What a recall sees. Every search of it goes through here, so that none sees what was not known then.
pub(crate) struct RecallContext<'a> {
    pub(crate) sources: &'a RecallSources<'a>,
    pub(crate) recall: &'a Recall,
    pub(crate) options: &'a RankingOptions<'a>,
    /// The columns as of then; ones that know nothing where there are none.
    pub(crate) columns: &'a dyn Columns,
    /// When it is asked.
    pub(crate) present: Timestamp,
    /// What has expired by this, microseconds since 1970, counts for nothing, and recency is counted from here.
    pub(crate) instant: i64,
    unsuperseded: Option<&'a RoaringBitmap>,
}

/// A question in the forms in which it is searched.
pub(crate) struct PreparedQuery {
    pub(crate) query: ParsedQuery,
    /// Its direction; empty where there are no vectors, or their model can't be reached.
    pub(crate) vector: Vec<f32>,
}

impl<'a> RecallContext<'a> {
    /// Looks with `columns`, or those as of then where `as_of` has some.
    pub(crate) fn new(
        sources: &'a RecallSources<'a>,
        recall: &'a Recall,
        options: &'a RankingOptions<'a>,
        columns: &'a dyn Columns,
        as_of: Option<&'a AsOfColumns<'a>>,
    ) -> Self {
        let present = recall.as_of.known.unwrap_or_else(|| sources.source.now());
        let instant = recall.as_of.held.unwrap_or(present);
        Self {
            sources,
            recall,
            options,
            columns: as_of.map_or(columns, |as_of| as_of as &dyn Columns),
            present,
            instant: instant.as_microsecond(),
            unsuperseded: as_of.map(|as_of| &as_of.unsuperseded),
        }
    }

    /// The columns, unless there are none.
    pub(crate) fn columns_if_any(&self) -> Option<&'a dyn Columns> {
        self.sources.columns.map(|_| self.columns)
    }

    /// Where the memories of its answer come from.
    pub(crate) fn texts(&self) -> Texts<'a> {
        Texts {
            source: self.sources.source,
            past: self.sources.past,
            unsuperseded: self.unsuperseded,
        }
    }

    /// Takes words apart, as a question.
    pub(crate) fn prepare(&self, words: &str) -> PreparedQuery {
        let sources = self.sources;
        let query = ParsedQuery::new(words, sources.facts, sources.lexical, self.columns);
        let vector = match sources.vectors {
            // Where a model can't be reached, recall goes on without.
            Some(_) => self.vector(words).unwrap_or_default(),
            None => Vec::new(),
        };
        PreparedQuery { query, vector }
    }

    /// The words as a vector: with the built-in model rare ones count more.
    fn vector(&self, words: &str) -> Result<Vec<f32>, RecallError> {
        let sources = self.sources;
        let mut vector = vec![0.0; sources.embedder.dimensions()];
        match sources.weighted_table() {
            Some(table) if self.ranks_in_full() => {
                ParsedQuery::vector(words, sources.facts, self.columns, table, &mut vector);
            }
            _ => sources.embedder.embed_into(words, &mut vector)?,
        }
        Ok(vector)
    }

    /// Whether all signals take part, and what they are read from is there.
    pub(crate) fn ranks_in_full(&self) -> bool {
        self.recall.signals == Signals::Full && self.sources.columns.is_some()
    }

    /// What both searches find for a question in these rows, `depth` each at most.
    pub(crate) fn search(
        &self,
        prepared: &PreparedQuery,
        depth: usize,
        rows: Option<&RoaringBitmap>,
    ) -> Searched {
        let signals = self.recall.signals;
        let lexical = self.sources.lexical;
        let lexical = lexical
            .filter(|_| signals != Signals::Semantic)
            .map(|view| (view, &prepared.query.terms));
        let has_vector = !prepared.vector.is_empty() && signals != Signals::Lexical;
        let vectors: Option<&dyn VectorSearch> = self.sources.vectors.filter(|_| has_vector);
        search(
            lexical,
            vectors.map(|view| (view, prepared.vector.as_slice())),
            self.columns.rows(),
            depth,
            rows,
            !self.ranks_in_full() || self.options.needs_exact_order(),
        )
    }

    /// The rows that pass a filter as they were then; `None` when all do that there are.
    pub(crate) fn rows_passing_filter(
        &self,
        filter: &Filter,
    ) -> Result<Option<RoaringBitmap>, RecallError> {
        let (source, columns) = (self.sources.source, self.columns_if_any());
        Ok(filter::select(source, columns, self.sources.past, filter)?)
    }

    /// All that was known then; `None` where that is all that there is.
    pub(crate) fn known_rows(&self) -> Result<Option<RoaringBitmap>, RecallError> {
        self.rows_passing_filter(&Filter::default())
    }

    /// How many memories there are.
    pub(crate) fn memory_count(&self) -> Result<u64, RecallError> {
        match self.columns_if_any() {
            Some(columns) => Ok(columns.rows() as u64),
            None => Ok(filter::every_row(self.sources.source, None)?.len()),
        }
    }

    /// The rows in these threads.
    pub(crate) fn rows_in_threads(
        &self,
        threads: Vec<String>,
    ) -> Result<RoaringBitmap, RecallError> {
        self.all_rows_passing(&Filter {
            threads,
            ..Filter::default()
        })
    }

    /// The rows of what happened between two instants, each of which may be left open.
    pub(crate) fn rows_between(
        &self,
        since: Option<Timestamp>,
        until: Option<Timestamp>,
    ) -> Result<RoaringBitmap, RecallError> {
        self.all_rows_passing(&Filter {
            since,
            until,
            ..Filter::default()
        })
    }

    fn all_rows_passing(&self, filter: &Filter) -> Result<RoaringBitmap, RecallError> {
        match self.rows_passing_filter(filter)? {
            Some(rows) => Ok(rows),
            None => Ok(filter::every_row(
                self.sources.source,
                self.columns_if_any(),
            )?),
        }
    }
}
