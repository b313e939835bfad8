//! The same memories in two forms: in the views of several tiers, and in views of all together.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anamne_embed::{EmbedError, Embedder, ModelIdentity};
use anamne_index::columns::{ColumnsView, Tokenise};
use anamne_index::lexical::LexicalView;
use anamne_index::vectors::VectorsView;
use anamne_store::view::{Attributes, Change, ChangeFeed, Fold, Record, View, ViewError};
use anamne_types::{Row, Seq};
use tempfile::TempDir;

/// Dimensions of the test vectors.
pub(crate) const DIMENSIONS: usize = 64;

/// Pseudo-random numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True with a probability of 1 in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// A word by number, of letters that no stemmer changes.
pub(crate) fn word(number: usize) -> String {
    let [first, second] = [number % 12, number / 12 % 12].map(|at| char::from(b"bdfgklmnprtv"[at]));
    format!("{first}a{second}o{first}u")
}

/// A text of N words of `vocabulary`, in sentences of ten.
pub(crate) fn text(random: &mut Random, words: usize, vocabulary: usize) -> String {
    let words: Vec<String> = (0..words).map(|_| word(random.below(vocabulary))).collect();
    let sentences: Vec<String> = words.chunks(10).map(|words| words.join(" ")).collect();
    sentences.join(". ")
}

/// A record with that text and author; its attributes follow from `number`.
pub(crate) fn record(text: String, author: &str, number: u32) -> Record {
    let attributes = Attributes {
        occurred_at: i64::from(number) * 1_000,
        expires_at: i64::MAX,
        thread: number % 5,
        // Some positions repeat, and some are in another order than their rows.
        position: (number / 5) ^ (number % 2),
        author: number % 3,
        session: number % 7,
        kind: (number % 8) as u8 + 1,
        importance: (number % 10) as u8 + 1,
        trust: (number % 256) as u8,
        superseded: number.is_multiple_of(11),
        ..Attributes::default()
    };
    Record {
        text,
        author_name: author.to_owned(),
        attributes,
        is_private: false,
    }
}

fn hash(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A tokeniser by word hash.
struct Words;

impl Tokenise for Words {
    fn name(&self) -> String {
        "words".into()
    }

    fn tokens(&self, text: &str, out: &mut Vec<u16>) {
        out.extend(text.split_whitespace().map(token));
    }
}

/// The token of a word.
pub(crate) fn token(word: &str) -> u16 {
    (hash(word.trim_matches('.')) % 30_000) as u16
}

/// An embedder that adds a vector per word.
struct Directions(ModelIdentity);

impl Embedder for Directions {
    fn model(&self) -> &ModelIdentity {
        &self.0
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed_into(&self, text: &str, vector: &mut [f32]) -> Result<(), EmbedError> {
        vector.copy_from_slice(&direction(text));
        Ok(())
    }
}

/// The vector of a text.
pub(crate) fn direction(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    for word in text.split_whitespace() {
        let mut random = Random(hash(word.trim_matches('.')));
        for place in &mut vector {
            *place += (random.below(2_001) as f32 - 1_000.0) / 1_000.0;
        }
    }
    let length = vector.iter().map(|place| place * place).sum::<f32>().sqrt();
    if length > 0.0 {
        for place in &mut vector {
            *place /= length;
        }
    }
    vector
}

/// The last state of every row of one tier, like a source.
#[derive(Default)]
pub(crate) struct Log {
    rows: BTreeMap<u32, (Seq, Option<Record>)>,
    head: Seq,
}

impl ChangeFeed for Log {
    fn head(&self) -> Result<Seq, ViewError> {
        Ok(self.head)
    }

    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
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

/// The three views over one log.
pub(crate) struct Tier {
    pub(crate) log: Log,
    pub(crate) lexical: LexicalView,
    pub(crate) vectors: VectorsView,
    pub(crate) columns: ColumnsView,
}

impl Tier {
    pub(crate) fn open(folder: &Path) -> Self {
        let embedder = Arc::new(Directions(ModelIdentity::new("directions", "1")));
        Self {
            log: Log::default(),
            lexical: LexicalView::open(folder.join("lexical")),
            vectors: VectorsView::open(folder.join("vectors"), embedder).expect("64 dimensions"),
            columns: ColumnsView::open(folder.join("columns"), Arc::new(Words)),
        }
    }

    fn views(&self) -> [&dyn View; 3] {
        [&self.lexical, &self.vectors, &self.columns]
    }

    pub(crate) fn set_record(&mut self, row: u32, record: Option<Record>) {
        self.log.head.0 += 1;
        self.log.rows.insert(row, (self.log.head, record));
    }

    pub(crate) fn fold(&self) {
        for view in self.views() {
            let folded = view.fold(&self.log, &mut |_| {}).expect("folds");
            assert_ne!(folded, Fold::Busy, "{}", view.name());
        }
    }

    /// What a process does before a query.
    pub(crate) fn catch_up(&self) {
        for view in self.views() {
            view.refresh();
            let changes = self.log.since(view.position(), usize::MAX);
            view.follow(&changes.expect("a log in memory"), self.log.head);
        }
    }
}

/// Tiers, and one that contains all their memories.
pub(crate) struct TestStore {
    pub(crate) tiers: Vec<Tier>,
    pub(crate) whole: Tier,
    tier_by_row: BTreeMap<u32, usize>,
    _folder: TempDir,
}

impl TestStore {
    pub(crate) fn new(tiers: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let open = |name: String| Tier::open(&folder.path().join(name));
        Self {
            tiers: (0..tiers)
                .map(|tier| open(format!("tier-{tier}")))
                .collect(),
            whole: open("whole".into()),
            tier_by_row: BTreeMap::new(),
            _folder: folder,
        }
    }

    /// Writes a memory to its tier, or to `tier` if it is new.
    pub(crate) fn write(&mut self, row: u32, tier: usize, record: Record) {
        let current = *self.tier_by_row.entry(row).or_insert(tier);
        self.tiers[current].set_record(row, Some(record.clone()));
        self.whole.set_record(row, Some(record));
    }

    pub(crate) fn forget(&mut self, row: u32) {
        if let Some(current) = self.tier_by_row.remove(&row) {
            self.tiers[current].set_record(row, None);
            self.whole.set_record(row, None);
        }
    }

    /// Moves a memory to `tier`: removed there, added here.
    pub(crate) fn migrate(&mut self, row: u32, tier: usize) {
        let Some(current) = self.tier_by_row.get_mut(&row) else {
            return;
        };
        let from = std::mem::replace(current, tier);
        let (_, record) = self.whole.log.rows[&row].clone();
        self.tiers[from].set_record(row, None);
        self.tiers[tier].set_record(row, record);
    }

    pub(crate) fn rows(&self) -> Vec<u32> {
        self.tier_by_row.keys().copied().collect()
    }

    pub(crate) fn catch_up(&self) {
        self.tiers.iter().for_each(Tier::catch_up);
        self.whole.catch_up();
    }
}
