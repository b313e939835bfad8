//! Structural filters as SQL, and ordered lists of memories.

use anamne_types::{Category, Filter, InvalidValue, Kind, Memory, MemoryId, Row, Seq};
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use serde::{Deserialize, Serialize};

use super::read::verified_by_row;
use super::{Names, Tables, conditions, page_bytes};
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
    /// Only what comes after this place in the order. What is written meanwhile shifts nothing, as it does with an offset.
    pub after: Option<ListPosition>,
    /// Whether to list only forgotten memories instead of live ones.
    pub forgotten: bool,
}

/// The place of a memory in every order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListPosition {
    /// When it happened.
    occurred_at: Timestamp,
    /// Its thread.
    thread: Option<String>,
    /// Its position in the thread.
    position: Option<u32>,
    row: Row,
}

impl From<&Memory> for ListPosition {
    fn from(memory: &Memory) -> Self {
        Self {
            occurred_at: memory.occurred_at,
            thread: memory.thread.clone(),
            position: memory.position,
            row: memory.row,
        }
    }
}

/// Categories whose memories have an index ordered by time: lists of them cost O(limit), whatever the size of the space.
pub const INDEXED_CATEGORIES: [Category; 3] = [
    Category::ArchitectureDecision,
    Category::Constraint,
    Category::Preference,
];

/// Importance from which memories have an index ordered by time.
pub const INDEXED_IMPORTANCE: u8 = 8;

/// The indexed subset that contains everything a filter matches, if there is one. SQLite uses a partial index only if
/// the query contains its condition literally, so these are the conditions of `listed.sql`.
fn indexed_subset(filter: &Filter) -> Option<&'static str> {
    let categories = &filter.categories;
    let are_indexed = || {
        let mut each = categories.iter();
        each.all(|category| INDEXED_CATEGORIES.contains(category))
    };
    if filter.kinds == [Kind::Episode] {
        Some("kind = 4")
    } else if filter.kinds == [Kind::Experience] {
        Some("kind = 9")
    } else if !categories.is_empty() && are_indexed() {
        Some("category IN (1, 5, 9)")
    } else if filter.min_importance >= Some(INDEXED_IMPORTANCE) {
        Some("importance >= 8")
    } else {
        None
    }
}

/// The order within a thread. Rows without a thread have no position, and NULL comes first in an order.
const IN_THREAD: &str = "coalesce(thread, -1), coalesce(position, -1), row";

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
        if filter.accessed_since.is_some() || filter.min_accesses.is_some() {
            let accepts = "replaced by rows: the log does not say when a memory was opened";
            return Err(InvalidValue::new("accessed_since", accepts, "given").into());
        }
        if let Some(condition) = indexed_subset(filter) {
            clause.push(condition, []);
        }
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
        if let Some(rows) = &filter.rows {
            let listed = serde_json::to_string(rows)?;
            clause.push("row IN (SELECT value FROM json_each(?))", [listed.into()]);
        }
        if !filter.conditions.is_empty() {
            // Last, because it reads what the others exclude without reading.
            clause.push(conditions::MEETS, [conditions::parameter(filter)]);
        }
        Ok(clause)
    }

    /// Requires a place after another one in this order.
    fn after(&mut self, place: &ListPosition, order: Order, connection: &Connection) -> Result<()> {
        let at: Value = to_microseconds(place.occurred_at).into();
        let row: Value = i64::from(place.row.0).into();
        let thread = match &place.thread {
            Some(name) => number_of(connection, name)?,
            None => -1,
        };
        let in_thread = [
            Value::from(thread),
            place.position.map_or(-1, i64::from).into(),
            row.clone(),
        ];
        // The times alone first: they can be found in an index.
        match order {
            Order::NewestFirst => self.push(
                "occurred_at <= ? AND (occurred_at < ? OR row < ?)",
                [at.clone(), at, row],
            ),
            Order::OldestFirst => self.push(
                format!("occurred_at >= ? AND (occurred_at > ? OR ({IN_THREAD}) > (?, ?, ?))"),
                [at.clone(), at].into_iter().chain(in_thread),
            ),
            Order::ByThread => self.push(
                format!("(thread IS NULL, {IN_THREAD}) > (?, ?, ?, ?)"),
                [Value::from(i64::from(place.thread.is_none()))]
                    .into_iter()
                    .chain(in_thread),
            ),
        }
        Ok(())
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

/// The memories of a listing, each with its id. In a small database a damaged index can't hide any.
pub(crate) fn list(
    tables: Tables<'_>,
    listing: &Listing,
) -> Result<Vec<(MemoryId, Result<Memory>)>> {
    let mut clause = Clause::of(&listing.filter, &tables)?;
    if listing.filter.kinds.is_empty() {
        // Experience is listed only when asked for.
        clause.push("kind <> 9", []);
    }
    if let Some(place) = &listing.after {
        clause.after(place, listing.order, &tables)?;
    }
    let visibility = if listing.forgotten {
        Visibility::Forgotten
    } else {
        Visibility::Live
    };
    let memories = if page_bytes(&tables)? <= SMALL {
        UNINDEXED
    } else {
        "memories"
    };
    let sql = listing_sql(memories, &clause, visibility, listing.order);
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
    let read = |row, id, seq| {
        // The index used may be damaged although the row is not.
        let stored = verified_by_row(tables, row)?;
        let stored = stored.ok_or(StoreError::Unverified { id, seq })?;
        Ok((!stored.gone).then_some(stored.memory))
    };
    let mut found = Vec::new();
    for listed in listed {
        let (row, id, seq) = listed?;
        if let Some(memory) = read(row, id, seq).transpose() {
            found.push((id, memory));
        }
    }
    Ok(found)
}

/// Selects ids only, so that no content is read for rows that are filtered out.
fn listing_sql(memories: &str, clause: &Clause, visibility: Visibility, order: Order) -> String {
    let mut conditions = clause.conditions.clone();
    conditions.push(visibility.sql().to_owned());
    format!(
        "SELECT row, id, seq FROM {memories} WHERE {} ORDER BY {} LIMIT ? OFFSET ?",
        conditions.join(" AND "),
        order.sql()
    )
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::open_writer;

    /// The plan of a list in a large database, one step per line.
    fn plan(filter: &Filter) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("active.db");
        let connection = open_writer(&path).expect("a database");
        let clause = Clause::of(filter, &connection).expect("a clause");
        let sql = format!(
            "EXPLAIN QUERY PLAN {}",
            listing_sql("memories", &clause, Visibility::Live, Order::NewestFirst)
        );
        let values = clause.values.into_iter().chain([40.into(), 0.into()]);
        let mut statement = connection.prepare(&sql).expect("a statement");
        let steps = statement
            .query_map(params_from_iter(values), |row| row.get::<_, String>(3))
            .expect("a plan");
        steps
            .collect::<Result<Vec<_>, _>>()
            .expect("steps")
            .join("\n")
    }

    fn check(filter: &Filter, index: &str) {
        let plan = plan(filter);
        assert!(plan.contains(&format!("USING INDEX {index}")), "{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }

    #[test]
    fn rare_memories_are_listed_by_time_without_reading_the_others() {
        let episodes = Filter {
            kinds: vec![Kind::Episode],
            ..Filter::default()
        };
        check(&episodes, "memories_episodes");
        let all = Filter {
            kinds: vec![Kind::Fact],
            categories: INDEXED_CATEGORIES.to_vec(),
            ..Filter::default()
        };
        check(&all, "memories_decisions");
        let one = Filter {
            categories: vec![Category::Constraint],
            ..Filter::default()
        };
        check(&one, "memories_decisions");
        let important = |least| Filter {
            min_importance: Some(least),
            ..Filter::default()
        };
        check(&important(INDEXED_IMPORTANCE), "memories_important");
        check(&important(10), "memories_important");
        check(&important(INDEXED_IMPORTANCE - 1), "memories_occurred");
        let mixed = Filter {
            categories: vec![Category::Constraint, Category::Insight],
            ..Filter::default()
        };
        check(&mixed, "memories_occurred");
        check(&Filter::default(), "memories_occurred");
    }

    #[test]
    fn the_indexes_hold_the_categories_that_they_are_said_to() {
        let numbers = INDEXED_CATEGORIES.map(|category| category.number().to_string());
        let condition = format!("WHERE category IN ({})", numbers.join(", "));
        assert!(include_str!("listed.sql").contains(&condition));
        let condition = format!("WHERE kind = {}", Kind::Episode.number());
        assert!(include_str!("listed.sql").contains(&condition));
        let condition = format!("WHERE importance >= {INDEXED_IMPORTANCE}");
        assert!(include_str!("listed.sql").contains(&condition));
    }

    #[test]
    fn a_database_without_the_indexes_gets_them_when_it_is_opened_for_writing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("active.db");
        let indexes = |connection: &Connection| -> i64 {
            let names = "('memories_episodes', 'memories_decisions', 'memories_important')";
            let sql = format!("SELECT count(*) FROM sqlite_schema WHERE name IN {names}");
            connection
                .query_row(&sql, [], |row| row.get(0))
                .expect("a count")
        };
        let connection = open_writer(&path).expect("a database");
        assert_eq!(indexes(&connection), 3);
        connection
            .execute_batch("DROP INDEX memories_episodes; DROP INDEX memories_decisions; DROP INDEX memories_important;")
            .expect("a database of an earlier version");
        drop(connection);
        assert_eq!(indexes(&open_writer(&path).expect("a database")), 3);
    }
}
