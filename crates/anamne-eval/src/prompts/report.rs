//! The table at the chosen thresholds, and the curve.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::outcome::{Kind, Outcome};
use super::own;
use super::rates::{self, Share};

/// The share of prompts that memory knows nothing of and that may get something.
pub(super) const ALLOWED: f64 = 0.05;

/// The allowed shares of the curve.
const CURVE: [f64; 9] = [0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 1.0];

/// All measured prompts.
#[derive(Debug)]
pub(super) struct Report {
    outcomes: Vec<Outcome>,
    /// The engine's threshold.
    threshold: f32,
}

/// The figures of one set at a threshold.
struct Row {
    set: String,
    threshold: f32,
    evidence: Share,
    noise: Share,
    by_kind: Vec<(&'static str, Share)>,
    /// The mean memories and tokens of a block.
    memories: f64,
    tokens: f64,
}

impl Report {
    /// An empty report about an engine with this threshold.
    pub(super) fn new(threshold: f32) -> Self {
        Self {
            outcomes: Vec::new(),
            threshold,
        }
    }

    /// Adds the outcomes of one conversation.
    pub(super) fn add(&mut self, outcomes: Vec<Outcome>) {
        self.outcomes.extend(outcomes);
    }

    /// The figures of each set at the threshold that the other families allow; with one family, at its own.
    fn rows(&self, allowed: f64) -> Vec<Row> {
        let sets: BTreeSet<&str> = self
            .outcomes
            .iter()
            .map(|outcome| outcome.set.as_str())
            .collect();
        sets.into_iter()
            .map(|set| self.row(set, self.threshold_for(set, allowed)))
            .collect()
    }

    /// The threshold for a set, chosen on the other families.
    fn threshold_for(&self, set: &str, allowed: f64) -> f32 {
        let family = crate::sets::family(set);
        let others: Vec<&Outcome> = self
            .outcomes
            .iter()
            .filter(|outcome| outcome.family() != family)
            .collect();
        if others.is_empty() {
            return rates::threshold(&self.outcomes.iter().collect::<Vec<_>>(), allowed);
        }
        rates::threshold(&others, allowed)
    }

    fn row(&self, set: &str, threshold: f32) -> Row {
        let own: Vec<&Outcome> = self
            .outcomes
            .iter()
            .filter(|outcome| outcome.set == set)
            .collect();
        let kinds = [Kind::OtherFamily, Kind::SameFamily]
            .into_iter()
            .chain(own::kinds().map(Kind::Own));
        let measured = kinds.filter(|kind| own.iter().any(|outcome| outcome.kind == *kind));
        let mean = |figure: fn(&Outcome) -> usize| {
            let sum: usize = own.iter().map(|outcome| figure(outcome)).sum();
            sum as f64 / own.len() as f64
        };
        Row {
            memories: mean(|outcome| outcome.memories),
            tokens: mean(|outcome| outcome.tokens),
            set: set.to_owned(),
            threshold,
            evidence: rates::evidence(&own, threshold),
            noise: rates::noise(&own, threshold),
            by_kind: measured
                .map(|kind| (kind.name(), rates::injected(&own, kind, threshold)))
                .collect(),
        }
    }

    /// The sets with less evidence than `floor` or more noise than `ceiling` at the engine's threshold.
    pub(super) fn missed(&self, floor: Option<f64>, ceiling: Option<f64>) -> Vec<String> {
        let mut missed = Vec::new();
        for row in self.rows_at(self.threshold) {
            let (evidence, noise) = (row.evidence.value, row.noise.value);
            if let Some(floor) = floor.filter(|floor| evidence < *floor) {
                missed.push(format!("{} (evidence {evidence:.3} < {floor})", row.set));
            }
            if let Some(ceiling) = ceiling.filter(|ceiling| noise > *ceiling) {
                missed.push(format!("{} (noise {noise:.3} > {ceiling})", row.set));
            }
        }
        missed
    }

    /// Tables for people.
    pub(super) fn tables(&self) -> String {
        let mut text = format!(
            "At most {:.0} % of prompts that memory knows nothing of, threshold chosen on the other families\n",
            ALLOWED * 100.0
        );
        add_table(&mut text, &self.rows(ALLOWED));
        let _ = writeln!(text, "\nAt the engine's threshold");
        add_table(&mut text, &self.rows_at(self.threshold));
        let _ = writeln!(text, "\nWithout a threshold");
        let every = self.rows_at(f32::MIN_POSITIVE);
        add_table(&mut text, &every);
        for row in every {
            let _ = writeln!(
                text,
                "{:<12}{:.1} memories, {:.0} tokens a block",
                row.set, row.memories, row.tokens
            );
        }
        let _ = writeln!(
            text,
            "\nThe curve: evidence injected and noise injected, by what is allowed on the other families"
        );
        for allowed in CURVE {
            let _ = write!(text, "{:>6.1} %", allowed * 100.0);
            for row in self.rows(allowed) {
                let _ = write!(
                    text,
                    "   {} {:.3} {:.3}",
                    row.set, row.evidence.value, row.noise.value
                );
            }
            text.push('\n');
        }
        text
    }

    fn rows_at(&self, threshold: f32) -> Vec<Row> {
        let sets: BTreeSet<&str> = self
            .outcomes
            .iter()
            .map(|outcome| outcome.set.as_str())
            .collect();
        sets.into_iter()
            .map(|set| self.row(set, threshold))
            .collect()
    }

    /// The same as JSON.
    pub(super) fn json(&self) -> String {
        let rows = |rows: Vec<Row>| -> Value {
            rows.into_iter()
                .map(|row| (row.set.clone(), row_json(&row)))
                .collect::<Map<_, _>>()
                .into()
        };
        let curve =
            CURVE.map(|allowed| json!({"allowed": allowed, "sets": rows(self.rows(allowed))}));
        format!(
            "{:#}",
            json!({
                "allowed": ALLOWED,
                "sets": rows(self.rows(ALLOWED)),
                "shipped": rows(self.rows_at(self.threshold)),
                "without": rows(self.rows_at(f32::MIN_POSITIVE)),
                "curve": curve,
            })
        )
    }
}

fn row_json(row: &Row) -> Value {
    let kinds: Map<String, Value> = row
        .by_kind
        .iter()
        .map(|(kind, share)| ((*kind).to_owned(), share_json(*share)))
        .collect();
    json!({
        "threshold": row.threshold,
        "evidence": share_json(row.evidence),
        "noise": share_json(row.noise),
        "kinds": kinds,
        "memories": row.memories,
        "tokens": row.tokens,
    })
}

fn share_json(share: Share) -> Value {
    json!({"value": share.value, "interval": [share.low, share.high]})
}

/// A table of rows. A kind of prompt that a set lacks, such as those of other conversations of its family, is a dash.
fn add_table(text: &mut String, rows: &[Row]) {
    let _ = write!(
        text,
        "{:<12}{:>10}{:>24}{:>24}",
        "set", "threshold", "evidence", "noise"
    );
    let fullest = rows.iter().max_by_key(|row| row.by_kind.len());
    let kinds = || fullest.into_iter().flat_map(|row| &row.by_kind);
    for (kind, _) in kinds() {
        let _ = write!(text, "{kind:>17}");
    }
    text.push('\n');
    for row in rows {
        let _ = write!(text, "{:<12}{:>10.3}", row.set, row.threshold);
        for share in [row.evidence, row.noise] {
            let shown = format!("{:.3} ({:.3} to {:.3})", share.value, share.low, share.high);
            let _ = write!(text, "{shown:>24}");
        }
        for (kind, _) in kinds() {
            let share = row.by_kind.iter().find(|(own, _)| own == kind);
            let shown = share.map_or_else(
                || "–".to_owned(),
                |(_, share)| format!("{:.3}", share.value),
            );
            let _ = write!(text, "{shown:>17}");
        }
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(set: &str, kind: Kind) -> Outcome {
        Outcome {
            set: set.to_owned(),
            kind,
            text: "where is the key".to_owned(),
            relevance: 0.9,
            has_evidence: kind == Kind::Answerable,
            memories: 1,
            tokens: 10,
        }
    }

    #[test]
    fn a_set_without_a_kind_of_prompt_has_a_dash_in_its_column() {
        let mut report = Report::new(0.5);
        for set in ["alone", "with-siblings"] {
            let kinds = [Kind::Answerable, Kind::OtherFamily, Kind::Own("small talk")];
            report.add(kinds.map(|kind| outcome(set, kind)).to_vec());
        }
        report.add(vec![outcome("with-siblings", Kind::SameFamily)]);
        let mut table = String::new();
        add_table(&mut table, &report.rows_at(0.5));
        let ends = ["other family", "same family", "small talk"].map(|kind| {
            let header = table.lines().next().expect("a header");
            header.find(kind).expect("a column") + kind.len()
        });
        let alone = table.lines().nth(1).expect("a row");
        let until = |end: usize| alone.chars().take(end).collect::<String>();
        assert!(until(ends[0]).ends_with("1.000"), "{table}");
        assert!(until(ends[1]).ends_with("            –"), "{table}");
        assert!(until(ends[2]).ends_with("1.000"), "{table}");
    }
}
