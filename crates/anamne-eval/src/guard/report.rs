//! Scores as tables or as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::score::{Measure, Scores};
use super::set::{Half, Record, Subject};

const MEASURES: [&str; 4] = ["precision", "recall", "f1", "false_alarms"];

/// The scores of every scanner on one half of a set.
pub(super) struct Report {
    title: String,
    /// Labelled and clean texts by group.
    groups: [BTreeMap<String, usize>; 2],
    scores: Vec<Scores>,
}

impl Report {
    /// Describes the texts, and keeps the scores.
    pub(super) fn new(
        subject: Subject,
        half: Half,
        records: &[Record],
        scores: Vec<Scores>,
    ) -> Self {
        let subject = match subject {
            Subject::Secrets => "secrets",
            Subject::Personal => "personal data",
        };
        let half = match half {
            Half::Development => "development",
            Half::HeldOut => "held-out",
        };
        let mut groups: [BTreeMap<String, usize>; 2] = Default::default();
        for record in records {
            let side = &mut groups[usize::from(record.is_clean())];
            *side.entry(record.group.clone()).or_default() += 1;
        }
        let templates: BTreeSet<usize> = records.iter().map(|record| record.template).collect();
        let hard = |is_clean: bool| {
            let hard = records
                .iter()
                .filter(|record| record.is_hard && record.is_clean() == is_clean);
            hard.count()
        };
        let [labelled, clean] = [0, 1].map(|side| groups[side].values().sum::<usize>());
        let title = format!(
            "{subject}, {half} half: {labelled} texts with ({} hard), {clean} without ({} hard), {} templates",
            hard(false),
            hard(true),
            templates.len()
        );
        Self {
            title,
            groups,
            scores,
        }
    }

    /// A table of scanners, a table of classes, and the sizes of the groups.
    pub(super) fn tables(&self) -> String {
        let mut text = format!("{}\n\n{:<24}", self.title, "");
        for name in [
            "precision",
            "recall",
            "F1",
            "alarms per clean text",
            "missed",
            "alarms",
            "strays",
        ] {
            let width = if name.len() < 7 && name != "recall" && name != "F1" {
                8
            } else {
                24
            };
            let _ = write!(text, "{name:<width$}");
        }
        for scores in &self.scores {
            let _ = write!(text, "\n{:<24}", scores.name);
            for (measure, name) in scores.measures.iter().zip(MEASURES) {
                let _ = write!(text, "{:<24}", shown(measure, name));
            }
            for count in scores.faults {
                let _ = write!(text, "{count:<8}");
            }
        }
        let _ = write!(
            text,
            "\n\n{:<24}{:<24}{:<24}",
            "hard texts only", "recall", "alarms per clean text"
        );
        for scores in &self.scores {
            let [recall, alarms] = &scores.hard;
            let (recall, alarms) = (shown(recall, "recall"), shown(alarms, "false_alarms"));
            let _ = write!(text, "\n{:<24}{recall:<24}{alarms:<24}", scores.name);
        }
        text.push_str(&self.class_table());
        for (name, groups) in ["with", "without"].iter().zip(&self.groups) {
            let groups: Vec<String> = groups
                .iter()
                .map(|(group, count)| format!("{group} {count}"))
                .collect();
            let _ = write!(text, "\n\ntexts {name}: {}", groups.join(", "));
        }
        text.push_str("\n\nintervals: 95 %, bootstrap over templates; strays: texts with a finding outside the labelled values");
        text.lines()
            .map(str::trim_end)
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn class_table(&self) -> String {
        let Some(first) = self.scores.first() else {
            return String::new();
        };
        let mut text = format!("\n\n{:<24}{:<8}", "recall by class", "values");
        for scores in &self.scores {
            let _ = write!(text, "{:<24}", scores.name);
        }
        for (class, of_class) in &first.classes {
            let _ = write!(text, "\n{class:<24}{:<8}", of_class.values);
            for scores in &self.scores {
                let recall = scores
                    .classes
                    .get(class)
                    .map(|one| shown(&one.recall, "recall"));
                let _ = write!(text, "{:<24}", recall.unwrap_or_default());
            }
        }
        text
    }

    /// `{title, texts, scanners: {scanner: {measure: {value, low, high}}}}`.
    pub(super) fn json(&self) -> String {
        let scanners: Map<String, Value> = self
            .scores
            .iter()
            .map(|scores| (scores.name.clone(), scores_json(scores)))
            .collect();
        let [labelled, clean] = &self.groups;
        format!(
            "{:#}",
            json!({"title": self.title, "texts": {"labelled": labelled, "clean": clean}, "scanners": scanners})
        )
    }
}

fn scores_json(scores: &Scores) -> Value {
    let measures = MEASURES.iter().zip(&scores.measures);
    let mut all: Map<String, Value> = measures
        .map(|(name, measure)| ((*name).to_owned(), measure_json(measure)))
        .collect();
    for (name, count) in ["missed", "alarms", "strays"].iter().zip(scores.faults) {
        all.insert((*name).to_owned(), json!(count));
    }
    for (name, measure) in ["hard_recall", "hard_false_alarms"]
        .iter()
        .zip(&scores.hard)
    {
        all.insert((*name).to_owned(), measure_json(measure));
    }
    let classes = scores.classes.iter().map(|(class, of_class)| {
        let mut recall = measure_json(&of_class.recall);
        recall["values"] = json!(of_class.values);
        (class.clone(), recall)
    });
    all.insert("classes".to_owned(), Value::Object(classes.collect()));
    Value::Object(all)
}

fn measure_json(measure: &Measure) -> Value {
    json!({"value": measure.value, "low": measure.bounds[0], "high": measure.bounds[1]})
}

/// `0.987 [0.981, 0.992]`; false alarms in percent.
fn shown(measure: &Measure, name: &str) -> String {
    let [low, high] = measure.bounds;
    if name == "false_alarms" {
        format!(
            "{:.2} % [{:.2}, {:.2}]",
            measure.value * 100.0,
            low * 100.0,
            high * 100.0
        )
    } else {
        format!("{:.3} [{low:.3}, {high:.3}]", measure.value)
    }
}
