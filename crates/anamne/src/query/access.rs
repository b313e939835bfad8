//! How often, and when, memories were opened by their ids.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use anamne_recall::AccessCount;
use anamne_store::{Listing, QueryLogging};
use anamne_types::{Filter, InvalidValue, Kind, Limits, Memory, MemoryId, Recall, Row};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::space::Space;

/// How often a memory was opened by its id, and when last. Results of queries don't count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUse {
    /// How often. Only the 16 384 memories opened last have counts.
    pub count: u64,
    /// When last.
    pub last: Timestamp,
}

/// The order of a list of opened memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseOrder {
    /// Last opened first.
    Accessed,
    /// Most often opened first, and last opened first among equals.
    AccessCount,
}

impl UseOrder {
    fn key(self, count: AccessCount) -> (u64, i64) {
        match self {
            Self::Accessed => (0, count.at),
            Self::AccessCount => (count.total, count.at),
        }
    }
}

impl Space {
    /// How often a memory was opened, by any process; `None` if never, if the space's settings keep nothing of queries,
    /// or if the query log can't be read, which a check-up reports. O(log opened memories).
    pub fn use_of(&self, id: MemoryId) -> Result<Option<MemoryUse>, Error> {
        let row = self.inner.source.get(id)?.row;
        let used = self.uses_of_rows(&BTreeSet::from([row]));
        Ok(used.get(&row).copied())
    }

    /// How often the memories of these rows were opened; those never opened are missing, as are all if the space's
    /// settings keep nothing of queries or the query log can't be read. O(rows · log opened memories).
    pub(crate) fn uses_of_rows(&self, rows: &BTreeSet<Row>) -> HashMap<Row, MemoryUse> {
        if !self.counts_use() {
            return HashMap::new();
        }
        let counts = self.inner.derived.meta.uses_of(rows).unwrap_or_default();
        let used = counts.iter().map(|(row, count)| {
            let (count, last) = (count.total, instant(count.at));
            (row, MemoryUse { count, last })
        });
        used.collect()
    }

    /// The live memories of a listing that were ever opened, by use instead of the listing's own order. O(opened
    /// memories · log opened memories).
    pub fn list_by_use(&self, listing: &Listing, order: UseOrder) -> Result<Vec<Memory>, Error> {
        let mut filter = self.sorted_filter(listing)?;
        let keys: HashMap<Row, _> = self.opened_rows("sort", |count| Some(order.key(count)))?;
        let is_known = |row: &Row| filter.rows.as_ref().is_none_or(|rows| rows.contains(row));
        let mut opened: Vec<Row> = keys.keys().copied().filter(is_known).collect();
        opened.sort_unstable();
        filter.rows = Some(opened);
        let mut rows = self.inner.source.rows(&filter)?;
        rows.sort_unstable_by_key(|row| Reverse((keys.get(row).copied(), *row)));
        self.sorted_page(rows, listing)
    }

    /// The filter of a listing in an order that the source doesn't know.
    pub(crate) fn sorted_filter(&self, listing: &Listing) -> Result<Filter, Error> {
        listing.filter.check()?;
        Limits::check_offset(listing.offset)?;
        if listing.forgotten {
            let accepts = "left out where memories are listed by use or importance";
            return Err(InvalidValue::new("forgotten", accepts, true).into());
        }
        if listing.after.is_some() {
            let accepts = "left out where memories are listed by use or importance";
            return Err(InvalidValue::new("after", accepts, "given").into());
        }
        let mut filter = self.resolved(&listing.filter)?.into_owned();
        if filter.kinds.is_empty() {
            // Experience is listed only when asked for.
            let kinds = Kind::ALL.iter().copied();
            filter.kinds = kinds.filter(|kind| *kind != Kind::Experience).collect();
        }
        Ok(filter)
    }

    /// The page of a listing whose rows are in their order.
    pub(crate) fn sorted_page(
        &self,
        rows: Vec<Row>,
        listing: &Listing,
    ) -> Result<Vec<Memory>, Error> {
        let page = rows.into_iter().skip(listing.offset).take(listing.limit);
        let page: Vec<Row> = page.collect();
        let mut memories: HashMap<Row, Memory> =
            self.inner.source.get_rows(&page)?.into_iter().collect();
        Ok(page.iter().filter_map(|row| memories.remove(row)).collect())
    }

    /// The filter with the rows that pass its conditions on use, which the source doesn't know.
    pub(crate) fn resolved<'a>(&self, filter: &'a Filter) -> Result<Cow<'a, Filter>, Error> {
        let (since, least) = (filter.accessed_since, filter.min_accesses);
        let field = match (since, least) {
            (None, None) => return Ok(Cow::Borrowed(filter)),
            (Some(_), _) => "accessed_since",
            (None, Some(_)) => "min_accesses",
        };
        if least == Some(0) && since.is_none() {
            // Every memory was opened at least never.
            return Ok(Cow::Owned(Filter {
                min_accesses: None,
                ..filter.clone()
            }));
        }
        let passes = |count: AccessCount| {
            let is_recent = since.is_none_or(|since| count.at >= since.as_microsecond());
            (is_recent && least.is_none_or(|least| count.total >= least)).then_some(())
        };
        let mut rows: Vec<Row> = self.opened_rows(field, passes)?.into_keys().collect();
        rows.sort_unstable();
        Ok(Cow::Owned(Filter {
            accessed_since: None,
            min_accesses: None,
            rows: Some(rows),
            ..filter.clone()
        }))
    }

    /// The query with its filter resolved.
    pub(crate) fn resolved_recall<'a>(&self, recall: &'a Recall) -> Result<Cow<'a, Recall>, Error> {
        Ok(match self.resolved(&recall.filter)? {
            Cow::Borrowed(_) => Cow::Borrowed(recall),
            Cow::Owned(filter) => Cow::Owned(Recall {
                filter,
                ..recall.clone()
            }),
        })
    }

    /// The opened rows for which `wanted` gives something.
    fn opened_rows<T>(
        &self,
        field: &str,
        wanted: impl Fn(AccessCount) -> Option<T>,
    ) -> Result<HashMap<Row, T>, Error> {
        if !self.counts_use() {
            let accepts = "left out: the space's settings (meta.queries) record no use";
            return Err(InvalidValue::new(field, accepts, "given").into());
        }
        let counts = self.inner.derived.meta.all_uses()?;
        let counts = counts.iter();
        Ok(counts
            .filter_map(|(row, count)| Some((row, wanted(count)?)))
            .collect())
    }

    fn counts_use(&self) -> bool {
        self.config().meta.queries != QueryLogging::Off
    }
}

fn instant(microseconds: i64) -> Timestamp {
    Timestamp::from_microsecond(microseconds).unwrap_or(Timestamp::UNIX_EPOCH)
}
