//! What people told about an entity beside its names: type, tags, scope and attributes.

use anamne_types::{Attributes, Entity, EntityScope, ToldEntity};
use rusqlite::types::Type;
use rusqlite::{Connection, Row as SqlRow, params};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::GraphError;
use super::naming::Name;

/// Maximum number of attributes of one entity; those told last count.
const MAX_ATTRIBUTES: usize = 256;

/// The last word on each part.
#[derive(Default)]
pub(super) struct Description {
    /// The number of the type, and a custom type.
    pub(super) told_type: Option<(u8, Option<String>)>,
    tags: Option<Vec<String>>,
    scope: EntityScope,
    /// In the order of telling.
    attributes: Vec<(String, Value)>,
}

/// One telling.
struct Telling {
    order: (i64, i64),
    told_type: (u8, Option<String>),
    tags: Option<Vec<String>>,
    scope: Option<u8>,
    attributes: Option<Attributes>,
}

/// Stores what one fact tells.
pub(super) fn insert(
    connection: &Connection,
    row: i64,
    name: Name,
    told: &ToldEntity,
) -> Result<(), GraphError> {
    let attributes = (!told.attributes.is_empty()).then_some(&told.attributes);
    connection
        .prepare_cached("INSERT INTO descriptions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
        .execute(params![
            row,
            name,
            told.entity_type.number(),
            told.custom_type,
            told.tags.as_ref().map(json).transpose()?,
            told.scope.map(EntityScope::number),
            attributes.map(json).transpose()?,
        ])?;
    Ok(())
}

/// What was told about the entity with these names. O(tellings about it).
pub(super) fn of(connection: &Connection, members: &[Name]) -> Result<Description, GraphError> {
    let mut tellings = Vec::new();
    let mut statement = connection.prepare_cached(
        "SELECT occurred_at, row, type, custom_type, tags, scope, attributes FROM descriptions JOIN memories USING (row) \
         WHERE name = ?1",
    )?;
    for member in members {
        for telling in statement.query_map([member], read_telling)? {
            tellings.push(telling?);
        }
    }
    tellings.sort_by_key(|telling| telling.order);
    let mut description = Description::default();
    for telling in tellings {
        description.follow(telling);
    }
    Ok(description)
}

fn read_telling(row: &SqlRow<'_>) -> rusqlite::Result<Telling> {
    Ok(Telling {
        order: (row.get(0)?, row.get(1)?),
        told_type: (row.get(2)?, row.get(3)?),
        tags: read_json(row, 4)?,
        scope: row.get(5)?,
        attributes: read_json(row, 6)?,
    })
}

impl Description {
    fn follow(&mut self, telling: Telling) {
        self.told_type = Some(telling.told_type);
        if let Some(tags) = telling.tags {
            self.tags = Some(tags);
        }
        if let Some(scope) = telling.scope.and_then(EntityScope::from_number) {
            self.scope = scope;
        }
        for (name, value) in telling.attributes.unwrap_or_default() {
            self.attributes.retain(|(known, _)| *known != name);
            if !value.is_null() {
                self.attributes.push((name, value));
            }
        }
        // Bounded here too, so that each telling costs the same.
        let surplus = self.attributes.len().saturating_sub(MAX_ATTRIBUTES);
        self.attributes.drain(..surplus);
    }

    /// What the entity's row holds.
    pub(super) fn columns(self) -> Result<Columns, GraphError> {
        let tags = self.tags.filter(|tags| !tags.is_empty());
        let attributes: Attributes = self.attributes.into_iter().collect();
        let attributes = (!attributes.is_empty()).then_some(attributes);
        Ok(Columns {
            custom_type: self.told_type.and_then(|(_, custom)| custom),
            tags: tags.as_ref().map(json).transpose()?,
            scope: self.scope.number(),
            attributes: attributes.as_ref().map(json).transpose()?,
        })
    }
}

/// The told columns of an entity.
pub(super) struct Columns {
    pub(super) custom_type: Option<String>,
    pub(super) tags: Option<String>,
    pub(super) scope: u8,
    pub(super) attributes: Option<String>,
}

/// Reads the columns that [`Description::columns`] wrote, from the column `first` on.
pub(super) fn read(row: &SqlRow<'_>, first: usize, entity: Entity) -> rusqlite::Result<Entity> {
    Ok(Entity {
        custom_type: row.get(first)?,
        tags: read_json(row, first + 1)?.unwrap_or_default(),
        scope: EntityScope::from_number(row.get(first + 2)?).unwrap_or_default(),
        attributes: read_json(row, first + 3)?.unwrap_or_default(),
        ..entity
    })
}

fn read_json<T: DeserializeOwned>(row: &SqlRow<'_>, column: usize) -> rusqlite::Result<Option<T>> {
    let stored: Option<String> = row.get(column)?;
    let read = stored.map(|stored| serde_json::from_str(&stored));
    read.transpose().map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

fn json(value: &impl serde::Serialize) -> Result<String, GraphError> {
    serde_json::to_string(value).map_err(|error| GraphError::Claim {
        reason: error.to_string(),
    })
}
