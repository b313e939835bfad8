//! Conditions on metadata as a function of SQL, so that a statement chooses rows by them before it orders and limits.

use std::str::FromStr;

use anamne_types::{Condition, Filter, Metadata};
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};

use crate::Result;

/// The SQL condition that a memory's metadata meets the conditions of its one parameter, in any tier.
pub(super) const MEETS: &str = "meets(iif(tier = 0, metadata, colder(tier, row, 2)), ?)";

/// The separator of conditions in the parameter: no condition contains a control character outside quotation marks.
const SEPARATOR: char = '\n';

/// The parameter of [`MEETS`].
pub(super) fn parameter(filter: &Filter) -> Value {
    let conditions: Vec<_> = filter.conditions.iter().map(ToString::to_string).collect();
    conditions.join("\n").into()
}

/// Registers `meets(metadata, conditions)`. O(bytes of the metadata) per call.
pub(super) fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function("meets", 2, flags, meets)?;
    Ok(())
}

fn meets(context: &Context<'_>) -> rusqlite::Result<bool> {
    let conditions = context.get_or_create_aux(1, |value| {
        let lines = value.as_str()?.split(SEPARATOR);
        let conditions: Result<Vec<Condition>, _> = lines.map(Condition::from_str).collect();
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(conditions?)
    })?;
    let ValueRef::Text(json) = context.get_raw(0) else {
        return Ok(false);
    };
    let failed =
        |error: Box<dyn std::error::Error + Send + Sync>| rusqlite::Error::UserFunctionError(error);
    let json = std::str::from_utf8(json).map_err(|error| failed(error.into()))?;
    let is_possible = |condition: &Condition| {
        let necessary = condition.necessary();
        necessary.is_none_or(|part| json.contains(part))
    };
    if !conditions.iter().all(is_possible) {
        return Ok(false);
    }
    let metadata: Metadata = serde_json::from_str(json).map_err(|error| failed(error.into()))?;
    Ok(conditions
        .iter()
        .all(|condition| condition.matches(&metadata)))
}
