//! One recall, from the question to the answer.

use std::time::Instant;

use anamne_embed::{Embedder, Reranker, StaticModel, TokenTable};
use anamne_index::latent::LatentIndex;
use anamne_store::SpaceSource;
use anamne_types::{
    Answer, Context, ContextRequest, Dispute, Hit, Plan, Ranking, Recall, Tier, TimeWords,
};
use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;

use crate::absent::NoColumns;
use crate::arrangement::{Arrangement, Sight};
use crate::candidates::Searched;
use crate::confidence::{judge, judge_plainly};
use crate::error::RecallError;
use crate::expansion::{self, Followed};
use crate::looking::{Asked, Looking, holding};
use crate::model;
use crate::past::{AsOfColumns, Past};
use crate::planned::Answered;
use crate::planner::{self, Experience, Planner};
use crate::reach::Reach;
use crate::views::{Columns, Connections, Disputes, Found, LexicalSearch, Naming, VectorSearch};
use crate::words::{Facts, Question, Reader};
use crate::{abstain, answer, context, rare_word, successors};

/// Everything that a recall reads. Views that can't take part are `None`, and named in `degraded`.
pub struct Recaller<'space> {
    /// The source, for rows, tags and names.
    pub source: &'space SpaceSource,
    /// Search by words; of a `past` those of then too.
    pub lexical: Option<&'space dyn LexicalSearch>,
    /// Search by meaning, likewise.
    pub vectors: Option<&'space dyn VectorSearch>,
    /// What ranking reads of rows, likewise.
    pub columns: Option<&'space dyn Columns>,
    /// What contradicts memories, where that is known.
    pub disputes: Option<&'space dyn Disputes>,
    /// What memories name, where that can be asked.
    pub naming: Option<&'space dyn Naming>,
    /// How the space differs from what it was then, where [`AsOf::known`](anamne_types::AsOf::known) is asked.
    pub past: Option<&'space Past>,
    /// What the space tells together, where that was found out.
    pub latent: Option<&'space LatentIndex>,
    /// How memories hang together, for questions that go deeper than shallow.
    pub connections: Option<&'space dyn Connections>,
    /// What turns the question into a vector.
    pub embedder: &'space dyn Embedder,
    /// What looks at the first results again, where the program brought one.
    pub reranker: Option<&'space dyn Reranker>,
    /// What is known of the space.
    pub facts: &'space Facts,
    /// The tiers, where there are several that may be chosen from or where work is to be counted.
    pub planner: Option<Planner<'space>>,
    /// The tiers within reach with the number of their memories, hottest first.
    pub tiers: Vec<(Tier, usize)>,
    /// What earlier questions taught.
    pub experience: Option<&'space dyn Experience>,
    /// The views that can't take part.
    pub degraded: Vec<String>,
}

/// Stands among what is degraded where the model could not turn the question into a vector.
const EMBEDDER: &str = "embedding model";

/// Stands there where the reranker failed, and results are ordered without it.
const RERANKER: &str = "reranker";

/// Rows that each search brings up beside the others where the question asks about a time and they happened then.
const PREFERRED_DEPTH: usize = 32;

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
        let aim = context::Aim::new(
            &request.recall.query,
            &question.content.terms,
            &question.term_weights,
        );
        let mut context = context::pack(
            self.source,
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
        let arrangement = Arrangement::of(recall, &self.source.config().recall, self.reranker)?;
        let holding = holding(self, recall)?;
        let base = self.columns.unwrap_or(&NoColumns);
        let as_of = (!recall.as_of.is_now()).then(|| AsOfColumns {
            base,
            past: self.past,
            unsuperseded: holding
                .as_ref()
                .map_or_else(RoaringBitmap::new, |holding| holding.unsuperseded.clone()),
        });
        let looking = Looking::new(self, recall, &arrangement, base, as_of.as_ref());
        let mut asked = looking.ask(&recall.query);
        if recall.time_words == TimeWords::Ignore {
            asked.question.mentions_date = false;
        }
        let reach = Reach::of(&looking, recall, holding.as_ref())?;
        let mut reader = Reader::new(&asked.question, looking.columns);
        let planned = self.planned(recall, &mut reader, &asked, &reach);
        let (found, course) = match planned {
            Some(outcome) => (outcome.searched, Some(outcome.followed)),
            None => (None, None),
        };
        let searched = searched(&looking, recall, &asked, &reach, found);
        let (mut ranked, followed) = looking.rank(&mut reader, &asked, &searched, &reach);
        let in_full = looking.ranks_in_full();
        let mut has_reranker_failed = false;
        let mut verdict = None;
        if !arrangement.is_usual() {
            verdict = Some(arrangement.judge(&mut reader, &mut ranked, in_full));
            let sight = Sight {
                columns: looking.columns,
                texts: looking.texts(),
            };
            has_reranker_failed =
                self.arrange(&arrangement, recall, &sight, &mut ranked, in_full)?;
        }
        // Not where the caller asked for another formula, or for results that are not alike.
        if recall.ranking == Ranking::Full && recall.diversity == 0.0 {
            rare_word::lead(&mut ranked, &searched.rare, &asked.question);
        }
        successors::first(
            &looking.texts(),
            looking.columns,
            reach.rows.as_ref(),
            &mut ranked,
            looking.moment,
            recall.limit,
        )?;
        let verdict = match verdict {
            Some(verdict) => verdict,
            None if in_full => judge(&mut reader, &mut ranked, recall.limit),
            None => judge_plainly(&mut ranked, recall.limit),
        };
        let mut results = answer::hits(&looking, &mut reader, &ranked, &verdict)?;
        expansion::tell(&mut results, &looking, &followed)?;
        self.dispute(&looking, &mut results);
        let abstained = if results.is_empty() && recall.min_confidence > 0.0 {
            let said = abstain::abstention(&looking, recall, &asked, &reach, &searched, &ranked)?;
            Some(said)
        } else {
            None
        };
        let answered = Answered {
            results: &results,
            ranked: &ranked,
            followed: course.as_ref(),
            started,
        };
        self.note(recall, &reader, reach.rows.as_ref(), &answered);
        let mut degraded = self.all_degraded(&asked, &reach, &searched, &followed);
        if has_reranker_failed {
            degraded.push(RERANKER.to_owned());
        }
        let answer = Answer {
            results,
            answered: verdict.answered,
            degraded,
            times: reach.times.understood,
            abstained,
            plan: self.plan(recall, course, &followed),
            took_ms: milliseconds(started),
        };
        Ok((asked.question, answer))
    }

    /// Says of each result which memories say otherwise; as of an instant, which of those that were there then.
    fn dispute(&self, looking: &Looking<'_>, results: &mut [Hit]) {
        let Some(disputes) = self.disputes else {
            return;
        };
        if self.past.is_none() {
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
        &self,
        asked: &Asked,
        reach: &Reach,
        searched: &Searched,
        followed: &Followed,
    ) -> Vec<String> {
        let mut degraded = self.degraded.clone();
        if self.vectors.is_some() && asked.vector.is_empty() {
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
        &self,
        recall: &Recall,
        course: Option<planner::Followed>,
        followed: &Followed,
    ) -> Option<Plan> {
        let mut plan = match course {
            Some(course) if recall.explain_plan || course.plan.widened => course.plan,
            None if recall.explain_plan => self.unplanned(recall),
            _ => return None,
        };
        plan.work.edges = followed.edges();
        Some(plan)
    }

    /// The built-in model's table, if the memories' vectors are made with it.
    pub(crate) fn weighted_table(&self) -> Option<&dyn TokenTable> {
        let builtin = self.embedder.model() == StaticModel::builtin().model();
        builtin.then(|| self.embedder.token_table()).flatten()
    }
}

/// What both searches find within reach; where the question asks about a time, also the best of what happened then.
/// `found` is what a search by plan has found.
fn searched(
    looking: &Looking<'_>,
    recall: &Recall,
    asked: &Asked,
    reach: &Reach,
    found: Option<Searched>,
) -> Searched {
    let depth = model::DEPTH.max(recall.limit);
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
