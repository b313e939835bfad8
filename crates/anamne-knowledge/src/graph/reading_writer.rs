//! Writes the readings of one memory: names, statements and claims.

use anamne_types::{EntityType, Memory, Perspective, RelationType};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::extract::{BatchChanges, utterance};
use super::naming::{self, Name};
use super::{GraphError, contradictions};
use crate::reading::{Mention, Reading, Statement, Term, read};
use crate::readings::Readings;

/// Confidence of assertions, in hundredths.
pub(super) const CERTAIN: i64 = 100;

/// The origin of a mention; stored in `mentions.way`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub(super) enum MentionOrigin {
    Read = 0,
    Echo = 1,
    Written = 3,
}

/// Writes the readings of one row.
pub(super) struct ReadingWriter<'batch> {
    pub(super) connection: &'batch Connection,
    pub(super) readings: Option<&'batch Readings>,
    pub(super) row: i64,
    pub(super) at: i64,
    pub(super) touched: &'batch mut BatchChanges,
}

impl ReadingWriter<'_> {
    /// Writes the claims and the reading of a memory.
    pub(super) fn read(mut self, memory: &Memory) -> Result<(), GraphError> {
        let reading = reading_of(self.readings, memory)?;
        let listed = contradictions::take_in(self.connection, self.row, memory, &reading)?;
        let row = self.row;
        self.touched
            .keys
            .extend(listed.into_iter().map(|key| (key, row)));
        for mention in &reading.mentions {
            if let Some(name) = self.name(&mention.name)? {
                self.note(
                    name,
                    mention,
                    hundredths(mention.confidence),
                    MentionOrigin::Read,
                )?;
            }
        }
        for (ordinal, statement) in reading.statements.iter().enumerate() {
            self.statement(ordinal as i64, statement)?;
        }
        Ok(())
    }

    pub(super) fn name(&mut self, name: &str) -> Result<Option<Name>, GraphError> {
        let number = naming::number(self.connection, name)?;
        self.touched.names.extend(number);
        Ok(number)
    }

    pub(super) fn note(
        &self,
        name: Name,
        mention: &Mention,
        weight: i64,
        way: MentionOrigin,
    ) -> Result<(), GraphError> {
        let (row, at) = (self.row, self.at);
        insert_mention(self.connection, row, at, name, mention, weight, way)
    }

    fn statement(&mut self, ordinal: i64, statement: &Statement) -> Result<(), GraphError> {
        let Term::Entity(subject, subject_type) = &statement.subject else {
            return Ok(());
        };
        let Some(subject_name) = self.named(subject, *subject_type)? else {
            return Ok(());
        };
        let (object, value) = match &statement.object {
            Term::Entity(object, object_type) => (self.named(object, *object_type)?, None),
            Term::Value(value) => (None, Some(value.trim())),
        };
        if object.is_none() && value.is_none_or(str::is_empty) {
            return Ok(());
        }
        if statement.relation == RelationType::AliasOf {
            if let Some(object) =
                object.filter(|object| *object != subject_name && !statement.negated)
            {
                self.alias(subject_name, object, subject, false)?;
            }
            return Ok(());
        }
        self.insert(
            ordinal,
            &Line {
                subject: subject_name,
                relation: statement.relation.as_str(),
                object,
                value,
                frame: frame_of(&statement.relation),
                negated: statement.negated,
                valid_from: statement.valid_from,
                valid_to: statement.valid_to,
                confidence: hundredths(statement.confidence),
                span: (statement.span.start, statement.span.len()),
                asserted: false,
                weight: None,
                frame_name: None,
                both_ways: false,
            },
        )
    }

    /// The number of a statement's subject or object, which counts as a mention: some, like the author, have no other.
    fn named(&mut self, name: &str, entity_type: EntityType) -> Result<Option<Name>, GraphError> {
        let Some(number) = self.name(name)? else {
            return Ok(None);
        };
        let mention = Mention {
            span: 0..0,
            name: name.to_owned(),
            entity_type,
            confidence: 0.5,
        };
        self.note(number, &mention, 50, MentionOrigin::Read)?;
        Ok(Some(number))
    }

    pub(super) fn alias(
        &mut self,
        alias: Name,
        name: Name,
        spelling: &str,
        asserted: bool,
    ) -> Result<(), GraphError> {
        self.touched.aliases = true;
        self.connection
            .prepare_cached("INSERT OR IGNORE INTO aliases VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![self.row, alias, name, asserted, spelling.trim()])?;
        Ok(())
    }

    pub(super) fn insert(&self, ordinal: i64, line: &Line<'_>) -> Result<(), GraphError> {
        self.connection
            .prepare_cached(
                "INSERT INTO statements VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, \
                 ?16, ?17)",
            )?
            .execute(params![
                self.row,
                ordinal,
                line.subject,
                line.relation,
                line.object,
                line.value,
                line.frame.number(),
                line.negated,
                line.valid_from.map(Timestamp::as_microsecond),
                line.valid_to.map(Timestamp::as_microsecond),
                line.confidence,
                line.span.0 as i64,
                line.span.1 as i64,
                line.asserted,
                line.weight,
                line.frame_name,
                line.both_ways,
            ])?;
        Ok(())
    }
}

/// The reading of a memory, by a model or by rules.
pub(super) fn reading_of(
    readings: Option<&Readings>,
    memory: &Memory,
) -> Result<Reading, GraphError> {
    let by_model = match readings {
        Some(readings) => readings.of(memory.row, memory.seq, &memory.content)?,
        None => None,
    };
    Ok(by_model.unwrap_or_else(|| read(&utterance(memory))))
}

/// A statement to store.
pub(super) struct Line<'text> {
    pub(super) subject: Name,
    pub(super) relation: &'text str,
    pub(super) object: Option<Name>,
    pub(super) value: Option<&'text str>,
    pub(super) frame: Perspective,
    pub(super) negated: bool,
    pub(super) valid_from: Option<Timestamp>,
    pub(super) valid_to: Option<Timestamp>,
    pub(super) confidence: i64,
    pub(super) span: (usize, usize),
    pub(super) asserted: bool,
    pub(super) weight: Option<i64>,
    pub(super) frame_name: Option<&'text str>,
    pub(super) both_ways: bool,
}

impl<'text> Line<'text> {
    pub(super) fn asserted(subject: Name, relation: &'text str, frame: Perspective) -> Self {
        Self {
            subject,
            relation,
            object: None,
            value: None,
            frame,
            negated: false,
            valid_from: None,
            valid_to: None,
            confidence: CERTAIN,
            span: (0, 0),
            asserted: true,
            weight: None,
            frame_name: None,
            both_ways: false,
        }
    }
}

/// The frame of a relation.
pub(super) fn frame_of(relation: &RelationType) -> Perspective {
    match relation {
        RelationType::HappenedOn
        | RelationType::ScheduledFor
        | RelationType::Visited
        | RelationType::Attended
        | RelationType::MovedTo
        | RelationType::Decided
        | RelationType::Plans => Perspective::Episodic,
        RelationType::FixedBy | RelationType::CausedBy => Perspective::Procedural,
        _ => Perspective::Semantic,
    }
}

pub(super) fn hundredths(confidence: f32) -> i64 {
    (confidence.clamp(0.01, 1.0) * 100.0).round() as i64
}

/// Stores a mention; of two mentions of one name in a row the more confident one counts.
pub(super) fn insert_mention(
    connection: &Connection,
    row: i64,
    at: i64,
    name: Name,
    mention: &Mention,
    weight: i64,
    way: MentionOrigin,
) -> Result<(), GraphError> {
    connection
        .prepare_cached(
            "INSERT INTO mentions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE SET \
             type = excluded.type, weight = excluded.weight, spelling = excluded.spelling, way = excluded.way \
             WHERE excluded.weight > mentions.weight",
        )?
        .execute(params![
            name,
            row,
            mention.entity_type.number(),
            weight,
            mention.name,
            at,
            way as i64
        ])?;
    Ok(())
}
