//! The figures of sets, families and categories, as tables or JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::estimate::Estimate;
use super::ranker::Ranker;
use super::runs::{Outcome, metrics};
use crate::sets::{self, Sets, by_category, family};

/// What is held out and what is not, above the tables.
const NOTES: &str = "\
Trees of the second look: without the family, or without the fifth of the conversations, that is measured; the shipped
ones were fitted on all known sets and flatter. Gains are paired differences from the weights alone.
Not held out: the inputs of the trees and the weight of their correction, which were chosen on these sets; the weights of
the first stage, fitted on locomo, beam and realmem, so that `weights alone` is in sample there and gains are too low; the
confidence, fitted on an order by trees that had not seen the conversation.
Brackets: 95 % bootstrap intervals over questions, which don't cover how conversations differ.
evidence in N: mean share of the evidence in a block of N tokens; none where evidence is whole threads.
";

/// All measured outcomes.
#[derive(Default)]
pub(crate) struct Report(Sets<Outcome>);

/// Outcomes that are reported together: the mean of the groups.
struct Section<'outcomes> {
    name: String,
    groups: Vec<Vec<&'outcomes Outcome>>,
}

impl Report {
    /// Adds the outcomes of one corpus, if any.
    pub(crate) fn add(&mut self, set: &str, outcomes: Vec<Outcome>) {
        if !outcomes.is_empty() {
            sets::add(&mut self.0, set, outcomes);
        }
    }

    /// The notes, and a table per set, per family of several sets, and of all known families.
    pub(crate) fn tables(&self, with_categories: bool) -> String {
        let mut text = NOTES.to_owned();
        for section in self.sections() {
            let _ = write!(text, "\n{}", section.table());
            if with_categories {
                for category in section.categories() {
                    let _ = write!(text, "\n{}: {}", section.name, category.table());
                }
            }
        }
        text
    }

    /// `{group: {category: {questions, ranker: {metric: {value, low, high, gain}}}}}`, the category `ALL` first; `gain` is
    /// the paired difference from the weights alone.
    pub(crate) fn json(&self) -> String {
        let object = |section: Section<'_>| {
            let categories = section.categories().into_iter();
            let mut of_section: Map<String, Value> = categories
                .map(|category| (category.name.clone(), category.json()))
                .collect();
            of_section.insert("ALL".to_owned(), section.json());
            (section.name, Value::Object(of_section))
        };
        let all: Map<String, Value> = self.sections().into_iter().map(object).collect();
        format!("{:#}", Value::Object(all))
    }

    /// Each set, each family of several sets, and the mean of the known families.
    fn sections(&self) -> Vec<Section<'_>> {
        let mut families: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        for set in self.0.keys() {
            families.entry(family(set)).or_default().push(set);
        }
        let of_sets = |sets: &[&String]| sets.iter().flat_map(|set| &self.0[*set]).collect();
        let mut sections = Vec::new();
        let mut known = Vec::new();
        for (family, sets) in families {
            for set in &sets {
                sections.push(Section {
                    name: (*set).clone(),
                    groups: vec![of_sets(&[set])],
                });
            }
            let outcomes: Vec<&Outcome> = of_sets(&sets);
            if sets.len() > 1 {
                sections.push(Section {
                    name: format!("family {family}"),
                    groups: vec![outcomes.clone()],
                });
            }
            let is_known = |outcome: &&Outcome| outcome.figures.contains_key(&Ranker::Family);
            if outcomes.iter().all(is_known) {
                known.push(outcomes);
            }
        }
        if known.len() > 1 {
            sections.push(Section {
                name: format!("mean of {} families", known.len()),
                groups: known,
            });
        }
        sections
    }
}

impl<'outcomes> Section<'outcomes> {
    /// The questions of each category, if they are of one group.
    fn categories(&self) -> Vec<Self> {
        let [group] = self.groups.as_slice() else {
            return Vec::new();
        };
        let categories = by_category(group.clone(), |outcome| outcome.category.as_str());
        let section = |(category, outcomes): (&str, Vec<&'outcomes Outcome>)| Self {
            name: category.to_owned(),
            groups: vec![outcomes],
        };
        categories.into_iter().skip(1).map(section).collect()
    }

    fn questions(&self) -> usize {
        self.groups.iter().map(Vec::len).sum()
    }

    /// The rankers that all questions were asked with.
    fn rankers(&self) -> impl Iterator<Item = Ranker> {
        let of_outcome = |outcome: &&Outcome| outcome.figures.keys().copied().collect();
        let outcomes = self.groups.iter().flatten();
        let sets: Vec<BTreeSet<Ranker>> = outcomes.map(of_outcome).collect();
        let is_in_all = move |ranker: &Ranker| sets.iter().all(|set| set.contains(ranker));
        Ranker::ALL.into_iter().filter(is_in_all)
    }

    /// The mean over the questions of what `figure` says of each.
    fn estimate(&self, figure: impl Fn(&Outcome) -> Option<f64>) -> Option<Estimate> {
        let of_group = |group: &Vec<&Outcome>| {
            let outcomes = group.iter();
            outcomes.filter_map(|outcome| figure(outcome)).collect()
        };
        let groups: Vec<Vec<f64>> = self.groups.iter().map(of_group).collect();
        Estimate::of(&groups)
    }

    fn mean(&self, ranker: Ranker, metric: &str) -> Option<Estimate> {
        self.estimate(|outcome| outcome.figures.get(&ranker)?.get(metric).copied())
    }

    /// The paired difference from the weights alone.
    fn gain(&self, ranker: Ranker, metric: &str) -> Option<Estimate> {
        self.estimate(|outcome| {
            let figure = |ranker| outcome.figures.get(&ranker)?.get(metric).copied();
            Some(figure(ranker)? - figure(Ranker::Weights)?)
        })
    }

    fn table(&self) -> String {
        let mut text = format!("{}, {} questions\n{:<30}", self.name, self.questions(), "");
        for metric in metrics() {
            let _ = write!(text, "{metric:<24}");
        }
        for ranker in self.rankers() {
            let _ = write!(text, "\n{:<30}", ranker.label());
            for metric in metrics() {
                let cell = self.mean(ranker, metric).map(|of| {
                    let Estimate { value, low, high } = of;
                    format!("{value:.3} [{low:.3}, {high:.3}]")
                });
                let _ = write!(text, "{:<24}", cell.unwrap_or_else(|| "-".to_owned()));
            }
        }
        for ranker in self.rankers().filter(|ranker| ranker.has_unseen_trees()) {
            let _ = write!(text, "\ngain, {:<24}", ranker.label());
            for metric in metrics() {
                let cell = self.gain(ranker, metric).map(|of| {
                    let Estimate { value, low, high } = of;
                    format!("{value:+.3} [{low:+.3}, {high:+.3}]")
                });
                let _ = write!(text, "{:<24}", cell.unwrap_or_else(|| "-".to_owned()));
            }
        }
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        lines.join("\n") + "\n"
    }

    fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("questions".to_owned(), json!(self.questions()));
        for ranker in self.rankers() {
            let metric = |metric| {
                let mut figure = json!(self.mean(ranker, metric)?);
                if ranker != Ranker::Weights {
                    figure["gain"] = json!(self.gain(ranker, metric)?);
                }
                Some((metric.to_owned(), figure))
            };
            let of_ranker: Map<String, Value> = metrics().filter_map(metric).collect();
            object.insert(ranker.key().to_owned(), Value::Object(of_ranker));
        }
        Value::Object(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A question whose metrics all have this value, by ranker.
    fn outcome(category: &str, figures: &[(Ranker, f64)]) -> Outcome {
        let all = |value: f64| metrics().map(|metric| (metric, value)).collect();
        Outcome {
            category: category.to_owned(),
            figures: figures
                .iter()
                .map(|(ranker, value)| (*ranker, all(*value)))
                .collect(),
        }
    }

    fn known(weights: f64, family: f64) -> Outcome {
        let figures = [
            (Ranker::Weights, weights),
            (Ranker::Family, family),
            (Ranker::Conversation, family),
            (Ranker::InSample, 1.0),
        ];
        outcome("plain", &figures)
    }

    fn report() -> Report {
        let mut report = Report::default();
        report.add("beam", vec![known(0.0, 0.5), known(1.0, 0.5)]);
        report.add("beam500", vec![known(0.0, 1.0), known(0.0, 1.0)]);
        report.add("coding", vec![known(0.25, 0.25)]);
        let unseen = [(Ranker::Weights, 0.25), (Ranker::Unseen, 0.75)];
        report.add("new", vec![outcome("plain", &unseen)]);
        report
    }

    #[test]
    fn families_count_the_same_and_unknown_sets_are_told_apart() {
        let figures: Value = serde_json::from_str(&report().json()).expect("JSON");
        let value = |group: &str, ranker: &str, of: &str| {
            let figure = &figures[group]["ALL"][ranker]["hit@1"];
            figure.pointer(of).and_then(Value::as_f64)
        };
        assert_eq!(value("beam", "family_held_out", "/value"), Some(0.5));
        assert_eq!(value("beam", "family_held_out", "/gain/value"), Some(0.0));
        // Paired: both questions change by one half, in opposite directions.
        assert_eq!(value("beam", "family_held_out", "/gain/low"), Some(-0.5));
        assert_eq!(
            value("family beam", "family_held_out", "/value"),
            Some(0.75)
        );
        let mean = "mean of 2 families";
        assert_eq!(value(mean, "family_held_out", "/value"), Some(0.5));
        assert_eq!(value(mean, "weights", "/value"), Some(0.25));
        assert_eq!(value("new", "shipped_unseen", "/gain/value"), Some(0.5));
        assert_eq!(value("new", "shipped_in_sample", "/value"), None);
        assert_eq!(figures["coding"]["plain"]["questions"], json!(1));
    }

    #[test]
    fn a_table_says_of_every_figure_what_it_was_fitted_on() {
        let tables = report().tables(false);
        let table = |title: &str| {
            let (_, rest) = tables.split_once(title).expect("the table");
            rest.split("\n\n").next().expect("its lines").to_owned()
        };
        let coding = table("\ncoding, 1 questions\n");
        let labels: Vec<&str> = coding
            .lines()
            .skip(1)
            .map(|line| line[..30].trim())
            .collect();
        assert_eq!(
            labels,
            [
                "weights alone",
                "family held out",
                "conversation held out",
                "shipped, in sample",
                "gain, family held out",
                "gain, conversation held out",
            ]
        );
        assert!(coding.contains("family held out               0.250 [0.250, 0.250]"));
        assert!(table("\nnew, 1 questions\n").contains("shipped, unseen set"));
        assert!(!tables.contains("plain,"));
        assert!(
            report()
                .tables(true)
                .contains("\nfamily beam: plain, 4 questions\n")
        );
    }
}
