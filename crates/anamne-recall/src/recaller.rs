//! One recall, from the question to the answer.

use std::time::Instant;

use anamne_embed::{Embedder, StaticModel, TokenTable};
use anamne_store::SpaceSource;
use anamne_types::{Answer, Context, ContextRequest, Recall, Row, Signals, Tier};
use roaring::RoaringBitmap;

use crate::absent::NoColumns;
use crate::candidates::{Pool, Searched, search};
use crate::confidence::judge;
use crate::error::RecallError;
use crate::model;
use crate::planned::Answered;
use crate::planner::{Experience, Planner};
use crate::rank::{Ranked, Setting, rank, shortlist, thread_features};
use crate::views::{Columns, Disputes, LexicalSearch, VectorSearch};
use crate::words::{Facts, Question, Reader};
use crate::{answer, context, filter, plainly, successors};

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
    /// The tiers, where there are several that may be chosen from or where work is to be counted.
    pub planner: Option<Planner<'space>>,
    /// The tiers within reach with the number of their memories, hottest first.
    pub tiers: Vec<(Tier, usize)>,
    /// What earlier questions taught.
    pub experience: Option<&'space dyn Experience>,
}

/// Stands among what is degraded where the model could not turn the question into a vector.
const EMBEDDER: &str = "embedding model";

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
        let mut reader = Reader::new(&question, columns);
        let everything = || {
            search(
                lexical,
                vectors,
                columns.rows(),
                depth,
                filter.as_ref(),
                exact,
            )
        };
        let vector_asked = vectors.map(|(_, vector)| vector);
        let planned = self.planned(recall, &mut reader, vector_asked, depth, filter.as_ref());
        let (searched, followed) = match planned {
            Some(outcome) => (outcome.searched, Some(outcome.followed)),
            None => (None, None),
        };
        let searched = searched.unwrap_or_else(everything);
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
            plainly::rank(self.columns, question.lexical_most, &searched)
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
        let answered = Answered {
            results: &results,
            ranked: &ranked,
            followed: followed.as_ref(),
            started,
        };
        self.note(recall, &reader, filter.as_ref(), &answered);
        let plan = match followed {
            Some(followed) if recall.explain_plan || followed.plan.widened => Some(followed.plan),
            Some(_) => None,
            None => recall.explain_plan.then(|| self.unplanned()),
        };
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
                plan,
                took_ms: milliseconds(started),
                ..Answer::default()
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
        let threads = thread_features(&setting, reader, &candidates);
        let (short, mut others) = shortlist(&setting, reader, candidates, &threads);
        pool.keep(short);
        pool.add_neighbours(columns, filter, now);
        others.retain(|other| !pool.holds(other.row));
        let ranked = rank(&setting, reader, pool.candidates, others, &threads);
        answer::diversify(ranked, columns, recall.limit)
    }
}

fn milliseconds(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1000.0
}
