//! Sizes before work: follows shapes through a graph for a given number of tokens, without computing anything.
//!
//! The memory and the work of a run are known before it begins, whatever the file says. A graph whose sizes depend on
//! the text is refused, because they can't be known.

use std::borrow::Cow;
use std::collections::HashMap;

use super::graph::{Graph, Operator};
use super::operators;
use super::tensor::Tensor;

/// Maximum memory of a run in bytes, with the weights that are decompressed at loading, and without those of the file.
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

/// A graph whose values are numbered, to be walked through for each number of tokens.
pub(super) struct Plan<'graph> {
    steps: Vec<Step<'graph>>,
    /// The values that are given: of an input `None`.
    given: Vec<(usize, Option<&'graph Tensor>)>,
    /// The place of the last step that reads each value.
    last_use: Vec<usize>,
    logits: usize,
}

/// An operator with the numbers of its inputs and outputs.
struct Step<'graph> {
    operator: &'graph Operator<'graph>,
    inputs: Vec<Option<usize>>,
    outputs: Vec<usize>,
}

impl<'graph> Plan<'graph> {
    /// The plan for this output of a graph. The error says why there is none.
    pub(super) fn of(graph: &'graph Graph<'graph>, logits: &str) -> Result<Self, String> {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut given = Vec::new();
        let constants = graph.constants.iter();
        let constants = constants.map(|(name, tensor)| (*name, Some(tensor)));
        let inputs = graph.inputs.iter().map(|name| (*name, None));
        for (place, (name, tensor)) in constants.chain(inputs).enumerate() {
            numbers.insert(name, place);
            given.push((place, tensor));
        }
        let mut steps = Vec::with_capacity(graph.operators.len());
        let mut last_use = vec![0; given.len()];
        for (place, operator) in graph.operators.iter().enumerate() {
            let input = |name: &&str| match (*name, numbers.get(name)) {
                ("", _) => Ok(None),
                (_, Some(number)) => Ok(Some(*number)),
                (name, None) => Err(of_operator(
                    place,
                    operator,
                    &format!("nothing before it computes its input {name:?}"),
                )),
            };
            let inputs = operator.inputs.iter().map(input);
            let inputs: Vec<Option<usize>> = inputs.collect::<Result<_, _>>()?;
            for input in inputs.iter().flatten() {
                last_use[*input] = place;
            }
            let mut outputs = Vec::with_capacity(operator.outputs.len());
            for name in &operator.outputs {
                // What nobody reads is freed at once.
                outputs.push(last_use.len());
                let is_named = !name.is_empty();
                if is_named && numbers.insert(name, last_use.len()).is_some() {
                    let problem = format!("its output {name:?} is computed twice");
                    return Err(of_operator(place, operator, &problem));
                }
                last_use.push(place);
            }
            steps.push(Step {
                operator,
                inputs,
                outputs,
            });
        }
        let found = numbers.get(logits);
        let logits = *found.ok_or_else(|| format!("nothing computes its output {logits:?}"))?;
        // It stays until the end.
        last_use[logits] = usize::MAX;
        Ok(Self {
            steps,
            given,
            last_use,
            logits,
        })
    }

    /// The sizes of a run with one pair of `tokens` tokens. The error says why it can't be run. O(operators).
    pub(super) fn sizes(&self, tokens: usize) -> Result<Sizes, String> {
        let mut walk = Walk {
            plan: self,
            known: (0..self.last_use.len()).map(|_| None).collect(),
            bytes: 0,
            work: 0,
            token_rows: None,
        };
        for (number, constant) in &self.given {
            let tensor = match constant {
                Some(tensor) => Cow::Borrowed(*tensor),
                None => Cow::Owned(Tensor::of_shape(vec![1, tokens])),
            };
            walk.known[*number] = Some(Held {
                tensor,
                bytes: 0,
                is_kept: false,
            });
        }
        for (place, step) in self.steps.iter().enumerate() {
            walk.step(place, step)
                .map_err(|problem| of_operator(place, step.operator, &problem))?;
        }
        let logits = walk.known[self.logits].as_ref();
        Ok(Sizes {
            logits: logits.map_or_else(Vec::new, |logits| logits.tensor.shape.clone()),
            token_rows: walk.token_rows,
        })
    }
}

fn of_operator(place: usize, operator: &Operator<'_>, problem: &str) -> String {
    format!("operator {place}, {:?}: {problem}", operator.kind)
}

/// A value during a walk.
struct Held<'graph> {
    tensor: Cow<'graph, Tensor>,
    /// The bytes that it takes while it is needed; 0 for inputs and for constants of the file.
    bytes: u64,
    /// Whether it is computed at loading, and read in every run.
    is_kept: bool,
}

/// The state of a walk through a graph.
struct Walk<'plan, 'graph> {
    plan: &'plan Plan<'graph>,
    /// The values so far, by number.
    known: Vec<Option<Held<'graph>>>,
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

impl Walk<'_, '_> {
    fn step(&mut self, place: usize, step: &Step<'_>) -> Result<(), String> {
        let computed = self.compute(step)?;
        self.work = self.work.saturating_add(computed.work);
        for (number, mut tensor) in step.outputs.iter().zip(computed.outputs) {
            let elements = tensor.elements()? as u64;
            tensor.is_constant = computed.is_constant;
            self.work = self.work.saturating_add(elements);
            self.bytes = self.bytes.saturating_add(4 * elements);
            self.known[*number] = Some(Held {
                tensor: Cow::Owned(tensor),
                bytes: 4 * elements,
                is_kept: false,
            });
        }
        self.check()?;
        for number in step.inputs.iter().flatten() {
            if let Some(held) = &mut self.known[*number] {
                held.is_kept |= held.tensor.is_constant && !computed.is_constant;
            }
        }
        self.release(place, step);
        Ok(())
    }

    fn compute(&mut self, step: &Step<'_>) -> Result<Computed, String> {
        let operator = step.operator;
        let input = |number: &Option<usize>| match number {
            None => Ok(None),
            Some(number) => match &self.known[*number] {
                Some(held) => Ok(Some(held.tensor.as_ref())),
                None => Err("an input of it is an output that is never computed".to_owned()),
            },
        };
        let inputs = step.inputs.iter().map(input);
        let inputs: Vec<Option<&Tensor>> = inputs.collect::<Result<_, _>>()?;
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
    fn release(&mut self, place: usize, step: &Step<'_>) {
        for number in step.inputs.iter().flatten().chain(&step.outputs) {
            if let Some(held) = &mut self.known[*number]
                && self.plan.last_use[*number] == place
                && !held.is_kept
            {
                self.bytes -= std::mem::take(&mut held.bytes);
            }
        }
    }
}
