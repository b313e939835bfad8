//! `embedding-cache.db`: vectors of expensive models by model and text, for all spaces of a store.

use std::path::Path;

use anamne_embed::{ModelIdentity, VectorCache};
use anamne_store::{SideDatabase, SideFile, StoreError};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

/// Settings of the file. Durable, because erasure marks must not be lost.
const DATABASE: SideDatabase = SideDatabase {
    durable: true,
    ..SideDatabase::new(1, include_str!("embedding_cache.sql"))
};

/// Estimated overhead of an entry, in bytes.
const ENTRY_BYTES: i64 = 96;

/// Entries evicted per batch.
const EVICTED_AT_A_TIME: i64 = 64;

/// The key of a text: its digest.
type TextHash = [u8; 16];

fn hash(text: &str) -> TextHash {
    let mut hash = TextHash::default();
    hash.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    hash
}

/// The contents of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheSize {
    /// Vectors.
    pub vectors: u64,
    /// Their estimated size in bytes.
    pub bytes: u64,
}

/// Vectors by model and text in an SQLite file shared by processes. A damaged file is replaced by an empty one; the
/// least recently used entries are evicted.
pub struct EmbeddingCache {
    file: SideFile,
    most_bytes: i64,
}

impl EmbeddingCache {
    /// The cache in the file at `path`, created at the first write, of about `most_bytes`. No I/O.
    pub fn at(path: &Path, most_bytes: u64) -> Self {
        Self {
            file: SideFile::at(DATABASE, path),
            most_bytes: i64::try_from(most_bytes).unwrap_or(i64::MAX),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// How many vectors of this length it has room for.
    pub(crate) fn room(&self, dimensions: usize) -> usize {
        let each = dimensions as i64 * 2 + ENTRY_BYTES;
        usize::try_from(self.most_bytes / each).unwrap_or(0)
    }

    /// Whether the file exists.
    pub(crate) fn exists(&self) -> bool {
        self.file.exists()
    }

    /// Its contents.
    pub fn size(&self) -> Result<CacheSize, StoreError> {
        self.file.with(|connection| {
            let sql = "SELECT count(*), (SELECT bytes FROM state) FROM vectors";
            let size = connection.query_row(sql, [], |row| {
                Ok(CacheSize {
                    vectors: row.get::<_, i64>(0)? as u64,
                    bytes: row.get::<_, i64>(1)? as u64,
                })
            });
            Ok(size?)
        })
    }

    /// Removes these texts for all models from the file; returns the number of vectors.
    pub fn forget(&self, texts: &[&str]) -> Result<u64, StoreError> {
        self.file.remove_quarantined()?;
        if !self.file.exists() {
            return Ok(0);
        }
        let removed = self.file.change(|transaction| -> Result<_, StoreError> {
            let mut removed = 0;
            for text in texts {
                removed += remove_text(transaction, &hash(text))?;
            }
            Ok(removed)
        })?;
        self.file.truncate_wal()?;
        Ok(removed)
    }

    /// Removes the file and everything in it.
    pub(crate) fn remove(&self) -> Result<(), StoreError> {
        self.file.remove()
    }

    /// Marks these texts of `space` for erasure; they are no longer cached.
    pub(crate) fn begin_erasing(&self, space: &str, texts: &[&str]) -> Result<(), StoreError> {
        self.file.change(|transaction| {
            let sql = "INSERT OR IGNORE INTO erasing VALUES (?1, ?2)";
            let mut note = transaction.prepare_cached(sql)?;
            for text in texts {
                note.execute(params![hash(text), space])?;
            }
            Ok(())
        })
    }

    /// Removes the texts that [`EmbeddingCache::begin_erasing`] marked for `space`, and the marks.
    pub(crate) fn finish_erasing(&self, space: &str) -> Result<(), StoreError> {
        // Quarantined copies may contain erased text.
        self.file.remove_quarantined()?;
        if !self.file.exists() {
            return Ok(());
        }
        self.file.change(|transaction| -> Result<_, StoreError> {
            let sql = "SELECT text FROM erasing WHERE space = ?1";
            let mut noted = transaction.prepare_cached(sql)?;
            let texts = noted
                .query_map([space], |row| row.get(0))?
                .collect::<Result<Vec<TextHash>, _>>()?;
            for text in &texts {
                remove_text(transaction, text)?;
            }
            transaction.execute("DELETE FROM erasing WHERE space = ?1", [space])?;
            Ok(())
        })?;
        self.file.truncate_wal()
    }

    fn note_use(&self, entries: &[i64]) -> Result<(), StoreError> {
        if entries.is_empty() {
            return Ok(());
        }
        self.file.change(|transaction| {
            let tick = next_tick(transaction)?;
            let sql = "UPDATE vectors SET used = ?1 WHERE entry = ?2";
            let mut note = transaction.prepare_cached(sql)?;
            for entry in entries {
                note.execute([tick, *entry])?;
            }
            Ok(())
        })
    }

    fn make_room(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let held = "SELECT bytes FROM state";
        let mut bytes: i64 = transaction.query_row(held, [], |row| row.get(0))?;
        while bytes > self.most_bytes {
            let sql = "SELECT entry, length(vector) FROM vectors ORDER BY used, entry LIMIT ?1";
            let mut oldest = transaction.prepare_cached(sql)?;
            let oldest = oldest
                .query_map([EVICTED_AT_A_TIME], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<Result<Vec<(i64, i64)>, _>>()?;
            if oldest.is_empty() {
                break;
            }
            for (entry, length) in oldest {
                if bytes > self.most_bytes {
                    transaction
                        .prepare_cached("DELETE FROM vectors WHERE entry = ?1")?
                        .execute([entry])?;
                    bytes -= length + ENTRY_BYTES;
                }
            }
        }
        transaction.execute("UPDATE state SET bytes = ?1", [bytes])?;
        Ok(())
    }
}

impl VectorCache for EmbeddingCache {
    fn get(&self, model: &ModelIdentity, texts: &[&str]) -> Result<Vec<Option<Vec<u16>>>, String> {
        if !self.file.exists() {
            return Ok(vec![None; texts.len()]);
        }
        let slug = model.slug();
        let found = self
            .file
            .with(|connection| -> Result<_, StoreError> { Ok(look_up(connection, &slug, texts)?) });
        let (found, entries) = found.map_err(|error| error.to_string())?;
        // Use times only affect eviction, so a failed write doesn't fail the query.
        let _ = self.note_use(&entries);
        Ok(found)
    }

    fn put(&self, model: &ModelIdentity, vectors: &[(&str, &[u16])]) -> Result<(), String> {
        let slug = model.slug();
        let kept = self.file.change(|transaction| -> Result<_, StoreError> {
            let model = model_number(transaction, &slug)?;
            let tick = next_tick(transaction)?;
            for (text, vector) in vectors {
                keep(transaction, model, tick, &hash(text), vector)?;
            }
            Ok(self.make_room(transaction)?)
        });
        kept.map_err(|error| error.to_string())
    }
}

/// The vector of each text, and its entry.
#[allow(clippy::type_complexity)] // two lists that belong to one look
fn look_up(
    connection: &Connection,
    slug: &str,
    texts: &[&str],
) -> rusqlite::Result<(Vec<Option<Vec<u16>>>, Vec<i64>)> {
    let known = "SELECT model FROM models WHERE slug = ?1";
    let known = connection.query_row(known, [slug], |row| row.get::<_, i64>(0));
    let Some(model) = known.optional()? else {
        return Ok((vec![None; texts.len()], Vec::new()));
    };
    let sql = "SELECT entry, vector FROM vectors WHERE text = ?1 AND model = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let (mut found, mut entries) = (Vec::with_capacity(texts.len()), Vec::new());
    for text in texts {
        let row = statement.query_row(params![hash(text), model], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?))
        });
        let row = row.optional()?;
        entries.extend(row.as_ref().map(|(entry, _)| *entry));
        found.push(row.map(|(_, bytes)| numbers(&bytes)));
    }
    Ok((found, entries))
}

fn numbers(bytes: &[u8]) -> Vec<u16> {
    let (pairs, _) = bytes.as_chunks();
    pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect()
}

fn model_number(transaction: &Transaction<'_>, slug: &str) -> rusqlite::Result<i64> {
    transaction.execute("INSERT OR IGNORE INTO models (slug) VALUES (?1)", [slug])?;
    let sql = "SELECT model FROM models WHERE slug = ?1";
    transaction.query_row(sql, [slug], |row| row.get(0))
}

fn next_tick(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    let sql = "UPDATE state SET tick = tick + 1 RETURNING tick";
    transaction.query_row(sql, [], |row| row.get(0))
}

fn keep(
    transaction: &Transaction<'_>,
    model: i64,
    tick: i64,
    text: &TextHash,
    vector: &[u16],
) -> rusqlite::Result<()> {
    let bytes: Vec<u8> = vector
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let sql = "INSERT OR IGNORE INTO vectors (text, model, used, vector)
               SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS (SELECT 1 FROM erasing WHERE text = ?1)";
    let mut insert = transaction.prepare_cached(sql)?;
    if insert.execute(params![text, model, tick, bytes])? > 0 {
        let taken = bytes.len() as i64 + ENTRY_BYTES;
        transaction
            .prepare_cached("UPDATE state SET bytes = bytes + ?1")?
            .execute([taken])?;
    }
    Ok(())
}

/// Removes a text; returns the number of vectors.
fn remove_text(transaction: &Transaction<'_>, text: &TextHash) -> rusqlite::Result<u64> {
    let sql = "DELETE FROM vectors WHERE text = ?1 RETURNING length(vector)";
    let mut remove = transaction.prepare_cached(sql)?;
    let lengths = remove
        .query_map([text], |row| row.get(0))?
        .collect::<Result<Vec<i64>, _>>()?;
    let bytes: i64 = lengths.iter().map(|length| length + ENTRY_BYTES).sum();
    transaction
        .prepare_cached("UPDATE state SET bytes = max(bytes - ?1, 0)")?
        .execute([bytes])?;
    Ok(lengths.len() as u64)
}
