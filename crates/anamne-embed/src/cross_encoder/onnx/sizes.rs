//! Sizes before work: follows shapes through a graph for a given number of tokens, without computing anything.
//!
//! The memory and the work of a run are known before it begins, whatever the file says. A graph whose sizes depend on
//! the text is refused, because they can't be known.

use std::collections::HashMap;

use super::graph::{Graph, Operator};
use super::operators;
use super::tensor::Tensor;

/// Maximum memory of a run in bytes, with the weights that are decompressed at loading, and without the file.
const MOST_BYTES: u64 = 2 << 30;

/// Maximum multiplications and results of a run for one pair. BERT-large with 256 tokens has 8 × 10^10.
const MOST_WORK: u64 = 300_000_000_000;

/// The inputs of an encoder; each has one row of tokens.
pub(super) const INPUTS: [&str; 3] = [TOKENS, "attention_mask", "token_type_ids"];

/// The input with the tokens of the pair.
pub(super) const TOKENS: &str = "input_ids";

/// What was found out about a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// The shape of the logits.
    pub(super) logits: Vec<usize>,
    /// The number of rows from which embeddings of tokens are chosen.
    pub(super) token_rows: Option<usize>,
}

/// A value during a walk.
struct Held {
    tensor: Tensor,
    /// The bytes that it takes while it is needed; 0 for inputs and for constants of the file.
    bytes: u64,
    /// Whether it is computed at loading, and read in every run.
    is_kept: bool,
}

/// The state of a walk through a graph.
struct Walk<'graph> {
    known: HashMap<&'graph str, Held>,
    /// The place of the last operator that reads each value.
    last_use: HashMap<&'graph str, usize>,
    /// The bytes of what is in memory.
    bytes: u64,
    work: u64,
    token_rows: Option<usize>,
}

/// What an operator computes.
struct Computed {
    outputs: Vec<Tensor>,
    work: u64,
    is_constant: bool,
}

impl Sizes {
    /// The sizes of a run with one pair of `tokens` tokens. The error says why it can't be run.
    pub(super) fn of(graph: &Graph<'_>, logits: &str, tokens: usize) -> Result<Self, String> {
        let mut walk = Walk::begin(graph, tokens);
        for (place, operator) in graph.operators.iter().enumerate() {
            walk.step(place, operator)
                .map_err(|problem| format!("operator {place}, {:?}: {problem}", operator.kind))?;
        }
        let found = walk.known.get(logits);
        let found = found.ok_or_else(|| format!("nothing computes its output {logits:?}"))?;
        Ok(Self {
            logits: found.tensor.shape.clone(),
            token_rows: walk.token_rows,
        })
    }
}

impl<'graph> Walk<'graph> {
    fn begin(graph: &Graph<'graph>, tokens: usize) -> Self {
        let mut last_use = HashMap::new();
        for (place, operator) in graph.operators.iter().enumerate() {
            last_use.extend(operator.inputs.iter().map(|name| (*name, place)));
        }
        // The logits stay until the end.
        last_use.extend(graph.outputs.iter().map(|name| (*name, usize::MAX)));
        let given = |tensor| Held {
            tensor,
            bytes: 0,
            is_kept: false,
        };
        let inputs = graph.inputs.iter();
        let inputs = inputs.map(|name| (*name, Tensor::of_shape(vec![1, tokens])));
        let constants = graph.constants.iter();
        let constants = constants.map(|(name, tensor)| (*name, tensor.clone()));
        let all = inputs.chain(constants);
        Self {
            known: all.map(|(name, tensor)| (name, given(tensor))).collect(),
            last_use,
            bytes: 0,
            work: 0,
            token_rows: None,
        }
    }

    fn step(&mut self, place: usize, operator: &Operator<'graph>) -> Result<(), String> {
        let computed = self.compute(operator)?;
        self.work = self.work.saturating_add(computed.work);
        for (name, mut tensor) in operator.outputs.iter().zip(computed.outputs) {
            let elements = tensor.elements()? as u64;
            tensor.is_constant = computed.is_constant;
            self.work = self.work.saturating_add(elements);
            self.bytes = self.bytes.saturating_add(4 * elements);
            let held = Held {
                tensor,
                bytes: 4 * elements,
                is_kept: false,
            };
            if self.known.insert(name, held).is_some() {
                return Err(format!("its output {name:?} is computed twice"));
            }
        }
        self.check()?;
        for name in &operator.inputs {
            if let Some(held) = self.known.get_mut(name) {
                held.is_kept |= held.tensor.is_constant && !computed.is_constant;
            }
        }
        self.release(place, operator);
        Ok(())
    }

    fn compute(&mut self, operator: &Operator<'_>) -> Result<Computed, String> {
        let input = |name: &&str| match *name {
            "" => Ok(None),
            name => match self.known.get(name) {
                Some(held) => Ok(Some(&held.tensor)),
                None => Err(format!("nothing before it computes its input {name:?}")),
            },
        };
        let inputs: Vec<_> = operator
            .inputs
            .iter()
            .map(input)
            .collect::<Result<_, _>>()?;
        if operator.kind == "Gather" && operator.inputs.get(1) == Some(&TOKENS) {
            let rows = inputs[0].and_then(|table| table.shape.first()).copied();
            self.token_rows = self.token_rows.into_iter().chain(rows).min();
        }
        let is_constant = inputs.iter().flatten().all(|input| input.is_constant);
        let (outputs, work) = operators::run(operator, &inputs)?;
        Ok(Computed {
            outputs,
            work,
            is_constant,
        })
    }

    fn check(&self) -> Result<(), String> {
        if self.bytes > MOST_BYTES {
            let most = MOST_BYTES >> 20;
            return Err(format!("it would need more than {most} MiB of memory"));
        }
        if self.work > MOST_WORK {
            return Err("it would take more work for one text than any known encoder".to_owned());
        }
        Ok(())
    }

    /// Frees what no later operator reads.
    fn release(&mut self, place: usize, operator: &Operator<'graph>) {
        for name in operator.inputs.iter().chain(&operator.outputs) {
            let is_last = self.last_use.get(name).is_none_or(|last| *last == place);
            if let Some(held) = self.known.get_mut(name)
                && is_last
                && !held.is_kept
            {
                self.bytes -= std::mem::take(&mut held.bytes);
            }
        }
    }
}
