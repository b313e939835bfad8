//! The trees of the second look, from the text that `crates/anamne-eval/fitting/second_look.py` writes.

use std::sync::LazyLock;

use crate::model::SECOND_LOOK;

/// One number of each candidate.
pub(super) type Column = [f32; SECOND_LOOK];

/// Regression trees whose outputs are added: the corrections of the second look.
///
/// [`Forest::fitted`] is part of the engine. Others only serve measurements, on data that the fitted one has seen; the
/// default has no trees and corrects nothing.
#[derive(Debug, Default)]
pub struct Forest(anamne_forest::Forest);

static FITTED: LazyLock<Forest> = LazyLock::new(|| {
    Forest::read(include_str!("forest.txt")).expect("the fitted trees are well-formed")
});

impl Forest {
    /// The fitted trees.
    pub fn fitted() -> &'static Self {
        &FITTED
    }

    /// Reads trees over the inputs of the second look, in the form of [`anamne_forest`]. O(text).
    ///
    /// # Errors
    ///
    /// If the text names other inputs, or a line is malformed.
    pub fn read(text: &str) -> Result<Self, anamne_forest::ForestError> {
        let names: Vec<String> = super::input_names().collect();
        anamne_forest::Forest::parse(text, &names).map(Self)
    }

    /// The sum of all trees for each candidate; `columns` are the inputs in order. O(nodes · candidates).
    pub(super) fn sums(&self, columns: &[Column]) -> Column {
        self.0.sums(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fitted_trees_correct_something() {
        let columns = vec![[1.0; SECOND_LOOK]; super::super::input_names().count()];
        let is_zero = |forest: &Forest| forest.sums(&columns).iter().all(|sum| sum.abs() < 1e-6);
        assert!(is_zero(&Forest::default()));
        assert!(!is_zero(Forest::fitted()));
    }
}
