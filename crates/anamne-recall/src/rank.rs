//! Stage 4: the features of each candidate, and their weighted sum.

use anamne_types::Row;
use rustc_hash::FxHashMap;

use crate::attributes::with_attributes;
use crate::candidates::{Candidate, thread_neighbours};
use crate::feature_inputs::FeatureInputs;
use crate::model::{self, Features};
use crate::query_times;
use crate::ranked::{Ranked, sort};
use crate::threads::Threads;
use crate::views::best_first;
use crate::words::{Reader, Summary, SummaryIndex, states_time};

/// A candidate's window: itself, and the rows one and two positions before and after it.
struct Window {
    own: SummaryIndex,
    neighbours: [[Option<(Row, SummaryIndex)>; 2]; 2],
    /// Frequencies, lengths and best wordpiece matches over the window.
    combined: SummaryIndex,
    is_read: bool,
}

/// Splits candidates by their own and their thread's features: the best, best first, whose neighbours are worth
/// reading, and the others in no order.
pub(crate) fn shortlist(
    inputs: &FeatureInputs<'_>,
    reader: &mut Reader<'_>,
    mut candidates: Vec<Candidate>,
    threads: &Threads,
) -> (Vec<Candidate>, Vec<Candidate>) {
    if candidates.len() <= model::SHORTLIST {
        return (candidates, Vec::new());
    }
    let unknown = |candidate: &&mut Candidate| candidate.similarity.is_none();
    let without_cosine = candidates.iter_mut().filter(unknown).collect::<Vec<_>>();
    let rows: Vec<Row> = without_cosine
        .iter()
        .map(|candidate| candidate.row)
        .collect();
    for (candidate, cosine) in without_cosine.into_iter().zip((inputs.cosines)(&rows)) {
        candidate.similarity = cosine;
    }
    let average = inputs.columns.average_tokens();
    let mut scored: Vec<(f32, Candidate)> = candidates
        .into_iter()
        .map(|mut candidate| {
            let own = reader.read(candidate.row);
            candidate.lsi_similarity = Some(lsi_similarity(inputs, &candidate));
            let cosine = candidate.similarity.unwrap_or(0.0);
            let features = own_features(inputs, threads, &candidate, own, average, cosine);
            (features.score(inputs.weights), candidate)
        })
        .collect();
    let best_first = |one: &(f32, Candidate), other: &(f32, Candidate)| {
        best_first((one.0, one.1.row), (other.0, other.1.row))
    };
    scored.select_nth_unstable_by(model::SHORTLIST, best_first);
    let others = scored.split_off(model::SHORTLIST);
    scored.sort_unstable_by(best_first);
    let candidates = |scored: Vec<(f32, Candidate)>| scored.into_iter().map(|(_, kept)| kept);
    (candidates(scored).collect(), candidates(others).collect())
}

/// Scores every candidate, best first; ties by row. The neighbours of `others` are not read: their windows contain only
/// themselves.
pub(crate) fn rank(
    inputs: &FeatureInputs<'_>,
    reader: &mut Reader<'_>,
    mut candidates: Vec<Candidate>,
    others: Vec<Candidate>,
    threads: &mut Threads,
) -> Vec<Ranked> {
    let mut windows: Vec<Window> = candidates
        .iter()
        .map(|candidate| window(inputs, reader, candidate))
        .collect();
    windows.extend(
        others
            .iter()
            .map(|other| Window::without_neighbours(reader.index_of(other.row))),
    );
    let cosines = cosines(inputs, &candidates, &windows, &others);
    candidates.extend(others);
    let reader = &*reader;
    let averages = AverageLengths::new(inputs, reader, &candidates, &windows);
    let mut ranked: Vec<Ranked> = candidates
        .into_iter()
        .zip(windows)
        .map(|(candidate, window)| {
            let (own, combined) = (reader.at(window.own), reader.at(window.combined));
            let cosine = |row: &Row| cosines.get(row).copied().unwrap_or(0.0);
            let window_weight = model::WINDOW_HALF_WORDS / (model::WINDOW_HALF_WORDS + own.words);
            let own_cosine = cosine(&candidate.row);
            let features = Features {
                window_lexical: window_weight * combined.bm25(averages.window_words),
                window_words: window_weight * combined.word_match(),
                window_semantic: window_weight * window_cosine(candidate.row, &window, &cosine),
                ..own_features(inputs, threads, &candidate, own, averages.words, own_cosine)
            };
            Ranked {
                adjacent: window.adjacent(),
                ..Ranked::new(candidate, features, features.score(inputs.weights))
            }
        })
        .collect();
    threads.add_feedback(&ranked, inputs.columns);
    for ranked in &mut ranked {
        ranked.features.thread_feedback = threads.of(&ranked.candidate).feedback;
        ranked.score = ranked.features.score(inputs.weights);
    }
    sort(&mut ranked);
    ranked
}

impl Window {
    /// The rows before and after its own, if they were read.
    fn adjacent(&self) -> Option<[Option<Row>; 2]> {
        let row = |neighbour: Option<(Row, SummaryIndex)>| neighbour.map(|(row, _)| row);
        self.is_read.then(|| self.neighbours[0].map(row))
    }

    /// The window of a text whose neighbours are not read.
    fn without_neighbours(own: SummaryIndex) -> Self {
        Self {
            own,
            neighbours: [[None; 2]; 2],
            combined: own,
            is_read: false,
        }
    }
}

fn window(inputs: &FeatureInputs<'_>, reader: &mut Reader<'_>, candidate: &Candidate) -> Window {
    let own = reader.index_of(candidate.row);
    let neighbours = thread_neighbours(inputs.columns, candidate.row, &candidate.attributes);
    let neighbours = neighbours
        .map(|neighbours| neighbours.map(|row| row.map(|row| (row, reader.index_of(row)))));
    Window {
        own,
        combined: combined(reader, own, &neighbours),
        neighbours,
        is_read: true,
    }
}

/// The cosine of every row of every window, each computed once; those of `others` are known.
fn cosines(
    inputs: &FeatureInputs<'_>,
    candidates: &[Candidate],
    windows: &[Window],
    others: &[Candidate],
) -> FxHashMap<Row, f32> {
    let mut rows: Vec<Row> = candidates.iter().map(|candidate| candidate.row).collect();
    rows.extend(windows.iter().flat_map(|window| {
        window
            .neighbours
            .iter()
            .flatten()
            .flatten()
            .map(|(row, _)| *row)
    }));
    rows.sort_unstable();
    rows.dedup();
    let computed = (inputs.cosines)(&rows);
    let known = others.iter().map(|other| (other.row, other.similarity));
    rows.into_iter()
        .zip(computed)
        .chain(known)
        .map(|(row, cosine)| (row, cosine.unwrap_or(0.0)))
        .collect()
}

/// Average lengths for BM25 length normalisation.
struct AverageLengths {
    words: f32,
    window_words: f32,
}

impl AverageLengths {
    /// The space's average length in words, derived from its average in tokens; for windows that of the candidates.
    fn new(
        inputs: &FeatureInputs<'_>,
        reader: &Reader<'_>,
        candidates: &[Candidate],
        windows: &[Window],
    ) -> Self {
        let tokens = |row: Row| inputs.columns.tokens(row).map_or(0, <[u16]>::len);
        let tokens: usize = candidates.iter().map(|one| tokens(one.row)).sum();
        let words_at = |index: &dyn Fn(&Window) -> SummaryIndex| -> f32 {
            let words = windows.iter().map(|window| reader.at(index(window)).words);
            words.sum()
        };
        let (words, window_words) = (words_at(&|one| one.own), words_at(&|one| one.combined));
        let share = if tokens > 0 {
            words / tokens as f32
        } else {
            1.0
        };
        Self {
            words: inputs.columns.average_tokens() * share,
            window_words: window_words / windows.len().max(1) as f32,
        }
    }
}

/// Frequencies and lengths summed over a window, and its best wordpiece matches.
fn combined(
    reader: &mut Reader<'_>,
    own: SummaryIndex,
    neighbours: &[[Option<(Row, SummaryIndex)>; 2]; 2],
) -> SummaryIndex {
    let combined = reader.empty();
    reader.add(combined, own, 1.0, 1.0);
    for (distance, neighbours) in neighbours.iter().enumerate() {
        let (weight, match_factor) = (
            model::WINDOW[distance],
            model::WINDOW_MATCH_FACTORS[distance],
        );
        for (_, index) in neighbours.iter().flatten() {
            reader.add(combined, *index, weight, match_factor);
        }
    }
    combined
}

/// The features of a candidate itself and its thread; `average` is the average length in words.
fn own_features(
    inputs: &FeatureInputs<'_>,
    threads: &Threads,
    candidate: &Candidate,
    own: Summary<'_>,
    average: f32,
    cosine: f32,
) -> Features {
    let thread = threads.of(candidate);
    let features = Features {
        thread_lexical: thread.lexical,
        thread_words: thread.words,
        lexical: lexical(inputs, candidate, own, average),
        semantic: cosine,
        words: own.word_match(),
        rare_term: rare_term(inputs, candidate, own),
        date: query_times::date_mention(inputs, own),
        mentions_time: mentions_time(inputs, candidate.row),
        lsi_similarity: candidate
            .lsi_similarity
            .unwrap_or_else(|| lsi_similarity(inputs, candidate)),
        graph: candidate.proximity,
        access: (inputs.access)(candidate.row),
        ..Features::default()
    };
    with_attributes(inputs, &candidate.attributes, features)
}

/// The ranking's own BM25, or that of the lexical view for spellings that wordpieces don't capture.
fn lexical(
    inputs: &FeatureInputs<'_>,
    candidate: &Candidate,
    own: Summary<'_>,
    average: f32,
) -> f32 {
    let most = inputs.query.max_lexical_score.max(f32::MIN_POSITIVE);
    let normalised = candidate
        .lexical
        .map_or(0.0, |score| (score / most).min(1.0));
    own.bm25(average).max(normalised)
}

/// Whether the text contains a rare term of the query, as wordpieces or according to the lexical view: 1, and up to 3
/// for a query with few words.
fn rare_term(inputs: &FeatureInputs<'_>, candidate: &Candidate, own: Summary<'_>) -> f32 {
    let query = inputs.query;
    let contains = |&(term, idf): &(usize, f32)| {
        // For a one-word query a lexical hit contains the word; in a long text one occurrence still scores half of its
        // idf.
        let as_spelled =
            query.words.len() == 1 && candidate.lexical.is_some_and(|score| score >= idf / 2.0);
        own.contains(term) || as_spelled
    };
    if query.rare_terms.iter().any(contains) {
        1.0 + (3.0 - query.words.len() as f32).clamp(0.0, 2.0)
    } else {
        0.0
    }
}

/// The similarity in the latent index.
fn lsi_similarity(inputs: &FeatureInputs<'_>, candidate: &Candidate) -> f32 {
    let lsi = inputs.lsi;
    lsi.map_or(0.0, |lsi| lsi.similarity(candidate))
}

/// 1 for a text that states a time if the query asks for one.
fn mentions_time(inputs: &FeatureInputs<'_>, row: Row) -> f32 {
    let tokens = || inputs.columns.tokens(row).unwrap_or_default();
    f32::from(u8::from(
        inputs.query.asks_for_time && states_time(tokens()),
    ))
}

/// The cosine with the weighted sum of the window's vectors, whose length is estimated from the typical cosine of
/// messages of one conversation.
fn window_cosine(row: Row, window: &Window, cosine: &dyn Fn(&Row) -> f32) -> f32 {
    let (mut sum, mut weights, mut squares) = (cosine(&row), 1.0, 1.0);
    for (neighbours, weight) in window.neighbours.iter().zip(model::WINDOW) {
        for (row, _) in neighbours.iter().flatten() {
            sum += cosine(row) * weight;
            weights += weight;
            squares += weight * weight;
        }
    }
    sum / (squares + (weights * weights - squares) * model::TYPICAL_COSINE).sqrt()
}
