//! One recall, from the question to the answer: the one place that names all the stages.

use std::time::Instant;

use anamne_types::{
    Answer, Context, ContextRequest, Dispute, Hit, Plan, Ranking, Recall, TimeWords,
};
use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;

use crate::arrangement::Arrangement;
use crate::candidates::Searched;
use crate::confidence::{judge, judge_plainly};
use crate::error::RecallError;
use crate::expansion::{self, Followed};
use crate::holding::Holding;
use crate::looking::{Asked, Looking};
use crate::model;
use crate::past::AsOfColumns;
use crate::planned::{self, Answered};
use crate::planner;
use crate::reach::Reach;
use crate::sources::RecallSources;
use crate::tiers::TieredColumns;
use crate::views::Found;
use crate::words::{Question, Reader};
use crate::{abstain, answer, arranging, context, ranking, rare_word, successors};

/// Answers questions from what it reads.
pub struct Recaller<'space>(RecallSources<'space>);

/// Stands among what is degraded where the model could not turn the question into a vector.
const EMBEDDER: &str = "embedding model";

/// Stands there where the reranker failed, and results are ordered without it.
const RERANKER: &str = "reranker";

/// Rows that each search brings up beside the others where the question asks about a time and they happened then.
const PREFERRED_DEPTH: usize = 32;

impl<'space> Recaller<'space> {
    /// Answers from these.
    pub fn new(sources: RecallSources<'space>) -> Self {
        Self(sources)
    }

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
        let aim = context::Aim::new(
            &request.recall.query,
            &question.content.terms,
            &question.term_weights,
        );
        let mut context = context::pack(
            self.0.source,
            &request.recall,
            &answer,
            &aim,
            request.budget(),
        )?;
        context.took_ms = milliseconds(started);
        Ok(context)
    }

    /// The stages: plan, filter, search, rank, judge, answer.
    fn answer(&self, recall: &Recall, started: Instant) -> Result<(Question, Answer), RecallError> {
        let sources = &self.0;
        let arrangement =
            Arrangement::of(recall, &sources.source.config().recall, sources.reranker)?;
        let holding = Holding::of(sources, recall)?;
        // Columns of no tier know no row.
        let none = TieredColumns::new(Vec::new());
        let base = sources.columns.unwrap_or(&none);
        let as_of = (!recall.as_of.is_now()).then(|| AsOfColumns {
            base,
            past: sources.past,
            unsuperseded: holding
                .as_ref()
                .map_or_else(RoaringBitmap::new, |holding| holding.unsuperseded.clone()),
        });
        let looking = Looking::new(sources, recall, &arrangement, base, as_of.as_ref());
        let mut asked = looking.ask(&recall.query);
        if recall.time_words == TimeWords::Ignore {
            asked.question.mentions_date = false;
        }
        let event = |words: &str| ranking::event(&looking, words);
        let reach = Reach::of(&looking, holding.as_ref(), &event)?;
        let mut reader = Reader::new(&asked.question, looking.columns);
        let planned = planned::search(&looking, &mut reader, &asked, &reach);
        let (found, course) = match planned {
            Some(outcome) => (outcome.searched, Some(outcome.followed)),
            None => (None, None),
        };
        let searched = searched(&looking, &asked, &reach, found);
        let (mut ranked, followed) =
            ranking::in_order(&looking, &mut reader, &asked, &searched, &reach);
        let mut has_reranker_failed = false;
        let mut verdict = None;
        if !arrangement.is_usual() {
            verdict = Some(arranging::judge_all(&looking, &mut reader, &mut ranked));
            has_reranker_failed = arranging::arrange(&looking, &mut ranked)?;
        }
        // Not where the caller asked for another formula, or for results that are not alike.
        if recall.ranking == Ranking::Full && recall.diversity == 0.0 {
            rare_word::lead(&mut ranked, &searched.rare, &asked.question);
        }
        successors::first(&looking, reach.rows.as_ref(), &mut ranked)?;
        let verdict = match verdict {
            Some(verdict) => verdict,
            None if looking.ranks_in_full() => judge(&mut reader, &mut ranked, recall.limit),
            None => judge_plainly(&mut ranked, recall.limit),
        };
        let mut results = answer::hits(&looking, &mut reader, &ranked, &verdict)?;
        expansion::tell(&mut results, &looking, &followed)?;
        dispute(&looking, &mut results);
        let abstained = if results.is_empty() && recall.min_confidence > 0.0 {
            Some(abstain::abstention(
                &looking, &asked, &reach, &searched, &ranked,
            )?)
        } else {
            None
        };
        let answered = Answered {
            results: &results,
            ranked: &ranked,
            followed: course.as_ref(),
            started,
        };
        planned::note(&looking, &reader, reach.rows.as_ref(), &answered);
        let mut degraded = all_degraded(sources, &asked, &reach, &searched, &followed);
        if has_reranker_failed {
            degraded.push(RERANKER.to_owned());
        }
        let answer = Answer {
            results,
            answered: verdict.answered,
            degraded,
            times: reach.times.understood,
            abstained,
            plan: plan(&looking, course, &followed),
            took_ms: milliseconds(started),
        };
        Ok((asked.question, answer))
    }
}

/// Says of each result which memories say otherwise; as of an instant, which of those that were there then.
fn dispute(looking: &Looking<'_>, results: &mut [Hit]) {
    let Some(disputes) = looking.sources.disputes else {
        return;
    };
    if looking.sources.past.is_none() {
        return answer::dispute(results, &|rows| disputes.of(rows));
    }
    let texts = looking.texts();
    let known = |mut disputes: Vec<Dispute>| {
        disputes.retain(|dispute| texts.get(dispute.memory).is_some());
        disputes
    };
    answer::dispute(results, &|rows| {
        disputes.of(rows).into_iter().map(known).collect()
    });
}

/// What could not take part, each once.
fn all_degraded(
    sources: &RecallSources<'_>,
    asked: &Asked,
    reach: &Reach,
    searched: &Searched,
    followed: &Followed,
) -> Vec<String> {
    let mut degraded = sources.degraded.clone();
    if sources.vectors.is_some() && asked.vector.is_empty() {
        degraded.push(EMBEDDER.to_owned());
    }
    let failed = searched.failed.iter().map(|(view, _)| *view);
    let failed = failed.chain(followed.failed.iter().copied());
    for view in failed.chain(reach.degraded.iter().map(String::as_str)) {
        if !degraded.iter().any(|known| known == view) {
            degraded.push(view.to_owned());
        }
    }
    degraded
}

/// How it was planned, where that was asked for, or where more was searched than at first.
fn plan(
    looking: &Looking<'_>,
    course: Option<planner::Followed>,
    followed: &Followed,
) -> Option<Plan> {
    let explains = looking.recall.explain_plan;
    let mut plan = match course {
        Some(course) if explains || course.plan.widened => course.plan,
        None if explains => planned::unplanned(looking),
        _ => return None,
    };
    plan.work.edges = followed.edges();
    Some(plan)
}

/// What both searches find within reach; where the question asks about a time, also the best of what happened then.
/// `found` is what a search by plan has found.
fn searched(
    looking: &Looking<'_>,
    asked: &Asked,
    reach: &Reach,
    found: Option<Searched>,
) -> Searched {
    let depth = model::DEPTH.max(looking.recall.limit);
    let mut searched = found.unwrap_or_else(|| looking.search(asked, depth, reach.rows.as_ref()));
    if let Some(preferred) = &reach.preferred
        && looking.ranks_in_full()
    {
        let then = looking.search(asked, PREFERRED_DEPTH, Some(preferred));
        add_new(&mut searched.lexical, then.lexical);
        add_new(&mut searched.vectors, then.vectors);
    }
    if looking.ranks_in_full() {
        let rare = rare_word::holders(looking, &asked.question, reach.rows.as_ref());
        searched.rare = rare.iter().map(|found| found.row).collect();
        add_new(&mut searched.lexical, rare);
    }
    searched
}

/// Adds those that were not found before.
fn add_new(found: &mut Vec<Found>, more: Vec<Found>) {
    let known: FxHashSet<_> = found.iter().map(|found| found.row).collect();
    let is_new = |found: &Found| !known.contains(&found.row);
    found.extend(more.into_iter().filter(is_new));
}

fn milliseconds(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1000.0
}
