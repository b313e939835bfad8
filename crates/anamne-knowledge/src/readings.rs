//! Readings and verdicts of a language model, in `paid/readings.db`: separate from the graph, so that the graph can be
//! extracted again without new model calls.

mod lessons;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anamne_store::{SideDatabase, StoreError, remove_derived, truncate_wal};
use anamne_types::{ConflictKind, EntityType, RelationType, Row, Seq};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::enrichment::Enriched;
use crate::reading::{Mention, Reading, Statement, Term};

pub use lessons::WrittenLesson;

/// The tables that came with format 3.
macro_rules! enrichments {
    () => {
        "CREATE TABLE enriched (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL) STRICT; \
         INSERT INTO enriched VALUES (1, 0); \
         CREATE TABLE enrichments (row INTEGER PRIMARY KEY, model TEXT NOT NULL, enrichment TEXT NOT NULL, text BLOB NOT NULL) STRICT;"
    };
}

const DATABASE: SideDatabase = SideDatabase {
    durable: true,
    migrations: &[
        "ALTER TABLE readings ADD COLUMN text BLOB;",
        ENRICHMENTS,
        lessons::lessons!(),
    ],
    ..SideDatabase::new(
        4,
        concat!(
            "CREATE TABLE position (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL) STRICT; \
             INSERT INTO position VALUES (1, 0); \
             CREATE TABLE readings (row INTEGER PRIMARY KEY, seq INTEGER NOT NULL, model TEXT NOT NULL, reading TEXT NOT NULL, text BLOB) STRICT; \
             CREATE INDEX readings_by_seq ON readings (seq); \
             CREATE TABLE verdicts (contradiction TEXT PRIMARY KEY, model TEXT NOT NULL, kind INTEGER, reason TEXT NOT NULL) STRICT;",
            enrichments!(),
            lessons::lessons!()
        ),
    )
};

const ENRICHMENTS: &str = enrichments!();

/// A model's verdict on two statements that seem to contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictReading {
    /// The kind of contradiction; `None` if both can hold.
    pub kind: Option<ConflictKind>,
    /// The reason; may be empty.
    pub reason: String,
}

/// The readings of a model. All methods may be called from several threads and processes.
pub struct Readings {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl Readings {
    /// Opens the readings at `path`, or creates an empty file.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self {
            path: path.to_owned(),
            connection: Mutex::new(DATABASE.open(path)?),
        })
    }

    /// Deletes the readings at `path`. They must not be open.
    pub fn remove(path: &Path) -> Result<(), StoreError> {
        remove_derived(path)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The last event that the model has read.
    pub fn position(&self) -> Result<Seq, StoreError> {
        let seq: i64 = self
            .connection()
            .prepare_cached("SELECT seq FROM position")?
            .query_row([], |row| row.get(0))?;
        Ok(Seq(seq as u64))
    }

    /// The reading of a memory in the state set by this event, if it was made from this text: after a restore that lacks the
    /// last events, a row and an event may belong to another memory.
    pub fn of(&self, row: Row, seq: Seq, text: &str) -> Result<Option<Reading>, StoreError> {
        let stored: Option<String> = self
            .connection()
            .prepare_cached(
                // Format 1 did not store a digest of the text.
                "SELECT reading FROM readings WHERE row = ?1 AND seq = ?2 AND ifnull(text, ?3) = ?3",
            )?
            .query_row(params![row.0, seq.0 as i64, digest(text)], |row| row.get(0))
            .optional()?;
        Ok(stored
            .and_then(|json| serde_json::from_str::<Stored>(&json).ok())
            .map(Stored::reading))
    }

    /// The model that read a memory, if one did.
    pub fn model_of(&self, row: Row) -> Result<Option<String>, StoreError> {
        Ok(self
            .connection()
            .prepare_cached("SELECT model FROM readings WHERE row = ?1")?
            .query_row([row.0], |row| row.get(0))
            .optional()?)
    }

    /// Rows with a reading of a state that was set after this event, with the event that set it, at most `limit`.
    pub fn since(&self, after: Seq, limit: usize) -> Result<Vec<(Seq, Row)>, StoreError> {
        let connection = self.connection();
        let mut statement = connection
            .prepare_cached("SELECT seq, row FROM readings WHERE seq > ?1 ORDER BY seq LIMIT ?2")?;
        let rows = statement.query_map(params![after.0 as i64, limit as i64], |row| {
            Ok((Seq(row.get::<_, i64>(0)? as u64), Row(row.get(1)?)))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Stores the reading of a memory with a digest of its text, and advances the position, in one transaction. `None` if
    /// nothing was read: the memory says too little, is gone, or the model failed.
    pub fn put(
        &self,
        row: Row,
        seq: Seq,
        model: &str,
        reading: Option<(&Reading, &str)>,
    ) -> Result<(), StoreError> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        match reading {
            Some((reading, text)) => {
                let json = serde_json::to_string(&Stored::of(reading))?;
                transaction.execute(
                    "INSERT OR REPLACE INTO readings VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![row.0, seq.0 as i64, model, json, digest(text)],
                )?;
            }
            None => {
                transaction.execute("DELETE FROM readings WHERE row = ?1", [row.0])?;
            }
        }
        transaction.execute("UPDATE position SET seq = max(seq, ?1)", [seq.0 as i64])?;
        transaction.commit()?;
        Ok(())
    }

    /// The last event up to which the model has enriched.
    pub fn enriched_position(&self) -> Result<Seq, StoreError> {
        let seq: i64 = self
            .connection()
            .prepare_cached("SELECT seq FROM enriched")?
            .query_row([], |row| row.get(0))?;
        Ok(Seq(seq as u64))
    }

    /// What a model said about a memory, with the model's name, if it was asked about this text.
    pub fn enrichment(
        &self,
        row: Row,
        text: &str,
    ) -> Result<Option<(String, Enriched)>, StoreError> {
        let stored: Option<(String, String)> = self
            .connection()
            .prepare_cached(
                "SELECT model, enrichment FROM enrichments WHERE row = ?1 AND text = ?2",
            )?
            .query_row(params![row.0, digest(text)], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        Ok(stored.and_then(|(model, json)| Some((model, serde_json::from_str(&json).ok()?))))
    }

    /// Stores what the model said about a memory with a digest of its text, and advances the position, in one transaction.
    /// With `None` only the position advances: an enrichment of another text of this row is no longer found.
    pub fn put_enrichment(
        &self,
        row: Row,
        seq: Seq,
        model: &str,
        enriched: Option<(&Enriched, &str)>,
    ) -> Result<(), StoreError> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        if let Some((enriched, text)) = enriched {
            let json = serde_json::to_string(enriched)?;
            transaction.execute(
                "INSERT OR REPLACE INTO enrichments VALUES (?1, ?2, ?3, ?4)",
                params![row.0, model, json, digest(text)],
            )?;
        }
        transaction.execute("UPDATE enriched SET seq = max(seq, ?1)", [seq.0 as i64])?;
        transaction.commit()?;
        Ok(())
    }

    /// Deletes readings beyond the end of the log, so that the events that replace them are read.
    pub fn cut_beyond(&self, head: Seq) -> Result<(), StoreError> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let head = head.0 as i64;
        transaction.execute("DELETE FROM readings WHERE seq > ?1", [head])?;
        transaction.execute("UPDATE position SET seq = min(seq, ?1)", [head])?;
        transaction.execute("UPDATE enriched SET seq = min(seq, ?1)", [head])?;
        Ok(transaction.commit()?)
    }

    /// The model's verdict on a contradiction.
    pub fn verdict(&self, contradiction: &str) -> Result<Option<ConflictReading>, StoreError> {
        Ok(self
            .connection()
            .prepare_cached("SELECT kind, reason FROM verdicts WHERE contradiction = ?1")?
            .query_row([contradiction], |row| {
                let kind: Option<u8> = row.get(0)?;
                Ok(ConflictReading {
                    kind: kind.and_then(ConflictKind::from_number),
                    reason: row.get(1)?,
                })
            })
            .optional()?)
    }

    /// The model that gave the verdict on a contradiction.
    pub fn judge_of(&self, contradiction: &str) -> Result<Option<String>, StoreError> {
        Ok(self
            .connection()
            .prepare_cached("SELECT model FROM verdicts WHERE contradiction = ?1")?
            .query_row([contradiction], |row| row.get(0))
            .optional()?)
    }

    /// Stores the model's verdict on a contradiction.
    pub fn judge(
        &self,
        contradiction: &str,
        model: &str,
        verdict: &ConflictReading,
    ) -> Result<(), StoreError> {
        self.connection().execute(
            "INSERT OR REPLACE INTO verdicts VALUES (?1, ?2, ?3, ?4)",
            params![
                contradiction,
                model,
                verdict.kind.map(ConflictKind::number),
                verdict.reason
            ],
        )?;
        Ok(())
    }

    /// Checks the whole file; returns a description of the damage, if any. O(bytes of the file).
    pub fn examine(&self) -> Result<Option<String>, StoreError> {
        let connection = self.connection();
        let check = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0));
        match check.map_err(StoreError::from) {
            Err(error) if error.is_broken_database() => Ok(Some(error.to_string())),
            checked => Ok(Some(checked?).filter(|said: &String| said != "ok")),
        }
    }

    /// Deletes the readings of rows that aren't live, the lessons of attempts with such rows, and every verdict: their reasons may
    /// quote such rows.
    /// Fails with [`StoreError::StillRead`] while a reader holds older pages in the log: retry then.
    pub fn purge(&self, live: &dyn Fn(Row) -> bool) -> Result<(), StoreError> {
        let connection = self.connection();
        let rows: Vec<u32> = connection
            .prepare("SELECT row FROM readings UNION SELECT row FROM enrichments")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        for row in rows.into_iter().filter(|row| !live(Row(*row))) {
            connection.execute("DELETE FROM readings WHERE row = ?1", [row])?;
            connection.execute("DELETE FROM enrichments WHERE row = ?1", [row])?;
        }
        lessons::purge(&connection, live)?;
        connection.execute_batch("DELETE FROM verdicts; VACUUM;")?;
        truncate_wal(&connection, &self.path)
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A digest of a text.
fn digest(text: &str) -> [u8; 16] {
    let mut digest = [0; 16];
    digest.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    digest
}

/// A reading as JSON.
#[derive(Serialize, Deserialize)]
struct Stored {
    mentions: Vec<(usize, usize, String, EntityType, f32)>,
    statements: Vec<StoredStatement>,
}

#[derive(Serialize, Deserialize)]
struct StoredStatement {
    span: (usize, usize),
    subject: (String, Option<EntityType>),
    relation: String,
    object: (String, Option<EntityType>),
    negated: bool,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
    confidence: f32,
}

impl Stored {
    fn of(reading: &Reading) -> Self {
        let mention = |mention: &Mention| {
            let Mention {
                span,
                name,
                entity_type,
                confidence,
            } = mention.clone();
            (span.start, span.end, name, entity_type, confidence)
        };
        let statement = |statement: &Statement| StoredStatement {
            span: (statement.span.start, statement.span.end),
            subject: stored_term(&statement.subject),
            relation: statement.relation.to_string(),
            object: stored_term(&statement.object),
            negated: statement.negated,
            from: statement.valid_from,
            to: statement.valid_to,
            confidence: statement.confidence,
        };
        Self {
            mentions: reading.mentions.iter().map(mention).collect(),
            statements: reading.statements.iter().map(statement).collect(),
        }
    }

    /// The reading, without statements whose relation is no longer known.
    fn reading(self) -> Reading {
        let mention = |(start, end, name, entity_type, confidence)| Mention {
            span: start..end,
            name,
            entity_type,
            confidence,
        };
        let statement = |stored: StoredStatement| {
            let relation = RelationType::from(stored.relation);
            if matches!(relation, RelationType::Other(_)) {
                return None;
            }
            Some(Statement {
                span: stored.span.0..stored.span.1,
                subject: term(stored.subject),
                relation,
                object: term(stored.object),
                negated: stored.negated,
                valid_from: stored.from,
                valid_to: stored.to,
                confidence: stored.confidence,
            })
        };
        Reading {
            mentions: self.mentions.into_iter().map(mention).collect(),
            statements: self.statements.into_iter().filter_map(statement).collect(),
        }
    }
}

fn stored_term(term: &Term) -> (String, Option<EntityType>) {
    match term {
        Term::Entity(name, entity_type) => (name.clone(), Some(*entity_type)),
        Term::Value(value) => (value.clone(), None),
    }
}

fn term((text, entity_type): (String, Option<EntityType>)) -> Term {
    match entity_type {
        Some(entity_type) => Term::Entity(text, entity_type),
        None => Term::Value(text),
    }
}
