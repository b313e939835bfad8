//! Errors that are like one.

use rusqlite::Connection;

use super::texts;
use crate::normal::near::{Compared, NEAR};

/// The newest errors that are compared.
const MOST_COMPARED: i64 = 2_048;

/// The errors that are returned.
const MOST_NEAR: usize = 8;

/// The numbers of the errors most like the one with this normal form, without itself; best first. Of the 2 048 that were met last for
/// the first time. O(errors · words²).
pub(super) fn near_errors(connection: &Connection, form: &str) -> rusqlite::Result<Vec<i64>> {
    // Each next number by a search in the index: a scan would read every outcome with an error.
    let sql = "WITH RECURSIVE met (error) AS (
                   SELECT max(error) FROM outcomes WHERE error <> 0
                   UNION ALL
                   SELECT (SELECT max(error) FROM outcomes WHERE error <> 0 AND error < met.error)
                   FROM met WHERE met.error IS NOT NULL)
               SELECT error FROM met WHERE error IS NOT NULL LIMIT ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let numbers = statement.query_map([MOST_COMPARED], |row| row.get::<_, i64>(0))?;
    let asked = Compared::of(form);
    let mut near = Vec::new();
    for number in numbers {
        let number = number?;
        let met = texts::content(connection, number)?;
        let likeness = asked.likeness(&Compared::of(&met));
        if met != form && likeness >= NEAR {
            near.push((likeness, number));
        }
    }
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
    Ok(near
        .into_iter()
        .take(MOST_NEAR)
        .map(|(_, number)| number)
        .collect())
}
