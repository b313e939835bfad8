//! Structural filters as SQL, and ordered lists of memories.

use anamne_types::{Filter, Memory, MemoryId, Row, Seq};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::read::verified_by_row;
use super::{Names, Tables, page_bytes};
use crate::clock::to_microseconds;
use crate::{Result, StoreError};

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Latest occurrence first.
    #[default]
    NewestFirst,
    /// Earliest occurrence first; by position within a thread.
    OldestFirst,
    /// By thread, in the order in which the threads were first named, and by position within a thread; memories without
    /// a thread last.
    ByThread,
}

/// Whether to select live or forgotten memories. Erased ones are never selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Live memories, which recall can return.
    #[default]
    Live,
    /// Forgotten memories, which can be restored.
    Forgotten,
    /// Both.
    Both,
}

impl Visibility {
    fn sql(self) -> &'static str {
        match self {
            Self::Live => "deleted_at IS NULL",
            Self::Forgotten => "deleted_at IS NOT NULL AND NOT erased",
            Self::Both => "NOT erased",
        }
    }
}

impl Order {
    fn sql(self) -> &'static str {
        match self {
            Self::NewestFirst => "occurred_at DESC, row DESC",
            Self::OldestFirst => "occurred_at, thread, position, row",
            Self::ByThread => "thread IS NULL, thread, position, row",
        }
    }
}

/// A query for a list of memories.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The filter.
    pub filter: Filter,
    /// The order.
    pub order: Order,
    /// Maximum number of memories.
    pub limit: usize,
    /// Number of memories to skip.
    pub offset: usize,
    /// Whether to list only forgotten memories instead of live ones.
    pub forgotten: bool,
}

/// A WHERE clause and its values.
#[derive(Debug, Default)]
struct Clause {
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl Clause {
    fn push(&mut self, condition: impl Into<String>, values: impl IntoIterator<Item = Value>) {
        self.conditions.push(condition.into());
        self.values.extend(values);
    }

    /// Requires `column` to be one of `values`; an empty list matches everything.
    fn any_of(&mut self, column: &str, values: Vec<i64>) {
        if !values.is_empty() {
            let places = vec!["?"; values.len()].join(", ");
            let values = values.into_iter().map(Value::from);
            self.push(format!("{column} IN ({places})"), values);
        }
    }

    fn of(filter: &Filter, connection: &Connection) -> Result<Self> {
        let mut clause = Self::default();
        if let Some(since) = filter.since {
            clause.push("occurred_at >= ?", [to_microseconds(since).into()]);
        }
        if let Some(until) = filter.until {
            clause.push("occurred_at < ?", [to_microseconds(until).into()]);
        }
        for (column, wanted) in [
            ("thread", &filter.threads),
            ("author", &filter.authors),
            ("session", &filter.sessions),
        ] {
            let numbers = wanted.iter().map(|name| number_of(connection, name));
            clause.any_of(column, numbers.collect::<Result<_>>()?);
        }
        let kinds = filter.kinds.iter().map(|kind| kind.number().into());
        clause.any_of("kind", kinds.collect());
        let categories = filter.categories.iter();
        let categories = categories.map(|category| category.number().into());
        clause.any_of("category", categories.collect());
        for tag in &filter.tags {
            let number = number_of(connection, tag)?.into();
            clause.push("row IN (SELECT row FROM tags WHERE tag = ?)", [number]);
        }
        if let Some(importance) = filter.min_importance {
            clause.push("importance >= ?", [i64::from(importance).into()]);
        }
        if let Some(trust) = filter.min_trust {
            clause.push("trust >= ?", [f64::from(trust).into()]);
        }
        Ok(clause)
    }

    fn sql(&self) -> String {
        self.conditions.join(" AND ")
    }
}

/// The number of a name; if the name is unknown, a number that no name has.
fn number_of(connection: &Connection, name: &str) -> Result<i64> {
    Ok(Names::find_unindexed(connection, name)?.unwrap_or(0).into())
}

/// The matching live rows, ascending. O(rows that the best index can't exclude).
pub(crate) fn rows(connection: &Connection, filter: &Filter) -> Result<Vec<Row>> {
    let mut clause = Clause::of(filter, connection)?;
    clause.push("deleted_at IS NULL", []);
    let sql = format!(
        "SELECT row FROM memories WHERE {} ORDER BY row",
        clause.sql()
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(clause.values), |row| Ok(Row(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The table without its indexes: a damaged index may have lost rows, and SQLite does not notice.
const UNINDEXED: &str = "memories NOT INDEXED";

/// A database up to this size is scanned completely for a list, which takes some milliseconds.
const SMALL: i64 = 16 << 20;

/// The memories of a listing. In a small database a damaged index can't hide any.
pub(crate) fn list(tables: Tables<'_>, listing: &Listing) -> Result<Vec<Memory>> {
    let mut clause = Clause::of(&listing.filter, &tables)?;
    let visibility = if listing.forgotten {
        Visibility::Forgotten
    } else {
        Visibility::Live
    };
    clause.push(visibility.sql(), []);
    let order = listing.order.sql();
    // Selects ids first, so that no content is read for rows that are filtered out.
    let memories = if page_bytes(&tables)? <= SMALL {
        UNINDEXED
    } else {
        "memories"
    };
    let sql = format!(
        "SELECT row, id, seq FROM {memories} WHERE {} ORDER BY {order} LIMIT ? OFFSET ?",
        clause.sql()
    );
    let bounded = |number: usize| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
    clause
        .values
        .extend([bounded(listing.limit), bounded(listing.offset)]);
    // The list and the memories must come from the same snapshot.
    let reader = tables.unchecked_transaction()?;
    let mut statement = reader.prepare_cached(&sql)?;
    let listed = statement.query_map(params_from_iter(clause.values), |row| {
        let seq = Seq(row.get::<_, i64>(2)? as u64);
        Ok((Row(row.get(0)?), MemoryId::from_bytes(row.get(1)?), seq))
    })?;
    let read = |listed: rusqlite::Result<(Row, MemoryId, Seq)>| {
        let (row, id, seq) = listed?;
        // The index used may be damaged although the row is not.
        let stored = verified_by_row(tables, row)?;
        let stored = stored.ok_or(StoreError::Unverified { id, seq })?;
        Ok(stored.memory)
    };
    listed.map(read).collect()
}

/// The ids of all matching memories in the given order, as a consistent snapshot; a damaged index can't hide any. O(memories).
pub(crate) fn select(
    connection: &Connection,
    filter: &Filter,
    visibility: Visibility,
    order: Order,
) -> Result<Vec<MemoryId>> {
    let mut clause = Clause::of(filter, connection)?;
    clause.push(visibility.sql(), []);
    let sql = format!(
        "SELECT id FROM {UNINDEXED} WHERE {} ORDER BY {}",
        clause.sql(),
        order.sql()
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let ids = statement.query_map(params_from_iter(clause.values), |row| {
        Ok(MemoryId::from_bytes(row.get(0)?))
    })?;
    Ok(ids.collect::<Result<_, _>>()?)
}
