//! Proposes the spaces most likely to answer a query.

use std::collections::BTreeSet;
use std::time::SystemTime;

use anamne_store::{SpaceConfig, SpaceName};
use anamne_text::analyser::Analyser;
use anamne_types::{Recall, SpaceProposal, SpaceProposals};

use crate::Error;
use crate::store::Store;

/// Maximum number of spaces that are sampled, so that a store of thousands is not opened as a whole for one query; with
/// more, those with matching names, descriptions and recent use.
const MAX_SAMPLED_SPACES: usize = 256;

/// Results per sample.
const SAMPLE_RESULTS: usize = 3;

/// Weights of a space's likelihood: content, name or description, hint, recent use.
const CONTENT: f32 = 0.6;
const DESCRIPTION: f32 = 0.15;
const HINT: f32 = 0.2;
const USE: f32 = 0.05;

/// Spaces below this share of the best likelihood are not proposed.
const WORTH_ASKING: f32 = 0.4;

/// A candidate space before sampling.
struct CandidateSpace {
    name: SpaceName,
    likelihood: f32,
    reasons: Vec<String>,
}

impl Store {
    /// The spaces most likely to answer a query, best first, at most `most`.
    ///
    /// Considers the confidence of a space's first results, query words in its name or description, hints (names of
    /// spaces, or parts of them), and recent writes. With more than 256 spaces, only the 256 best by the other criteria are
    /// sampled; [`SpaceProposals::not_sampled`] counts the others. O(spaces) plus a recall of three results per sampled
    /// space.
    pub fn propose_spaces(
        &self,
        query: &str,
        hints: &[String],
        most: usize,
    ) -> Result<SpaceProposals, Error> {
        self.propose_among(MAX_SAMPLED_SPACES, query, hints, most)
    }

    /// The same with at most `max_sampled` sampled spaces.
    fn propose_among(
        &self,
        max_sampled: usize,
        query: &str,
        hints: &[String],
        most: usize,
    ) -> Result<SpaceProposals, Error> {
        let taste = Recall::new(query).limit(SAMPLE_RESULTS);
        taste.check()?;
        let prospects = self.prospects(query, hints)?;
        let not_sampled = prospects.len().saturating_sub(max_sampled);
        let mut spaces: Vec<SpaceProposal> = prospects
            .into_iter()
            .take(max_sampled)
            .map(|prospect| self.tasted(prospect, &taste))
            .collect();
        spaces.sort_by(|one, other| {
            let by_likelihood = other.likelihood.total_cmp(&one.likelihood);
            by_likelihood.then_with(|| one.space.cmp(&other.space))
        });
        let likeliest = spaces.first().map_or(0.0, |proposal| proposal.likelihood);
        spaces.retain(|proposal| proposal.likelihood >= likeliest * WORTH_ASKING);
        spaces.truncate(most);
        Ok(SpaceProposals {
            spaces,
            not_sampled,
        })
    }

    /// All spaces, ranked without opening them, best first.
    fn prospects(&self, query: &str, hints: &[String]) -> Result<Vec<CandidateSpace>, Error> {
        let wanted = stems(query);
        let hints: Vec<String> = hints
            .iter()
            .map(|hint| hint.trim().to_lowercase())
            .collect();
        let names = self.spaces()?;
        let by_use = self.by_last_use(&names);
        let mut prospects: Vec<CandidateSpace> = names
            .into_iter()
            .map(|name| {
                let mut prospect = CandidateSpace {
                    likelihood: 0.0,
                    reasons: Vec::new(),
                    name,
                };
                prospect.weigh_description(self, &wanted);
                prospect.weigh_hints(&hints);
                if by_use.first() == Some(&prospect.name) {
                    prospect.likelihood += USE;
                    prospect.reasons.push("written to last".to_owned());
                }
                prospect
            })
            .collect();
        let place = |name: &SpaceName| by_use.iter().position(|used| used == name);
        prospects.sort_by(|one, other| {
            let by_likelihood = other.likelihood.total_cmp(&one.likelihood);
            by_likelihood.then_with(|| place(&one.name).cmp(&place(&other.name)))
        });
        Ok(prospects)
    }

    /// A candidate with its sampled confidence. One that can't be opened has none; querying it reports the error.
    fn tasted(&self, mut prospect: CandidateSpace, taste: &Recall) -> SpaceProposal {
        let answer = self
            .existing_space(prospect.name.as_str())
            .and_then(|space| space.look(taste));
        let sureness = answer.map_or(0.0, |answer| {
            let confidences = answer.results.iter().map(|hit| hit.confidence);
            confidences.fold(0.0f32, f32::max)
        });
        if sureness > 0.0 {
            prospect.likelihood += CONTENT * sureness;
            let share = (sureness * 100.0).round();
            prospect
                .reasons
                .insert(0, format!("its best memory has {share} % confidence"));
        }
        SpaceProposal {
            space: prospect.name.to_string(),
            likelihood: prospect.likelihood.min(1.0),
            reasons: prospect.reasons,
        }
    }

    /// The spaces, most recently written first.
    fn by_last_use(&self, names: &[SpaceName]) -> Vec<SpaceName> {
        let written = |name: &SpaceName| -> Option<SystemTime> {
            let memories = self.folder.space(name).join("memories");
            ["active.db", "active.db-wal"]
                .iter()
                .filter_map(|file| memories.join(file).metadata().ok()?.modified().ok())
                .max()
        };
        let mut by_use: Vec<_> = names.iter().map(|name| (written(name), name)).collect();
        by_use.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(other.1)));
        by_use.into_iter().map(|(_, name)| name.clone()).collect()
    }
}

impl CandidateSpace {
    fn weigh_description(&mut self, store: &Store, wanted: &BTreeSet<String>) {
        let path = store.folder.space(&self.name).join("space.toml");
        let description = SpaceConfig::read(&path)
            .ok()
            .flatten()
            .map_or_else(String::new, |config| config.description);
        let described = stems(&format!("{} {description}", self.name));
        let shared: Vec<&str> = wanted
            .intersection(&described)
            .map(String::as_str)
            .collect();
        if !shared.is_empty() {
            self.likelihood += DESCRIPTION * shared.len() as f32 / wanted.len() as f32;
            self.reasons.push(format!(
                "its name or description contains {}",
                shared.join(", ")
            ));
        }
    }

    fn weigh_hints(&mut self, hints: &[String]) {
        let name = self.name.as_str().to_lowercase();
        let hinted = hints.iter().find(|hint| name.contains(hint.as_str()));
        if let Some(hint) = hinted {
            self.likelihood += if name == *hint { HINT } else { HINT / 2.0 };
            self.reasons.push(format!("“{hint}” was hinted at"));
        }
    }
}

/// The stems of the content words.
fn stems(text: &str) -> BTreeSet<String> {
    let terms = Analyser::new().query(text).terms;
    terms.into_iter().map(|term| term.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_beyond_the_limit_are_counted_and_the_latest_written_are_sampled() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("a store");
        for name in ["first", "second", "third"] {
            let space = store.space(name).expect("a space");
            space.remember(format!("The {name} pier")).expect("told");
        }
        let all = store.propose_among(3, "pier", &[], 9).expect("proposals");
        assert_eq!((all.spaces.len(), all.not_sampled), (3, 0));
        let hints = ["first".to_owned()];
        let some = store.propose_among(1, "pier", &hints, 9);
        let some = some.expect("proposals");
        assert_eq!((some.spaces.len(), some.not_sampled), (1, 2));
        assert_eq!(some.spaces[0].space, "first");
    }
}
