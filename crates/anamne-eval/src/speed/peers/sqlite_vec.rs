//! sqlite-vec: the ten nearest vectors, one i8 vector per record, from the same model.
//!
//! Only a peer for benchmarks: no other crate of the workspace depends on it. It is C source compiled in, so its entry
//! point has to be registered with SQLite by one unsafe call.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::sync::OnceLock;

use anamne::embed::{Embedder, StaticModel};
use rusqlite::{Connection, ffi};

use super::super::site::{RESULTS, Site};
use crate::failure::Failure;

/// Scale of the components of a unit vector: few of 256 exceed a quarter.
const SCALE: f32 = 4.0 * 127.0;

/// A table of vectors.
pub(crate) struct SqliteVec(Connection);

impl SqliteVec {
    /// Embeds and stores every record without durability, because only queries are measured.
    pub(crate) fn build(site: &Site) -> Result<Self, Failure> {
        register()?;
        let mut connection = Connection::open(site.peer("sqlite-vec")?.join("vectors.db"))?;
        let dimensions = StaticModel::builtin().dimensions();
        connection.execute_batch(&format!(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144;
             CREATE VIRTUAL TABLE vectors USING vec0(vector int8[{dimensions}]);"
        ))?;
        let transaction = connection.transaction()?;
        site.for_each_batch(|start, records| {
            let mut insert = transaction
                .prepare_cached("INSERT INTO vectors (rowid, vector) VALUES (?1, vec_int8(?2))")?;
            for (number, record) in (start as i64 + 1..).zip(records) {
                insert.execute((number, codes(&record.text)?))?;
            }
            Ok(())
        })?;
        transaction.commit()?;
        Ok(Self(connection))
    }

    /// Queries the ten nearest rows; this includes embedding the question, as in a recall.
    pub(crate) fn ask(&self, question: &str) -> Result<(), Failure> {
        let mut select = self.0.prepare_cached(
            "SELECT rowid, distance FROM vectors WHERE vector MATCH vec_int8(?1) AND k = ?2 ORDER BY distance",
        )?;
        let rows = select.query_map((codes(question)?, RESULTS as i64), |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?))
        })?;
        let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
        if rows.len() != RESULTS {
            return Err(format!("sqlite-vec finds {} rows for {question:?}", rows.len()).into());
        }
        std::hint::black_box(rows);
        Ok(())
    }
}

/// The vector of a text, one signed byte per dimension.
fn codes(text: &str) -> Result<Vec<u8>, Failure> {
    let model = StaticModel::builtin();
    let mut vector = vec![0.0; model.dimensions()];
    model.embed_into(text, &mut vector)?;
    // `as` saturates; the blob holds the bits of the i8 values.
    Ok(vector
        .into_iter()
        .map(|value| ((value * SCALE).round() as i8) as u8)
        .collect())
}

/// The C signature of an extension's entry point.
type EntryPoint = unsafe extern "C" fn(
    *mut ffi::sqlite3,
    *mut *mut c_char,
    *const ffi::sqlite3_api_routines,
) -> c_int;

/// Registers sqlite-vec for all connections opened from now on.
fn register() -> Result<(), Failure> {
    static REGISTERED: OnceLock<c_int> = OnceLock::new();
    let code = *REGISTERED.get_or_init(|| {
        // SAFETY: `sqlite3_vec_init` is a C function with exactly the signature of an extension's entry point; its Rust
        // declaration omits the arguments. It is linked against the same SQLite (built with `SQLITE_CORE`), lives as
        // long as the program, and is registered once, before any connection that could be opened meanwhile uses it.
        unsafe {
            let entry_point = std::mem::transmute::<*const (), EntryPoint>(
                sqlite_vec::sqlite3_vec_init as *const (),
            );
            ffi::sqlite3_auto_extension(Some(entry_point))
        }
    });
    if code == ffi::SQLITE_OK {
        Ok(())
    } else {
        Err(format!("sqlite-vec could not be registered (SQLite code {code})").into())
    }
}
