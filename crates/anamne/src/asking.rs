//! How a question is asked: over which tiers, with which views, and again where one of them failed on the way.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use anamne_recall::past::Past;
use anamne_recall::tiers::{TieredColumns, TieredLexical, TieredVectors};
use anamne_recall::views::{Columns, Disputes, LexicalSearch, VectorSearch};
use anamne_recall::{Facts, Planner, RecallSources, Recaller, can_hold};
use anamne_types::{Answer, Context, ContextRequest, Hit, Plan, Recall, Seq, Temperature, Tier};

use crate::Error;
use crate::answering::Answering;
use crate::connecting::KnownConnections;
use crate::knowledge::KnownDisputes;
use crate::meta::Experienced;
use crate::naming::KnownNames;
use crate::space::{Inner, Space};
use crate::tiers::{OpenTier, Trouble};

/// Stands in the `degraded` of the one answer in the course of which a damaged database was restored.
const RESTORED: &str = "source restored";

/// Authors that recall knows by name at most.
const MOST_AUTHORS: usize = 1_000;

/// Where others write all the time, tiers are brought to the same event so many times before it is enough.
const ROUNDS: usize = 4;

/// What is surer than this bears on a question though it shares no word with it.
const BEARS: f32 = 0.3;

/// Whether a result bears on the question: it holds one of its words, or is near to it in meaning.
fn is_answer(answer: &Answer) -> bool {
    let bears = |hit: &Hit| !hit.explanation.matched.is_empty() || hit.confidence > BEARS;
    answer.results.iter().any(bears)
}

/// The tiers that a question reaches, and the views of them that can't take part.
struct Reached {
    /// The model of all their vectors.
    answering: Arc<Answering>,
    tiers: Vec<Arc<OpenTier>>,
    troubles: Vec<Trouble>,
    /// What differed then, where it is asked what was known at an instant.
    past: Option<Arc<Past>>,
}

impl Space {
    /// Answers a question with the memories that bear on it, best first.
    pub fn recall(&self, recall: &Recall) -> Result<Answer, Error> {
        let answer = self.look(recall)?;
        let hits = answer.results.iter();
        self.inner
            .used(hits.map(|hit| (hit.memory.id, hit.memory.body.kind())));
        Ok(answer)
    }

    /// Answers a question without counting what it found as used.
    pub(crate) fn look(&self, recall: &Recall) -> Result<Answer, Error> {
        let answer = self.ask(recall, false, |recaller| Ok(recaller.recall(recall)?))?;
        Ok(match self.widened(recall, &answer)? {
            Some(better) => better,
            None => answer,
        })
    }

    /// Answers a question, or a preset without one, with a block of text for a model to read, within a token budget.
    pub fn context(&self, request: &ContextRequest) -> Result<Context, Error> {
        if request.preset.is_some() {
            return self.brief(request);
        }
        self.ask(&request.recall, false, |recaller| {
            Ok(recaller.context(request)?)
        })
    }

    /// The answer of all tiers to a question about some, where these hold nothing that bears on it and others do. The answer
    /// says so in its plan.
    fn widened(&self, recall: &Recall, answer: &Answer) -> Result<Option<Answer>, Error> {
        let is_planned = recall.planning && self.config().meta.planning;
        if recall.temperature == Temperature::All || !is_planned || is_answer(answer) {
            return Ok(None);
        }
        let wide = Recall {
            temperature: Temperature::All,
            ..recall.clone()
        };
        let mut wider = self.ask(&wide, true, |recaller| Ok(recaller.recall(&wide)?))?;
        let sure = |answer: &Answer| answer.results.first().map(|best| best.confidence);
        if sure(&wider) <= sure(answer) {
            return Ok(None);
        }
        let plan = wider.plan.get_or_insert_with(|| Plan {
            widened: true,
            ..Plan::default()
        });
        let reason = format!(
            "no {} memory bears on the question, so the other tiers were searched too",
            recall.temperature
        );
        plan.reasons.insert(0, reason);
        Ok(Some(wider))
    }

    /// Asks with every view that can take part. One that turns out to be damaged on the way is left out, and the
    /// question asked again: what it said before is worth nothing.
    fn ask<T>(
        &self,
        recall: &Recall,
        widened: bool,
        question: impl Fn(&Recaller<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.inner.asked.fetch_add(1, Ordering::Relaxed);
        self.inner.activity.note_recall();
        let began = self.inner.source.replacements()?;
        let mut known = began;
        loop {
            let mut reached = self.inner.reach(recall)?;
            if let Some(at) = recall.as_of.known {
                reached.past = Some(self.inner.past(at, &reached.answering.model)?);
            }
            self.wake_worker();
            let restored = known > began;
            let answer = self
                .inner
                .with_recaller(&reached, recall, widened, restored, &question);
            let replacements = self.inner.source.replacements_met();
            if replacements > known && known == began {
                // Part of it was read from a database that is no more. Once is enough: this must not go on for ever
                // where a disk breaks again and again.
                known = replacements;
                continue;
            }
            if self.inner.has_changed_since(&reached.answering)? {
                // The vectors that were asked may have been removed on the way.
                continue;
            }
            let mut tiers = reached.tiers.iter();
            if !tiers.any(|tier| tier.is_newly_broken(&reached.troubles)) {
                return answer;
            }
        }
    }
}

impl Inner {
    /// Brings the views of the active tier up to the last acknowledged write, of the database that is there now.
    pub(crate) fn caught_up(&self) -> Result<Vec<Trouble>, Error> {
        let answering = self.notice_answering()?;
        self.catch_up_active(&answering.active)
    }

    fn catch_up_active(&self, active: &OpenTier) -> Result<Vec<Trouble>, Error> {
        let troubles = active.catch_up(&self.source)?;
        let replacements = self.source.replacements()?;
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if *followed == replacements {
            return Ok(troubles);
        }
        // Names may have other numbers in a restored database, and all its memories lie in the active tier. Published
        // parts went with the old one; what a view has in memory alone is built again.
        self.colder.close();
        let in_memory: Vec<_> = active
            .followers
            .views()
            .iter()
            .filter(|view| view.watermark() == Seq(0) && view.position() > Seq(0))
            .cloned()
            .collect();
        active
            .followers
            .fold(&self.source, &in_memory, &mut |_, _| {})?;
        *self.facts.lock().unwrap_or_else(PoisonError::into_inner) = None;
        *followed = replacements;
        active.catch_up(&self.source)
    }

    /// Brings the tiers that a question reaches up to the last acknowledged write, all of them to the same one: a
    /// memory that moves meanwhile is found where it was or where it is. Tiers that can't hold the time that is asked for
    /// are not even opened, where planning is wanted.
    fn reach(&self, recall: &Recall) -> Result<Reached, Error> {
        let temperature = recall.temperature;
        let (since, until) = if self.plans(recall) {
            (recall.filter.since, recall.filter.until)
        } else {
            (None, None)
        };
        let mut round = 0;
        loop {
            let answering = self.notice_answering()?;
            let mut troubles = self.catch_up_active(&answering.active)?;
            let mut tiers = vec![answering.active.clone()];
            if !temperature.reaches(Tier::Active) {
                (troubles, tiers) = (Vec::new(), Vec::new());
            }
            if temperature != Temperature::Hot {
                for tier in self.colder_tiers()? {
                    if temperature.reaches(tier) && can_hold(tier, since, until) {
                        let tier = self.colder_tier_of(tier, &answering.model)?;
                        troubles.append(&mut tier.catch_up(&self.source)?);
                        tiers.push(tier);
                    }
                }
            }
            round += 1;
            let head = answering.active.followers.head();
            let together = tiers.iter().all(|tier| tier.followers.head() == head);
            if together || round == ROUNDS {
                return Ok(Reached {
                    answering,
                    tiers,
                    troubles,
                    past: None,
                });
            }
        }
    }

    /// Lends a recaller over the views that can take part.
    fn with_recaller<T>(
        &self,
        reached: &Reached,
        recall: &Recall,
        widened: bool,
        restored: bool,
        ask: &impl Fn(&Recaller<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Reached {
            answering,
            tiers,
            troubles,
            past,
        } = reached;
        let whole = |view: &'static str| {
            tiers.iter().filter(move |tier| {
                !troubles
                    .iter()
                    .any(|trouble| trouble.is_of(tier.tier(), view))
            })
        };
        let past = past.as_deref();
        let mut snapshots: Vec<_> = whole("columns")
            .map(|tier| tier.views.columns.snapshot())
            .collect();
        let mut lexical: Vec<_> = whole("lexical").map(|tier| &*tier.views.lexical).collect();
        let mut vectors: Vec<_> = whole("vectors").map(|tier| &*tier.views.vectors).collect();
        let mut lacking = None;
        if let Some(past) = past {
            // What differed then stands before the tiers, as a still hotter one. Alone it would be all that there is.
            prepend(&mut snapshots, || past.columns().snapshot());
            prepend(&mut lexical, || past.lexical());
            if let Some(of_past) = past.vectors() {
                prepend(&mut vectors, || of_past);
            } else {
                vectors.clear();
                lacking = Some("vectors".to_owned());
            }
        }
        let (one_lexical, one_vectors) = (lexical.first().copied(), vectors.first().copied());
        let (several_lexical, several_vectors, several_columns) = (
            TieredLexical::new(lexical),
            TieredVectors::new(vectors),
            TieredColumns::new(snapshots.iter().collect()),
        );
        let is_one = tiers.len() == 1 && past.is_none();
        let kinds: Vec<Tier> = tiers.iter().map(|tier| tier.tier()).collect();
        let counts = kinds
            .iter()
            .zip(snapshots.iter().skip(usize::from(past.is_some())));
        let counts = counts.map(|(tier, columns)| (*tier, columns.rows()));
        // With one tier there is nothing to choose from.
        let is_planned = troubles.is_empty()
            && recall.as_of.is_now()
            && (!is_one || recall.explain_plan || widened);
        let planner = is_planned.then(|| Planner {
            tiers: &kinds,
            lexical: &several_lexical,
            vectors: &several_vectors,
            columns: &snapshots,
            may_leave_out: !is_one && self.plans(recall),
            widened,
        });
        let experience = Experienced(self);
        let facts = self.facts()?;
        let (latent, damaged_latent) = self.latent();
        let graph = self.graph_if_woven();
        let connections = KnownConnections::new(&self.source, graph.clone());
        let disputes = graph.map(KnownDisputes);
        let naming = KnownNames(self);
        let labels = troubles.iter().map(Trouble::label);
        let recaller = Recaller::new(RecallSources {
            source: &self.source,
            lexical: one_lexical.map(|one| {
                if is_one {
                    one as &dyn LexicalSearch
                } else {
                    &several_lexical
                }
            }),
            vectors: one_vectors.map(|one| {
                if is_one {
                    one as &dyn VectorSearch
                } else {
                    &several_vectors
                }
            }),
            columns: snapshots.first().map(|one| {
                if is_one {
                    one as &dyn Columns
                } else {
                    &several_columns
                }
            }),
            disputes: disputes.as_ref().map(|known| known as &dyn Disputes),
            naming: Some(&naming),
            past,
            latent: latent.as_deref(),
            connections: Some(&connections),
            embedder: answering.model.questions.as_ref(),
            reranker: self.reranker.as_deref(),
            facts: &facts,
            degraded: labels
                .chain(lacking)
                .chain(damaged_latent)
                .chain(restored.then(|| RESTORED.to_owned()))
                .chain(self.missing_model_label())
                .collect(),
            planner,
            tiers: counts.collect(),
            experience: Some(&experience),
        });
        ask(&recaller)
    }

    /// Whether the planner has a say in a question.
    fn plans(&self, recall: &Recall) -> bool {
        recall.planning && self.source.config().meta.planning
    }

    /// What recall knows of the space, read anew when something was written.
    fn facts(&self) -> Result<Arc<Facts>, Error> {
        let head = self.active().followers.head();
        let mut known = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((seq, facts)) = &*known
            && *seq == head
        {
            return Ok(facts.clone());
        }
        let facts = Arc::new(Facts::new(
            self.source.authors(MOST_AUTHORS)?,
            self.source.latest()?,
        ));
        *known = Some((head, facts.clone()));
        Ok(facts)
    }
}

/// Puts one before the others, where there are any.
fn prepend<T>(others: &mut Vec<T>, one: impl FnOnce() -> T) {
    if !others.is_empty() {
        others.insert(0, one());
    }
}
