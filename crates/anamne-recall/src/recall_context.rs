//! The context of one recall: sources, options and point in time.

use anamne_types::{Filter, Recall, Signals};
use jiff::Timestamp;
use roaring::RoaringBitmap;

use crate::candidates::{Searched, search};
use crate::error::RecallError;
use crate::filter;
use crate::observing::StageTimes;
use crate::past::{AsOfColumns, MemoryReader};
use crate::ranking_options::RankingOptions;
use crate::sources::RecallSources;
use crate::views::{Columns, VectorSearch};
use crate::words::ParsedQuery;

/// The context of one recall. All its searches go through here, so that none sees memories stored after the queried time.
pub(crate) struct RecallContext<'a> {
    pub(crate) sources: &'a RecallSources<'a>,
    pub(crate) recall: &'a Recall,
    pub(crate) options: &'a RankingOptions<'a>,
    /// The columns as of the queried time; empty ones if unavailable.
    pub(crate) columns: &'a dyn Columns,
    /// The present of the query.
    pub(crate) present: Timestamp,
    /// Memories expired by this time are skipped, and recency refers to it; microseconds since 1970.
    pub(crate) instant: i64,
    /// How long its stages took.
    pub(crate) times: &'a StageTimes<'a>,
    superseded_later: Option<&'a RoaringBitmap>,
}

/// A query in the forms that are searched.
pub(crate) struct PreparedQuery {
    pub(crate) query: ParsedQuery,
    /// Its vector; empty if there are no vectors, or their model is unavailable.
    pub(crate) vector: Vec<f32>,
}

impl<'a> RecallContext<'a> {
    /// Uses `columns`, or those of `as_of` if given.
    pub(crate) fn new(
        sources: &'a RecallSources<'a>,
        recall: &'a Recall,
        options: &'a RankingOptions<'a>,
        columns: &'a dyn Columns,
        as_of: Option<&'a AsOfColumns<'a>>,
        times: &'a StageTimes<'a>,
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
            times,
            superseded_later: as_of.map(|as_of| &as_of.superseded_later),
        }
    }

    /// The columns, if available.
    pub(crate) fn columns_if_any(&self) -> Option<&'a dyn Columns> {
        self.sources.columns.map(|_| self.columns)
    }

    /// Reads the memories of the answer.
    pub(crate) fn memory_reader(&self) -> MemoryReader<'a> {
        MemoryReader {
            source: self.sources.source,
            damaged: &self.sources.damaged,
            past: self.sources.past,
            superseded_later: self.superseded_later,
        }
    }

    /// Parses and embeds a query.
    pub(crate) fn prepare(&self, words: &str) -> PreparedQuery {
        let sources = self.sources;
        let query = ParsedQuery::new(words, sources.facts, sources.lexical, self.columns);
        let vector = match sources.vectors {
            // If the model is unavailable, the recall continues without vectors.
            Some(_) => self.vector(words).unwrap_or_default(),
            None => Vec::new(),
        };
        PreparedQuery { query, vector }
    }

    /// The query vector; with the built-in model rare words count more.
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

    /// Whether all features take part, and the columns are available.
    pub(crate) fn ranks_in_full(&self) -> bool {
        self.recall.signals == Signals::Full && self.sources.columns.is_some()
    }

    /// The hits of both searches among these rows, `depth` each at most.
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

    /// The rows that pass a filter as of the queried time; `None` means no restriction.
    pub(crate) fn rows_passing_filter(
        &self,
        filter: &Filter,
    ) -> Result<Option<RoaringBitmap>, RecallError> {
        let (source, columns) = (self.sources.source, self.columns_if_any());
        Ok(filter::select(source, columns, self.sources.past, filter)?)
    }

    /// All rows as of the queried time; `None` means no restriction.
    pub(crate) fn known_rows(&self) -> Result<Option<RoaringBitmap>, RecallError> {
        self.rows_passing_filter(&Filter::default())
    }

    /// The number of memories.
    pub(crate) fn memory_count(&self) -> Result<u64, RecallError> {
        match self.columns_if_any() {
            Some(columns) => Ok(columns.rows() as u64),
            None => Ok(filter::every_row(self.sources.source, None)?.len()),
        }
    }

    /// The rows of these threads.
    pub(crate) fn rows_in_threads(
        &self,
        threads: Vec<String>,
    ) -> Result<RoaringBitmap, RecallError> {
        self.all_rows_passing(&Filter {
            threads,
            ..Filter::default()
        })
    }

    /// The rows of memories that happened between two times, each optional.
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
