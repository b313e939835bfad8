//! The lexical view equals a plain BM25 over the whole log, however the log is split between published part and tail.

use std::collections::BTreeSet;
use std::fmt::Write;

use anamne_index::lexical::LexicalView;
use anamne_store::view::{Fold, Health, View};
use anamne_types::{Row, Seq};
use proptest::prelude::*;

use crate::lexical_twin::{Log, PlainBm25, query};

const WORDS: [&str; 12] = [
    "harbour", "gauge", "mill", "lantern", "copper", "violin", "glacier", "orchard", "ledger",
    "compass", "barley", "anvil",
];
const NAMES: [&str; 4] = ["", "Ada Weber", "Bo Lindqvist", "Copper Jones"];

#[derive(Clone, Debug)]
enum Step {
    Write {
        row: u32,
        words: Vec<usize>,
        author: usize,
    },
    Forget(u32),
    Pass,
    Fold(usize),
    CatchUp(usize),
    Reopen(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let words = prop::collection::vec(0..WORDS.len(), 0..20);
    let step = prop_oneof![
        10 => (0..30_u32, words, 0..NAMES.len()).prop_map(|(row, words, author)| Step::Write { row, words, author }),
        3 => (0..30_u32).prop_map(Step::Forget),
        1 => Just(Step::Pass),
        1 => (0..2_usize).prop_map(Step::Fold),
        2 => (0..2_usize).prop_map(Step::CatchUp),
        1 => (0..2_usize).prop_map(Step::Reopen),
    ];
    prop::collection::vec(step, 1..60)
}

fn run(steps: Vec<Step>) {
    let folder = tempfile::tempdir().expect("a folder");
    let open = || LexicalView::open(folder.path().join("lexical"));
    let mut views = [open(), open()];
    let mut log = Log::default();
    for step in steps {
        match step {
            Step::Write { row, words, author } => {
                let text: Vec<_> = words.into_iter().map(|word| WORDS[word]).collect();
                log.write(row, &text.join(" "), NAMES[author]);
            }
            Step::Forget(row) => log.forget(row),
            Step::Pass => log.pass(),
            Step::Fold(view) => assert_ne!(log.fold(&views[view]), Fold::Busy),
            Step::CatchUp(view) => log.catch_up(&views[view]),
            Step::Reopen(view) => views[view] = open(),
        }
    }
    let fresh = LexicalView::open(folder.path().join("fresh"));
    log.fold(&fresh);
    log.catch_up(&fresh);
    let plain = PlainBm25::new(&log);
    for view in &views {
        log.catch_up(view);
        assert_eq!(view.position(), Seq(log.head));
        for text in [
            "harbour gauge",
            "copper copper mill",
            "ada violin lindqvist",
            "barley",
        ] {
            let answers =
                [view, &fresh].map(|view| view.search(&query(text), 7, None).expect("whole"));
            assert_eq!(answers[0], answers[1], "{text}");
            plain.assert_answers(view, text, &[1, 7], None, 1e-4);
            plain.assert_answers(view, text, &[5], Some(&(3..12).collect()), 1e-4);
        }
        assert_eq!(
            view.idf(&query("harbour anvil")),
            fresh.idf(&query("harbour anvil"))
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_split_into_published_part_and_tail_answers_as_one_fresh_index_does(steps in steps()) {
        run(steps);
    }
}

/// Thousands of short texts, with very common to very rare words.
fn large_log(rows: u32) -> Log {
    let mut log = Log::default();
    let mut noise = 1_u64;
    for row in 0..rows {
        let mut text = String::new();
        for _ in 0..3 + row % 20 {
            noise = noise
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let spread = (noise >> 33) % 4_096;
            write!(text, "w{} ", spread * spread / 65_536).expect("written to memory");
        }
        log.write(row, &text, NAMES[row as usize % NAMES.len()]);
    }
    log
}

#[test]
fn long_posting_lists_and_many_windows_answer_as_a_plain_bm25_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let view = LexicalView::open(folder.path().join("lexical"));
    let mut log = large_log(7_000);
    assert_eq!(log.fold(&view), Fold::Published(Seq(7_000)));
    let narrow: BTreeSet<u32> = (0..7_000).step_by(397).collect();
    let wide: BTreeSet<u32> = (0..7_000).filter(|row| row % 3 != 0).collect();
    let compare = |log: &Log, tolerance| {
        let plain = PlainBm25::new(log);
        for text in [
            "w0 w1 w40 w200",
            "w0",
            "w255 w254 w3",
            "w17 w17 weber",
            "w0 w1 w2 w3 w4 w5 w6 w7 w8",
        ] {
            for filter in [None, Some(&narrow), Some(&wide)] {
                plain.assert_answers(&view, text, &[1, 10, 300], filter, tolerance);
            }
        }
    };
    compare(&log, 1e-4);
    for row in 7_000..7_200 {
        log.write(row, &format!("w{} w1 w{}", row % 7, row % 251), "Ada Weber");
    }
    log.catch_up(&view);
    assert_eq!(view.tail_rows(), 200);
    compare(&log, 1e-4);
    // For long postings lists, the share of masked and deleted documents is estimated.
    for row in (0..7_000).step_by(50) {
        log.write(row, "w2 w9 w30 w31", "");
    }
    log.catch_up(&view);
    compare(&log, 3e-2);
    log.fold(&view);
    compare(&log, 3e-2);
}

#[test]
fn a_filter_never_starves_the_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let view = LexicalView::open(folder.path().join("lexical"));
    let mut log = Log::default();
    for row in 0..3_000 {
        // The matching rows have the lowest scores.
        let text = if row % 300 == 0 {
            "lantern ledger ledger ledger ledger ledger"
        } else {
            "lantern"
        };
        log.write(row, text, "");
    }
    log.fold(&view);
    let passing: BTreeSet<u32> = (0..3_000).step_by(300).collect();
    let filter = passing.iter().copied().collect();
    let hits = view
        .search(&query("lantern"), 10, Some(&filter))
        .expect("whole");
    assert_eq!(
        hits.iter().map(|hit| hit.row.0).collect::<Vec<_>>(),
        passing.into_iter().collect::<Vec<_>>()
    );
}

#[test]
fn the_tail_masks_what_is_published_of_its_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let view = LexicalView::open(folder.path().join("lexical"));
    let mut log = Log::default();
    log.write(0, "copper lantern", "");
    log.write(1, "copper anvil", "");
    log.fold(&view);
    log.write(0, "barley", "");
    log.forget(1);
    log.catch_up(&view);
    assert_eq!(
        (view.watermark(), view.position(), view.tail_rows()),
        (Seq(2), Seq(4), 2)
    );
    assert!(
        view.search(&query("copper"), 10, None)
            .expect("whole")
            .is_empty()
    );
    assert_eq!(
        view.search(&query("barley"), 10, None).expect("whole")[0].row,
        Row(0)
    );
    assert_eq!(log.fold(&view), Fold::Published(Seq(4)));
    assert_eq!((view.tail_rows(), log.fold(&view)), (0, Fold::Nothing));
}

#[test]
fn views_of_one_folder_see_each_others_folds() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = [(); 2].map(|()| LexicalView::open(folder.path().join("lexical")));
    let mut log = Log::default();
    for (row, (folding, other)) in [(&first, &second), (&second, &first), (&first, &second)]
        .into_iter()
        .enumerate()
    {
        log.write(row as u32, "glacier", "");
        log.catch_up(other);
        log.fold(folding);
        assert_eq!(other.tail_rows(), 1);
        other.refresh();
        assert_eq!(
            (other.watermark(), other.tail_rows()),
            (Seq(row as u64 + 1), 0)
        );
        assert_eq!(
            other
                .search(&query("glacier"), 10, None)
                .expect("whole")
                .len(),
            row + 1
        );
    }
}

#[test]
fn authors_are_found_by_their_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let view = LexicalView::open(folder.path().join("lexical"));
    let mut log = Log::default();
    log.write(0, "barley", "Ada Weber");
    log.fold(&view);
    assert_eq!(
        view.search(&query("weber"), 10, None).expect("whole")[0].row,
        Row(0)
    );
}

#[test]
fn a_view_without_a_folder_is_whole_and_empty() {
    let folder = tempfile::tempdir().expect("a folder");
    let view = LexicalView::open(folder.path().join("not").join("there"));
    assert_eq!(
        (view.health(), view.position(), view.verify()),
        (Health::Whole, Seq(0), Health::Whole)
    );
    assert_eq!(view.search(&query("barley"), 10, None).expect("whole"), []);
    let asked = query("barley");
    assert_eq!(view.idf(&asked).len(), asked.terms.len());
    assert_eq!(view.search(&query(""), 10, None).expect("whole"), []);
    assert!(
        view.search(&query("barley"), 0, None)
            .expect("whole")
            .is_empty()
    );
}

#[test]
fn a_long_log_is_folded_in_several_commits_and_progress_rises() {
    let folder = tempfile::tempdir().expect("a folder");
    let view = LexicalView::open(folder.path().join("lexical"));
    let log = large_log(5_000);
    let mut reached = Vec::new();
    assert_eq!(
        view.fold(&log, &mut |seq| reached.push(seq))
            .expect("folds"),
        Fold::Published(Seq(5_000))
    );
    assert!(reached.len() > 2 && reached.is_sorted() && reached.last() == Some(&Seq(5_000)));
}
