//! Writes assertions.

use anamne_types::{Assertion, EntityType, MemoryId, ToldEntity, ToldProperty, ToldRelation};
use rusqlite::params;

use super::naming::Name;
use super::reading_writer::{CERTAIN, Line, MentionOrigin, ReadingWriter, frame_of, hundredths};
use super::{GraphError, descriptions};
use crate::reading::{Mention, normalised};

impl ReadingWriter<'_> {
    /// Writes an assertion.
    pub(super) fn asserted(mut self, assertion: &Assertion) -> Result<(), GraphError> {
        match assertion {
            Assertion::Entity(told) => self.entity(told),
            Assertion::Relation(told) => self.relation(told),
            Assertion::Property(told) => self.property(told),
            Assertion::Denial {
                subject,
                relation,
                object,
            } => self.denial(subject, relation.as_deref(), object.as_deref()),
            Assertion::Distinct { one, other } => self.distinction(one, other),
            Assertion::Resolution {
                contradiction,
                kept,
                lost,
            } => self.resolution(contradiction, *kept, *lost),
        }
    }

    fn entity(&mut self, told: &ToldEntity) -> Result<(), GraphError> {
        let Some(kept) = self.certain(&told.name, Some(told.entity_type))? else {
            return Ok(());
        };
        for spelling in &told.aliases {
            if let Some(alias) = self.name(spelling)?
                && alias != kept
            {
                self.alias(alias, kept, spelling, true)?;
            }
        }
        descriptions::insert(self.connection, self.row, kept, told)
    }

    fn relation(&mut self, told: &ToldRelation) -> Result<(), GraphError> {
        let (Some(subject), Some(object)) = (
            self.certain(&told.subject, None)?,
            self.certain(&told.object, None)?,
        ) else {
            return Ok(());
        };
        for memory in &told.evidence {
            self.connection
                .prepare_cached("INSERT OR IGNORE INTO supports VALUES (?1, ?2)")?
                .execute(params![self.row, memory.as_bytes().as_slice()])?;
        }
        let frame = frame_of(&told.relation.as_str().into());
        let sure = told.confidence.map(|sure| hundredths(sure as f32));
        let line = Line {
            object: Some(object),
            valid_from: told.valid_from,
            valid_to: told.valid_to,
            confidence: sure.unwrap_or(CERTAIN),
            weight: told.weight.map(|weight| (weight * 100.0).round() as i64),
            both_ways: told.both_ways,
            ..Line::asserted(subject, &told.relation, frame)
        };
        self.insert(0, &line)
    }

    fn property(&mut self, told: &ToldProperty) -> Result<(), GraphError> {
        let Some(subject) = self.certain(&told.entity, None)? else {
            return Ok(());
        };
        let line = Line {
            value: Some(told.value.as_str()),
            frame_name: told.frame_name.as_deref(),
            ..Line::asserted(subject, &told.property, told.frame)
        };
        self.insert(0, &line)
    }

    fn denial(
        &mut self,
        subject: &str,
        relation: Option<&str>,
        object: Option<&str>,
    ) -> Result<(), GraphError> {
        let Some(subject) = self.name(subject)? else {
            return Ok(());
        };
        self.connection
            .prepare_cached("INSERT INTO denials VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![self.row, subject, relation, object.map(normalised)])?;
        Ok(())
    }

    fn distinction(&mut self, one: &str, other: &str) -> Result<(), GraphError> {
        let (Some(one), Some(other)) = (self.name(one)?, self.name(other)?) else {
            return Ok(());
        };
        self.touched.aliases = true;
        self.connection
            .prepare_cached("INSERT INTO distinctions VALUES (?1, ?2, ?3)")?
            .execute([self.row, one, other])?;
        Ok(())
    }

    fn resolution(
        &self,
        contradiction: &str,
        kept: MemoryId,
        lost: MemoryId,
    ) -> Result<(), GraphError> {
        self.connection
            .prepare_cached("INSERT INTO resolutions VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![
                self.row,
                contradiction,
                kept.as_bytes().as_slice(),
                lost.as_bytes().as_slice()
            ])?;
        Ok(())
    }

    /// The number of an asserted name. Without an asserted type it is only weak evidence of one.
    fn certain(
        &mut self,
        name: &str,
        entity_type: Option<EntityType>,
    ) -> Result<Option<Name>, GraphError> {
        let Some(number) = self.name(name)? else {
            return Ok(None);
        };
        let mention = Mention {
            span: 0..0,
            name: name.trim().to_owned(),
            entity_type: entity_type.unwrap_or(EntityType::Concept),
            confidence: 1.0,
        };
        let weight = entity_type.map_or(1, |_| CERTAIN);
        self.note(number, &mention, weight, MentionOrigin::Written)?;
        Ok(Some(number))
    }
}
