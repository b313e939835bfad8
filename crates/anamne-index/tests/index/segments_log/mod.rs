//! An in-memory log, a toy vocabulary and a toy embedder, for tests of views.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, RwLock};

use anamne_embed::{EmbedError, Embedder, ModelIdentity};
use anamne_index::columns::{ColumnsView, Tokenise};
use anamne_index::vectors::VectorsView;
use anamne_store::view::{Attributes, Change, ChangeFeed, Fold, Record, View, ViewError};
use anamne_types::{Row, Seq};

/// An in-memory double of a space's log.
#[derive(Default)]
pub(crate) struct Log {
    rows: BTreeMap<u32, (Seq, Option<Record>)>,
    head: Seq,
    /// Number of reads until one fails.
    pub(crate) readings: Option<AtomicUsize>,
}

impl Log {
    /// Sets the state of a row.
    pub(crate) fn write(&mut self, row: u32, record: Option<Record>) {
        self.head.0 += 1;
        self.rows.insert(row, (self.head, record));
    }

    /// The live rows and their records.
    pub(crate) fn live(&self) -> impl Iterator<Item = (u32, &Record)> {
        self.rows
            .iter()
            .filter_map(|(&row, (_, record))| Some((row, record.as_ref()?)))
    }
}

impl ChangeFeed for Log {
    fn head(&self) -> Result<Seq, ViewError> {
        Ok(self.head)
    }

    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
        if let Some(left) = &self.readings
            && left.fetch_sub(1, SeqCst) == 1
        {
            return Err(ViewError::Feed("the disk is gone".into()));
        }
        let newer = self.rows.iter().filter(|(_, (seq, _))| *seq > after);
        let mut changes: Vec<Change> = newer
            .map(|(&row, (seq, record))| Change {
                seq: *seq,
                row: Row(row),
                record: record.clone(),
            })
            .collect();
        changes.sort_by_key(|change| change.seq);
        changes.truncate(limit);
        Ok(changes)
    }
}

/// Brings the tail of `view` to the head of `log`, as an engine does before a query.
pub(crate) fn catch_up(view: &dyn View, log: &Log) {
    view.refresh();
    let changes = log.since(view.position(), usize::MAX).unwrap();
    view.follow(&changes, log.head().unwrap());
}

/// Folds and returns the result.
pub(crate) fn fold(view: &dyn View, log: &Log) -> Fold {
    view.fold(log, &mut |_| {}).unwrap()
}

/// A record with this text, and attributes derived from `number`.
pub(crate) fn record(text: &str, number: u32) -> Record {
    let attributes = Attributes {
        occurred_at: i64::from(number) * 1_000,
        expires_at: i64::MAX,
        thread: number % 5,
        position: number,
        author: number % 3,
        session: number % 7,
        kind: (number % 8) as u8 + 1,
        category: (number % 9) as u8,
        role: (number % 4) as u8,
        importance: (number % 10) as u8 + 1,
        trust: (number % 256) as u8,
        superseded: number.is_multiple_of(11),
        feedback: (number % 201) as i8,
    };
    Record {
        text: text.into(),
        author_name: String::new(),
        attributes,
        is_private: false,
    }
}

/// A text of `words` words out of a thousand; `seed` selects them.
pub(crate) fn text(seed: u32, words: usize) -> String {
    let mut state = u64::from(seed) + 1;
    let mut word = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        format!("word{}", (state >> 33) % 1_000)
    };
    let words: Vec<String> = (0..words).map(|_| word()).collect();
    words
        .chunks(12)
        .map(|sentence| format!("It is {}.", sentence.join(" ")))
        .collect::<Vec<_>>()
        .join(" ")
}

fn number(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A vocabulary with a token for every word.
pub(crate) struct Words(pub(crate) &'static str);

impl Tokenise for Words {
    fn name(&self) -> String {
        self.0.into()
    }

    fn tokens(&self, text: &str, out: &mut Vec<u16>) {
        out.extend(
            text.split_whitespace()
                .map(|word| (number(word) % 30_000) as u16),
        );
    }
}

/// A text of `words` words, two in three of them from the dozen of its topic.
pub(crate) fn text_about(topic: u32, seed: u32, words: usize) -> String {
    let own = text(seed, words).replace("It is ", "").replace('.', "");
    let words = own.split(' ').enumerate().map(|(at, word)| match at % 3 {
        0 | 1 => format!("topic{topic}of{}", number(word) % 12),
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// An embedder that adds a direction for each word.
pub(crate) struct Directions {
    model: ModelIdentity,
    dimensions: usize,
    known: RwLock<HashMap<u64, Vec<f32>>>,
    /// While set, embedding fails.
    pub(crate) fails: AtomicBool,
}

impl Directions {
    /// An embedder with this name.
    pub(crate) fn new(name: &str, dimensions: usize) -> Arc<Self> {
        let (model, known) = (ModelIdentity::new(name, "1"), RwLock::default());
        Arc::new(Self {
            model,
            dimensions,
            known,
            fails: AtomicBool::new(false),
        })
    }

    /// The vector of `text`.
    pub(crate) fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.dimensions];
        for word in text.split_whitespace().map(number) {
            let direction = self.known.read().unwrap().get(&word).cloned();
            let direction = direction.unwrap_or_else(|| self.direction(word));
            vector
                .iter_mut()
                .zip(direction)
                .for_each(|(place, more)| *place += more);
        }
        let length = vector.iter().map(|place| place * place).sum::<f32>().sqrt();
        if length > 0.0 {
            for place in &mut vector {
                *place /= length;
            }
        }
        vector
    }
}

impl Directions {
    fn direction(&self, word: u64) -> Vec<f32> {
        let mut state = word;
        let step = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        let direction: Vec<f32> = (0..self.dimensions).map(step).collect();
        self.known.write().unwrap().insert(word, direction.clone());
        direction
    }
}

impl Embedder for Directions {
    fn model(&self) -> &ModelIdentity {
        &self.model
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed_into(&self, text: &str, vector: &mut [f32]) -> Result<(), EmbedError> {
        if self.fails.load(SeqCst) {
            return Err(EmbedError::VectorLength {
                expected: 0,
                found: 1,
            });
        }
        vector.copy_from_slice(&self.vector(text));
        Ok(())
    }
}

/// The answers of a view, in a comparable form.
pub(crate) trait Answers: View {
    /// Opens a view in `folder`.
    fn open_in(folder: &Path) -> Self;

    /// All answers about rows below `rows`.
    fn answers(&self, rows: u32) -> Vec<String>;
}

impl Answers for ColumnsView {
    fn open_in(folder: &Path) -> Self {
        Self::open(folder, Arc::new(Words("words")))
    }

    fn answers(&self, rows: u32) -> Vec<String> {
        let columns = self.snapshot();
        let of_row = |row| {
            format!(
                "{row}: {:?} {:?}",
                columns.attributes(Row(row)),
                columns.tokens(Row(row))
            )
        };
        let of_token = |token| format!("{token}: {}", columns.token_frequency(token));
        let mut answers: Vec<String> = (0..rows)
            .map(of_row)
            .chain((0..30_000).map(of_token))
            .collect();
        answers.push(format!("{} {}", columns.rows(), columns.average_tokens()));
        answers.push(format!("{:?}", columns.select_where(|_| true)));
        answers.extend((0..rows).map(|row| format!("{:?}", columns.neighbours(Row(row), 2))));
        answers
    }
}

impl Answers for VectorsView {
    fn open_in(folder: &Path) -> Self {
        Self::open(folder, Directions::new("directions", 64)).unwrap()
    }

    fn answers(&self, rows: u32) -> Vec<String> {
        let embedder = Directions::new("directions", 64);
        let queries =
            ["word1 word2", "word500", "It is word999 word7."].map(|query| embedder.vector(query));
        let all: Vec<Row> = (0..rows).map(Row).collect();
        let mut answers = vec![format!("{} {}", self.rows(), self.vectors())];
        for query in queries {
            answers.push(format!("{:?}", self.search(&query, 10, None).ok()));
            answers.push(format!("{:?}", self.similarities(&query, &all).ok()));
        }
        answers
    }
}

/// The files in `folder`, by name.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}
