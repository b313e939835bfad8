//! TOML values as JSON values.

use serde_json::{Map, Value};
use toml_edit::{Item, TableLike};

/// The value of an item, whatever its notation.
pub(super) fn item_value(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => inline_value(value),
        Item::Table(table) => Value::Object(table_value(table)),
        Item::ArrayOfTables(list) => {
            let tables = list.iter().map(|table| Value::Object(table_value(table)));
            Value::Array(tables.collect())
        }
    }
}

fn table_value(table: &dyn TableLike) -> Map<String, Value> {
    let entries = table.iter();
    entries
        .map(|(name, item)| (name.to_owned(), item_value(item)))
        .collect()
}

/// Dates and numbers that JSON doesn't have are strings.
fn inline_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => {
            let number = *number.value();
            serde_json::Number::from_f64(number)
                .map_or_else(|| Value::from(number.to_string()), Value::Number)
        }
        toml_edit::Value::Boolean(boolean) => Value::from(*boolean.value()),
        toml_edit::Value::Datetime(time) => Value::from(time.value().to_string()),
        toml_edit::Value::Array(list) => Value::Array(list.iter().map(inline_value).collect()),
        toml_edit::Value::InlineTable(table) => Value::Object(table_value(table)),
    }
}
