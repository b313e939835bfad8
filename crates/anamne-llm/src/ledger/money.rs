//! Money as a whole number of billionths of a dollar, for exact sums.

use std::fmt;

use serde::{Serialize, Serializer};

/// An amount in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money {
    nanodollars: i64,
}

const NANODOLLARS: f64 = 1e9;

impl Money {
    /// Converts dollars, rounded up to the next billionth; NaN is zero.
    pub fn from_dollars(dollars: f64) -> Self {
        Self {
            nanodollars: (dollars * NANODOLLARS).ceil() as i64,
        }
    }

    /// The amount in dollars.
    pub fn dollars(self) -> f64 {
        self.nanodollars as f64 / NANODOLLARS
    }

    pub(crate) fn from_nanodollars(nanodollars: i64) -> Self {
        Self { nanodollars }
    }

    pub(crate) fn nanodollars(self) -> i64 {
        self.nanodollars
    }
}

/// Two decimals if the amount is a multiple of a cent or at least 10 dollars, else six.
impl fmt::Display for Money {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dollars = self.dollars();
        if self.nanodollars % 10_000_000 == 0 || dollars.abs() >= 10.0 {
            write!(formatter, "${dollars:.2}")
        } else {
            write!(formatter, "${dollars:.6}")
        }
    }
}

/// Serialised as a number of dollars.
impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}
