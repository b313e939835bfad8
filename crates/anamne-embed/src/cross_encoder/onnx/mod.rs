//! ONNX files of encoders: checked before the runtime sees them, then run by `rten`.
//!
//! The runtime trusts lengths and sizes that a file only claims. So [`graph`] reads the file first and refuses what is
//! damaged, and [`sizes`] follows every shape and refuses what would take too much memory or work. Only then is the
//! file loaded.

mod graph;
mod operators;
mod rearranging;
mod runtime;
mod sizes;
mod tensor;
#[cfg(test)]
mod tests;
mod wire;

use graph::Graph;
use runtime::Runtime;
use sizes::{INPUTS, Plan, TOKENS};

/// The tokens of the shortest pair: the marks.
const FEWEST_TOKENS: usize = 3;

/// A loaded encoder that reads pairs and gives logits.
pub(super) struct Encoder {
    runtime: Runtime,
    /// The number of labels: 1 or 2.
    pub(super) labels: usize,
    /// The number of tokens that have embeddings, if the graph shows it.
    pub(super) token_rows: Option<usize>,
}

impl Encoder {
    /// Loads a file, for pairs of at most `most_tokens` tokens. The error says what is wrong with it.
    pub(super) fn load(bytes: &[u8], most_tokens: usize) -> Result<Self, String> {
        let graph = Graph::read(bytes)?;
        let logits = logits(&graph)?;
        check_inputs(&graph)?;
        let plan = Plan::of(&graph, logits)?;
        let sizes = plan.sizes(FEWEST_TOKENS)?;
        for tokens in FEWEST_TOKENS + 1..=most_tokens {
            if plan.sizes(tokens)? != sizes {
                return Err("the shape of its output depends on the length of the text".to_owned());
            }
        }
        let labels = match sizes.logits[..] {
            [1, labels @ (1 | 2)] => labels,
            [1] => 1,
            ref shape => {
                return Err(format!(
                    "its output has the shape {shape:?}; a cross-encoder gives 1 or 2 logits for a pair"
                ));
            }
        };
        Ok(Self {
            runtime: Runtime::load(bytes.to_vec(), &graph.inputs, logits)?,
            labels,
            token_rows: sizes.token_rows,
        })
    }

    /// The logits of a pair: its tokens, and 0 for those of the query and 1 for those of the text.
    pub(super) fn logits(&self, tokens: &[i32], types: &[i32]) -> Result<Vec<f32>, String> {
        let logits = self.runtime.run(tokens, types)?;
        if logits.len() != self.labels || logits.iter().any(|logit| !logit.is_finite()) {
            return Err(format!("it gave the logits {logits:?}"));
        }
        Ok(logits)
    }
}

/// The output with the logits: the one of that name, or the only one.
fn logits<'file>(graph: &Graph<'file>) -> Result<&'file str, String> {
    match &graph.outputs[..] {
        [] => Err("it has no output".to_owned()),
        [only] => Ok(only),
        several if several.contains(&"logits") => Ok("logits"),
        several => Err(format!("none of its outputs {several:?} is named logits")),
    }
}

/// Rejects a graph that needs other inputs than encoders have, or reads no tokens.
fn check_inputs(graph: &Graph<'_>) -> Result<(), String> {
    if !graph.inputs.contains(&TOKENS) {
        return Err(format!("it has no input {TOKENS:?}"));
    }
    match graph.inputs.iter().find(|input| !INPUTS.contains(input)) {
        Some(other) => Err(format!(
            "it needs the input {other:?}; encoders have {}",
            INPUTS.join(", ")
        )),
        None => Ok(()),
    }
}
