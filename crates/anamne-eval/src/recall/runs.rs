//! Asking every question in every way, and keeping what came back.

use std::collections::HashMap;
use std::time::Instant;

use anamne::{Answer, Depth, Draft, MemoryId, Recall, Signals, Space, Store};

use super::Failure;
use super::ablation::{self, Without};
use super::data::{Corpus, Query, Record};
use super::features::{self, FeatureFile};
use super::metrics::Ranking;

/// Results that are looked at when records are ranked.
const RECORDS: usize = 50;

/// Results that are looked at when threads are ranked by their best record.
const RECORDS_FOR_THREADS: usize = 300;

/// The constant of reciprocal rank fusion.
const FUSION: f64 = 60.0;

/// What one question came to.
pub(crate) struct Outcome {
    pub(crate) category: String,
    pub(crate) counts: bool,
    pub(crate) answerable: bool,
    pub(crate) rankings: Vec<(String, Ranking)>,
    /// Confidence and relevance of the full recall's first ten results.
    pub(crate) judged: Vec<(f32, bool)>,
    /// What the full recall said of the whole answer: the probability that there is one.
    pub(crate) answered: f32,
    /// Confidence of the full recall's first result.
    pub(crate) best_confidence: f32,
    /// Whether it was put to another conversation than its own.
    pub(crate) foreign: bool,
    /// What it comes to without each feature, where that was asked for.
    pub(crate) without: Without,
}

impl Outcome {
    /// One figure of a run.
    pub(crate) fn figure(&self, run: &str, metric: &str) -> Option<f64> {
        let (_, ranking) = self.rankings.iter().find(|(name, _)| *name == run)?;
        ranking.figures.get(metric).copied()
    }
}

/// Tells the conversation in its order, asks each question when it was asked, and `foreign` ones at the end.
pub(crate) fn measure(
    corpus: &Corpus,
    foreign: &[Query],
    depths: &[Depth],
    mut features: Option<&mut FeatureFile>,
    ablate: bool,
) -> Result<Vec<Outcome>, Failure> {
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::Data(format!("no temporary folder: {error}")))?;
    let space = Store::open(folder.path())?.space("benchmark")?;
    let mut ids = HashMap::new();
    let mut told = 0;
    let mut outcomes = Vec::new();
    for (end, query) in corpus.questions() {
        if end > told {
            tell(&space, &corpus.records[told..end], &mut ids)?;
            told = end;
            if depths.iter().any(|depth| *depth != Depth::Shallow) {
                space.weave(&mut |_| true)?;
            }
        }
        outcomes.push(ask(&space, corpus, query, depths, &ids, ablate)?);
        if let Some(features) = features.as_deref_mut() {
            let wanted = features::RESULTS.min(corpus.records.len());
            let depth = depths.last().copied().unwrap_or_default();
            let recall = Recall::new(&query.text).depth(depth);
            let usual = space.recall(&recall)?;
            let answer = space.recall(&recall.limit(wanted))?;
            features.write(corpus, query, &answer, &usual, &ids)?;
        }
    }
    if told < corpus.records.len() {
        tell(&space, &corpus.records[told..], &mut ids)?;
    }
    for query in foreign {
        let answer = space.recall(&Recall::new(&query.text))?;
        if let Some(features) = features.as_deref_mut() {
            features.write(corpus, query, &answer, &answer, &ids)?;
        }
        outcomes.push(Outcome {
            category: query.category.clone(),
            counts: false,
            answerable: false,
            rankings: Vec::new(),
            judged: Vec::new(),
            answered: answer.answered,
            best_confidence: answer.results.first().map_or(0.0, |hit| hit.confidence),
            foreign: true,
            without: Without::new(),
        });
    }
    Ok(outcomes)
}

/// Tells records of a conversation, notes which memory is which, and does what the background does in between.
pub(crate) fn tell<'corpus>(
    space: &Space,
    records: &'corpus [Record],
    ids: &mut HashMap<MemoryId, &'corpus Record>,
) -> Result<(), Failure> {
    let drafts: Vec<_> = records.iter().map(draft_of).collect();
    for (record, remembered) in records.iter().zip(space.remember_all(&drafts)?) {
        ids.insert(remembered.id, record);
    }
    space.settle(&mut |_, _| {})?;
    Ok(())
}

fn draft_of(record: &Record) -> Draft {
    let draft = Draft {
        external_id: Some(record.id.clone()),
        ..Draft::new(&record.text).author(&record.author)
    };
    let draft = if record.alone {
        draft
    } else {
        Draft {
            position: Some(record.position),
            ..draft.thread(&record.thread)
        }
    };
    match record.time {
        Some(time) => draft.occurred_at(time),
        None => draft,
    }
}

fn ask(
    space: &Space,
    corpus: &Corpus,
    query: &Query,
    depths: &[Depth],
    ids: &HashMap<MemoryId, &Record>,
    ablate: bool,
) -> Result<Outcome, Failure> {
    let by_thread = query.evidence.is_empty() && !query.evidence_threads.is_empty();
    let limit = if by_thread {
        RECORDS_FOR_THREADS
    } else {
        RECORDS
    };
    let mut rankings = Vec::new();
    let mut lists = Vec::new();
    let mut full = Answer::default();
    for (run, signals) in [
        ("lexical", Signals::Lexical),
        ("semantic", Signals::Semantic),
        ("full", Signals::Full),
    ] {
        let recall = Recall::new(&query.text)
            .limit(limit.min(corpus.records.len()))
            .signals(signals);
        let answer = space.recall(&recall)?;
        let found = records_of(&answer, ids);
        let took = time_of(space, &Recall::new(&query.text).signals(signals))?;
        rankings.push((run.to_owned(), Ranking::of(query, &found, took)));
        if run == "full" {
            full = answer;
        } else {
            lists.push(found);
        }
    }
    rankings.insert(
        2,
        ("rrf".to_owned(), Ranking::of(query, &fuse(&lists), 0.0)),
    );
    for &depth in depths.iter().filter(|depth| **depth != Depth::Shallow) {
        let recall = Recall::new(&query.text).depth(depth);
        let answer = space.recall(&recall.clone().limit(limit.min(corpus.records.len())))?;
        let found = records_of(&answer, ids);
        let took = time_of(space, &recall)?;
        rankings.push((run_of(depth), Ranking::of(query, &found, took)));
    }
    let without = if ablate {
        let recall = Recall::new(&query.text).limit(limit.min(corpus.records.len()));
        ablation::measure(space, query, &recall, &full, ids)?
    } else {
        Without::new()
    };
    let relevant = |id: MemoryId| {
        ids.get(&id)
            .is_some_and(|record| is_evidence(query, record))
    };
    let judged = full
        .results
        .iter()
        .take(10)
        .map(|hit| (hit.confidence, relevant(hit.memory.id)))
        .collect();
    Ok(Outcome {
        category: query.category.clone(),
        counts: query.is_answerable() && query.has_evidence(),
        answerable: query.is_answerable(),
        rankings,
        judged,
        answered: full.answered,
        foreign: false,
        best_confidence: full.results.first().map_or(0.0, |hit| hit.confidence),
        without,
    })
}

/// What a run at a depth is called.
pub(super) fn run_of(depth: Depth) -> String {
    match depth {
        Depth::Shallow => "full".to_owned(),
        Depth::Hops(hops) => format!("hops{hops}"),
        Depth::Deep => "deep".to_owned(),
    }
}

fn records_of<'corpus>(
    answer: &Answer,
    ids: &HashMap<MemoryId, &'corpus Record>,
) -> Vec<&'corpus Record> {
    let hits = answer.results.iter();
    hits.filter_map(|hit| ids.get(&hit.memory.id).copied())
        .collect()
}

/// Milliseconds of a recall of ten results, as a caller sees it.
fn time_of(space: &Space, recall: &Recall) -> Result<f64, Failure> {
    let started = Instant::now();
    space.recall(recall)?;
    Ok(started.elapsed().as_secs_f64() * 1000.0)
}

fn is_evidence(query: &Query, record: &Record) -> bool {
    query.evidence.contains(&record.id) || query.evidence_threads.contains(&record.thread)
}

/// Reciprocal rank fusion of several lists (Cormack, Clarke and Büttcher 2009, k = 60).
pub(crate) fn fuse<'corpus>(lists: &[Vec<&'corpus Record>]) -> Vec<&'corpus Record> {
    let mut scores: HashMap<&str, (f64, &Record)> = HashMap::new();
    for list in lists {
        for (rank, &record) in list.iter().enumerate() {
            scores.entry(&record.id).or_insert((0.0, record)).0 +=
                1.0 / (FUSION + rank as f64 + 1.0);
        }
    }
    let mut fused: Vec<_> = scores.into_values().collect();
    fused.sort_by(|(left, one), (right, other)| {
        right.total_cmp(left).then_with(|| one.id.cmp(&other.id))
    });
    fused.into_iter().map(|(_, record)| record).collect()
}
