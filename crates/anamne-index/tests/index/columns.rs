//! Behaviour of the columns view beyond that of every view.

use anamne_index::columns::{ColumnsView, MEMORY_TOKENS, NEARBY, Neighbours, RowPredicate};
use anamne_store::view::View;
use anamne_types::Row;
use proptest::prelude::*;

use crate::segments_log::{Answers, Log, catch_up, fold, record};

/// Three hundred rows: most of them published, some changed or forgotten afterwards, some new.
fn log_and_view(folder: &std::path::Path) -> (Log, ColumnsView) {
    let (view, mut log) = (ColumnsView::open_in(folder), Log::default());
    (0..250).for_each(|row| log.write(row, Some(record("first words", row))));
    fold(&view, &log);
    (40..60).for_each(|row| log.write(row, None));
    (60..90).for_each(|row| log.write(row, Some(record("second", row * 3))));
    fold(&view, &log);
    (80..100).for_each(|row| log.write(row, Some(record("third", row + 7))));
    (100..110).for_each(|row| log.write(row, None));
    (250..300).for_each(|row| log.write(row, Some(record("new", row))));
    catch_up(&view, &log);
    (log, view)
}

fn predicates() -> impl Strategy<Value = RowPredicate> {
    let times = (
        proptest::option::of(0..300_000_i64),
        proptest::option::of(0..300_000_i64),
    );
    let few = |most: u32| proptest::collection::vec(0..most, 0..4);
    let bytes = |most: u8| proptest::collection::vec(0..most, 0..3);
    let least = (0..11_u8, 0..200_u8, any::<bool>());
    (times, few(5), bytes(9), bytes(9), few(3), few(7), least).prop_map(
        |(
            (since, until),
            threads,
            kinds,
            categories,
            authors,
            sessions,
            (min_importance, min_trust, drop),
        )| RowPredicate {
            since,
            until,
            alive_at: Some(0),
            threads,
            kinds,
            categories,
            authors,
            sessions,
            min_importance,
            min_trust,
            without_superseded: drop,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn select_finds_what_a_plain_loop_finds(predicate in predicates()) {
        let folder = tempfile::tempdir().unwrap();
        let (log, view) = log_and_view(folder.path());
        let expected: Vec<u32> =
            log.live().filter(|(_, record)| predicate.matches(&record.attributes)).map(|(row, _)| row).collect();
        prop_assert_eq!(view.snapshot().select(&predicate).iter().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn select_works_over_segments_of_several_strides_and_far_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (view, mut log) = (ColumnsView::open_in(folder.path()), Log::default());
    let rows = || (0..150_000).chain([4_000_000_000, u32::MAX]);
    rows().for_each(|row| log.write(row, Some(record("x", row % 100_000))));
    fold(&view, &log);
    let predicate = RowPredicate {
        sessions: vec![3],
        ..RowPredicate::default()
    };
    let expected: Vec<u32> = rows().filter(|row| row % 100_000 % 7 == 3).collect();
    assert_eq!(
        view.snapshot()
            .select(&predicate)
            .iter()
            .collect::<Vec<_>>(),
        expected
    );
    assert_eq!(view.snapshot().rows(), 150_002);
}

#[test]
fn neighbours_are_the_nearest_of_the_thread_by_position() {
    let folder = tempfile::tempdir().unwrap();
    let (view, mut log) = (ColumnsView::open_in(folder.path()), Log::default());
    let mut say = |row: u32, thread, position| {
        let mut record = record("said", row);
        (record.attributes.thread, record.attributes.position) = (thread, position);
        log.write(row, Some(record));
    };
    // Two alternating threads; rows 20 and 22 were written out of order.
    (0..20).for_each(|row| say(row, 1 + row % 2, row / 2));
    say(20, 1, 11);
    say(22, 1, 10);
    say(21, 0, 10);
    say(22 + NEARBY, 1, 12);
    say(23 + NEARBY, 1, 13);
    fold(&view, &log);
    let around = |row, reach| view.snapshot().neighbours(Row(row), reach);
    let rows = |rows: &[u32]| rows.iter().map(|&row| Row(row)).collect::<Vec<_>>();
    assert_eq!(
        around(10, 2),
        Neighbours {
            previous: rows(&[8, 6]),
            next: rows(&[12, 14])
        }
    );
    assert_eq!(
        around(22, 1),
        Neighbours {
            previous: rows(&[18]),
            next: rows(&[20])
        }
    );
    assert_eq!(
        around(22, 9).next,
        rows(&[20, 22 + NEARBY]),
        "what lies too far is not found"
    );
    assert_eq!(around(0, 1).previous, rows(&[]));
    assert_eq!(
        (around(21, 3), around(999, 3)),
        (Neighbours::default(), Neighbours::default())
    );

    log.write(8, None);
    let mut moved = record("said later", 12);
    (moved.attributes.thread, moved.attributes.position) = (2, 6);
    log.write(12, Some(moved));
    catch_up(&view, &log);
    assert_eq!(
        view.snapshot().neighbours(Row(10), 1),
        Neighbours {
            previous: rows(&[6]),
            next: rows(&[14])
        }
    );
}

#[test]
fn tokens_of_a_long_memory_are_cut() {
    let folder = tempfile::tempdir().unwrap();
    let (view, mut log) = (ColumnsView::open_in(folder.path()), Log::default());
    log.write(0, Some(record(&"a ".repeat(MEMORY_TOKENS + 5), 0)));
    log.write(1, Some(record("a b", 0)));
    log.write(2, Some(record("", 0)));
    for round in 0..2 {
        if round == 1 {
            fold(&view, &log);
            assert_eq!(view.tail_rows(), 0);
        }
        catch_up(&view, &log);
        let columns = view.snapshot();
        assert_eq!(
            columns.tokens(Row(0)).map(<[u16]>::len),
            Some(MEMORY_TOKENS)
        );
        assert_eq!(columns.tokens(Row(2)), Some(&[][..]));
        let token = columns.tokens(Row(1)).unwrap()[0];
        assert_eq!(
            columns.token_frequency(token),
            2,
            "memories are counted, not occurrences"
        );
        assert!((columns.average_tokens() - (MEMORY_TOKENS + 2) as f32 / 3.0).abs() < 0.01);
    }
}
