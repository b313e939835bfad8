//! Validity at a given time: memories that had happened by then, and were neither expired nor superseded.

use anamne_index::columns::RowPredicate;
use anamne_store::SpaceSource;
use anamne_types::{Filter, MemoryId, Recall, Row};
use jiff::Timestamp;
use roaring::RoaringBitmap;

use crate::error::RecallError;
use crate::filter;
use crate::past::{AsOfColumns, Past};
use crate::sources::RecallSources;
use crate::views::Columns;

/// The memories valid at a given time.
#[derive(Debug, Default)]
pub(crate) struct ValidRows {
    /// The valid rows.
    pub(crate) rows: RoaringBitmap,
    /// Those of them that were superseded later.
    pub(crate) superseded_later: RoaringBitmap,
}

impl ValidRows {
    /// The memories valid at the queried time; `None` if none is given.
    pub(crate) fn of(
        sources: &RecallSources<'_>,
        recall: &Recall,
    ) -> Result<Option<Self>, RecallError> {
        let Some(instant) = recall.as_of.held else {
            return Ok(None);
        };
        let as_of = sources.columns.map(|base| AsOfColumns {
            base,
            past: sources.past,
            superseded_later: RoaringBitmap::new(),
        });
        let columns = as_of.as_ref().map(|as_of| as_of as &dyn Columns);
        Self::at(instant, sources.source, columns, sources.past).map(Some)
    }

    /// Checks all rows of `columns`, in which changed memories are as in `past`.
    ///
    /// A memory whose successor was erased stays superseded: the time is unknown. O(rows) over the columns, and a
    /// source lookup per superseded row. Without columns the source is queried for every row, and expired ones are
    /// included.
    fn at(
        instant: Timestamp,
        source: &SpaceSource,
        columns: Option<&dyn Columns>,
        past: Option<&Past>,
    ) -> Result<Self, RecallError> {
        let microseconds = instant.as_microsecond();
        let valid = RowPredicate {
            until: Some(microseconds.saturating_add(1)),
            alive_at: Some(microseconds),
            ..RowPredicate::default()
        };
        let (mut rows, not_superseded) = if let Some(columns) = columns {
            let not_superseded = columns.select(&RowPredicate {
                without_superseded: true,
                ..valid.clone()
            });
            (columns.select(&valid), not_superseded)
        } else {
            let until = Timestamp::from_microsecond(microseconds.saturating_add(1)).ok();
            let occurred = Filter {
                until,
                ..Filter::default()
            };
            let rows = filter::select(source, None, past, &occurred)?;
            (rows.unwrap_or_default(), RoaringBitmap::new())
        };
        let superseded: Vec<Row> = (&rows - not_superseded).iter().map(Row).collect();
        let mut superseded_later = RoaringBitmap::new();
        for (row, occurred) in successor_times(&superseded, source, past)? {
            match occurred {
                Some(at) if at <= microseconds => {
                    rows.remove(row.0);
                }
                Some(_) => {
                    superseded_later.insert(row.0);
                }
                None => {}
            }
        }
        Ok(Self {
            rows,
            superseded_later,
        })
    }
}

/// For each of these superseded rows, when its successor happened; `None` if unknown.
fn successor_times(
    rows: &[Row],
    source: &SpaceSource,
    past: Option<&Past>,
) -> Result<Vec<(Row, Option<i64>)>, RecallError> {
    let past_memory = |row: Row| past.and_then(|past| past.memory(row));
    let ids: Vec<(Row, MemoryId)> = rows
        .iter()
        .zip(source.successors(rows)?)
        .filter_map(|(&row, now)| {
            let id = match past_memory(row) {
                Some(memory) => memory.superseded_by,
                None => now,
            };
            id.map(|id| (row, id))
        })
        .collect();
    let successor_ids: Vec<MemoryId> = ids.iter().map(|(_, id)| *id).collect();
    let occurrences = source.occurrences(&successor_ids)?.into_iter();
    let occurred = occurrences.map(|found| {
        let (successor, now) = found?;
        let at = past_memory(successor).map(|memory| memory.occurred_at.as_microsecond());
        Some(at.unwrap_or(now))
    });
    let rows = ids.into_iter().map(|(row, _)| row);
    Ok(rows.zip(occurred).collect())
}
