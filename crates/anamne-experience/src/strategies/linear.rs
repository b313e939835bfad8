//! Linear regression from sums.

use super::inputs::{INPUTS, Inputs};

/// Steps per unit in which inputs and gains are rounded, so that sums are exact.
const STEPS: f64 = 4_096.0;

/// The greatest absolute input. Sums of 2³² cases don't overflow.
const GREATEST: f64 = 16.0;

/// Sums over the cases of one strategy: integers, so that they don't depend on the order of addition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sums {
    /// Number of cases.
    pub(super) cases: u64,
    /// `Σ x xᵀ` in steps squared, row by row.
    products: [[i64; INPUTS]; INPUTS],
    /// `Σ success · x` in steps squared.
    gains: [i64; INPUTS],
}

impl Default for Sums {
    fn default() -> Self {
        Self {
            cases: 0,
            products: [[0; INPUTS]; INPUTS],
            gains: [0; INPUTS],
        }
    }
}

impl Sums {
    /// Adds a case with a success from 0 to 1. O(INPUTS²).
    pub(super) fn add(&mut self, inputs: &Inputs, success: f64) {
        let inputs = inputs.map(in_steps);
        let success = in_steps(success.clamp(0.0, 1.0));
        self.cases += 1;
        for (row, one) in inputs.iter().enumerate() {
            for (column, other) in inputs.iter().enumerate() {
                self.products[row][column] = self.products[row][column].wrapping_add(one * other);
            }
            self.gains[row] = self.gains[row].wrapping_add(one * success);
        }
    }

    /// Adds the cases of `other`. O(INPUTS²).
    pub(super) fn merge(&mut self, other: &Self) {
        self.cases += other.cases;
        for row in 0..INPUTS {
            for column in 0..INPUTS {
                let product = &mut self.products[row][column];
                *product = product.wrapping_add(other.products[row][column]);
            }
            self.gains[row] = self.gains[row].wrapping_add(other.gains[row]);
        }
    }

    /// The sum of the inputs.
    pub(super) fn inputs(&self) -> Inputs {
        self.products[0].map(from_squared_steps)
    }

    /// The sum of the successes.
    pub(super) fn successes(&self) -> f64 {
        from_squared_steps(self.gains[0])
    }

    /// Ridge regression with the weights `prior` in place of 0: the weights that minimise the squared error plus
    /// `strength · ‖weights − prior‖²` (Hoerl and Kennard 1970). O(INPUTS³).
    pub(super) fn fit(&self, prior: &Inputs, strength: f64) -> Fit {
        let mut matrix = self.products.map(|row| row.map(from_squared_steps));
        let mut right = self.gains.map(from_squared_steps);
        for row in 0..INPUTS {
            matrix[row][row] += strength;
            right[row] += strength * prior[row];
        }
        let root = CholeskyRoot::of(matrix);
        Fit {
            weights: root.solve(&right),
            root,
        }
    }
}

fn in_steps(value: f64) -> i64 {
    (value.clamp(-GREATEST, GREATEST) * STEPS).round() as i64
}

fn from_squared_steps(value: i64) -> f64 {
    value as f64 / (STEPS * STEPS)
}

/// A fitted regression.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) weights: Inputs,
    root: CholeskyRoot,
}

impl Fit {
    /// The expected success, 0 to 1. O(INPUTS).
    pub(super) fn expected(&self, inputs: &Inputs) -> f64 {
        dot(&self.weights, inputs).clamp(0.0, 1.0)
    }

    /// The width of the estimate, `√(xᵀ A⁻¹ x)` (Li, Chu, Langford and Schapire 2010: LinUCB). O(INPUTS²).
    pub(super) fn width(&self, inputs: &Inputs) -> f64 {
        self.root.norm_of_inverse(inputs)
    }
}

/// The product of two vectors.
pub(super) fn dot(one: &Inputs, other: &Inputs) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The lower triangular `L` with `L Lᵀ = A` for a positive definite `A`.
#[derive(Clone, Debug)]
struct CholeskyRoot([[f64; INPUTS]; INPUTS]);

impl CholeskyRoot {
    fn of(mut matrix: [[f64; INPUTS]; INPUTS]) -> Self {
        for row in 0..INPUTS {
            for column in 0..=row {
                let known: f64 = (0..column)
                    .map(|index| matrix[row][index] * matrix[column][index])
                    .sum();
                let rest = matrix[row][column] - known;
                matrix[row][column] = if row == column {
                    // Rounding can't make it negative beyond the ridge; the bound only protects the root.
                    rest.max(1e-9).sqrt()
                } else {
                    rest / matrix[column][column]
                };
            }
        }
        Self(matrix)
    }

    /// `L⁻¹ x`.
    fn forward(&self, right: &Inputs) -> Inputs {
        let mut solved = *right;
        for row in 0..INPUTS {
            let known: f64 = (0..row)
                .map(|index| self.0[row][index] * solved[index])
                .sum();
            solved[row] = (solved[row] - known) / self.0[row][row];
        }
        solved
    }

    /// `A⁻¹ x`.
    fn solve(&self, right: &Inputs) -> Inputs {
        let mut solved = self.forward(right);
        for row in (0..INPUTS).rev() {
            let known: f64 = (row + 1..INPUTS)
                .map(|index| self.0[index][row] * solved[index])
                .sum();
            solved[row] = (solved[row] - known) / self.0[row][row];
        }
        solved
    }

    /// `√(xᵀ A⁻¹ x)`.
    fn norm_of_inverse(&self, inputs: &Inputs) -> f64 {
        let solved = self.forward(inputs);
        dot(&solved, &solved).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inputs with a one in front and `value` behind it.
    fn inputs(value: f64) -> Inputs {
        let mut inputs = [0.0; INPUTS];
        (inputs[0], inputs[1]) = (1.0, value);
        inputs
    }

    #[test]
    fn a_linear_relation_is_found() {
        let mut sums = Sums::default();
        for number in 0..1_000 {
            let value = f64::from(number % 5) / 4.0;
            sums.add(&inputs(value), 0.2 + 0.6 * value);
        }
        let fit = sums.fit(&[0.0; INPUTS], 1e-3);
        assert!((fit.expected(&inputs(0.25)) - 0.35).abs() < 0.001);
        assert!((sums.successes() - 500.0).abs() < 0.5);
        assert!((sums.inputs()[1] - 500.0).abs() < 0.5);
    }

    #[test]
    fn without_cases_the_prior_holds_and_with_cases_the_width_shrinks() {
        let prior = inputs(0.5);
        let none = Sums::default().fit(&prior, 4.0);
        assert!((none.expected(&inputs(-1.0)) - 0.5).abs() < 1e-12);
        assert!((none.width(&inputs(0.0)) - 0.5).abs() < 1e-12);
        let mut sums = Sums::default();
        (0..12).for_each(|_| sums.add(&inputs(0.0), 1.0));
        assert!((sums.fit(&prior, 4.0).width(&inputs(0.0)) - 0.25).abs() < 1e-9);
    }

    #[test]
    fn sums_do_not_depend_on_the_order_or_on_batches() {
        let case = |number: i32| {
            (
                inputs(f64::from(number) * 0.137),
                f64::from(number % 3) / 2.0,
            )
        };
        let (mut forward, mut backward) = (Sums::default(), Sums::default());
        let (mut low, mut high) = (Sums::default(), Sums::default());
        for number in 0..100 {
            let (x, success) = case(number);
            forward.add(&x, success);
            let part = if number < 37 { &mut low } else { &mut high };
            part.add(&x, success);
            let (x, success) = case(99 - number);
            backward.add(&x, success);
        }
        high.merge(&low);
        assert_eq!(forward, backward);
        assert_eq!(forward, high);
    }

    #[test]
    fn extreme_inputs_are_limited() {
        let mut sums = Sums::default();
        sums.add(&inputs(f64::INFINITY), f64::NAN);
        sums.add(&inputs(f64::NAN), 1e300);
        let fit = sums.fit(&[0.0; INPUTS], 1.0);
        assert!(fit.expected(&inputs(1.0)).is_finite());
    }
}
