//! Figures as a table or as JSON.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::figures::{Budget, Figure, Section};

/// The JSON key of figures that don't depend on the store's size.
pub(crate) const ANY_SIZE: &str = "any";

/// All figures, in measurement order.
#[derive(Default)]
pub(crate) struct Report {
    sizes: Vec<(String, Vec<Section>)>,
}

impl Report {
    /// Adds the figures of one size.
    pub(crate) fn add(&mut self, size: &str, sections: Vec<Section>) {
        self.sizes.push((size.to_owned(), sections));
    }

    /// Whether a measurement failed.
    pub(crate) fn has_failures(&self) -> bool {
        let mut sections = self.sizes.iter().flat_map(|(_, sections)| sections);
        sections.any(|section| section.failed)
    }

    /// `{size: {measurement: {figure: value}}}`.
    ///
    /// A figure `f` with a reference `r` also yields `r` and `f/r`, the relative cost; with a budget also `f:budget`
    /// and `f:met`. If something could not be measured, `note` gives the reason.
    pub(crate) fn json(&self) -> String {
        let sizes: Map<String, Value> = self
            .sizes
            .iter()
            .map(|(size, sections)| {
                let measurements: Map<String, Value> = sections
                    .iter()
                    .map(|section| (section.measurement.to_owned(), section_json(section)))
                    .collect();
                (size.clone(), Value::Object(measurements))
            })
            .collect();
        format!("{:#}", Value::Object(sizes))
    }

    /// One table per size.
    pub(crate) fn tables(&self) -> String {
        let mut text = String::new();
        for (size, sections) in &self.sizes {
            let title = if size == ANY_SIZE {
                "whatever the size".to_owned()
            } else {
                format!("{} records", grouped(size))
            };
            let _ = writeln!(
                text,
                "\n{title}\n{:>8}  {:<29}{:>13}   {:<34}{:>15}  met",
                "ratio", "figure", "anamne", "beside", "budget"
            );
            for section in sections {
                let _ = writeln!(text, "{}", section.measurement);
                for figure in &section.figures {
                    let _ = writeln!(text, "{}", row(figure).trim_end());
                }
                if let Some(note) = &section.note {
                    let _ = writeln!(text, "{:>10}{note}", "");
                }
            }
        }
        text.push_str(
            "\nratio: what Anamne costs over what the value beside it costs; below 1 it costs less",
        );
        text
    }
}

fn section_json(section: &Section) -> Value {
    let mut object = Map::new();
    for figure in &section.figures {
        object.insert(figure.key.clone(), json!(figure.value));
        if let (Some(reference), Some(ratio)) = (&figure.reference, figure.ratio()) {
            object.insert(reference.key.clone(), json!(reference.value));
            object.insert(format!("{}/{}", figure.key, reference.key), json!(ratio));
        }
        if let (Some(budget), Some(met)) = (figure.budget, figure.met()) {
            object.insert(format!("{}:budget", figure.key), json!(budget.limit()));
            object.insert(format!("{}:met", figure.key), json!(met));
        }
    }
    if let Some(note) = &section.note {
        object.insert("note".to_owned(), json!(note));
    }
    Value::Object(object)
}

fn row(figure: &Figure) -> String {
    let unit = figure.unit.symbol();
    let ratio = figure
        .ratio()
        .map_or(String::new(), |ratio| format!("×{}", short(ratio)));
    let value = format!("{} {unit}", short(figure.value));
    let beside = figure
        .reference
        .as_ref()
        .map_or(String::new(), |reference| {
            format!("{} {unit} {}", short(reference.value), reference.label)
        });
    let budget = figure.budget.map_or(String::new(), |budget| match budget {
        Budget::AtMost(limit) => format!("≤ {} {unit}", short(limit)),
        Budget::AtLeast(limit) => format!("≥ {} {unit}", short(limit)),
        Budget::RatioAtMost(limit) => format!("≤ ×{}", short(limit)),
    });
    let met = match figure.met() {
        Some(true) => "yes",
        Some(false) => "NO",
        None => "",
    };
    let label = &figure.label;
    format!("{ratio:>8}  {label:<29}{value:>13}   {beside:<34}{budget:>15}  {met}")
}

/// Three significant digits; whole numbers from 100 on.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => grouped(&format!("{value:.0}")),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A whole number with grouped thousands.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::figures::Unit;
    use super::*;

    fn report() -> Report {
        let figure = Figure::new("p95_ms", "p95", 3.0, Unit::Milliseconds)
            .beside("peer_p95_ms", "a peer", 1.5)
            .promised(Budget::AtMost(2.0));
        let mut report = Report::default();
        report.add("10000", vec![Section::new("recall", vec![figure])]);
        report.add(
            ANY_SIZE,
            vec![Section::skipped("mcp", "the binary is not built")],
        );
        report
    }

    #[test]
    fn json_holds_value_reference_ratio_and_budget() {
        let json: Value = serde_json::from_str(&report().json()).expect("JSON");
        let expected = json!({
            "p95_ms": 3.0, "peer_p95_ms": 1.5, "p95_ms/peer_p95_ms": 2.0, "p95_ms:budget": 2.0, "p95_ms:met": false,
        });
        assert_eq!(json["10000"]["recall"], expected);
        assert_eq!(
            json["any"]["mcp"]["note"],
            "skipped: the binary is not built"
        );
    }

    #[test]
    fn a_row_of_the_table_fits_a_terminal() {
        let tables = report().tables();
        assert!(tables.contains("10 000 records"), "{tables}");
        assert!(tables.contains("×2.00  p95"), "{tables}");
        assert!(tables.contains("≤ 2.00 ms  NO"), "{tables}");
        assert!(!report().has_failures());
        assert!(tables.lines().all(|line| line.chars().count() <= 110));
    }
}
