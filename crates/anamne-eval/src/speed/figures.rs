//! A measured figure: its value, reference and budget.

use crate::failure::Failure;
use crate::latencies::Latencies;

/// The unit of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Milliseconds.
    Milliseconds,
    /// Records per second; more is better.
    RecordsPerSecond,
    /// 1 000 000 bytes.
    Megabytes,
    /// KiB per thousand records.
    KibPerThousand,
    /// 1 000 000 000 bytes per second; more is better.
    GigabytesPerSecond,
    /// Tokens of a language model, as estimated.
    Tokens,
    /// A plain count.
    Count,
    /// A percentage; more is better.
    Percent,
    /// Waiting time as a percentage of run time.
    WaitedPercent,
}

impl Unit {
    /// The unit as printed.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Milliseconds => "ms",
            Self::RecordsPerSecond => "rec/s",
            Self::Megabytes => "MB",
            Self::KibPerThousand => "KiB",
            Self::GigabytesPerSecond => "GB/s",
            Self::Tokens => "tokens",
            Self::Count => "",
            Self::Percent | Self::WaitedPercent => "%",
        }
    }

    fn more_is_better(self) -> bool {
        matches!(
            self,
            Self::RecordsPerSecond | Self::GigabytesPerSecond | Self::Percent
        )
    }
}

/// The budget of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Budget {
    /// Maximum value.
    AtMost(f64),
    /// Minimum value.
    AtLeast(f64),
    /// Maximum cost relative to the reference.
    RatioAtMost(f64),
}

impl Budget {
    /// The limit of the budget.
    pub(crate) fn limit(self) -> f64 {
        match self {
            Self::AtMost(limit) | Self::AtLeast(limit) | Self::RatioAtMost(limit) => limit,
        }
    }
}

/// A reference value of the same unit.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// The JSON key.
    pub(crate) key: String,
    /// The label in tables.
    pub(crate) label: String,
    pub(crate) value: f64,
}

/// One measured figure.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// The JSON key.
    pub(crate) key: String,
    /// The label in tables.
    pub(crate) label: String,
    pub(crate) value: f64,
    pub(crate) unit: Unit,
    pub(crate) reference: Option<Reference>,
    pub(crate) budget: Option<Budget>,
}

/// Named latencies; their quantiles become figures.
#[derive(Clone, Copy)]
pub(crate) struct Timed<'run> {
    key: &'run str,
    label: &'run str,
    times: &'run Latencies,
}

/// A quantile: its name and function.
type Quantile = (&'static str, fn(&Latencies) -> f64);

const P10: Quantile = ("p10", Latencies::p10);
const P50: Quantile = ("p50", Latencies::p50);
const P95: Quantile = ("p95", Latencies::p95);

impl<'run> Timed<'run> {
    /// `key` is the prefix of the JSON keys and may be empty; `label` is for tables.
    pub(crate) fn new(key: &'run str, label: &'run str, times: &'run Latencies) -> Self {
        Self { key, label, times }
    }

    /// The 10th percentile, next to that of `other`.
    pub(crate) fn p10_beside(self, other: Timed<'_>) -> Figure {
        self.figure(P10)
            .beside(other.key_of(P10), other.label, other.times.p10())
    }

    /// The median.
    pub(crate) fn p50(self) -> Figure {
        self.figure(P50)
    }

    /// The median, next to that of `other`.
    pub(crate) fn p50_beside(self, other: Timed<'_>) -> Figure {
        self.p50()
            .beside(other.key_of(P50), other.label, other.times.p50())
    }

    /// The 95th percentile.
    pub(crate) fn p95(self) -> Figure {
        self.figure(P95)
    }

    /// The 95th percentile, next to that of `other`.
    pub(crate) fn p95_beside(self, other: Timed<'_>) -> Figure {
        self.p95()
            .beside(other.key_of(P95), other.label, other.times.p95())
    }

    fn key_of(self, (name, _): Quantile) -> String {
        if self.key.is_empty() {
            format!("{name}_ms")
        } else {
            format!("{}_{name}_ms", self.key)
        }
    }

    fn figure(self, quantile: Quantile) -> Figure {
        let (name, value) = quantile;
        let label = format!("{}, {name}", self.label);
        Figure::ms(&self.key_of(quantile), &label, value(self.times))
    }
}

impl Figure {
    /// A figure without a reference.
    pub(crate) fn new(
        key: impl Into<String>,
        label: impl Into<String>,
        value: f64,
        unit: Unit,
    ) -> Self {
        Self {
            key: key.into(),
            label: label.into(),
            value,
            unit,
            reference: None,
            budget: None,
        }
    }

    /// A time in milliseconds.
    pub(crate) fn ms(key: &str, label: &str, milliseconds: f64) -> Self {
        Self::new(key, label, milliseconds, Unit::Milliseconds)
    }

    /// A rate per second.
    pub(crate) fn rate(key: &str, label: &str, per_second: f64) -> Self {
        Self::new(key, label, per_second, Unit::RecordsPerSecond)
    }

    /// A size in bytes, shown in megabytes.
    pub(crate) fn mb(key: &str, label: &str, bytes: f64) -> Self {
        Self::new(key, label, bytes / 1e6, Unit::Megabytes)
    }

    /// Sets the reference.
    pub(crate) fn beside(
        mut self,
        key: impl Into<String>,
        label: impl Into<String>,
        value: f64,
    ) -> Self {
        self.reference = Some(Reference {
            key: key.into(),
            label: label.into(),
            value,
        });
        self
    }

    /// Sets the budget, if any.
    pub(crate) fn promised(mut self, budget: impl Into<Option<Budget>>) -> Self {
        self.budget = budget.into();
        self
    }

    /// The cost relative to the reference: below 1 is better than the reference.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let reference = self.reference.as_ref()?;
        Some(if self.unit.more_is_better() {
            reference.value / self.value
        } else {
            self.value / reference.value
        })
    }

    /// Whether the budget was met; `None` without a budget. A missing value does not meet it.
    pub(crate) fn met(&self) -> Option<bool> {
        Some(match self.budget? {
            Budget::AtMost(limit) => self.value <= limit,
            Budget::AtLeast(limit) => self.value >= limit,
            Budget::RatioAtMost(limit) => self.ratio().is_some_and(|ratio| ratio <= limit),
        })
    }
}

/// The figures of one measurement.
pub(crate) struct Section {
    pub(crate) measurement: &'static str,
    pub(crate) figures: Vec<Figure>,
    /// Why nothing could be measured, or why the figures are unreliable.
    pub(crate) note: Option<String>,
    /// Whether the note reports an error.
    pub(crate) failed: bool,
}

impl Section {
    /// The figures of a measurement.
    pub(crate) fn new(measurement: &'static str, figures: Vec<Figure>) -> Self {
        Self {
            measurement,
            figures,
            note: None,
            failed: false,
        }
    }

    fn without_figures(measurement: &'static str, note: String) -> Self {
        Self {
            note: Some(note),
            ..Self::new(measurement, Vec::new())
        }
    }

    /// A measurement that could not be taken.
    pub(crate) fn skipped(measurement: &'static str, reason: &str) -> Self {
        Self::without_figures(measurement, format!("skipped: {reason}"))
    }

    /// The figures, or the error: the other measurements of the run are still useful.
    pub(crate) fn or_failed(measurement: &'static str, outcome: Result<Self, Failure>) -> Self {
        outcome.unwrap_or_else(|failure| Self {
            failed: true,
            ..Self::without_figures(measurement, format!("FAILED: {failure}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_a_cost_whichever_way_the_unit_points() {
        let slow = Figure::ms("p50_ms", "", 4.0).beside("peer", "", 2.0);
        assert_eq!(slow.ratio(), Some(2.0));
        let fewer = Figure::rate("rate", "", 50.0).beside("peer", "", 100.0);
        assert_eq!(fewer.ratio(), Some(2.0));
    }

    #[test]
    fn budgets_are_judged_by_their_kind() {
        let figure = |value| Figure::ms("", "", value).beside("", "", 1.0);
        let met = |value, budget| figure(value).promised(budget).met();
        assert_eq!(met(2.0, Budget::AtMost(2.0)), Some(true));
        assert_eq!(met(2.1, Budget::AtMost(2.0)), Some(false));
        assert_eq!(met(2.0, Budget::AtLeast(2.1)), Some(false));
        assert_eq!(met(1.9, Budget::RatioAtMost(2.0)), Some(true));
        assert_eq!(met(f64::NAN, Budget::AtMost(2.0)), Some(false));
        assert_eq!(figure(1.0).met(), None);
    }
}
