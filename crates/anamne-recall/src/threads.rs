//! Features of the candidates of one thread together. A memory without a thread is its own thread.

use anamne_types::Row;
use rustc_hash::FxHashMap;

use crate::candidates::Candidate;
use crate::model;
use crate::ranked::Ranked;
use crate::thread_feedback::{ScoredRow, thread_feedback};
use crate::views::Columns;
use crate::words::{Reader, SummaryIndex};

/// The features of each thread.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    threads: FxHashMap<ThreadKey, ThreadFeatures>,
}

/// The number of a thread, or for a memory without one its row above all thread numbers.
type ThreadKey = u64;

/// Thread numbers are lower.
const WITHOUT_THREAD: ThreadKey = 1 << 32;

fn has_no_thread(key: ThreadKey) -> bool {
    key >= WITHOUT_THREAD
}

fn key(candidate: &Candidate) -> ThreadKey {
    match candidate.attributes.thread {
        0 => WITHOUT_THREAD | ThreadKey::from(candidate.row.0),
        thread => ThreadKey::from(thread),
    }
}

/// The features of one thread.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ThreadFeatures {
    /// The feature `thread_lexical`.
    pub(crate) lexical: f32,
    /// The feature `thread_words`.
    pub(crate) words: f32,
    /// The feature `thread_feedback`; set by [`Threads::add_feedback`].
    pub(crate) feedback: f32,
    /// Its number of records, as far as its candidates show.
    records: f32,
}

/// The candidates of one thread, read together.
struct ThreadReading {
    summary: SummaryIndex,
    candidates: f32,
    records: f32,
}

impl Threads {
    /// Reads the candidates of each thread as one text: BM25 and word match.
    pub(crate) fn read(reader: &mut Reader<'_>, candidates: &[Candidate]) -> Self {
        let readings = readings(reader, candidates);
        let mean_words = |without_thread: bool| {
            let group = readings
                .iter()
                .filter(|(key, _)| has_no_thread(**key) == without_thread);
            mean(group.map(|(_, reading)| reader.at(reading.summary).words)).unwrap_or(0.0)
        };
        let (in_threads, outside_threads) = (mean_words(false), mean_words(true));
        let length_weight =
            |words: f32| model::THREAD_HALF_WORDS / (model::THREAD_HALF_WORDS + words);
        let thread = |key: ThreadKey, reading: &ThreadReading| {
            let summary = reader.at(reading.summary);
            let (weight, mean) = if has_no_thread(key) {
                // At most the weight of its neighbours in a thread, and of usual threads.
                let window_weight =
                    model::WINDOW_HALF_WORDS / (model::WINDOW_HALF_WORDS + summary.words);
                (
                    window_weight.min(length_weight(in_threads)),
                    outside_threads,
                )
            } else {
                (length_weight(summary.words), in_threads)
            };
            ThreadFeatures {
                lexical: weight * summary.bm25(mean),
                words: weight * summary.word_match(),
                feedback: 0.0,
                records: reading.records,
            }
        };
        let threads = readings
            .iter()
            .map(|(key, reading)| (*key, thread(*key, reading)))
            .collect();
        Self { threads }
    }

    /// Adds the threads that are not known yet.
    pub(crate) fn add_unknown(&mut self, others: Self) {
        for (number, thread) in others.threads {
            self.threads.entry(number).or_insert(thread);
        }
    }

    /// The features of the candidate's thread; zero if it was not read.
    pub(crate) fn of(&self, candidate: &Candidate) -> ThreadFeatures {
        self.threads
            .get(&key(candidate))
            .copied()
            .unwrap_or_default()
    }

    /// The mean number of records per thread, as far as candidates show; 1 if no candidate is in a thread.
    pub(crate) fn mean_records(&self) -> f32 {
        let in_threads = self.threads.iter().filter(|(key, _)| !has_no_thread(**key));
        mean(in_threads.map(|(_, thread)| thread.records)).unwrap_or(1.0)
    }

    /// Computes the similarity of threads to the best ones by the scores so far. Short threads have one topic, long
    /// ones several, so long ones get less.
    pub(crate) fn add_feedback(&mut self, ranked: &[Ranked], columns: &dyn Columns) {
        let scored_row = |ranked: &Ranked| {
            let (row, thread) = (ranked.candidate.row, ranked.candidate.attributes.thread);
            let score = ranked.score;
            (thread != 0).then_some(ScoredRow { score, row, thread })
        };
        for (number, feedback) in
            thread_feedback(ranked.iter().filter_map(scored_row).collect(), columns)
        {
            if let Some(thread) = self.threads.get_mut(&ThreadKey::from(number)) {
                thread.feedback =
                    feedback / (1.0 + (thread.records / model::FEEDBACK_HALF_RECORDS).powi(4));
            }
        }
    }
}

fn mean(values: impl Iterator<Item = f32>) -> Option<f32> {
    let (number, sum) = values.fold((0.0, 0.0), |(number, sum), value| {
        (number + 1.0, sum + value)
    });
    (number > 0.0).then(|| sum / number)
}

/// Weights the query's words by how they cluster in the candidates' threads.
pub(crate) fn weight_by_clusters(reader: &mut Reader<'_>, candidates: &[Candidate]) {
    let stretch = |candidate: &Candidate| match candidate.attributes.thread {
        0 => (0, candidate.row.0),
        thread => (thread, candidate.attributes.position / model::STRETCH),
    };
    let mut rows: Vec<((u32, u32), Row)> = candidates
        .iter()
        .map(|candidate| (stretch(candidate), candidate.row))
        .collect();
    rows.sort_unstable();
    reader.weight_by_clusters(&rows);
}

fn readings(
    reader: &mut Reader<'_>,
    candidates: &[Candidate],
) -> FxHashMap<ThreadKey, ThreadReading> {
    let mut readings: FxHashMap<ThreadKey, ThreadReading> = FxHashMap::default();
    for candidate in candidates {
        let attributes = &candidate.attributes;
        let own = reader.index_of(candidate.row);
        let reading = readings
            .entry(key(candidate))
            .or_insert_with(|| ThreadReading {
                summary: reader.empty(),
                candidates: 0.0,
                records: 0.0,
            });
        reader.add(reading.summary, own, 1.0, 1.0);
        reading.candidates += 1.0;
        // The last known position is a lower bound of the length.
        let last = match attributes.thread {
            0 => 0,
            _ => attributes.position,
        };
        let known = (last as f32 + 1.0).max(reading.candidates);
        reading.records = reading.records.max(known);
    }
    // Extrapolates the thread's length from the mean length of its candidates.
    for reading in readings.values() {
        reader.lengthen(
            reading.summary,
            reading.records / reading.candidates.max(1.0),
        );
    }
    readings
}
