//! The combined views of several tiers answer like one view over all rows.

mod tier_fixture;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anamne_index::columns::{ColumnsSnapshot, RowPredicate};
use anamne_index::threads::PARALLEL_ROWS;
use anamne_recall::tiers::{TieredColumns, TieredLexical, TieredVectors};
use anamne_recall::views::{Columns, LexicalSearch, SearchHit, VectorSearch};
use anamne_store::view::{Health, Record, View, ViewError};
use anamne_text::analyser::{Analyser, QueryTerms};
use anamne_types::Row;
use roaring::RoaringBitmap;
use tier_fixture::{Random, TestStore, Tier, direction, record, text, token, word};

/// Words in the memories' texts.
const VOCABULARY: usize = 140;
/// Rows in use; some more are empty.
const ROWS: u32 = 300;

/// How often each word was written per field: the maximum number of postings in a segment.
#[derive(Default)]
struct WordCounts(BTreeMap<(bool, String), usize>);

impl WordCounts {
    fn count(&mut self, record: &Record) {
        for (is_author, text) in [(false, &record.text), (true, &record.author_name)] {
            let words: BTreeSet<&str> = text.split([' ', '.']).collect();
            for word in words.into_iter().filter(|word| !word.is_empty()) {
                *self.0.entry((is_author, word.to_owned())).or_default() += 1;
            }
        }
    }
}

fn memory(random: &mut Random, number: u32) -> Record {
    let words = if random.once_in(60) {
        // Several vectors.
        300
    } else {
        random.below(25)
    };
    let author = [
        String::new(),
        format!("{} {}", word(7), word(20)),
        format!("{} {}", word(30), word(31)),
        word(32),
        word(33),
    ];
    let text = text(random, words, VOCABULARY);
    record(text, &author[number as usize % author.len()], number)
}

/// A few hundred memories, some on disk and some in tails, with changes, deletions and moves.
fn store(seed: u64, tiers: usize) -> TestStore {
    let (mut random, mut counts, mut store) =
        (Random(seed), WordCounts::default(), TestStore::new(tiers));
    let mut write = |store: &mut TestStore, random: &mut Random, row: u32, number: u32| {
        let memory = memory(random, number);
        counts.count(&memory);
        let tier = random.below(tiers);
        store.write(row, tier, memory);
    };
    for round in 0..3 {
        for row in (0..ROWS).filter(|row| row % 3 == round) {
            write(&mut store, &mut random, row, row);
        }
        for row in store.rows() {
            match random.below(16) {
                0 => write(&mut store, &mut random, row, row + 1_000),
                1 => store.forget(row),
                2 | 3 => store.migrate(row, random.below(tiers)),
                _ => {}
            }
        }
        // Later records stay in the tail.
        for tier in store.tiers.iter().chain([&store.whole]) {
            if random.once_in(2) {
                tier.fold();
            }
            tier.catch_up();
        }
    }
    for row in store.rows() {
        if random.once_in(20) {
            store.migrate(row, random.below(tiers));
        }
    }
    store.catch_up();
    let most = counts.0.values().max().copied();
    assert!(
        most <= Some(128),
        "of longer lists of postings, how many live is estimated, and estimates of parts do not add up exactly"
    );
    store
}

fn lexical(store: &TestStore) -> TieredLexical<'_> {
    TieredLexical::new(store.tiers.iter().map(|tier| &tier.lexical).collect())
}

fn vectors(store: &TestStore) -> TieredVectors<'_> {
    TieredVectors::new(store.tiers.iter().map(|tier| &tier.vectors).collect())
}

fn columns(store: &TestStore) -> Vec<ColumnsSnapshot> {
    let tiers = store.tiers.iter();
    tiers.map(|tier| tier.columns.snapshot()).collect()
}

fn query(text: &str) -> QueryTerms {
    Analyser::new().query(text)
}

fn rows_of(found: &[SearchHit]) -> Vec<u32> {
    found.iter().map(|found| found.row.0).collect()
}

/// No filter, a narrow one and a wide one.
fn filters(random: &mut Random) -> [Option<RoaringBitmap>; 3] {
    let mut one_in = |times| (0..ROWS).filter(|_| random.once_in(times)).collect();
    let (narrow, most): (RoaringBitmap, RoaringBitmap) = (one_in(40), one_in(2));
    [None, Some(narrow), Some(most)]
}

/// The merged hits of a search of every other tier, then of the rest: equal to a search of all.
fn in_two_stages(
    store: &TestStore,
    limit: usize,
    ask: impl Fn(&[bool]) -> Vec<SearchHit>,
) -> Vec<SearchHit> {
    let chosen = |rest: usize| -> Vec<bool> {
        let tiers = 0..store.tiers.len();
        tiers.map(|tier| tier % 2 == rest).collect()
    };
    let mut found = ask(&chosen(0));
    found.extend(ask(&chosen(1)));
    found.sort_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        by_score.then(one.row.cmp(&other.row))
    });
    found.truncate(limit);
    found
}

fn check_lexical(store: &TestStore, random: &mut Random) {
    let (tiers, whole) = (lexical(store), &store.whole.lexical);
    let mut found = 0;
    for _ in 0..12 {
        let words: Vec<String> = (0..=random.below(6))
            .map(|_| word(random.below(VOCABULARY + 2)))
            .collect();
        let query = query(&words.join(" "));
        assert_eq!(tiers.idf(&query), whole.idf(&query), "{words:?}");
        for filter in filters(random) {
            for limit in [0, 1, 7, 40, 1_000] {
                let hits = tiers.search(&query, limit, filter.as_ref());
                let expected = LexicalSearch::search(whole, &query, limit, filter.as_ref());
                let expected = expected.expect("intact views");
                assert_eq!(hits.expect("intact views"), expected, "{words:?} {limit}");
                let by_words = |chosen: &[bool]| {
                    let found = tiers.search_chosen(chosen, &query, limit, filter.as_ref());
                    found.expect("intact views")
                };
                assert_eq!(in_two_stages(store, limit, by_words), expected, "{words:?}");
                found += expected.len();
            }
        }
    }
    assert!(found > 1_000, "only {found} rows were found at all");
}

fn check_vectors(store: &TestStore, random: &mut Random) {
    let (tiers, whole) = (vectors(store), &store.whole.vectors);
    let all: Vec<Row> = (0..ROWS + 5).map(Row).collect();
    for _ in 0..4 {
        let query = direction(&text(random, 6, VOCABULARY));
        let similarities = tiers.similarities(&query, &all).expect("intact views");
        assert_eq!(
            similarities,
            whole.similarities(&query, &all).expect("intact views")
        );
        for filter in filters(random) {
            // With so few rows a filtered search compares every row; without a filter one with a high limit.
            let limits: &[usize] = if filter.is_some() {
                &[0, 1, 9, 500]
            } else {
                &[500]
            };
            for &limit in limits {
                let hits = tiers.search(&query, limit, filter.as_ref());
                let expected = VectorSearch::search(whole, &query, limit, filter.as_ref());
                assert_eq!(
                    hits.expect("intact views"),
                    expected.expect("intact views"),
                    "{limit}"
                );
                let hits = tiers.candidates(&query, limit, filter.as_ref());
                let expected = VectorSearch::candidates(whole, &query, limit, filter.as_ref());
                let expected = expected.expect("intact views");
                assert_eq!(hits.expect("intact views"), expected, "{limit}");
                let by_meaning = |chosen: &[bool]| {
                    let found = tiers.candidates_of(chosen, &query, limit, filter.as_ref());
                    found.expect("intact views")
                };
                assert_eq!(in_two_stages(store, limit, by_meaning), expected, "{limit}");
            }
        }
        // Otherwise a search over sign bits may miss one at the edge, in one view as in several.
        for hits in [
            tiers.search(&query, 9, None).expect("intact views"),
            tiers.candidates(&query, 9, None).expect("intact views"),
        ] {
            let rows = rows_of(&hits);
            let distinct: BTreeSet<u32> = rows.iter().copied().collect();
            assert_eq!((rows.len(), distinct.len()), (9, 9));
            assert!(hits.is_sorted_by(|one, other| one.score >= other.score));
            let best = similarities.iter().flatten().copied().reduce(f32::max);
            assert_eq!(Some(hits[0].score), best);
        }
    }
}

fn predicates() -> Vec<RowPredicate> {
    vec![
        RowPredicate::default(),
        RowPredicate {
            since: Some(40_000),
            until: Some(900_000),
            threads: vec![1, 3],
            ..RowPredicate::default()
        },
        RowPredicate {
            kinds: vec![1, 2, 5],
            min_importance: 4,
            without_superseded: true,
            ..RowPredicate::default()
        },
        RowPredicate {
            authors: vec![9],
            ..RowPredicate::default()
        },
    ]
}

fn check_columns(store: &TestStore) {
    let snapshots = columns(store);
    let (tiers, whole) = (
        TieredColumns::new(snapshots.iter().collect()),
        store.whole.columns.snapshot(),
    );
    assert_eq!(tiers.rows(), whole.rows());
    assert_eq!(
        tiers.average_tokens().to_bits(),
        whole.average_tokens().to_bits()
    );
    for number in 0..=VOCABULARY {
        let token = token(&word(number));
        assert_eq!(tiers.token_frequency(token), whole.token_frequency(token));
    }
    for predicate in predicates() {
        assert_eq!(tiers.select(&predicate), whole.select(&predicate));
    }
    let mut neighbours = 0;
    for row in (0..ROWS + 5).map(Row) {
        assert_eq!(tiers.attributes(row), whole.attributes(row));
        assert_eq!(tiers.tokens(row), whole.tokens(row));
        for reach in [0, 1, 2, 5] {
            let expected = Columns::neighbours(&whole, row, reach);
            neighbours += expected.0.len() + expected.1.len();
            assert_eq!(tiers.neighbours(row, reach), expected, "{row:?}");
        }
    }
    assert!(neighbours > 1_000, "only {neighbours} neighbours");
}

#[test]
fn any_division_into_tiers_answers_like_one_view() {
    for seed in 0..5 {
        let tiers = seed as usize % 5 + 1;
        let (store, mut random) = (store(seed, tiers), Random(seed + 1_000));
        check_lexical(&store, &mut random);
        check_vectors(&store, &mut random);
        check_columns(&store);
    }
}

#[test]
fn empty_tiers_and_no_tiers_are_handled() {
    let mut store = TestStore::new(3);
    store.write(4, 1, record("dadodu bakobu".into(), "", 4));
    store.catch_up();
    let terms = query("bakobu");
    let found = lexical(&store)
        .search(&terms, 5, None)
        .expect("intact views");
    assert_eq!(rows_of(&found), [4]);
    let found = vectors(&store).search(&direction("bakobu"), 5, None);
    assert_eq!(rows_of(&found.expect("intact views")), [4]);
    check_columns_of_none();
    let none = TieredLexical::new(Vec::new());
    assert_eq!(none.search(&terms, 5, None).expect("no tiers"), []);
    let none = TieredVectors::new(Vec::new());
    let query = direction("bakobu");
    assert_eq!(none.search(&query, 5, None).expect("no tiers"), []);
    let similarities = none.similarities(&query, &[Row(4)]);
    assert_eq!(similarities.expect("no tiers"), [None]);
}

fn check_columns_of_none() {
    let none = TieredColumns::new(Vec::new());
    assert_eq!((none.rows(), none.attributes(Row(4))), (0, None));
    assert!(none.average_tokens().abs() < f32::EPSILON);
    assert!(none.select(&RowPredicate::default()).is_empty());
    assert_eq!(none.neighbours(Row(4), 3), (Vec::new(), Vec::new()));
}

#[test]
fn scores_are_close_when_live_rows_are_estimated() {
    let mut store = TestStore::new(3);
    let mut random = Random(77);
    for row in 0..900 {
        let text = format!("{} common common", text(&mut random, 8, 60));
        store.write(row, row as usize % 3, record(text, "", row));
    }
    for tier in store.tiers.iter().chain([&store.whole]) {
        tier.fold();
    }
    // Each tier has more postings of the common word than are counted individually, including dead ones.
    for row in 0..300 {
        store.migrate(row, random.below(3));
    }
    (300..330).for_each(|row| store.forget(row));
    store.catch_up();
    let terms = query(&format!("common {} {}", word(3), word(8)));
    let [tiers, whole] = [
        lexical(&store).search(&terms, 870, None),
        LexicalSearch::search(&store.whole.lexical, &terms, 870, None),
    ]
    .map(|found| found.expect("intact views"));
    let scores = |found: &[SearchHit]| -> BTreeMap<u32, f32> {
        let found = found.iter();
        found.map(|found| (found.row.0, found.score)).collect()
    };
    let (tiers, whole) = (scores(&tiers), scores(&whole));
    assert_eq!((tiers.len(), whole.len()), (870, 870));
    for (row, score) in tiers {
        let expected = whole[&row];
        assert!(
            (score - expected).abs() <= 0.03 * expected,
            "row {row} scores {score} and not {expected}"
        );
    }
}

/// Rows 1 and 2 are in two tiers, with different texts and attributes.
fn with_duplicate_rows(folded: bool) -> TestStore {
    let mut store = TestStore::new(2);
    let record_at = |text: &str, number, position| {
        let mut record = record(text.into(), "", number);
        (record.attributes.thread, record.attributes.position) = (1, position);
        Some(record)
    };
    for (row, position) in [(0, 0), (3, 3), (4, 4)] {
        store.tiers[1].set_record(row, record_at("bafobu", row, position));
    }
    for row in [1, 2] {
        store.tiers[0].set_record(row, record_at("dagodu", 20 + row, row));
        let mut stale = record_at("bafobu bafobu kamoku", 30 + row, row);
        if let Some(record) = &mut stale {
            // If used, it would be a neighbour of row 4 instead of row 3.
            record.attributes.position = 4;
        }
        store.tiers[1].set_record(row, stale);
    }
    if folded {
        store.tiers.iter().for_each(Tier::fold);
    }
    store.catch_up();
    store
}

#[test]
fn a_row_in_two_tiers_is_answered_once_from_the_hotter_one() {
    for store in [with_duplicate_rows(false), with_duplicate_rows(true)] {
        let lexical = lexical(&store);
        let search = |text, limit| {
            let found = lexical.search(&query(text), limit, None);
            rows_of(&found.expect("intact views"))
        };
        assert_eq!(search("dagodu", 9), [1, 2]);
        assert_eq!(search("kamoku", 9), [0; 0]);
        assert_eq!(search("bafobu", 9), [0, 3, 4]);
        assert_eq!(search("bafobu dagodu", 9).len(), 5);

        let (vectors, query) = (vectors(&store), direction("bafobu kamoku"));
        let rows: Vec<Row> = (0..5).map(Row).collect();
        let similarities = vectors.similarities(&query, &rows).expect("intact views");
        let own = store.tiers[0].vectors.similarity(&query, Row(1));
        assert_eq!(similarities[1], own.expect("intact views"));
        for found in [
            vectors.search(&query, 9, None).expect("intact views"),
            vectors.candidates(&query, 9, None).expect("intact views"),
        ] {
            assert_eq!(found.len(), 5);
            for found in found {
                assert_eq!(similarities[found.row.0 as usize], Some(found.score));
            }
        }

        let snapshots = columns(&store);
        let columns = TieredColumns::new(snapshots.iter().collect());
        let attributes = columns.attributes(Row(1)).expect("lives");
        assert_eq!((attributes.occurred_at, attributes.position), (21_000, 1));
        assert_eq!(columns.tokens(Row(1)), Some(&[token("dagodu")][..]));
        let only_stale = RowPredicate {
            since: Some(30_000),
            ..RowPredicate::default()
        };
        assert_eq!(columns.select(&only_stale), RoaringBitmap::new());
        assert_eq!(columns.select(&RowPredicate::default()), (0..5).collect());
        assert_eq!(
            columns.neighbours(Row(4), 9),
            ([3, 2, 1, 0].map(Row).to_vec(), Vec::new())
        );
    }
}

#[test]
fn a_row_in_two_tiers_displaces_no_other_row() {
    let mut store = TestStore::new(2);
    for row in 0..8 {
        let memory = record("bafobu".into(), "", row);
        store.tiers[1].set_record(row, Some(memory.clone()));
        if row < 4 {
            store.tiers[0].set_record(row, Some(memory));
        }
    }
    store.tiers[1].fold();
    store.catch_up();
    for limit in 1..=8 {
        let expected: Vec<u32> = (0..limit as u32).collect();
        let found = lexical(&store).search(&query("bafobu"), limit, None);
        assert_eq!(rows_of(&found.expect("intact views")), expected);
        let found = vectors(&store).search(&direction("bafobu"), limit, None);
        assert_eq!(rows_of(&found.expect("intact views")), expected);
    }
}

/// More rows than one thread searches alone.
#[test]
fn large_tiers_searched_in_parallel_answer_like_one_view() {
    const ALL: u32 = PARALLEL_ROWS as u32 + 1_200;
    let (mut store, mut random) = (TestStore::new(3), Random(5));
    for row in 0..ALL {
        let memory = record(text(&mut random, 3, 144), "", row);
        let tier = random.below(3);
        store.write(row, tier, memory);
    }
    store.catch_up();
    assert_eq!(store.whole.columns.snapshot().rows(), ALL as usize);
    let filter: RoaringBitmap = (0..ALL).filter(|row| row % 5 == 1).collect();
    for filter in [None, Some(&filter)] {
        let words = format!("{} {} {}", word(3), word(60), word(61));
        let (found, expected) = (
            lexical(&store).search(&query(&words), 50, filter),
            LexicalSearch::search(&store.whole.lexical, &query(&words), 50, filter),
        );
        assert_eq!(
            found.expect("intact views"),
            expected.expect("intact views")
        );
        // Tails are compared exhaustively.
        let query = direction(&words);
        let (found, expected) = (
            vectors(&store).search(&query, 50, filter),
            VectorSearch::search(&store.whole.vectors, &query, 50, filter),
        );
        assert_eq!(
            found.expect("intact views"),
            expected.expect("intact views")
        );
    }
}

/// Overwrites the postings or segments in a view's folder.
fn damage(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let ending = path.extension().unwrap_or_default();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if ending == "idx" || name.starts_with("segment-") {
            fs::write(&path, b"damaged").expect("written");
        }
    }
}

#[test]
fn a_damaged_tier_fails_the_search_and_leaves_the_others_intact() {
    let store = store(3, 3);
    store.tiers.iter().for_each(Tier::fold);
    let broken = &store.tiers[1];
    damage(broken.lexical.folder());
    assert!(matches!(broken.lexical.verify(), Health::Broken(_)));
    let terms = query(&word(5));
    match lexical(&store).search(&terms, 5, None) {
        Err(ViewError::Damaged { path, .. }) => assert_eq!(path, broken.lexical.folder()),
        other => panic!("not refused as damaged: {other:?}"),
    }
    let idf = lexical(&store).idf(&terms);
    assert_eq!(idf, vec![0.0; terms.terms.len()]);

    let folder = broken.lexical.folder().parent().expect("a tier's folder");
    damage(&folder.join("vectors"));
    assert!(matches!(broken.vectors.verify(), Health::Broken(_)));
    let terms = direction("bafobu");
    assert!(vectors(&store).search(&terms, 5, None).is_err());
    assert!(vectors(&store).candidates(&terms, 5, None).is_err());

    for tier in [&store.tiers[0], &store.tiers[2]] {
        assert_eq!(tier.lexical.health(), Health::Whole);
        assert_eq!(tier.vectors.health(), Health::Whole);
    }
    broken.fold();
    store.catch_up();
    check_lexical(&store, &mut Random(9));
    check_vectors(&store, &mut Random(9));
}
