//! Replays searches over what the strategies were recorded to find.

use std::collections::HashSet;

use anamne_experience::strategies::Strategy;

use super::recorded::{Found, Question};

/// Memories that a search shows.
pub(crate) const SHOWN: usize = 5;

/// The most searches for one question.
pub(crate) const MOST_SEARCHES: usize = 4;

/// A strategy by its number in [`Strategy::ALL`].
pub(crate) type Number = usize;

/// The searches for one question.
#[derive(Clone, Debug, Default)]
pub(crate) struct Played {
    /// The strategies with whether evidence was shown; only the last one can have.
    pub(crate) searches: Vec<(Number, bool)>,
    /// Estimated tokens shown.
    pub(crate) tokens: u32,
    /// Milliseconds of all searches.
    pub(crate) milliseconds: f64,
}

impl Played {
    /// Whether a search showed evidence.
    pub(crate) fn succeeded(&self) -> bool {
        self.searches.last().is_some_and(|(_, hit)| *hit)
    }

    /// The number of searches until evidence was shown; one more than allowed if it never was.
    pub(crate) fn until_success(&self) -> usize {
        if self.succeeded() {
            self.searches.len()
        } else {
            MOST_SEARCHES + 1
        }
    }
}

/// Searches with the strategies that `next` names, from those tried before, until evidence is shown or there is none. No
/// memory is shown twice.
pub(crate) fn play(
    question: &Question,
    mut next: impl FnMut(&[Number]) -> Option<Number>,
) -> Played {
    let mut seen = Seen::default();
    let mut tried = Vec::new();
    let mut played = Played::default();
    while tried.len() < MOST_SEARCHES {
        let Some(number) = next(&tried) else { break };
        let page = seen.page(question, number);
        let hit = page.iter().any(|found| found.evidence);
        played.tokens += page.iter().map(|found| found.tokens).sum::<u32>();
        played.milliseconds += question.searches[number].milliseconds;
        played.searches.push((number, hit));
        tried.push(number);
        if hit {
            break;
        }
        seen.add(&page);
    }
    played
}

/// What was shown.
#[derive(Default)]
struct Seen {
    records: HashSet<u32>,
    threads: HashSet<u32>,
}

impl Seen {
    fn add(&mut self, page: &[Found]) {
        self.records.extend(page.iter().map(|found| found.record));
        self.threads.extend(page.iter().map(|found| found.thread));
    }

    /// The memories that a strategy shows next, as in [`Strategy::page`].
    fn page(&self, question: &Question, number: Number) -> Vec<Found> {
        let mut page = question.searches[number].found.clone();
        page.retain(|found| !self.records.contains(&found.record));
        if Strategy::ALL[number].prefers_other_threads() {
            page = self.other_threads_first(page);
        }
        page.truncate(SHOWN);
        page
    }

    fn other_threads_first(&self, candidates: Vec<Found>) -> Vec<Found> {
        let mut threads = self.threads.clone();
        let (mut others, same): (Vec<Found>, Vec<Found>) = candidates
            .into_iter()
            .partition(|found| threads.insert(found.thread));
        others.extend(same);
        others
    }
}

#[cfg(test)]
mod tests {
    use super::super::recorded::Search;
    use super::*;

    fn question(lists: &[&[u32]], evidence: u32) -> Question {
        let mut question = Question::default();
        for list in lists {
            let found = |record: &u32| Found {
                record: *record,
                thread: record / 10,
                evidence: *record == evidence,
                tokens: 7,
            };
            question.searches.push(Search {
                found: list.iter().map(found).collect(),
                milliseconds: 2.0,
            });
        }
        question
    }

    #[test]
    fn a_search_shows_nothing_twice_and_the_first_evidence_ends_it() {
        let question = question(&[&[1, 2, 3, 4, 5, 6], &[1, 2, 3, 4, 5, 9, 6]], 9);
        let played = play(&question, |tried| Some(tried.len().min(1)));
        assert_eq!(played.searches, [(0, false), (1, true)]);
        assert_eq!(played.tokens, 7 * (5 + 2));
        assert_eq!(played.until_success(), 2);
    }

    #[test]
    fn other_threads_come_first() {
        let mut question = question(&[&[1, 2, 3, 4, 5, 6, 11, 21]], 21);
        let other = Strategy::named("other_threads").unwrap().number();
        question.searches = vec![question.searches[0].clone(); other + 1];
        let played = play(&question, |tried| tried.is_empty().then_some(other));
        assert!(played.succeeded());
        let played = play(&question, |tried| tried.is_empty().then_some(0));
        assert!(!played.succeeded());
    }

    #[test]
    fn there_are_at_most_four_searches() {
        let question = question(&[&[1, 2, 3]], 9);
        let played = play(&question, |_| Some(0));
        assert_eq!(played.searches.len(), MOST_SEARCHES);
        assert_eq!(played.until_success(), MOST_SEARCHES + 1);
        assert!(!played.succeeded());
    }
}
