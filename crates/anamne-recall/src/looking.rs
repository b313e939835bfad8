//! One recall under way: what it sees, and as of when.

use anamne_types::{Filter, Memory, Recall, Row, Signals};
use jiff::Timestamp;
use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;

use crate::answer;
use crate::arrangement::Arrangement;
use crate::candidates::{Pool, Searched, search};
use crate::error::RecallError;
use crate::expansion::{self, Followed, Pooled, Stage, expand};
use crate::filter;
use crate::past::{AsOfColumns, Holding, Texts};
use crate::plainly;
use crate::planner::Experience;
use crate::rank::{Ranked, Setting, rank, shortlist};
use crate::reach::Reach;
use crate::recaller::Recaller;
use crate::sought::Sought;
use crate::threads::{self, Threads};
use crate::together::Together;
use crate::views::{Columns, Found, VectorSearch};
use crate::words::{Question, Reader};

/// What a recall sees. Every search of it goes through here, so that none sees what was not known then.
pub(crate) struct Looking<'a> {
    pub(crate) recaller: &'a Recaller<'a>,
    pub(crate) recall: &'a Recall,
    pub(crate) arrangement: &'a Arrangement<'a>,
    /// The columns as of then; ones that know nothing where there are none.
    pub(crate) columns: &'a dyn Columns,
    /// When it is asked.
    pub(crate) present: Timestamp,
    /// What has expired by this, microseconds since 1970, counts for nothing, and recency is counted from here.
    pub(crate) moment: i64,
    unsuperseded: Option<&'a RoaringBitmap>,
}

/// A question in the forms in which it is searched.
pub(crate) struct Asked {
    pub(crate) question: Question,
    /// Its direction; empty where there are no vectors, or their model can't be reached.
    pub(crate) vector: Vec<f32>,
}

impl<'a> Looking<'a> {
    /// Looks with `columns`, or those as of then where `as_of` has some.
    pub(crate) fn new(
        recaller: &'a Recaller<'a>,
        recall: &'a Recall,
        arrangement: &'a Arrangement<'a>,
        columns: &'a dyn Columns,
        as_of: Option<&'a AsOfColumns<'a>>,
    ) -> Self {
        let present = recall.as_of.known.unwrap_or_else(|| recaller.source.now());
        let moment = recall.as_of.held.unwrap_or(present);
        Self {
            recaller,
            recall,
            arrangement,
            columns: as_of.map_or(columns, |as_of| as_of as &dyn Columns),
            present,
            moment: moment.as_microsecond(),
            unsuperseded: as_of.map(|as_of| &as_of.unsuperseded),
        }
    }

    /// The columns, unless there are none.
    pub(crate) fn columns_if_any(&self) -> Option<&'a dyn Columns> {
        self.recaller.columns.map(|_| self.columns)
    }

    /// Where the memories of its answer come from.
    pub(crate) fn texts(&self) -> Texts<'a> {
        Texts {
            source: self.recaller.source,
            past: self.recaller.past,
            unsuperseded: self.unsuperseded,
        }
    }

    /// Takes words apart, as a question.
    pub(crate) fn ask(&self, words: &str) -> Asked {
        let recaller = self.recaller;
        let question = Question::new(words, recaller.facts, recaller.lexical, self.columns);
        let vector = match recaller.vectors {
            // Where a model can't be reached, recall goes on without.
            Some(_) => self.vector(words).unwrap_or_default(),
            None => Vec::new(),
        };
        Asked { question, vector }
    }

    /// The words as a vector: with the built-in model rare ones count more.
    fn vector(&self, words: &str) -> Result<Vec<f32>, RecallError> {
        let recaller = self.recaller;
        let mut vector = vec![0.0; recaller.embedder.dimensions()];
        match recaller.weighted_table() {
            Some(table) if self.ranks_in_full() => {
                Question::vector(words, recaller.facts, self.columns, table, &mut vector);
            }
            _ => recaller.embedder.embed_into(words, &mut vector)?,
        }
        Ok(vector)
    }

    /// Whether all signals take part, and what they are read from is there.
    pub(crate) fn ranks_in_full(&self) -> bool {
        self.recall.signals == Signals::Full && self.recaller.columns.is_some()
    }

    /// What both searches find for a question in these rows, `depth` each at most.
    pub(crate) fn search(
        &self,
        asked: &Asked,
        depth: usize,
        rows: Option<&RoaringBitmap>,
    ) -> Searched {
        let signals = self.recall.signals;
        let lexical = self.recaller.lexical;
        let lexical = lexical
            .filter(|_| signals != Signals::Semantic)
            .map(|view| (view, &asked.question.terms));
        let has_vector = !asked.vector.is_empty() && signals != Signals::Lexical;
        let vectors: Option<&dyn VectorSearch> = self.recaller.vectors.filter(|_| has_vector);
        search(
            lexical,
            vectors.map(|view| (view, asked.vector.as_slice())),
            self.columns.rows(),
            depth,
            rows,
            !self.ranks_in_full() || self.arrangement.is_exact(),
        )
    }

    /// Orders what was searched, best first, together with what it leads to where the question goes deeper.
    pub(crate) fn rank(
        &self,
        reader: &mut Reader<'_>,
        asked: &Asked,
        searched: &Searched,
        reach: &Reach,
    ) -> (Vec<Ranked>, Followed) {
        if !self.ranks_in_full() {
            let columns = self.columns_if_any();
            let ranked = plainly::rank(columns, asked.question.lexical_most, searched);
            return (ranked, Followed::default());
        }
        let deeper = expansion::goes_deeper(self.recall);
        let (ranked, followed) = self.rank_in_full(reader, asked, searched, reach, deeper);
        if self.arrangement.is_usual() {
            let ranked = answer::diversify(ranked, self.columns, self.recall.limit);
            (ranked, followed)
        } else {
            (ranked, followed)
        }
    }

    fn rank_in_full(
        &self,
        reader: &mut Reader<'_>,
        asked: &Asked,
        searched: &Searched,
        reach: &Reach,
        deeper: bool,
    ) -> (Vec<Ranked>, Followed) {
        let mut pool = Pool::of(searched, self.columns, self.moment);
        let vectors = self.recaller.vectors;
        let cosines =
            |rows: &[Row]| match vectors.map(|view| view.similarities(&asked.vector, rows)) {
                Some(Ok(cosines)) => cosines,
                _ => vec![None; rows.len()],
            };
        // What was opened since has nothing to do with what was known then.
        let experience = self.recaller.experience;
        let openings = experience.filter(|_| self.recall.as_of.is_now());
        let openings = openings.map(Experience::openings).unwrap_or_default();
        let present = self.present.as_microsecond();
        let facts = self.recaller.facts;
        let date_terms = match reach.preferred {
            Some(_) => reach.times.terms(&asked.question),
            None => Vec::new(),
        };
        let candidates = std::mem::take(&mut pool.candidates);
        threads::weigh_by_clusters(reader, &candidates);
        let mut threads = Threads::read(reader, &candidates);
        // It knows what was told since, too.
        let latent = self.recaller.latent.filter(|_| self.recall.as_of.is_now());
        let together = latent
            .and_then(|index| Together::of(index, self.columns, &asked.question.tokens, &threads));
        let setting = Setting {
            question: reader.question,
            columns: self.columns,
            cosines: &cosines,
            latest: facts.latest.min(self.moment),
            times: &reach.times.ranges,
            date_terms: &date_terms,
            recency_days: self.recaller.source.config().recall.recency_days,
            user_authors: &facts.users,
            program_authors: &facts.programs,
            weights: self.arrangement.weights.as_ref(),
            sought: Sought::by(&reader.question.words),
            access: &|row| openings.of(row, present),
            together: together.as_ref(),
            standpoint: self.arrangement.standpoint.as_ref(),
        };
        let (short, mut others) = shortlist(&setting, reader, candidates, &threads);
        pool.keep(short);
        pool.add_neighbours(self.columns, reach.rows.as_ref(), self.moment);
        others.retain(|other| !pool.holds(other.row));
        let pooled = deeper.then(|| Pooled {
            near: pool.candidates.clone(),
            others: others.clone(),
        });
        let ranked = rank(&setting, reader, pool.candidates, others, &mut threads);
        let Some(pooled) = pooled else {
            return (ranked, Followed::default());
        };
        let stage = Stage {
            recall: self.recall,
            connections: self.recaller.connections,
            filter: reach.rows.as_ref(),
            now: self.moment,
            search: &|words, most| self.search_again(words, most, reach),
        };
        expand(&stage, &setting, reader, threads, &ranked, pooled)
    }

    /// The rows that a search for other words finds, by both searches' ranks; at most `most` of each.
    fn search_again(&self, words: &str, most: usize, reach: &Reach) -> Vec<Row> {
        let searched = self.search(&self.ask(words), most, reach.rows.as_ref());
        let ranks = |found: &[Found]| -> Vec<(usize, Row)> {
            let found = found.iter().enumerate();
            found.map(|(rank, found)| (rank, found.row)).collect()
        };
        let mut rows = ranks(&searched.lexical);
        rows.extend(ranks(&searched.vectors));
        rows.sort_unstable();
        let mut seen = FxHashSet::default();
        let rows = rows.into_iter().map(|(_, row)| row);
        rows.filter(|row| seen.insert(*row)).collect()
    }

    /// All that was known then; `None` where that is all that there is.
    pub(crate) fn known(&self) -> Result<Option<RoaringBitmap>, RecallError> {
        Ok(filter::select(
            self.recaller.source,
            self.columns_if_any(),
            self.recaller.past,
            &Filter::default(),
        )?)
    }

    /// How many memories there are.
    pub(crate) fn everything(&self) -> Result<u64, RecallError> {
        match self.columns_if_any() {
            Some(columns) => Ok(columns.rows() as u64),
            None => Ok(filter::every_row(self.recaller.source, None)?.len()),
        }
    }

    /// The rows in these threads.
    pub(crate) fn in_threads(&self, threads: Vec<String>) -> Result<RoaringBitmap, RecallError> {
        self.rows_passing(&Filter {
            threads,
            ..Filter::default()
        })
    }

    /// The rows of what happened between two instants, each of which may be left open.
    pub(crate) fn happened(
        &self,
        since: Option<Timestamp>,
        until: Option<Timestamp>,
    ) -> Result<RoaringBitmap, RecallError> {
        self.rows_passing(&Filter {
            since,
            until,
            ..Filter::default()
        })
    }

    fn rows_passing(&self, filter: &Filter) -> Result<RoaringBitmap, RecallError> {
        let (source, columns) = (self.recaller.source, self.columns_if_any());
        match filter::select(source, columns, self.recaller.past, filter)? {
            Some(rows) => Ok(rows),
            None => Ok(filter::every_row(source, columns)?),
        }
    }

    /// The memory that tells of an event best, unless it meets less than `least` of the event's words.
    pub(crate) fn event(
        &self,
        words: &str,
        depth: usize,
        least: f32,
    ) -> Result<Option<Memory>, RecallError> {
        if !self.ranks_in_full() {
            return Ok(None);
        }
        let reach = Reach {
            rows: self.known()?,
            ..Reach::default()
        };
        let asked = self.ask(words);
        let searched = self.search(&asked, depth, reach.rows.as_ref());
        let mut reader = Reader::new(&asked.question, self.columns);
        let (ranked, _) = self.rank_in_full(&mut reader, &asked, &searched, &reach, false);
        let told = ranked
            .iter()
            .find(|ranked| ranked.features.words >= least)
            .map(|ranked| ranked.candidate.row);
        let memory = told.map(|row| self.texts().rows(&[row])).transpose()?;
        Ok(memory
            .into_iter()
            .flatten()
            .next()
            .map(|(_, memory)| memory))
    }
}

/// What held at an instant, where that is asked.
pub(crate) fn holding(
    recaller: &Recaller<'_>,
    recall: &Recall,
) -> Result<Option<Holding>, RecallError> {
    let Some(instant) = recall.as_of.held else {
        return Ok(None);
    };
    let as_of = recaller.columns.map(|base| AsOfColumns {
        base,
        past: recaller.past,
        unsuperseded: RoaringBitmap::new(),
    });
    let columns = as_of.as_ref().map(|as_of| as_of as &dyn Columns);
    Holding::at(instant, recaller.source, columns, recaller.past).map(Some)
}
