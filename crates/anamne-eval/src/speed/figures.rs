//! One measured figure: its value, what it stands beside, and what was promised.

use crate::failure::Failure;
use crate::latencies::Latencies;

/// What a value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Milliseconds.
    Milliseconds,
    /// Records a second; more is better.
    RecordsPerSecond,
    /// 1 000 000 bytes.
    Megabytes,
    /// KiB for a thousand records.
    KibPerThousand,
    /// 1 000 000 000 bytes a second; more is better.
    GigabytesPerSecond,
    /// Tokens of a language model, as estimated.
    Tokens,
    /// Things of some kind.
    Count,
    /// A share of a hundred; more is better.
    Percent,
    /// Time that was waited, of a hundred that were run.
    WaitedPercent,
}

impl Unit {
    /// As written after a value.
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

/// What was promised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Budget {
    /// The value is no more than this.
    AtMost(f64),
    /// The value is no less than this.
    AtLeast(f64),
    /// The value costs no more than so many times its reference.
    RatioAtMost(f64),
}

impl Budget {
    /// The number that is promised.
    pub(crate) fn limit(self) -> f64 {
        match self {
            Self::AtMost(limit) | Self::AtLeast(limit) | Self::RatioAtMost(limit) => limit,
        }
    }
}

/// A value of the same unit that was measured beside another.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// Its name in JSON.
    pub(crate) key: String,
    /// What it is, for a person.
    pub(crate) label: String,
    pub(crate) value: f64,
}

/// One measured figure.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// Its name in JSON.
    pub(crate) key: String,
    /// What it is, for a person.
    pub(crate) label: String,
    pub(crate) value: f64,
    pub(crate) unit: Unit,
    pub(crate) reference: Option<Reference>,
    pub(crate) budget: Option<Budget>,
}

/// Times under a name: their quantiles are figures.
#[derive(Clone, Copy)]
pub(crate) struct Timed<'run> {
    key: &'run str,
    label: &'run str,
    times: &'run Latencies,
}

/// A quantile of times, and its name.
type Quantile = (&'static str, fn(&Latencies) -> f64);

const P10: Quantile = ("p10", Latencies::p10);
const P50: Quantile = ("p50", Latencies::p50);
const P95: Quantile = ("p95", Latencies::p95);

impl<'run> Timed<'run> {
    /// The first part of their names in JSON, which may be empty; what they are, for a person.
    pub(crate) fn new(key: &'run str, label: &'run str, times: &'run Latencies) -> Self {
        Self { key, label, times }
    }

    /// What a tenth of the calls stay within, beside that of others.
    pub(crate) fn p10_beside(self, other: Timed<'_>) -> Figure {
        self.figure(P10)
            .beside(other.key_of(P10), other.label, other.times.p10())
    }

    /// The median.
    pub(crate) fn p50(self) -> Figure {
        self.figure(P50)
    }

    /// The median beside that of others.
    pub(crate) fn p50_beside(self, other: Timed<'_>) -> Figure {
        self.p50()
            .beside(other.key_of(P50), other.label, other.times.p50())
    }

    /// What nineteen of twenty calls stay within.
    pub(crate) fn p95(self) -> Figure {
        self.figure(P95)
    }

    /// The same beside that of others.
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
    /// A value that stands alone.
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

    /// A time.
    pub(crate) fn ms(key: &str, label: &str, milliseconds: f64) -> Self {
        Self::new(key, label, milliseconds, Unit::Milliseconds)
    }

    /// A rate.
    pub(crate) fn rate(key: &str, label: &str, per_second: f64) -> Self {
        Self::new(key, label, per_second, Unit::RecordsPerSecond)
    }

    /// A size.
    pub(crate) fn mb(key: &str, label: &str, bytes: f64) -> Self {
        Self::new(key, label, bytes / 1e6, Unit::Megabytes)
    }

    /// Puts it beside another value.
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

    /// Says what was promised, where something was.
    pub(crate) fn promised(mut self, budget: impl Into<Option<Budget>>) -> Self {
        self.budget = budget.into();
        self
    }

    /// How many times its reference it costs: below 1 is better than the reference.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let reference = self.reference.as_ref()?;
        Some(if self.unit.more_is_better() {
            reference.value / self.value
        } else {
            self.value / reference.value
        })
    }

    /// Whether the promise was kept, where there was one. What could not be measured keeps none.
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
    /// Why nothing could be measured, or why the figures are doubtful.
    pub(crate) note: Option<String>,
    /// Whether that is because something went wrong.
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

    /// A measurement that could not be made.
    pub(crate) fn skipped(measurement: &'static str, reason: &str) -> Self {
        Self::without_figures(measurement, format!("skipped: {reason}"))
    }

    /// What was measured, or the reason why it failed: the other measurements of the run are worth having all the same.
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
