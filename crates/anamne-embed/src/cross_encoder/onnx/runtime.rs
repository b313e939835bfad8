//! The graph runtime, `rten`.

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, Value, ValueView, op_registry};

use super::sizes::TOKENS;

/// Maximum threads of a model; more gain little for one pair.
const MOST_THREADS: usize = 8;

/// A loaded graph.
pub(super) struct Runtime {
    model: Model,
    inputs: Vec<(NodeId, Input)>,
    logits: NodeId,
    options: RunOptions,
}

/// What an input of the graph is given.
#[derive(Clone, Copy)]
enum Input {
    Tokens,
    /// 1 for each token; a pair has no padding.
    Mask,
    Types,
}

impl Runtime {
    /// Loads a file that was checked.
    pub(super) fn load(bytes: Vec<u8>, inputs: &[&str], logits: &str) -> Result<Self, String> {
        guarded(|| {
            let model = ModelOptions::with_ops(operators())
                // Otherwise the weights would be rearranged for every pair, which takes longer than a short one.
                .prepack_weights(true)
                .load(bytes)
                .map_err(|error| error.to_string())?;
            let node = |name: &str| model.node_id(name).map_err(|error| error.to_string());
            let input = |name: &&str| {
                let input = match *name {
                    TOKENS => Input::Tokens,
                    "token_type_ids" => Input::Types,
                    _ => Input::Mask,
                };
                Ok((node(name)?, input))
            };
            let threads = thread::available_parallelism().map_or(1, NonZero::get);
            // The library's own pool would be set up from the environment.
            let pool = ThreadPool::with_num_threads(threads.min(MOST_THREADS));
            Ok(Self {
                inputs: inputs.iter().map(input).collect::<Result<_, String>>()?,
                logits: node(logits)?,
                options: RunOptions::default().with_thread_pool(Some(Arc::new(pool))),
                model,
            })
        })
    }

    /// The values of the output for one pair.
    pub(super) fn run(&self, tokens: &[i32], types: &[i32]) -> Result<Vec<f32>, String> {
        guarded(|| {
            let mask = vec![1; tokens.len()];
            let mut inputs = Vec::with_capacity(self.inputs.len());
            for (node, input) in &self.inputs {
                let values = match input {
                    Input::Tokens => tokens,
                    Input::Mask => &mask,
                    Input::Types => types,
                };
                let view = ValueView::from_shape([1, tokens.len()], values);
                inputs.push((*node, view.map_err(|error| error.to_string())?.into()));
            }
            let outputs = self
                .model
                .run(inputs, &[self.logits], Some(self.options.clone()))
                .map_err(|error| error.to_string())?;
            let logits = outputs.into_iter().next();
            let logits = logits.and_then(Value::into_tensor::<f32>);
            let logits = logits.ok_or("its output is not of the type float")?;
            Ok(logits.into_data())
        })
    }
}

/// Turns a panic of the runtime into an error.
///
/// The checks before exclude what could take too much memory or time, and the runtime reports most of what doesn't fit
/// together. But nothing proves that its operators never panic for a graph that no exporter would write, and a process must
/// not end because of a file. A run doesn't change a graph, so nothing is left half done.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!(
            "it can't be run: {}",
            text.unwrap_or("unknown problem")
        ))
    })
}

/// The operators that `operators.rs` knows the sizes of, and no others.
pub(super) fn operators() -> rten::OpRegistry {
    op_registry!(
        Abs,
        Add,
        And,
        Cast,
        Clip,
        Concat,
        ConstantOfShape,
        DequantizeLinear,
        Div,
        DynamicQuantizeLinear,
        Equal,
        Erf,
        Exp,
        Expand,
        Flatten,
        Gather,
        GatherND,
        Gelu,
        Gemm,
        Greater,
        GreaterOrEqual,
        Identity,
        IsNaN,
        LayerNormalization,
        Less,
        LessOrEqual,
        Log,
        MatMul,
        MatMulInteger,
        Max,
        Min,
        Mul,
        Neg,
        Not,
        Or,
        Pow,
        QuantizeLinear,
        Range,
        Reciprocal,
        ReduceMean,
        ReduceSum,
        Relu,
        Reshape,
        Shape,
        Sigmoid,
        Slice,
        Softmax,
        Split,
        Sqrt,
        Squeeze,
        Sub,
        Tanh,
        Transpose,
        Unsqueeze,
        Where
    )
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn a_panic_is_an_error() {
        let problem = guarded::<()>(|| panic!("the runtime gave up at {}", 7));
        assert_eq!(
            problem.expect_err("an error"),
            "it can't be run: the runtime gave up at 7"
        );
        assert_eq!(guarded(|| Ok(1)), Ok(1));
    }
}
