//! Fits JSON into a token budget.

use anamne::text::tokens::estimate_tokens;
use serde_json::Value;

/// Removes items from the end of the list `name` until the whole costs at most `budget` tokens; keeps at least one.
/// Returns the number of removed items.
pub(crate) fn fit(structured: &mut Value, name: &str, budget: usize) -> usize {
    let Some(Value::Array(mut items)) = structured.get_mut(name).map(Value::take) else {
        return 0;
    };
    let mut spent = cost(structured);
    let fitting = items.iter().take_while(|item| {
        spent += cost(item);
        spent <= budget
    });
    let kept = fitting.count().max(1).min(items.len());
    let taken = items.len() - kept;
    items.truncate(kept);
    structured[name] = Value::Array(items);
    taken
}

/// The token cost of a value in a list, with its comma.
fn cost(value: &Value) -> usize {
    estimate_tokens(&value.to_string()) + 1
}
