//! Boosted regression trees, read from the text that `crates/anamne-eval/fitting/second_look.py` writes.
//!
//! The first line names the inputs. Each further line is one tree: its inner nodes in order, the root first, as
//! `input<=threshold?left:right`, then its leaves as numbers. A child is `n` and the number of a node, or `l` and the
//! number of a leaf.

use std::sync::LazyLock;

/// An inner node.
#[derive(Clone, Copy, Debug)]
struct Node {
    input: u16,
    threshold: f32,
    /// The next node; from [`LEAF`] on, a leaf.
    below: u16,
    above: u16,
}

/// Children from this number on are leaves.
const LEAF: u16 = 1 << 15;

/// Regression trees whose outputs are added.
#[derive(Debug, Default)]
pub(super) struct Forest {
    inputs: usize,
    nodes: Vec<Node>,
    leaves: Vec<f32>,
    /// The root of each tree.
    roots: Vec<u16>,
}

static FITTED: LazyLock<Forest> = LazyLock::new(|| {
    let names: Vec<String> = super::input_names().collect();
    Forest::parse(include_str!("forest.txt"), &names).expect("the fitted trees are well-formed")
});

impl Forest {
    /// The fitted trees.
    pub(super) fn fitted() -> &'static Self {
        &FITTED
    }

    /// Reads trees over these inputs; `None` if they are malformed. O(text).
    fn parse(text: &str, names: &[String]) -> Option<Self> {
        let mut lines = text.lines();
        if lines
            .next()?
            .split(' ')
            .ne(names.iter().map(String::as_str))
        {
            return None;
        }
        let mut forest = Self {
            inputs: names.len(),
            ..Self::default()
        };
        for line in lines {
            forest.add_tree(line)?;
        }
        Some(forest)
    }

    fn add_tree(&mut self, line: &str) -> Option<()> {
        let (first_node, first_leaf) = (self.nodes.len(), self.leaves.len());
        for part in line.split(' ') {
            match part.split_once("<=") {
                Some((input, rest)) => {
                    let (threshold, children) = rest.split_once('?')?;
                    let (below, above) = children.split_once(':')?;
                    let child = |text: &str| {
                        let number = |text: &str| text.parse::<usize>().ok();
                        let (start, first, own) = match text.strip_prefix('n') {
                            Some(node) => (0, first_node, number(node)?),
                            None => (LEAF, first_leaf, number(text.strip_prefix('l')?)?),
                        };
                        Some(start + u16::try_from(first + own).ok()?)
                    };
                    self.nodes.push(Node {
                        input: input.parse().ok()?,
                        threshold: threshold.parse().ok()?,
                        below: child(below)?,
                        above: child(above)?,
                    });
                }
                None => self.leaves.push(part.parse().ok()?),
            }
        }
        self.is_well_formed(first_node, first_leaf).then(|| {
            self.roots.push(first_node as u16);
        })
    }

    /// Whether the nodes of the last tree refer to known inputs, later nodes and existing leaves, so that every walk
    /// ends.
    fn is_well_formed(&self, first_node: usize, first_leaf: usize) -> bool {
        let nodes = self.nodes.iter().enumerate().skip(first_node);
        let mut children = nodes.clone().flat_map(|(place, node)| {
            [node.below, node.above].map(|child| (place, usize::from(child)))
        });
        first_node < self.nodes.len()
            && nodes
                .clone()
                .all(|(_, node)| usize::from(node.input) < self.inputs)
            && children.all(
                |(place, child)| match child.checked_sub(usize::from(LEAF)) {
                    Some(leaf) => (first_leaf..self.leaves.len()).contains(&leaf),
                    None => (place + 1..self.nodes.len()).contains(&child),
                },
            )
    }

    /// The sum of all trees. O(trees · depth).
    pub(super) fn sum(&self, inputs: &[f32]) -> f32 {
        let leaf = |&root: &u16| {
            let mut at = root;
            while at < LEAF {
                let node = &self.nodes[usize::from(at)];
                at = if inputs[usize::from(node.input)] <= node.threshold {
                    node.below
                } else {
                    node.above
                };
            }
            self.leaves[usize::from(at - LEAF)]
        };
        self.roots.iter().map(leaf).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        vec!["one".to_owned(), "two".to_owned()]
    }

    #[test]
    fn trees_add_up() {
        let text = "one two\n0<=0.5?l0:n1 1<=-1?l1:l2 1 2 3\n1<=0?l0:l1 10 20";
        let forest = Forest::parse(text, &names()).expect("well-formed");
        for (inputs, sum) in [([0.5, 1.0], 21.0), ([0.6, -1.0], 12.0), ([0.6, 0.5], 23.0)] {
            assert!((forest.sum(&inputs) - sum).abs() < 1e-6, "{inputs:?}");
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
            "1 2",
        ] {
            assert!(
                Forest::parse(&format!("one two\n{tree}"), &names()).is_none(),
                "{tree}"
            );
        }
        assert!(Forest::parse("two one", &names()).is_none());
    }
}
