//! Boosted regression trees that are compiled in as text, and sums over them.
//!
//! The first line names the inputs. Each further line is one tree: its inner nodes in order, the root first, as
//! `input<=threshold?left:right`, then its leaves as numbers. A child is `n` and the number of a node, or `l` and the
//! number of a leaf. `crates/anamne-eval/fitting/trees.py` writes this form.
//!
//! ```
//! use anamne_forest::Forest;
//!
//! let forest = Forest::parse("age size\n0<=0.5?l0:n1 1<=-1?l1:l2 1 2 3", &["age", "size"])?;
//! assert_eq!(forest.sums(&[[0.5, 0.6], [0.0, 0.0]]), [1.0, 3.0]);
//! # Ok::<(), anamne_forest::ForestError>(())
//! ```

use std::ops::Range;

/// Leaves of a tree: the bits of a mask.
const MOST_LEAVES: usize = 32;

/// An inner node.
#[derive(Clone, Copy, Debug)]
struct Node {
    input: usize,
    threshold: f32,
    /// The leaves that can still be reached with a value above the threshold: all but those below.
    above: u32,
}

/// A tree: its nodes, and its leaves from left to right.
#[derive(Clone, Debug)]
struct Tree {
    nodes: Vec<Node>,
    leaves: Vec<f32>,
}

/// Regression trees whose outputs are added; the default has none.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    trees: Vec<Tree>,
}

/// Why a text is not a forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ForestError {
    /// The first line differs from the inputs of this version.
    #[error("the first line does not name the inputs of this version; fit the trees again")]
    Inputs,
    /// A line is no tree.
    #[error("line {line} is not a tree over these inputs")]
    Tree {
        /// Its number, from 1.
        line: usize,
    },
}

impl Forest {
    /// Reads trees over these inputs, in the form of the crate's documentation. O(text).
    ///
    /// # Errors
    ///
    /// If the text names other inputs, or a line is malformed.
    pub fn parse(text: &str, names: &[impl AsRef<str>]) -> Result<Self, ForestError> {
        let mut lines = (1..).zip(text.lines());
        let (_, header) = lines.next().ok_or(ForestError::Inputs)?;
        if header.split(' ').ne(names.iter().map(AsRef::as_ref)) {
            return Err(ForestError::Inputs);
        }
        let tree = |(line, text)| Tree::parse(text, names.len()).ok_or(ForestError::Tree { line });
        Ok(Self {
            trees: lines.map(tree).collect::<Result<_, _>>()?,
        })
    }

    /// The sum of all trees for each of `N` candidates; `columns` are the inputs in order, with a number of each
    /// candidate. O(nodes · N), without branches: every node removes the leaves that its outcome excludes, and the first
    /// that is left is the tree's (QuickScorer, Lucchese et al. 2015).
    ///
    /// # Panics
    ///
    /// If there are fewer columns than inputs.
    pub fn sums<const N: usize>(&self, columns: &[[f32; N]]) -> [f32; N] {
        let mut sums = [0.0; N];
        add(&self.trees, columns, &mut sums);
        sums
    }

    /// The same; but only over the first trees, if the sums of all candidates over these are below a floor.
    ///
    /// # Panics
    ///
    /// If there are fewer columns than inputs.
    pub fn sums_from<const N: usize>(&self, columns: &[[f32; N]], floor: Floor) -> [f32; N] {
        let (first, others) = self.trees.split_at(floor.trees.min(self.trees.len()));
        let mut sums = [0.0; N];
        add(first, columns, &mut sums);
        if sums.iter().any(|sum| *sum >= floor.sum) {
            add(others, columns, &mut sums);
        }
        sums
    }
}

/// Where sums are given up.
#[derive(Clone, Copy, Debug)]
pub struct Floor {
    /// After so many trees.
    pub trees: usize,
    /// Below this sum.
    pub sum: f32,
}

/// Adds the outputs of trees.
fn add<const N: usize>(trees: &[Tree], columns: &[[f32; N]], sums: &mut [f32; N]) {
    for tree in trees {
        let mut open = [u32::MAX; N];
        for node in &tree.nodes {
            for (open, value) in open.iter_mut().zip(&columns[node.input]) {
                // In numbers instead of a branch, so that the loop runs in vector registers.
                let is_below = u32::from(*value <= node.threshold);
                *open &= node.above | is_below.wrapping_neg();
            }
        }
        for (sum, open) in sums.iter_mut().zip(open) {
            *sum += tree.leaves[open.trailing_zeros() as usize];
        }
    }
}

/// A child in the text: the number of a node or of a leaf.
#[derive(Clone, Copy)]
enum Child {
    Node(usize),
    Leaf(usize),
}

impl Child {
    fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix('n') {
            Some(node) => Some(Self::Node(node.parse().ok()?)),
            None => Some(Self::Leaf(text.strip_prefix('l')?.parse().ok()?)),
        }
    }
}

impl Tree {
    /// Reads one line; `None` unless it is a tree over so many inputs whose leaves are in order.
    fn parse(line: &str, inputs: usize) -> Option<Self> {
        let (mut nodes, mut children, mut leaves) = (Vec::new(), Vec::new(), Vec::new());
        for part in line.split(' ') {
            let Some((input, rest)) = part.split_once("<=") else {
                leaves.push(finite(part)?);
                continue;
            };
            let (threshold, both) = rest.split_once('?')?;
            let (below, above) = both.split_once(':')?;
            nodes.push(Node {
                input: input.parse().ok().filter(|input| *input < inputs)?,
                threshold: finite(threshold)?,
                above: u32::MAX,
            });
            children.push([Child::parse(below)?, Child::parse(above)?]);
        }
        // Children come after their parents, so that from the last to the first all leaves below are known.
        let mut reached: Vec<Range<usize>> = vec![0..0; nodes.len()];
        for place in (0..nodes.len()).rev() {
            let leaves_of = |child: Child| match child {
                Child::Node(node) => reached.get(node).filter(|_| node > place).cloned(),
                Child::Leaf(leaf) => Some(leaf..leaf + 1),
            };
            let [below, above] = children[place].map(leaves_of);
            let (below, above) = (below?, above?);
            if below.end != above.start || above.end > MOST_LEAVES {
                return None;
            }
            nodes[place].above = !below.clone().fold(0, |mask, leaf| mask | 1 << leaf);
            reached[place] = below.start..above.end;
        }
        (reached.first() == Some(&(0..leaves.len()))).then_some(Self { nodes, leaves })
    }
}

fn finite(text: &str) -> Option<f32> {
    text.parse().ok().filter(|number: &f32| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_add_up() {
        let text = "one two\n0<=0.5?l0:n1 1<=-1?l1:l2 1 2 3\n1<=0?l0:l1 10 20";
        let forest = Forest::parse(text, &["one", "two"]).expect("well-formed");
        let mut columns = [[0.0; 4]; 2];
        let cases = [([0.5, 1.0], 21.0), ([0.6, -1.0], 12.0), ([0.6, 0.5], 23.0)];
        for (lane, (inputs, _)) in cases.iter().enumerate() {
            (columns[0][lane], columns[1][lane]) = (inputs[0], inputs[1]);
        }
        let sums = forest.sums(&columns);
        for (sum, (inputs, expected)) in sums.iter().zip(cases) {
            assert!((sum - expected).abs() < 1e-6, "{inputs:?}: {sum}");
        }
    }

    #[test]
    fn sums_below_the_floor_are_given_up() {
        let text = "one two\n0<=0?l0:l1 -5 1\n1<=0?l0:l1 10 20";
        let forest = Forest::parse(text, &["one", "two"]).expect("well-formed");
        let floor = Floor {
            trees: 1,
            sum: -1.0,
        };
        for (columns, expected) in [
            ([[0.0, 0.0], [0.0, 1.0]], [-5.0, -5.0]),
            ([[0.0, 1.0], [0.0, 1.0]], [5.0, 21.0]),
        ] {
            for (sum, expected) in forest.sums_from(&columns, floor).iter().zip(expected) {
                assert!((sum - expected).abs() < 1e-6, "{columns:?}: {sum}");
            }
        }
    }

    #[test]
    fn malformed_trees_are_refused() {
        for tree in [
            "2<=0?l0:l1 1 2",
            "0<=0?n0:l0 1",
            "0<=0?l0:l2 1 2",
            "0<=0?n3:l0 1",
            "0<=x?l0:l0 1",
            "0<=0?l1:l0 1 2",
            "0<=0?l0:l1 1 2 3",
            "0<=0?l0:l1 1 NaN",
            "0<=inf?l0:l1 1 2",
            "1 2",
            "",
        ] {
            let text = format!("one two\n0<=0?l0:l1 1 2\n{tree}\n0<=0?l0:l1 1 2");
            let refusal = Forest::parse(&text, &["one", "two"]).err();
            assert_eq!(refusal, Some(ForestError::Tree { line: 3 }), "{tree}");
        }
        for header in ["two one", "one", ""] {
            let refusal = Forest::parse(header, &["one", "two"]).err();
            assert_eq!(refusal, Some(ForestError::Inputs), "{header}");
        }
    }

    #[test]
    fn a_forest_without_trees_sums_to_zero() {
        let sums = Forest::default().sums(&[[1.0; 4]; 2]);
        assert!(sums.iter().all(|sum| sum.abs() < f32::EPSILON));
    }
}
