//! Reads a space: memories, lists, histories, links, the log, counts.

use anamne_types::{Filter, InvalidValue, Limits, Link, Memory, MemoryId, Row, Version};

use rusqlite::Connection;

use crate::source::history::MissingState;
use crate::source::{
    self, BoundedCounts, KnownLinks, Linked, Listing, LogEntry, LogQuery, Names, Order, PastState,
    PastStates, Statistics, Visibility, erasure, filter, history, known_links, link, past, read,
    rows, statistics,
};
use crate::space::SpaceSource;
use crate::{Result, StoreError};

impl SpaceSource {
    /// The memory with this external id or memory id.
    pub fn find_imported(&self, id: &str) -> Result<Option<MemoryId>> {
        self.read(|reader| {
            if let Some(row) = rows::with_external_id(reader, id)? {
                let stored = read::by_row(self.names.of(reader), row)?;
                return Ok(stored.map(|stored| stored.memory.id));
            }
            let Ok(id) = id.parse() else { return Ok(None) };
            Ok(read::by_id(self.names.of(reader), id)?
                .filter(|stored| !stored.erased)
                .map(|stored| stored.memory.id))
        })
    }

    /// Whether the memory with this external id or memory id was erased permanently. Two index lookups.
    pub fn was_erased(&self, id: &str) -> Result<bool> {
        self.read(|reader| {
            let hash = erasure::hash_of_external_id(Some(id));
            let name = erasure::erased_external_id(hash).unwrap_or_default();
            if rows::with_external_id(reader, &name)?.is_some() {
                return Ok(true);
            }
            let Ok(id) = id.parse() else { return Ok(false) };
            Ok(read::by_id(self.names.of(reader), id)?.is_some_and(|stored| stored.erased))
        })
    }

    /// Whether a memory has or had one of these ids. An index lookup each.
    pub fn has_any(&self, ids: &[MemoryId]) -> Result<bool> {
        self.read(|reader| {
            let sql = "SELECT EXISTS (SELECT 1 FROM memories WHERE id = ?1)";
            let mut statement = reader.prepare_cached(sql)?;
            for id in ids {
                if statement.query_row([id.as_bytes().as_slice()], |row| row.get(0))? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// Whether a memory may tell of experience: an episode, experience itself, or what a tool said. Three index lookups.
    pub fn has_experience(&self) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM memories WHERE kind = 4) OR EXISTS (SELECT 1 FROM memories WHERE kind = 9)
                       OR EXISTS (SELECT 1 FROM memories WHERE role = 3)";
        self.read(|reader| {
            Ok(reader
                .prepare_cached(sql)?
                .query_row([], |row| row.get(0))?)
        })
    }

    /// The memory with this id, forgotten ones included, erased ones not.
    pub fn get(&self, id: MemoryId) -> Result<Memory> {
        match self.read(|reader| read::verified_by_id(self.names.of(reader), id))? {
            Some(stored) if stored.is_there() => Ok(self.with_space(stored.memory)),
            _ => Err(self.no_memory(id)),
        }
    }

    /// The live memories of these rows, in the given order; rows without one are skipped.
    pub fn get_rows(&self, rows: &[Row]) -> Result<Vec<(Row, Memory)>> {
        self.read(|reader| {
            // One transaction takes SQLite's read lock once instead of per row.
            let reader = reader.unchecked_transaction()?;
            let mut memories = Vec::with_capacity(rows.len());
            for &row in rows {
                if let Some(stored) = read::verified_by_row(self.names.of(&reader), row)?
                    && stored.is_there()
                    && stored.memory.deleted_at.is_none()
                {
                    memories.push((row, self.with_space(stored.memory)));
                }
            }
            Ok(memories)
        })
    }

    /// The id that `text` denotes: a full id, a unique prefix of one, or a citation (`m12`).
    pub fn resolve(&self, text: &str) -> Result<MemoryId> {
        let number = text.trim().strip_prefix('m').filter(|number| {
            !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
        });
        if let Some(number) = number {
            let row = number.parse().map_err(|_| {
                let accepts = format!("an id, or a citation from m1 to m{}", u32::MAX);
                InvalidValue::new("id", accepts, text.trim())
            })?;
            let cited = self
                .read(|reader| read::by_row(self.names.of(reader), Row(row)))?
                .filter(|stored| !stored.erased);
            return cited
                .map(|stored| stored.memory.id)
                .ok_or_else(|| StoreError::NoCitation {
                    citation: text.trim().to_owned(),
                    space: self.name().to_string(),
                });
        }
        let digits: String = text
            .trim()
            .chars()
            .filter(|character| *character != '-')
            .collect();
        let readable = !digits.is_empty()
            && digits.len() <= 32
            && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        if !readable {
            let accepts = "a citation such as m12, or a UUID or the beginning of one";
            return Err(InvalidValue::new("id", accepts, text.trim()).into());
        }
        if digits.len() == 32 {
            return Ok(text.parse()?);
        }
        let bound =
            |fill: &str| format!("{digits}{}", fill.repeat(32 - digits.len())).parse::<MemoryId>();
        let (first, last) = (bound("0")?, bound("f")?);
        let ids = self.read(|reader| read::ids_with_prefix(reader, first, last))?;
        match ids[..] {
            [id] => Ok(id),
            [] => Err(self.no_memory(first)),
            _ => Err(InvalidValue::new("id", "long enough to be unique", text).into()),
        }
    }

    /// The memories of a listing.
    pub fn list(&self, listing: &Listing) -> Result<Vec<Memory>> {
        listing.filter.check()?;
        Limits::check_offset(listing.offset)?;
        let memories = self.read(|reader| {
            let each = filter::list(self.names.of(reader), listing)?.into_iter();
            each.map(|(_, memory)| memory).collect()
        })?;
        Ok(self.with_spaces(memories))
    }

    /// The ids of all matching memories, as a consistent snapshot. O(matches), 16 bytes each.
    pub fn select(
        &self,
        filter: &Filter,
        visibility: Visibility,
        order: Order,
    ) -> Result<Vec<MemoryId>> {
        filter.check()?;
        self.read(|reader| filter::select(reader, filter, visibility, order))
    }

    /// The memories with these ids, in the given order; missing and erased ones are skipped.
    pub fn get_each(&self, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.read(|reader| {
            let mut memories = Vec::with_capacity(ids.len());
            for &id in ids {
                if let Some(stored) = read::verified_by_id(self.names.of(reader), id)?
                    && stored.is_there()
                {
                    memories.push(self.with_space(stored.memory));
                }
            }
            Ok(memories)
        })
    }

    /// The live rows that match a filter, ascending.
    pub fn rows(&self, filter: &Filter) -> Result<Vec<Row>> {
        self.read(|reader| filter::rows(reader, filter))
    }

    /// The number that represents the name of a thread, author, session or tag, if known.
    pub fn number_of(&self, name: &str) -> Result<Option<u32>> {
        self.read(|reader| Names::find_unindexed(reader, name))
    }

    /// The live rows just before and after a row in its thread.
    pub fn thread_neighbours(&self, row: Row) -> Result<[Option<Row>; 2]> {
        self.read(|reader| read::thread_neighbours(reader, row))
    }

    /// All states of a memory, the current one last.
    pub fn history(&self, id: MemoryId) -> Result<Vec<Version>> {
        let mut versions = self.read_past(|reader, missing| {
            let stored = read::verified_by_id(self.names.of(reader), id)?;
            let stored = stored.ok_or_else(|| self.no_memory(id))?;
            history::of(reader, &stored, missing)
        })?;
        for memory in versions
            .iter_mut()
            .filter_map(|version| version.memory.as_mut())
        {
            memory.space = self.name().to_string();
        }
        Ok(versions)
    }

    /// Reads earlier states. If one is missing, both copies are examined and a damaged database is restored; a state
    /// that neither copy holds was lost before.
    fn read_past<T>(&self, work: impl Fn(&Connection, MissingState) -> Result<T>) -> Result<T> {
        match self.read(|reader| work(reader, MissingState::Damage)) {
            Err(StoreError::Unverified { .. }) => {
                self.read(|reader| work(reader, MissingState::Loss))
            }
            read => read,
        }
    }

    /// A memory as of a time: the state after its last event up to then. `None` if it did not exist yet; a state
    /// without memory if its content has been erased. O(events).
    pub fn as_of(&self, id: MemoryId, at: jiff::Timestamp) -> Result<Option<Version>> {
        let version = self.read_past(|reader, missing| {
            let stored = read::verified_by_id(self.names.of(reader), id)?;
            let stored = stored.ok_or_else(|| self.no_memory(id))?;
            history::as_of(reader, &stored, at, missing)
        })?;
        Ok(version.map(|version| Version {
            memory: version.memory.map(|memory| self.with_space(memory)),
            ..version
        }))
    }

    /// The difference between the space now and as of a time: what was written later, and the former states of memories
    /// that have changed since. `None` if more than `most` changed. O(events, changed memories).
    pub fn past(&self, at: jiff::Timestamp, most: usize) -> Result<Option<PastStates>> {
        let states = self.read_past(|reader, missing| past::states(reader, at, most, missing))?;
        Ok(states.map(|states| self.of_this_space(states)))
    }

    fn of_this_space(&self, mut states: PastStates) -> PastStates {
        for PastState { then, .. } in &mut states.changed {
            if let Some((memory, _)) = then {
                memory.space = self.name().to_string();
            }
        }
        states
    }

    /// The memories that supersede these rows, if any.
    pub fn successors(&self, rows: &[Row]) -> Result<Vec<Option<MemoryId>>> {
        self.read(|reader| past::successors(reader, rows))
    }

    /// Row and time of occurrence (microseconds since 1970) by id; `None` if erased or unknown.
    pub fn occurrences(&self, ids: &[MemoryId]) -> Result<Vec<Option<(Row, i64)>>> {
        self.read(|reader| past::occurrences(reader, ids))
    }

    /// The events that match a query, in its order. O(events).
    pub fn log(&self, query: &LogQuery) -> Result<Vec<LogEntry>> {
        query.check()?;
        self.read(|reader| source::log::events(reader, query))
    }

    /// The links that start or end at a memory.
    pub fn links(&self, id: MemoryId) -> Result<Vec<Link>> {
        self.read(|reader| match read::by_id(self.names.of(reader), id)? {
            Some(stored) => link::of_row(reader, stored.row),
            None => Err(self.no_memory(id)),
        })
    }

    /// What the log knows of the links that start at a memory. O(links and events of the memory).
    pub fn known_links(&self, from: MemoryId) -> Result<KnownLinks> {
        self.read(|reader| match read::by_id(self.names.of(reader), from)? {
            Some(stored) => known_links::of(reader, &stored),
            None => Err(self.no_memory(from)),
        })
    }

    /// The links that start or end at each of these rows, strongest first. Per row and direction, only those to the
    /// `most` latest memories. A single query; the linked memories may be forgotten.
    pub fn links_of_rows(&self, rows: &[Row], most: usize) -> Result<Vec<Linked>> {
        self.read(|reader| link::leading_from(reader, rows, most))
    }

    /// Every link of the space.
    pub fn all_links(&self) -> Result<Vec<Link>> {
        self.read(link::all)
    }

    /// Counts over the space. O(memories).
    pub fn statistics(&self) -> Result<Statistics> {
        self.read(statistics::of)
    }

    /// Counts that stop at a limit. At most some ten thousand index entries.
    pub fn bounded_counts(&self) -> Result<BoundedCounts> {
        self.read(statistics::bounded)
    }

    /// The number of live memories that a tag or the guard makes private. O(memories).
    pub fn count_private(&self) -> Result<u64> {
        self.read(statistics::count_private)
    }

    /// At most `limit` authors of the space, with the numbers that represent them.
    pub fn authors(&self, limit: usize) -> Result<Vec<(u32, String)>> {
        self.read(|reader| {
            let numbers = statistics::authors(reader, limit)?;
            numbers
                .into_iter()
                .map(|number| Ok((number, self.names.of(reader).name(number)?)))
                .collect()
        })
    }

    /// The latest time of occurrence that is not in the future, microseconds since 1970.
    pub fn latest(&self) -> Result<i64> {
        let now = self.now().as_microsecond();
        self.read(|reader| statistics::latest(reader, now))
    }
}
