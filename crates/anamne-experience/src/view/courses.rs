//! What was done in a run after an error, until the failed call was repeated.

use anamne_types::Row;
use rusqlite::{CachedStatement, Connection, Row as SqlRow, params};

use super::cases::SUCCEEDED;
use super::recoveries::RecoveryCase;
use super::texts;
use crate::ending::{Compared, course};
use crate::normal::has_names;

/// The steps after a failure that are looked at.
const MOST_STEPS: usize = 64;

/// A step that failed.
#[derive(Clone, Copy)]
pub(super) struct Failure {
    pub(super) row: i64,
    pub(super) step: i64,
    pub(super) run: i64,
}

/// A step as it is compared: texts are numbers.
struct Step {
    row: i64,
    number: i64,
    call: i64,
    error: i64,
    names: i64,
    succeeded: bool,
    only_reads: bool,
}

impl Step {
    fn compared(&self) -> Compared<'_, i64> {
        Compared {
            call: &self.call,
            error: &self.error,
            names: self.names,
            succeeded: self.succeeded,
        }
    }
}

fn step(row: &SqlRow<'_>) -> rusqlite::Result<Step> {
    Ok(Step {
        row: row.get(0)?,
        number: row.get(1)?,
        call: row.get(2)?,
        error: row.get(3)?,
        names: row.get(4)?,
        succeeded: row.get(5)?,
        only_reads: row.get(6)?,
    })
}

/// A failure and the steps of its run after it, of which the last one repeats it, if one does.
struct Course<'connection> {
    failed: Step,
    later: Vec<Step>,
    has_succeeded: CachedStatement<'connection>,
}

/// What was done after a failure: see [`crate::ending`]. `None` if nothing that could have helped succeeded. O(steps · log rows).
pub(super) fn recovery(
    connection: &Connection,
    failure: Failure,
) -> rusqlite::Result<Option<RecoveryCase>> {
    let Some(mut course_of) = Course::read(connection, failure)? else {
        return Ok(None);
    };
    let form = texts::content(connection, course_of.failed.error)?;
    let failed = course_of.failed.compared();
    let names_tell = has_names(&form);
    let later = course_of.later.iter();
    let found = course(later.map(|step| failed.later(&step.compared(), names_tell)));
    let steps = course_of.later.len();
    let Some(named) = found.named(steps, |step| course_of.changes(step))? else {
        return Ok(None);
    };
    let named = &course_of.later[named];
    let case = case(connection, failure, named, &form)?;
    Ok(Some(RecoveryCase {
        ended: found.ended.unwrap_or(case.run_succeeded == Some(true)),
        error_names: course_of.failed.names,
        ..case
    }))
}

impl<'connection> Course<'connection> {
    fn read(
        connection: &'connection Connection,
        failure: Failure,
    ) -> rusqlite::Result<Option<Self>> {
        let fields = "row, step, call, error, error_names, succeeded, only_reads";
        let sql = format!("SELECT {fields} FROM outcomes WHERE row = ?1 AND step = ?2");
        let mut statement = connection.prepare_cached(&sql)?;
        let mut found = statement.query_map(params![failure.row, failure.step], step)?;
        let Some(failed) = found.next().transpose()? else {
            return Ok(None);
        };
        let sql = format!(
            "SELECT {fields} FROM outcomes WHERE run = ?3 AND (row, step) > (?1, ?2) AND ends_run = 0
             ORDER BY row, step LIMIT {MOST_STEPS}"
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let later = statement.query_map(params![failure.row, failure.step, failure.run], step)?;
        let later = later.collect::<Result<_, _>>()?;
        let sql = format!("SELECT {SUCCEEDED} FROM outcomes WHERE row = ?1 AND step = ?2");
        Ok(Some(Self {
            failed,
            later,
            has_succeeded: connection.prepare_cached(&sql)?,
        }))
    }

    /// Whether a step changed something, or reads as the failed call does, and was neither rejected nor undone.
    fn changes(&mut self, step: usize) -> rusqlite::Result<bool> {
        let step = &self.later[step];
        if step.only_reads && !self.failed.only_reads {
            return Ok(false);
        }
        let place = params![step.row, step.number];
        self.has_succeeded.query_row(place, |row| row.get(0))
    }
}

/// The case of a named step.
fn case(
    connection: &Connection,
    failure: Failure,
    named: &Step,
    error: &str,
) -> rusqlite::Result<RecoveryCase> {
    let ending = "FROM outcomes WHERE run = ?3 AND ends_run = 1 ORDER BY row DESC LIMIT 1";
    let sql = format!(
        "SELECT at, (SELECT content FROM texts WHERE text = call), (SELECT {SUCCEEDED} {ending}),
             (SELECT content FROM texts WHERE text = (SELECT goal {ending})),
             (SELECT content FROM texts WHERE text = agent)
         FROM outcomes WHERE row = ?1 AND step = ?2"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    statement.query_row(params![named.row, named.number, failure.run], |row| {
        let text = |index| {
            row.get::<_, Option<String>>(index)
                .map(Option::unwrap_or_default)
        };
        Ok(RecoveryCase {
            call: text(1)?,
            row: Row(named.row as u32),
            step: named.number as usize,
            at: row.get(0)?,
            ended: true,
            run_succeeded: row.get(2)?,
            error: error.to_owned(),
            error_names: 0,
            failed: (Row(failure.row as u32), failure.step as usize),
            goal: text(3)?,
            agent: text(4)?,
            relevance: 1.0,
        })
    })
}
