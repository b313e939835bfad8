//! Queries over several spaces, merged into one answer.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anamne_store::Unreadable;
use anamne_types::{
    Abstention, Answer, Hit, Plan, Reached, Recall, SpaceChoice, SpaceProposals, Spaces, Work,
};

use super::narrowing::stepwise;
use crate::Error;
use crate::store::Store;

/// The space for what is true in every project.
pub(crate) const CORE: &str = "core";

/// The spaces that a query is asked of.
pub(super) struct AskedSpaces {
    /// Their names, each once, `core` last unless it was named.
    pub(super) names: Vec<String>,
    /// The number of spaces that could not be proposed, because they were not sampled.
    not_sampled: usize,
}

impl Store {
    /// Queries several spaces one after the other and merges their results.
    ///
    /// Each space ranks with its own statistics; only confidence, a calibrated probability, is comparable across
    /// spaces. The lists are merged by it, keeping each space's order. Duplicates are returned once. A space that can't
    /// be queried is named in `degraded`, unless it was requested by name. A narrow query asks its session in these spaces
    /// first, then the spaces without `core`, then `core` too.
    ///
    /// # Errors
    ///
    /// If a named space is missing or can't be queried, if no space can be queried, or if the query is invalid.
    pub fn recall(&self, spaces: &Spaces, recall: &Recall) -> Result<Answer, Error> {
        spaces.check()?;
        recall.check()?;
        let asked = self.asked(spaces, &recall.query)?;
        self.recall_of(&asked, spaces, recall)
    }

    /// The same, with the names of the spaces.
    pub(super) fn recall_of(
        &self,
        asked: &AskedSpaces,
        spaces: &Spaces,
        recall: &Recall,
    ) -> Result<Answer, Error> {
        let left_aside = self.left_aside(spaces, asked)?;
        let must_answer = matches!(spaces.choice, SpaceChoice::Named(_));
        let asked = &asked.names;
        let is_other = |name: &&String| *name != CORE;
        let without_core: Vec<String> = asked.iter().filter(is_other).cloned().collect();
        if spaces.core && !without_core.is_empty() && without_core.len() < asked.len() {
            let narrower = [Reached::Session, Reached::Space];
            return stepwise(recall, &narrower, Reached::Core, |recall, stage| {
                let asked = match stage {
                    Reached::Core => asked,
                    _ => &without_core,
                };
                self.recall_at_once(asked, must_answer, left_aside.clone(), recall)
            });
        }
        stepwise(recall, &[Reached::Session], Reached::Space, |recall, _| {
            self.recall_at_once(asked, must_answer, left_aside.clone(), recall)
        })
    }

    /// Queries all of these spaces; if one must answer, its error is returned. What was left aside is named in the answer.
    fn recall_at_once(
        &self,
        asked: &[String],
        must_answer: bool,
        left_aside: Vec<String>,
        recall: &Recall,
    ) -> Result<Answer, Error> {
        let mut answers = Vec::new();
        let mut degraded = left_aside;
        let mut failure = None;
        for name in asked {
            let answer = self
                .existing_space(name)
                .and_then(|space| space.recall(recall));
            match answer {
                Ok(answer) => answers.push((name.clone(), answer)),
                Err(error) if must_answer && name != CORE => return Err(error),
                Err(error) => {
                    degraded.push(format!("space {name}: {error}"));
                    failure = Some(error);
                }
            }
        }
        if let (true, Some(error)) = (answers.is_empty(), failure) {
            return Err(error);
        }
        if asked.len() == 1 && degraded.is_empty() {
            return Ok(answers.pop().map(|(_, answer)| answer).unwrap_or_default());
        }
        Ok(merged(answers, degraded, recall.limit))
    }

    /// Spaces that were not named, and whose settings are unreadable or that were not sampled.
    pub(super) fn left_aside(
        &self,
        spaces: &Spaces,
        asked: &AskedSpaces,
    ) -> Result<Vec<String>, Error> {
        if matches!(spaces.choice, SpaceChoice::Named(_)) {
            return Ok(Vec::new());
        }
        let unreadable = self.unreadable_spaces()?.into_iter();
        let label = |unreadable: Unreadable| {
            let folder = unreadable.folder.file_name().unwrap_or_default();
            format!("space {}: {}", folder.to_string_lossy(), unreadable.error)
        };
        let mut left_aside: Vec<_> = unreadable.map(label).collect();
        left_aside.extend(SpaceProposals::note(asked.not_sampled));
        Ok(left_aside)
    }

    /// The spaces to query.
    pub(super) fn asked(&self, spaces: &Spaces, query: &str) -> Result<AskedSpaces, Error> {
        let mut not_sampled = 0;
        let mut names: Vec<String> = match &spaces.choice {
            SpaceChoice::Named(names) => names.clone(),
            SpaceChoice::All => self.spaces()?.iter().map(ToString::to_string).collect(),
            SpaceChoice::Proposed { hints, most } => {
                let proposed = self.propose_spaces(query, hints, *most)?;
                not_sampled = proposed.not_sampled;
                let proposed = proposed.spaces.into_iter();
                proposed.map(|proposal| proposal.space).collect()
            }
        };
        let wants_core = spaces.core && !names.iter().any(|name| name == CORE);
        if wants_core && self.spaces()?.iter().any(|name| name.as_str() == CORE) {
            names.push(CORE.to_owned());
        }
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        Ok(AskedSpaces { names, not_sampled })
    }
}

/// Merges the answers of several spaces.
fn merged(answers: Vec<(String, Answer)>, mut degraded: Vec<String>, limit: usize) -> Answer {
    let mut merged = Answer::default();
    let mut plans = Vec::new();
    let mut abstentions = Vec::new();
    let mut lists = Vec::new();
    let mut clarifications = BTreeMap::new();
    for (space, answer) in answers {
        degraded.extend(
            answer
                .degraded
                .iter()
                .map(|view| format!("{space}: {view}")),
        );
        merged.took_ms += answer.took_ms;
        merged.answered = merged.answered.max(answer.answered);
        if merged.times.is_empty() {
            merged.times = answer.times;
        }
        // One that a space can't use doesn't restrict what comes from there.
        for time in answer.ignored_times {
            if !merged.ignored_times.contains(&time) {
                merged.ignored_times.push(time);
            }
        }
        plans.extend(answer.plan.map(|plan| (space.clone(), plan)));
        merged.dropped += answer.dropped;
        abstentions.extend(answer.abstained);
        clarifications.extend(
            answer
                .needs_clarification
                .map(|found| (space.clone(), found)),
        );
        lists.push(in_one_scale(&space, answer.results));
    }
    merged.results = interleaved(lists, limit);
    // Only the space of the best result may ask back.
    let best = merged.results.first().and_then(|hit| hit.space.as_ref());
    merged.needs_clarification = best.and_then(|space| clarifications.remove(space));
    merged.degraded = degraded;
    merged.plan = one_plan(plans);
    if merged.results.is_empty() {
        merged.abstained = one_abstention(abstentions);
    }
    merged
}

/// A space's results with their merge key: the highest confidence from that rank on, so that the space's own order is
/// kept.
fn in_one_scale(space: &str, results: Vec<Hit>) -> VecDeque<(f32, Hit)> {
    let mut surest = 0.0f32;
    let mut scaled: VecDeque<(f32, Hit)> = VecDeque::with_capacity(results.len());
    for hit in results.into_iter().rev() {
        surest = surest.max(hit.confidence);
        let space = Some(space.to_owned());
        scaled.push_front((surest, Hit { space, ..hit }));
    }
    scaled
}

/// Merges the lists by falling key, ties in the order of the spaces. Duplicates are dropped.
fn interleaved(mut lists: Vec<VecDeque<(f32, Hit)>>, limit: usize) -> Vec<Hit> {
    let mut results: Vec<Hit> = Vec::new();
    while results.len() < limit {
        let surest = |list: &VecDeque<(f32, Hit)>| list.front().map(|(confidence, _)| *confidence);
        let next = (0..lists.len())
            .filter(|index| !lists[*index].is_empty())
            .min_by(|one, other| {
                let (one, other) = (surest(&lists[*one]), surest(&lists[*other]));
                other.partial_cmp(&one).unwrap_or(Ordering::Equal)
            });
        let Some((_, hit)) = next.and_then(|index| lists[index].pop_front()) else {
            break;
        };
        let says_the_same = |known: &&mut Hit| {
            known.space != hit.space && known.memory.content.trim() == hit.memory.content.trim()
        };
        match results.iter_mut().find(says_the_same) {
            // A member is the same memory, not only the same text.
            Some(known) if known.memory.id == hit.memory.id => known.also_in.extend(hit.space),
            Some(_) => {}
            None => results.push(hit),
        }
    }
    results
}

/// Merges the plans.
fn one_plan(plans: Vec<(String, Plan)>) -> Option<Plan> {
    let several = plans.len() > 1;
    plans
        .into_iter()
        .map(|(space, plan)| {
            let reasons = plan.reasons.into_iter();
            let reasons = reasons.map(|reason| {
                if several {
                    format!("{space}: {reason}")
                } else {
                    reason
                }
            });
            Plan {
                reasons: reasons.collect(),
                ..plan
            }
        })
        .reduce(|mut all, plan| {
            all.planned |= plan.planned;
            all.widened |= plan.widened;
            all.expected = together(all.expected, plan.expected);
            all.work = together(all.work, plan.work);
            for (tiers, more) in [
                (&mut all.tiers, plan.tiers),
                (&mut all.left_out, plan.left_out),
            ] {
                for tier in more {
                    if !tiers.contains(&tier) {
                        tiers.push(tier);
                    }
                }
            }
            all.reasons.extend(plan.reasons);
            all
        })
}

fn together(one: Work, other: Work) -> Work {
    Work {
        tiers: one.tiers + other.tiers,
        rows: one.rows + other.rows,
        bytes: one.bytes + other.bytes,
        edges: one.edges + other.edges,
    }
}

/// Merges what was searched, and the nearest miss.
fn one_abstention(abstentions: Vec<Abstention>) -> Option<Abstention> {
    abstentions.into_iter().reduce(|one, other| {
        let sureness = |abstention: &Abstention| {
            abstention
                .nearest
                .as_ref()
                .map_or(f32::NEG_INFINITY, |nearest| nearest.confidence)
        };
        let nearest = if sureness(&other) > sureness(&one) {
            other.nearest
        } else {
            one.nearest
        };
        Abstention {
            threshold: one.threshold,
            looked_at: format!("{} {}", one.looked_at, other.looked_at),
            nearest,
        }
    })
}
