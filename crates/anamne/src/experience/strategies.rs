//! Searches whose strategy is learned from feedback on earlier ones.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use anamne_experience::strategies::{Choice, Learner, Shown, Situation, Strategy};
use anamne_types::{Answer, Draft, Experience, Hit, InvalidValue, MemoryId, Recall, SearchTrace};
use serde::{Deserialize, Serialize};

use super::Advice;
use super::experimenting::assigned;
use super::searching::trace_of;
use crate::Error;
use crate::space::Space;

/// Maximum number of results that a trace names.
const MOST_RESULTS: usize = 256;

/// Maximum number of similar earlier searches that a trace names.
const MOST_SIMILAR: usize = 3;

/// Lessons beside the results.
const MOST_LESSONS: usize = 1;

/// Its name among unavailable views.
const VIEW: &str = "experience";

/// A search with experience.
#[derive(Clone, Debug)]
pub struct LearningSearch {
    /// The question.
    pub recall: Recall,
    /// The earlier searches of the same question that did not help, in order: [`ExperiencedAnswer::search`].
    pub previous: Vec<MemoryId>,
    /// The thread in which the search is recorded.
    pub thread: Option<String>,
    /// The session in which the search is recorded.
    pub session: Option<String>,
    /// Who searches.
    pub agent: Option<String>,
    /// Which results are shown. The others are not recorded, so that a later search of the question may show them.
    pub shown: ShownResults,
}

/// Which results of an answer are shown: by default all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ShownResults {
    /// Those up to the last one with this confidence, 0 to 1.
    pub min_confidence: f32,
    /// So many if there is no such one.
    pub at_least: usize,
}

impl ShownResults {
    /// The number of results that are shown; the others are the last ones. O(results).
    pub fn count(self, answer: &Answer) -> usize {
        let is_likely = |hit: &Hit| hit.confidence >= self.min_confidence || !hit.path.is_empty();
        let last = answer.results.iter().rposition(is_likely);
        last.map_or(answer.results.len().min(self.at_least), |last| last + 1)
    }
}

impl LearningSearch {
    /// The first search of a question.
    pub fn new(recall: Recall) -> Self {
        Self {
            recall,
            previous: Vec::new(),
            thread: None,
            session: None,
            agent: None,
            shown: ShownResults::default(),
        }
    }
}

/// The answer to a search with experience.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExperiencedAnswer {
    /// The results, none of which an earlier search of the question showed. If experience was unavailable or the search
    /// was not recorded, `degraded` names `experience`. Its time does not contain that of recording.
    #[serde(flatten)]
    pub answer: Answer,
    /// The memory of the search, for [`Space::search_feedback`]; `None` if it was not recorded.
    pub search: Option<MemoryId>,
    /// Its citation, such as `m12`; empty if it was not recorded.
    pub citation: String,
    /// The name of the strategy.
    pub strategy: String,
    /// Why it was chosen, as a phrase.
    pub why: String,
    /// Number of searches with it that it was learned from.
    pub learned_from: u64,
    /// Whether it was chosen to learn, although another is expected to be better.
    pub explores: bool,
    /// The strategies of the earlier searches, in order.
    pub tried: Vec<String>,
    /// Whether the search was expected to be worth its cost. If not, ask otherwise, or stop.
    pub worthwhile: bool,
    /// The experiment that assigned the strategy; empty if none.
    pub experiment: String,
    /// The lesson that applies to the query best, if any does; only with the first search of a question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessons: Vec<Advice>,
}

/// A search strategy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SearchStrategy {
    /// Its name.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub name: Cow<'static, str>,
    /// What it does, as a phrase.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub description: Cow<'static, str>,
}

/// The earlier searches of a question.
#[derive(Default)]
struct Earlier {
    names: Vec<String>,
    strategies: Vec<Strategy>,
    shown: Shown,
}

/// A strategy with the reason for it.
struct Chosen {
    choice: Choice,
    worthwhile: bool,
    experiment: String,
}

impl Chosen {
    fn default(why: &str) -> Self {
        Self {
            choice: Choice {
                strategy: Strategy::DEFAULT,
                expected: 0.0,
                learned_from: 0,
                explores: false,
                why: why.to_owned(),
            },
            worthwhile: true,
            experiment: String::new(),
        }
    }
}

impl Space {
    /// All search strategies, the default first.
    pub fn search_strategies() -> Vec<SearchStrategy> {
        let of = |strategy: &Strategy| SearchStrategy {
            name: strategy.name().into(),
            description: strategy.description().into(),
        };
        Strategy::ALL.iter().map(of).collect()
    }

    /// Answers a query with the strategy that is expected to succeed, given the earlier searches of the same question;
    /// none of their results is shown again. The search is recorded, so that feedback on it can be learned from.
    ///
    /// Without experience, the first search is that of [`Space::recall`]. Without the right to write, all are, and
    /// nothing is recorded. Broken experience does not break a search: it is made with the default, and `degraded` says so.
    ///
    /// # Errors
    ///
    /// If the query is invalid, if a `previous` is no search, or if the space can't be queried.
    pub fn search_with_experience(
        &self,
        search: &LearningSearch,
    ) -> Result<ExperiencedAnswer, Error> {
        search.recall.check()?;
        let started = Instant::now();
        let earlier = self.earlier_searches(&search.previous)?;
        let situation = self.situation(search)?;
        let may_record = self.require_write().is_ok();
        let chosen = if may_record {
            self.choose(&search.recall.query, &situation, &earlier.strategies)
        } else {
            Ok(Chosen::default("nothing may be recorded here"))
        };
        let is_unavailable = chosen.is_err();
        let unavailable = |_| Chosen::default("experience is unavailable");
        let chosen = chosen.unwrap_or_else(unavailable);
        let answer = self.find(&search.recall, &chosen.choice.strategy, &earlier.shown)?;
        let mut found = ExperiencedAnswer {
            answer,
            search: None,
            citation: String::new(),
            strategy: chosen.choice.strategy.name().to_owned(),
            why: chosen.choice.why,
            learned_from: chosen.choice.learned_from,
            explores: chosen.choice.explores,
            tried: earlier.names,
            worthwhile: chosen.worthwhile,
            experiment: chosen.experiment,
            lessons: Vec::new(),
        };
        if search.previous.is_empty() && !is_unavailable {
            // The answer stands without it.
            let lessons = self.applying_lessons(&search.recall.query, MOST_LESSONS);
            found.lessons = lessons.unwrap_or_default();
        }
        found.answer.took_ms = started.elapsed().as_secs_f64() * 1000.0;
        let trace = trace(search, &situation, &found, started.elapsed());
        let is_lost = may_record && self.record_search(search, trace, &mut found).is_err();
        if may_record && !is_lost {
            // The answer stands without it.
            let _ = self.note_asked_again(&search.previous);
            let _ = self.note_rephrased(search, found.search);
        }
        if is_unavailable || is_lost {
            found.answer.degraded.push(VIEW.to_owned());
        }
        Ok(found)
    }

    /// The earlier searches of a question, and what they showed. O(results shown).
    fn earlier_searches(&self, previous: &[MemoryId]) -> Result<Earlier, Error> {
        let most = Learner::MOST_SEARCHES * 2;
        if previous.len() > most {
            let accepts = format!("at most {most} searches");
            return Err(InvalidValue::new("after", accepts, previous.len()).into());
        }
        let mut earlier = Earlier::default();
        for id in previous {
            let trace = self.trace(*id)?;
            for shown in &trace.results {
                // What was forgotten meanwhile is not found again.
                if let Ok(memory) = self.inner.source.get(*shown) {
                    earlier.shown.add(&memory);
                }
            }
            earlier.strategies.extend(Strategy::named(&trace.strategy));
            earlier.names.push(trace.strategy);
        }
        Ok(earlier)
    }

    fn trace(&self, id: MemoryId) -> Result<SearchTrace, Error> {
        let accepts = "ids of searches with experience";
        let wrong = || InvalidValue::new("after", accepts, id).into();
        trace_of(self.inner.source.get(id)?).ok_or_else(wrong)
    }

    /// The situation before the first search, or after it; after a restart the first search is made again.
    fn situation(&self, search: &LearningSearch) -> Result<Situation, Error> {
        let before = Situation::of_query(&search.recall);
        let Some(first) = search.previous.first() else {
            return Ok(before);
        };
        Ok(match self.inner.caches.searches.situation_after(*first) {
            Some(known) => known,
            None => before.after(&self.look(&search.recall)?),
        })
    }

    fn choose(
        &self,
        query: &str,
        situation: &Situation,
        tried: &[Strategy],
    ) -> Result<Chosen, Error> {
        let known = self.known()?;
        if tried.is_empty()
            && let Some(experiment) = &known.experiment
            && let Some(strategy) = assigned(experiment, query)
        {
            let why = format!("assigned by the experiment {}", experiment.name);
            let mut chosen = Chosen::default(&why);
            chosen.choice.strategy = strategy;
            chosen.choice.explores = true;
            chosen.experiment.clone_from(&experiment.name);
            return Ok(chosen);
        }
        Ok(match known.learner.choose(situation, tried) {
            Some(choice) => Chosen {
                choice,
                worthwhile: true,
                experiment: String::new(),
            },
            None => Chosen {
                worthwhile: false,
                ..Chosen::default("no strategy is expected to help any more")
            },
        })
    }

    /// Runs a strategy, and leaves out what was shown.
    fn find(&self, recall: &Recall, strategy: &Strategy, shown: &Shown) -> Result<Answer, Error> {
        let is_plain = *strategy == Strategy::DEFAULT && shown.is_empty();
        if is_plain {
            return self.recall(recall);
        }
        let answer = self.page(recall, strategy, shown)?;
        let hits = answer.results.iter();
        let used = hits.map(|hit| (hit.memory.id, hit.memory.body.kind()));
        self.inner.caches.used(used, self.now());
        Ok(answer)
    }

    fn page(&self, recall: &Recall, strategy: &Strategy, shown: &Shown) -> Result<Answer, Error> {
        let answer = self.look(&strategy.candidates(recall, shown))?;
        let page = strategy.page(&answer, shown, recall.limit);
        Ok(Answer {
            results: page.into_iter().cloned().collect(),
            ..answer
        })
    }

    fn record_search(
        &self,
        search: &LearningSearch,
        mut trace: SearchTrace,
        found: &mut ExperiencedAnswer,
    ) -> Result<(), Error> {
        // Recorded without them if experience is unavailable.
        let similar = self.similar_searches(&trace.query, MOST_SIMILAR);
        let similar = similar.unwrap_or_default();
        trace.similar = similar.iter().map(|past| past.memory).collect();
        let remembered = self.remember(Draft {
            thread: search.thread.clone(),
            session: search.session.clone(),
            author: search.agent.clone(),
            ..Draft::experience(Experience::Search(trace))
        })?;
        self.inner.caches.searches.note_recorded(remembered.seq);
        if search.previous.is_empty() {
            let after = Situation::of_query(&search.recall).after(&found.answer);
            let searches = &self.inner.caches.searches;
            searches.keep_situation(remembered.id, after);
        }
        found.citation = self.inner.source.get(remembered.id)?.citation();
        found.search = Some(remembered.id);
        Ok(())
    }
}

/// The record of a search.
fn trace(
    search: &LearningSearch,
    situation: &Situation,
    found: &ExperiencedAnswer,
    took: Duration,
) -> SearchTrace {
    let shown = search.shown.count(&found.answer).min(MOST_RESULTS);
    let results = found.answer.results.iter().take(shown);
    let best = found.answer.results.first();
    SearchTrace {
        query: search.recall.query.clone(),
        strategy: found.strategy.clone(),
        after: found.tried.clone(),
        features: situation.features(),
        results: results.map(|hit| hit.memory.id).collect(),
        confidence: best.map_or(0.0, |hit| hit.confidence),
        similar: Vec::new(),
        experiment: found.experiment.clone(),
        took_us: took.as_micros() as u64,
    }
}
