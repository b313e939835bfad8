//! Similar texts: by the signs of their vectors, then by exact cosine.

use anamne_embed::{Embedder, StaticModel};
use rusqlite::Connection;

use super::{ExperienceView, texts};
use crate::{ExperienceError, is_opposite};

/// Dimensions of the built-in model.
const DIMENSIONS: usize = 256;

/// Bytes of a code: one bit for each dimension.
const BYTES: usize = DIMENSIONS / 8;

/// The signs of a vector.
pub(super) type Code = [u8; BYTES];

/// The vector of a text, of unit length.
pub(super) type Vector = [f32; DIMENSIONS];

/// Number of texts nearest by code whose exact cosine is computed.
const COMPARED: usize = 64;

/// A text that is similar to another.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarText {
    /// Its number in the view.
    pub(super) number: i64,
    /// The text.
    pub text: String,
    /// The cosine of both vectors.
    pub cosine: f32,
}

/// What searched texts belong to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Searched {
    /// Goals of runs.
    Goals,
    /// Goals of finished attempts: of runs, and of episodes that were judged.
    Attempts,
    /// Queries of searches.
    Queries,
    /// Subjects of lessons.
    Lessons,
}

impl Searched {
    /// Whether there may be any: without runs and lessons, nothing is compared.
    fn is_there(self, connection: &Connection) -> rusqlite::Result<bool> {
        let sql = match self {
            Self::Goals | Self::Queries => return Ok(true),
            Self::Attempts => {
                "SELECT 1 FROM (SELECT 1 FROM outcomes WHERE ends_run = 1 AND goal <> 0 LIMIT 1)
                 UNION ALL SELECT 1 FROM (SELECT 1 FROM episodes LIMIT 1)"
            }
            Self::Lessons => "SELECT 1 FROM lessons LIMIT 1",
        };
        connection.prepare_cached(sql)?.exists([])
    }

    fn are_goals(self) -> bool {
        matches!(self, Self::Goals | Self::Attempts)
    }

    fn condition(self) -> &'static str {
        match self {
            Self::Goals => {
                "EXISTS (SELECT 1 FROM outcomes WHERE goal = texts.text AND ends_run = 1)"
            }
            Self::Attempts => {
                "(EXISTS (SELECT 1 FROM outcomes WHERE goal = texts.text AND ends_run = 1)
                  OR EXISTS (SELECT 1 FROM episodes JOIN judgements ON about = episodes.id WHERE goal = texts.text))"
            }
            Self::Queries => "EXISTS (SELECT 1 FROM searches WHERE query = texts.text)",
            Self::Lessons => "EXISTS (SELECT 1 FROM lessons WHERE subject = texts.text AND set_aside = 0)",
        }
    }
}

/// The code of a text.
pub(super) fn of_text(text: &str) -> Result<Code, ExperienceError> {
    Ok(code_of(&vector(text)?))
}

/// The vector of a text, of unit length.
pub(super) fn vector(text: &str) -> Result<Vector, ExperienceError> {
    let mut vector: Vector = [0.0; DIMENSIONS];
    StaticModel::builtin().embed_into(text, &mut vector)?;
    Ok(vector)
}

fn code_of(vector: &Vector) -> Code {
    let mut code = [0; BYTES];
    for (index, value) in vector.iter().enumerate() {
        code[index / 8] |= u8::from(*value > 0.0) << (index % 8);
    }
    code
}

fn distance(one: &Code, other: &Code) -> u32 {
    let each = one.iter().zip(other);
    each.map(|(one, other)| (one ^ other).count_ones()).sum()
}

/// The cosine of two vectors of unit length.
pub(super) fn cosine(one: &Vector, other: &Vector) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The cosine of the vectors of two texts.
pub(crate) fn likeness(one: &str, other: &str) -> Result<f32, ExperienceError> {
    Ok(cosine(&vector(one)?, &vector(other)?))
}

impl ExperienceView {
    /// The goals of runs that are most similar to `goal`, best first, an equal one included and its opposite left out. O(goals).
    pub fn similar_goals(
        &self,
        goal: &str,
        most: usize,
    ) -> Result<Vec<SimilarText>, ExperienceError> {
        self.similar(Searched::Goals, goal, most)
    }

    /// Texts similar to `text`, best first; of goals, none that is its opposite.
    pub(super) fn similar(
        &self,
        searched: Searched,
        text: &str,
        most: usize,
    ) -> Result<Vec<SimilarText>, ExperienceError> {
        if !self.file.exists() || text.trim().is_empty() {
            return Ok(Vec::new());
        }
        if !self.with(|connection| searched.is_there(connection))? {
            return Ok(Vec::new());
        }
        let wanted = vector(text)?;
        let nearest = self.with(|connection| nearest(connection, searched, &code_of(&wanted)))?;
        let mut similar = Vec::with_capacity(nearest.len());
        for (number, text) in nearest {
            let cosine = cosine(&wanted, &vector(&text)?);
            similar.push(SimilarText {
                number,
                text,
                cosine,
            });
        }
        similar.sort_by(|one, other| other.cosine.total_cmp(&one.cosine));
        let is_meant = |one: &SimilarText| !searched.are_goals() || !is_opposite(text, &one.text);
        Ok(similar.into_iter().filter(is_meant).take(most).collect())
    }
}

/// The texts nearest by code.
fn nearest(
    connection: &Connection,
    searched: Searched,
    wanted: &Code,
) -> rusqlite::Result<Vec<(i64, String)>> {
    let sql = "SELECT text, code FROM texts WHERE code IS NOT NULL";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut ranked = Vec::new();
    while let Some(row) = rows.next()? {
        let code: Code = row.get(1)?;
        ranked.push((distance(wanted, &code), row.get::<_, i64>(0)?));
    }
    ranked.sort_unstable();
    let sql = format!(
        "SELECT 1 FROM texts WHERE text = ?1 AND {}",
        searched.condition()
    );
    let mut is_used = connection.prepare_cached(&sql)?;
    let mut nearest = Vec::new();
    for (_, number) in ranked {
        if is_used.exists([number])? {
            nearest.push((number, texts::content(connection, number)?));
        }
        if nearest.len() == COMPARED {
            break;
        }
    }
    Ok(nearest)
}
