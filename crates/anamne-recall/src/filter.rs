//! Stage 1: the structural filter as a bitmap of rows.

use anamne_index::columns::RowPredicate;
use anamne_store::{SpaceSource, StoreError};
use anamne_types::{Filter, Row};
use roaring::RoaringBitmap;

use crate::past::Past;
use crate::views::Columns;

/// The rows that pass the filter; `None` means no restriction. With `past`, the rows that passed at that time.
pub(crate) fn select(
    source: &SpaceSource,
    columns: Option<&dyn Columns>,
    past: Option<&Past>,
    filter: &Filter,
) -> Result<Option<RoaringBitmap>, StoreError> {
    let now = select_now(source, columns, filter)?;
    let Some(past) = past else {
        return Ok(now);
    };
    let then = past.select(&predicate(source, filter)?, filter);
    let now = match now {
        Some(now) => now,
        None => every_row(source, columns)?,
    };
    Ok(Some(past.corrected(now, &then)))
}

/// The rows of all live memories.
pub(crate) fn every_row(
    source: &SpaceSource,
    columns: Option<&dyn Columns>,
) -> Result<RoaringBitmap, StoreError> {
    match columns {
        Some(columns) => Ok(columns.select(&RowPredicate::default())),
        None => Ok(bitmap(source.rows(&Filter::default())?)),
    }
}

/// The rows that pass the filter now; `None` means no restriction.
///
/// Attributes are read from the columns; tags, metadata and access are read from the source, which also applies the
/// attributes first where metadata is asked for. Without columns the source answers alone.
fn select_now(
    source: &SpaceSource,
    columns: Option<&dyn Columns>,
    filter: &Filter,
) -> Result<Option<RoaringBitmap>, StoreError> {
    if filter.is_empty() {
        return Ok(None);
    }
    let Some(columns) = columns else {
        return Ok(Some(bitmap(source.rows(filter)?)));
    };
    let by_source = Filter {
        tags: filter.tags.clone(),
        rows: filter.rows.clone(),
        ..Filter::default()
    };
    let mut selected: Option<RoaringBitmap> = None;
    if !filter.conditions.is_empty() {
        selected = Some(bitmap(source.rows(filter)?));
    } else if !by_source.is_empty() {
        selected = Some(bitmap(source.rows(&by_source)?));
    }
    let by_columns = Filter {
        tags: Vec::new(),
        rows: None,
        conditions: Vec::new(),
        ..filter.clone()
    };
    if !by_columns.is_empty() {
        let by_attributes = columns.select(&predicate(source, &by_columns)?);
        selected = Some(match selected {
            Some(found) => found & by_attributes,
            None => by_attributes,
        });
    }
    Ok(selected)
}

fn bitmap(rows: Vec<Row>) -> RoaringBitmap {
    rows.into_iter().map(|row| row.0).collect()
}

/// The filter with numbers instead of names; an unknown name matches nothing.
fn predicate(source: &SpaceSource, filter: &Filter) -> Result<RowPredicate, StoreError> {
    let numbers = |names: &[String]| -> Result<Vec<u32>, StoreError> {
        names
            .iter()
            .map(|name| Ok(source.number_of(name)?.unwrap_or(NOBODY)))
            .collect()
    };
    Ok(RowPredicate {
        since: filter.since.map(jiff::Timestamp::as_microsecond),
        until: filter.until.map(jiff::Timestamp::as_microsecond),
        alive_at: None,
        threads: numbers(&filter.threads)?,
        kinds: filter.kinds.iter().map(|kind| kind.number()).collect(),
        categories: filter
            .categories
            .iter()
            .map(|category| category.number())
            .collect(),
        authors: numbers(&filter.authors)?,
        sessions: numbers(&filter.sessions)?,
        min_importance: filter.min_importance.unwrap_or(0),
        min_trust: filter
            .min_trust
            .map_or(0, |trust| (trust * 255.0).round() as u8),
        without_superseded: false,
    })
}

/// A number that no name has.
const NOBODY: u32 = u32::MAX;
