//! One recall, from the question to the answer.

use std::time::Instant;

use anamne_embed::{Embedder, StaticModel, TokenTable};
use anamne_index::columns::RowPredicate;
use anamne_store::SpaceSource;
use anamne_store::view::Attributes;
use anamne_types::{Answer, Context, ContextRequest, Recall, Row, Signals};
use roaring::RoaringBitmap;

use crate::candidates::{Candidate, Pool, Searched, search};
use crate::confidence::judge;
use crate::error::RecallError;
use crate::model::{self, Features};
use crate::rank::{Ranked, Setting, rank, shortlist};
use crate::threads::{self, Threads};
use crate::views::{Columns, Disputes, Found, LexicalSearch, VectorSearch};
use crate::words::{Facts, Question, Reader};
use crate::{answer, context, filter, successors};

/// Everything that a recall reads. Views that can't take part are `None`, and named in `degraded`.
pub struct Recaller<'space> {
    /// The source, for rows, tags and names.
    pub source: &'space SpaceSource,
    /// Search by words.
    pub lexical: Option<&'space dyn LexicalSearch>,
    /// Search by meaning.
    pub vectors: Option<&'space dyn VectorSearch>,
    /// What ranking reads of rows.
    pub columns: Option<&'space dyn Columns>,
    /// What contradicts memories, where that is known.
    pub disputes: Option<&'space dyn Disputes>,
    /// What turns the question into a vector.
    pub embedder: &'space dyn Embedder,
    /// What is known of the space.
    pub facts: &'space Facts,
    /// The views that can't take part.
    pub degraded: Vec<String>,
}

/// Stands among what is degraded where the model could not turn the question into a vector.
const EMBEDDER: &str = "embedding model";

/// Stands in for columns that can't take part: it knows no row.
struct NoColumns;

impl Columns for NoColumns {
    fn attributes(&self, _: Row) -> Option<Attributes> {
        None
    }

    fn tokens(&self, _: Row) -> Option<&[u16]> {
        None
    }

    fn token_frequency(&self, _: u16) -> u32 {
        0
    }

    fn rows(&self) -> usize {
        0
    }

    fn average_tokens(&self) -> f32 {
        0.0
    }

    fn select(&self, _: &RowPredicate) -> RoaringBitmap {
        RoaringBitmap::new()
    }

    fn neighbours(&self, _: Row, _: usize) -> (Vec<Row>, Vec<Row>) {
        (Vec::new(), Vec::new())
    }
}

impl Recaller<'_> {
    /// Answers a question.
    pub fn recall(&self, recall: &Recall) -> Result<Answer, RecallError> {
        let started = Instant::now();
        recall.check()?;
        let (_, answer) = self.answer(recall, started)?;
        Ok(answer)
    }

    /// Answers a question with a block of text within a token budget.
    pub fn context(&self, request: &ContextRequest) -> Result<Context, RecallError> {
        let started = Instant::now();
        request.check()?;
        let (question, answer) = self.answer(&request.recall, started)?;
        let mut context = context::pack(&answer, &question.terms, request.token_budget);
        context.took_ms = milliseconds(started);
        Ok(context)
    }

    fn answer(&self, recall: &Recall, started: Instant) -> Result<(Question, Answer), RecallError> {
        let columns = self.columns.unwrap_or(&NoColumns);
        let filter = filter::select(self.source, self.columns, &recall.filter)?;
        let question = Question::new(&recall.query, self.facts, self.lexical, columns);
        let (vectors, vector) = self.asked_vectors(recall, columns);
        let depth = model::DEPTH.max(recall.limit);
        let lexical = self
            .lexical
            .filter(|_| recall.signals != Signals::Semantic)
            .map(|view| (view, &question.terms));
        let vectors = vectors
            .filter(|_| recall.signals != Signals::Lexical)
            .map(|view| (view, vector.as_slice()));
        let has_failed = self.vectors.is_some() && vector.is_empty();
        let exact = recall.signals != Signals::Full || self.columns.is_none();
        let searched = search(
            lexical,
            vectors,
            columns.rows(),
            depth,
            filter.as_ref(),
            exact,
        );
        let mut reader = Reader::new(&question, columns);
        let mut ranked = if recall.signals == Signals::Full && self.columns.is_some() {
            self.rank_in_full(
                &mut reader,
                &vector,
                &searched,
                columns,
                filter.as_ref(),
                recall,
            )
        } else {
            self.rank_plainly(&question, &searched)
        };
        successors::first(
            self.source,
            columns,
            filter.as_ref(),
            &mut ranked,
            recall.limit,
        )?;
        judge(&mut ranked, recall.limit);
        let mut results = answer::hits(self.source, &mut reader, recall, &ranked)?;
        if let Some(disputes) = self.disputes {
            answer::dispute(&mut results, disputes);
        }
        let mut degraded = self.degraded.clone();
        if has_failed {
            degraded.push(EMBEDDER.to_owned());
        }
        for (view, _) in &searched.failed {
            if !degraded.iter().any(|known| known == view) {
                degraded.push((*view).to_owned());
            }
        }
        Ok((
            question,
            Answer {
                results,
                degraded,
                took_ms: milliseconds(started),
            },
        ))
    }

    /// The vectors, and the question as one of them. Where a model can't be reached, recall goes on without.
    fn asked_vectors(
        &self,
        recall: &Recall,
        columns: &dyn Columns,
    ) -> (Option<&dyn VectorSearch>, Vec<f32>) {
        let Some(vectors) = self.vectors else {
            return (None, Vec::new());
        };
        match self.vector(recall, columns) {
            Ok(vector) => (Some(vectors), vector),
            Err(_) => (None, Vec::new()),
        }
    }

    /// The question as a vector: with the built-in model its rare words count more.
    fn vector(&self, recall: &Recall, columns: &dyn Columns) -> Result<Vec<f32>, RecallError> {
        let mut vector = vec![0.0; self.embedder.dimensions()];
        match self.weighted_table() {
            Some(table) if recall.signals == Signals::Full && self.columns.is_some() => {
                Question::vector(&recall.query, self.facts, columns, table, &mut vector);
            }
            _ => self.embedder.embed_into(&recall.query, &mut vector)?,
        }
        Ok(vector)
    }

    /// The built-in model's table, if the memories' vectors are made with it.
    fn weighted_table(&self) -> Option<&dyn TokenTable> {
        let builtin = self.embedder.model() == StaticModel::builtin().model();
        builtin.then(|| self.embedder.token_table()).flatten()
    }

    fn rank_in_full(
        &self,
        reader: &mut Reader<'_>,
        vector: &[f32],
        searched: &Searched,
        columns: &dyn Columns,
        filter: Option<&RoaringBitmap>,
        recall: &Recall,
    ) -> Vec<Ranked> {
        let now = self.source.now().as_microsecond();
        let mut pool = Pool::of(searched, columns, now);
        let cosines = |rows: &[Row]| match self.vectors.map(|view| view.similarities(vector, rows))
        {
            Some(Ok(cosines)) => cosines,
            _ => vec![None; rows.len()],
        };
        let setting = Setting {
            question: reader.question,
            columns,
            cosines: &cosines,
            latest: self.facts.latest.min(now),
            recency_days: self.source.config().recall.recency_days,
            user_authors: &self.facts.users,
            program_authors: &self.facts.programs,
        };
        let candidates = std::mem::take(&mut pool.candidates);
        threads::weigh_by_clusters(reader, &candidates);
        let mut threads = Threads::read(reader, &candidates);
        let (short, mut others) = shortlist(&setting, reader, candidates, &threads);
        pool.keep(short);
        pool.add_neighbours(columns, filter, now);
        others.retain(|other| !pool.holds(other.row));
        let ranked = rank(&setting, reader, pool.candidates, others, &mut threads);
        answer::diversify(ranked, columns, recall.limit)
    }

    /// Ranks by what the searches gave alone; equals by rising row.
    fn rank_plainly(&self, question: &Question, searched: &Searched) -> Vec<Ranked> {
        let mut ranked: Vec<Ranked> = Vec::new();
        let mut places = rustc_hash::FxHashMap::default();
        let mut add = |found: &Found, take: &dyn Fn(&mut Ranked)| {
            let place = *places.entry(found.row).or_insert_with(|| {
                let attributes = self
                    .columns
                    .and_then(|columns| columns.attributes(found.row))
                    .unwrap_or_default();
                let candidate = Candidate {
                    row: found.row,
                    attributes,
                    lexical: None,
                    lexical_rank: None,
                    vector_rank: None,
                    similarity: None,
                };
                ranked.push(Ranked {
                    candidate,
                    features: Features::default(),
                    score: 0.0,
                    confidence: 0.0,
                });
                ranked.len() - 1
            });
            take(&mut ranked[place]);
        };
        for (rank, found) in (0..).zip(&searched.lexical) {
            add(found, &|ranked| {
                ranked.candidate.lexical = Some(found.score);
                ranked.candidate.lexical_rank = Some(rank);
                ranked.features.lexical =
                    (found.score / question.lexical_most.max(f32::MIN_POSITIVE)).min(1.0);
            });
        }
        for (rank, found) in (0..).zip(&searched.vectors) {
            add(found, &|ranked| {
                ranked.candidate.vector_rank = Some(rank);
                ranked.features.semantic = found.score;
            });
        }
        let [lexical, semantic] = model::PLAIN_WEIGHTS;
        for ranked in &mut ranked {
            ranked.score = lexical * ranked.features.lexical + semantic * ranked.features.semantic;
        }
        ranked.sort_by(|one, other| {
            other
                .score
                .total_cmp(&one.score)
                .then_with(|| one.candidate.row.cmp(&other.candidate.row))
        });
        ranked
    }
}

fn milliseconds(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1000.0
}
