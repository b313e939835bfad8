//! The vector scan alone: its accuracy compared with f32, and the cost of filters.
//!
//! The memories are random points around centres, or the lines of a file; then the questions are shortened lines.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anamne::embed::{EmbedError, Embedder, ModelIdentity, StaticModel};
use anamne::{Row, Seq};
use anamne_index::vectors::VectorsView;
use anamne_store::view::{Change, ChangeFeed, Record, View, ViewError};

use super::figures::{Figure, Section, Timed, Unit};
use crate::chance::Chance;
use crate::failure::Failure;
use crate::latencies::Latencies;
use crate::store::temporary_folder;

const DIMENSIONS: usize = 256;

const CENTRES: u64 = 2_000;

/// Maximum words per question, taken as every second word of a line.
const QUESTION_WORDS: usize = 7;

/// A log of memories that were written once and never changed.
struct FixedLog(Vec<String>);

impl ChangeFeed for FixedLog {
    fn head(&self) -> Result<Seq, ViewError> {
        Ok(Seq(self.0.len() as u64))
    }

    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
        let rows = self.0.iter().zip(0_u32..);
        let change = |(text, row): (&String, u32)| Change {
            seq: Seq(u64::from(row) + 1),
            row: Row(row),
            record: Some(Record {
                text: text.clone(),
                ..Record::default()
            }),
        };
        Ok(rows
            .skip(after.0 as usize)
            .take(limit)
            .map(change)
            .collect())
    }
}

/// A model that maps a number to a point around one of the centres.
struct Points(ModelIdentity);

impl Embedder for Points {
    fn model(&self) -> &ModelIdentity {
        &self.0
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed_into(&self, text: &str, vector: &mut [f32]) -> Result<(), EmbedError> {
        let number: u64 = text.parse().unwrap_or(0);
        let mut chance = Chance::at(number.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let mut centre = Chance::at(chance.next() % CENTRES);
        for place in vector.iter_mut() {
            *place = normal(&mut centre) + 1.2 * normal(&mut chance);
        }
        let length = dot(vector, vector).sqrt();
        for place in vector.iter_mut() {
            *place /= length;
        }
        Ok(())
    }
}

/// Approximately normal: a sum of four uniform numbers.
fn normal(chance: &mut Chance) -> f32 {
    let bits = chance.next();
    let sum: u64 = (0..4).map(|part| bits >> (16 * part) & 0xffff).sum();
    (sum as f32 / 65_536.0 - 2.0) * 1.73
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The memories, the questions, and the model that embeds both.
struct Material {
    stored: FixedLog,
    questions: Vec<String>,
    embedder: Arc<dyn Embedder>,
}

impl Material {
    fn of_points(records: u64, queries: u64) -> Self {
        let questions = (0..queries).map(|number| (number + 1_000_000_000).to_string());
        Self {
            stored: FixedLog((0..records).map(|number| number.to_string()).collect()),
            questions: questions.collect(),
            embedder: Arc::new(Points(ModelIdentity::new("points", "1"))),
        }
    }

    fn of_lines(file: &Path, records: u64, queries: u64) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(file)?;
        let lines: Vec<&str> = text.lines().collect();
        let shortened = |line: &&str| {
            let words = line.split_whitespace().step_by(2);
            words.take(QUESTION_WORDS).collect::<Vec<_>>().join(" ")
        };
        let step = (lines.len() / queries as usize).max(1);
        let asked = lines.iter().step_by(step).take(queries as usize);
        let stored = lines.iter().take(records as usize);
        Ok(Self {
            questions: asked.map(shortened).collect(),
            stored: FixedLog(stored.map(ToString::to_string).collect()),
            embedder: Arc::new(StaticModel::builtin()),
        })
    }

    fn vector_of(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut vector = vec![0.0; self.embedder.dimensions()];
        self.embedder.embed_into(text, &mut vector)?;
        Ok(vector)
    }

    fn vectors_of(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|text| self.vector_of(text)).collect()
    }
}

/// Builds the view of this many memories, and queries it.
pub(crate) fn measure(
    records: u64,
    queries: u64,
    parent: Option<&Path>,
    lines: Option<&Path>,
) -> Result<Section, Failure> {
    let material = match lines {
        Some(file) => Material::of_lines(file, records, queries)?,
        None => Material::of_points(records, queries),
    };
    let folder = temporary_folder(parent)?;
    let open = || VectorsView::open(folder.path().join("vectors"), material.embedder.clone());
    let started = Instant::now();
    open()?.fold(&material.stored, &mut |_| {})?;
    let seconds = started.elapsed().as_secs_f64();
    let view = open()?;
    let rows = view.rows() as u32;
    let questions = material.vectors_of(&material.questions)?;
    let mut figures = vec![Figure::rate(
        "folded_per_s",
        "embedded and folded",
        f64::from(rows) / seconds,
    )];
    for limit in [10, 100, 300] {
        let took = time(&questions, |question| view.search(question, limit, None))?;
        let (key, label) = (format!("top{limit}"), format!("best {limit}"));
        let timed = Timed::new(&key, &label, &took);
        figures.extend([timed.p50(), timed.p95()]);
        if limit == 10 {
            let bytes = (view.vectors() * DIMENSIONS / 8) as f64;
            let figure = Figure::new(
                "signs_gb_per_s",
                "signs read",
                bytes / 1e6 / took.p50(),
                Unit::GigabytesPerSecond,
            );
            figures.push(figure);
        }
    }
    for share in [2, 10, 100, 1_000] {
        let filter = (0..rows)
            .filter(|row| row.wrapping_mul(0x9e37_79b9) >> 8 < (1 << 24) / share)
            .collect();
        let took = time(&questions, |question| {
            view.search(question, 10, Some(&filter))
        })?;
        let (key, label) = (
            format!("one_in_{share}"),
            format!("best 10 of one in {share}"),
        );
        let timed = Timed::new(&key, &label, &took);
        figures.extend([timed.p50(), timed.p95()]);
    }
    let wholes = material.vectors_of(&material.stored.0)?;
    let of_f32 = |question: &[f32]| Ok(wholes.iter().map(|whole| dot(whole, question)).collect());
    let all: Vec<Row> = (0..rows).map(Row).collect();
    let of_eight_bits = |question: &[f32]| {
        let similarities = view.similarities(question, &all)?.into_iter();
        Ok(similarities.map(|found| found.unwrap_or(-1.0)).collect())
    };
    for limit in [10, 100] {
        let mut share = |name: &str, label: &str, similarities: Similarities<'_>| {
            let share = share_found(&view, &questions, limit, similarities)?;
            let (key, label) = (
                format!("{name}_recall@{limit}"),
                format!("best {limit} {label}"),
            );
            figures.push(Figure::new(key, label, share * 100.0, Unit::Percent));
            Ok::<(), Failure>(())
        };
        // Exact only for memories with one vector.
        share("f32", "of f32 wholes", &of_f32)?;
        share("eight_bits", "of eight bits", &of_eight_bits)?;
    }
    Ok(Section::new("vectors", figures))
}

fn time<Found>(
    questions: &[Vec<f32>],
    search: impl Fn(&[f32]) -> Result<Found, ViewError>,
) -> Result<Latencies, Failure> {
    let mut latencies = Latencies::default();
    for question in questions {
        latencies.time(|| search(question))?;
    }
    Ok(latencies)
}

/// The similarity of every row to a question.
type Similarities<'view> = &'view dyn Fn(&[f32]) -> Result<Vec<f32>, Failure>;

/// The share of the nearest rows that the scan finds; ties with the last one count as found.
fn share_found(
    view: &VectorsView,
    questions: &[Vec<f32>],
    limit: usize,
    similarities: Similarities<'_>,
) -> Result<f64, Failure> {
    let limit = limit.min(view.rows());
    let mut found = 0;
    for question in questions {
        let similarities = similarities(question)?;
        let mut order = similarities.clone();
        let (_, last, _) =
            order.select_nth_unstable_by(limit - 1, |one, other| other.total_cmp(one));
        let near = *last - 1e-6;
        let hits = view.search(question, limit, None)?;
        let is_near = |row: Row| similarities[row.0 as usize] >= near;
        found += hits.iter().filter(|hit| is_near(hit.row)).count();
    }
    Ok(found as f64 / (questions.len() * limit) as f64)
}
