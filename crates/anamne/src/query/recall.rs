//! Runs a query: selects tiers and views, and retries when a view fails on the way.

use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anamne_embed::Reranker;
use anamne_recall::past::Past;
use anamne_recall::views::Disputes;
use anamne_recall::{
    Forest, RecallCache, RecallSources, RecallStage, Recaller, SpaceProfile, can_hold,
};
use anamne_types::{
    Answer, Context, ContextRequest, Hit, Plan, Reached, Recall, Signals, Temperature, Tier,
};

use crate::Error;
use crate::core::Inner;
use crate::derived::answering::Answering;
use crate::derived::available_views::AvailableViews;
use crate::derived::connecting::{KnownConnections, KnownDisputes};
use crate::derived::meta::QueryHistory;
use crate::derived::naming::KnownNames;
use crate::derived::tiers::{OpenTier, UnavailableView};
use crate::query::narrowing;
use crate::query::reranking::ChosenReranker;
use crate::space::Space;

/// The entry in `degraded` of an answer during which a damaged database was restored.
const RESTORED: &str = "source restored";

/// Maximum number of authors that recall recognises by name.
const MOST_AUTHORS: usize = 1_000;

/// Maximum attempts to bring all tiers to the same event while others write.
const ROUNDS: usize = 4;

/// A result above this confidence is relevant even without a shared word.
const RELEVANT_CONFIDENCE: f32 = 0.3;

/// Whether a result is relevant: it contains a query word or has a similar meaning.
fn is_answer(answer: &Answer) -> bool {
    let bears =
        |hit: &Hit| !hit.explanation.matched.is_empty() || hit.confidence > RELEVANT_CONFIDENCE;
    answer.results.iter().any(bears)
}

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Query,
    /// A query that is repeated in all tiers.
    WidenedQuery,
    /// A prompt that nobody meant as a question. It has to be answered in milliseconds.
    Prompt,
}

/// The tiers of a query, and their unavailable views.
struct TierSelection {
    /// The model of all their vectors.
    answering: Arc<Answering>,
    tiers: Vec<Arc<OpenTier>>,
    problems: Vec<UnavailableView>,
    /// The differences from the present, for queries as of an earlier time.
    past: Option<Arc<Past>>,
}

impl Space {
    /// Answers a query with relevant memories, best first.
    pub fn recall(&self, recall: &Recall) -> Result<Answer, Error> {
        let answer = self.look(recall)?;
        let hits = answer.results.iter();
        let used = hits.map(|hit| (hit.memory.id, hit.memory.body.kind()));
        self.inner.caches.used(used, self.now());
        Ok(answer)
    }

    /// Answers a query without counting its results as used.
    pub(crate) fn look(&self, recall: &Recall) -> Result<Answer, Error> {
        let recall = &*self.resolved_recall(recall)?;
        let ask = |recall: &Recall, _| self.look_everywhere(recall);
        narrowing::stepwise(recall, &[Reached::Session], Reached::Space, ask)
    }

    /// The same in the whole space.
    fn look_everywhere(&self, recall: &Recall) -> Result<Answer, Error> {
        let answer = self.ask(
            recall,
            Asked::Query,
            |recaller| Ok(recaller.recall(recall)?),
        )?;
        Ok(match self.widened(recall, &answer)? {
            Some(better) => better,
            None => answer,
        })
    }

    /// Answers a query, or a preset, with a block of text for a model, within a token budget.
    pub fn context(&self, request: &ContextRequest) -> Result<Context, Error> {
        if request.preset.is_some() {
            return self.brief(request);
        }
        let resolved = self.resolved_recall(&request.recall)?;
        let request = match resolved {
            Cow::Borrowed(_) => Cow::Borrowed(request),
            Cow::Owned(recall) => Cow::Owned(ContextRequest {
                recall,
                ..request.clone()
            }),
        };
        if request.recall.narrow.is_some() {
            return self.narrow_context(&request);
        }
        self.ask(&request.recall, Asked::Query, |recaller| {
            Ok(recaller.context(&request)?)
        })
    }

    /// A block of the narrowest part of the space that answers.
    fn narrow_context(&self, request: &ContextRequest) -> Result<Context, Error> {
        let started = Instant::now();
        request.check()?;
        let answer = self.look(&request.recall)?;
        let mut context = self.pack(request, &answer, None, request.budget())?;
        context.reached = answer.reached;
        context.took_ms = started.elapsed().as_secs_f64() * 1000.0;
        Ok(context)
    }

    /// Widens a query to all tiers if the requested ones have no relevant result and others do; the plan says so.
    fn widened(&self, recall: &Recall, answer: &Answer) -> Result<Option<Answer>, Error> {
        let is_planned = recall.planning && self.config().meta.planning;
        let is_everything = recall.temperature.is_everything(recall.tier_alone);
        if is_everything || recall.tier_alone || !is_planned || is_answer(answer) {
            return Ok(None);
        }
        let wide = Recall {
            temperature: Temperature::All,
            ..recall.clone()
        };
        let mut wider = self.ask(&wide, Asked::WidenedQuery, |recaller| {
            Ok(recaller.recall(&wide)?)
        })?;
        let sure = |answer: &Answer| answer.results.first().map(|best| best.confidence);
        if sure(&wider) <= sure(answer) {
            return Ok(None);
        }
        let plan = wider.plan.get_or_insert_with(|| Plan {
            widened: true,
            ..Plan::default()
        });
        let reason = format!(
            "no relevant {} memory; searched the other tiers too",
            recall.temperature
        );
        plan.reasons.insert(0, reason);
        Ok(Some(wider))
    }

    /// Queries all available views. If one turns out to be damaged, the query is repeated without it.
    pub(super) fn ask<T>(
        &self,
        recall: &Recall,
        asked: Asked,
        question: impl Fn(&Recaller<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.inner.jobs.asked.fetch_add(1, Ordering::Relaxed);
        self.inner.derived.tasks.activity.note_recall();
        let began = self.inner.source.replacements()?;
        let mut known = began;
        loop {
            let observer = &self.inner.site.observer;
            let began_to_reach = observer.now();
            let mut reached = self.inner.reach(recall)?;
            if let Some(at) = recall.as_of.known {
                reached.past = Some(self.inner.past(at, &reached.answering.model)?);
            }
            observer.stage(RecallStage::CatchUp, began_to_reach);
            self.inner.wake_background();
            let restored = known > began;
            let answer = self.inner.with_recaller(
                &reached,
                recall,
                asked,
                restored,
                self.forest(),
                &question,
            );
            let replacements = self.inner.source.replacements_met();
            if replacements > known && known == began {
                // Part of the answer came from a database that has been replaced. Retry only once, so that a failing
                // disk can't cause an endless loop.
                known = replacements;
                continue;
            }
            if self
                .inner
                .derived
                .tiers
                .has_changed_since(&reached.answering)?
            {
                // The queried vectors may have been removed meanwhile.
                continue;
            }
            let mut tiers = reached.tiers.iter();
            if !tiers.any(|tier| tier.is_newly_broken(&reached.problems)) {
                return answer;
            }
        }
    }
}

impl Inner {
    /// Brings all tiers of the query to the same event, the last acknowledged write, so that a moving memory is found
    /// in its old or new tier. With planning, tiers outside the requested time are not opened.
    fn reach(&self, recall: &Recall) -> Result<TierSelection, Error> {
        let (since, until) = if self.plans(recall) {
            (recall.filter.since, recall.filter.until)
        } else {
            (None, None)
        };
        let mut round = 0;
        loop {
            let answering = self.derived.tiers.notice_answering()?;
            let mut problems = self.derived.tiers.catch_up_active(&answering.active)?;
            let mut tiers = vec![answering.active.clone()];
            if !recall.reaches(Tier::Active) {
                (problems, tiers) = (Vec::new(), Vec::new());
            }
            if recall.temperature != Temperature::Hot {
                for tier in self.derived.tiers.colder_tiers()? {
                    if recall.reaches(tier) && can_hold(tier, since, until) {
                        let tier = self.derived.tiers.recalled_tier(tier, &answering.model)?;
                        problems.append(&mut tier.catch_up(&self.source)?);
                        tiers.push(tier);
                    }
                }
            }
            round += 1;
            let head = answering.active.followers.head();
            let together = tiers.iter().all(|tier| tier.followers.head() == head);
            if together || round == ROUNDS {
                return Ok(TierSelection {
                    answering,
                    tiers,
                    problems,
                    past: None,
                });
            }
        }
    }

    /// Runs a closure with a recaller over the available views.
    fn with_recaller<T>(
        &self,
        reached: &TierSelection,
        recall: &Recall,
        asked: Asked,
        restored: bool,
        forest: &Forest,
        ask: &impl Fn(&Recaller<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let TierSelection {
            answering,
            tiers,
            problems,
            past,
        } = reached;
        let observer = &self.site.observer;
        let began = observer.now();
        let past = past.as_deref();
        if recall.signals != Signals::Lexical {
            let wait = self.source.config().embedding.query_wait_ms;
            let wait = Duration::from_millis(wait.into());
            let known = answering.model.expect_question(&recall.query, wait);
            if let Some(was_known) = known {
                observer.cache(RecallCache::QueryVectors, was_known);
            }
        }
        let part = AvailableViews::of(tiers, problems, past);
        let together = part.together();
        let widened = asked == Asked::WidenedQuery;
        let kinds: Vec<Tier> = tiers.iter().map(|tier| tier.tier()).collect();
        // With one tier there is nothing to plan.
        let is_planned = problems.is_empty()
            && recall.as_of.is_now()
            && (!part.is_one() || recall.explain_plan || widened);
        let planner = is_planned.then(|| together.planner(&kinds, self.plans(recall), widened));
        let experience = QueryHistory(&self.derived.meta);
        let facts = self.facts()?;
        let (latent, damaged_latent) = self.derived.latent.index();
        let graph = self.derived.knowledge.if_extracted();
        let connections = KnownConnections::new(&self.source, graph.clone());
        let disputes = graph.map(KnownDisputes);
        let naming = KnownNames(&self.derived.knowledge);
        let labels = problems.iter().map(UnavailableView::label);
        let config = self.source.config();
        let chosen = config.recall.reranker.as_deref();
        let chosen = chosen.map(|name| ChosenReranker::new(&self.site.models, name));
        let chosen = chosen.as_ref().filter(|_| asked != Asked::Prompt);
        let chosen = chosen.map(|chosen| chosen as &dyn Reranker);
        let recaller = Recaller::new(RecallSources {
            source: &self.source,
            lexical: together.lexical(),
            vectors: together.vectors(),
            columns: together.columns(),
            disputes: disputes.as_ref().map(|known| known as &dyn Disputes),
            naming: Some(&naming),
            past,
            latent: latent.as_deref(),
            connections: Some(&connections),
            embedder: answering.model.questions.as_ref(),
            reranker: self.reranker.as_deref().or(chosen),
            forest,
            facts: &facts,
            degraded: labels
                .chain(part.lacking.clone())
                .chain(damaged_latent)
                .chain(restored.then(|| RESTORED.to_owned()))
                .chain(self.derived.tiers.missing_model_label())
                .collect(),
            damaged: Mutex::default(),
            planner,
            tiers: part.counts(&kinds),
            experience: Some(&experience),
            observer: observer.get(),
        });
        observer.stage(RecallStage::Gather, began);
        ask(&recaller)
    }

    /// Whether the planner is used for a query.
    fn plans(&self, recall: &Recall) -> bool {
        recall.planning && self.source.config().meta.planning
    }

    /// The profile of the space, refreshed after writes.
    fn facts(&self) -> Result<Arc<SpaceProfile>, Error> {
        let head = (self.source.replacements_met(), self.derived.tiers.head());
        let mut known = self
            .caches
            .facts
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let fresh = known.as_ref().filter(|(seq, _)| *seq == head);
        self.site
            .observer
            .cache(RecallCache::Profile, fresh.is_some());
        if let Some((_, facts)) = fresh {
            return Ok(facts.clone());
        }
        let facts = Arc::new(SpaceProfile::new(
            self.source.authors(MOST_AUTHORS)?,
            self.source.latest()?,
        ));
        *known = Some((head, facts.clone()));
        Ok(facts)
    }
}
