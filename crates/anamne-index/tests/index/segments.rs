//! Behaviour of every view over segment files, tested on each of them.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use anamne_index::columns::ColumnsView;
use anamne_index::vectors::VectorsView;
use anamne_store::view::{Change, ChangeFeed, Fold, Health, View};
use anamne_types::{Row, Seq};
use proptest::prelude::*;

use crate::segments_log::{Answers, Directions, Log, Words, catch_up, files, fold, record, text};

const ROWS: u32 = 60;

#[derive(Clone, Debug)]
enum Step {
    Write { row: u32, seed: u32, words: usize },
    Forget { row: u32 },
    CatchUp,
    Fold,
    FoldByOther,
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => (0..ROWS, any::<u32>(), 0..120_usize).prop_map(|(row, seed, words)| Step::Write { row, seed, words }),
        2 => (0..ROWS).prop_map(|row| Step::Forget { row }),
        2 => Just(Step::CatchUp),
        2 => Just(Step::Fold),
        1 => Just(Step::FoldByOther),
        1 => Just(Step::Reopen),
    ];
    proptest::collection::vec(step, 1..80)
}

/// The answers of a view built from the whole log at once.
fn fresh_answers<V: Answers>(log: &Log) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let view = V::open_in(&folder.path().join("fresh"));
    fold(&view, log);
    assert_eq!(view.tail_rows(), 0);
    view.answers(ROWS)
}

fn follows_the_log<V: Answers>(steps: Vec<Step>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("view");
    let (mut view, other) = (V::open_in(&path), V::open_in(&path));
    let mut log = Log::default();
    for step in steps {
        match step {
            Step::Write { row, seed, words } => {
                log.write(row, Some(record(&text(seed, words), seed % 1_000)));
            }
            Step::Forget { row } => log.write(row, None),
            Step::CatchUp => catch_up(&view, &log),
            Step::Fold => {
                fold(&view, &log);
                assert_eq!(view.watermark(), log.head().unwrap());
            }
            Step::FoldByOther => {
                fold(&other, &log);
            }
            Step::Reopen => view = V::open_in(&path),
        }
    }
    let expected = fresh_answers::<V>(&log);
    for view in [&view, &other] {
        catch_up(view, &log);
        assert_eq!(view.health(), Health::Whole);
        assert_eq!(view.position(), log.head().unwrap());
        assert_eq!(view.answers(ROWS), expected);
        assert_eq!(view.verify(), Health::Whole);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn columns_with_tail_equal_a_fresh_build(steps in steps()) {
        follows_the_log::<ColumnsView>(steps);
    }

    #[test]
    fn vectors_with_tail_equal_a_fresh_build(steps in steps()) {
        follows_the_log::<VectorsView>(steps);
    }
}

/// A log of `rows` memories, written to `path` in three folds.
fn three_folds<V: Answers>(path: &Path, rows: u32) -> Log {
    let (view, mut log) = (V::open_in(path), Log::default());
    for (number, part) in (0..3).zip([0..rows, 0..rows / 4, rows / 2..rows]) {
        for row in part {
            let forget = (row + number).is_multiple_of(9);
            log.write(
                row,
                (!forget).then(|| record(&text(row * 3 + number, 40 + row as usize % 90), row)),
            );
        }
        assert_eq!(fold(&view, &log), Fold::Published(log.head().unwrap()));
    }
    log
}

fn damage_is_noticed_and_healed<V: Answers>() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("view");
    let log = three_folds::<V>(&path, ROWS);
    let expected = fresh_answers::<V>(&log);
    let mut state = 7_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below.max(1)
    };
    let mut noticed = 0;
    for round in 0..120 {
        let candidates: Vec<_> = files(&path)
            .into_iter()
            .filter(|file| !file.ends_with("fold.lock"))
            .collect();
        let file = &candidates[random(candidates.len() as u64) as usize];
        let mut bytes = fs::read(file).unwrap();
        if round % 3 == 0 {
            bytes.truncate(random(bytes.len() as u64) as usize);
        } else {
            let at = random(bytes.len() as u64) as usize;
            bytes[at] ^= 1 << random(8);
        }
        // A new inode, as after a restore: the files that this process has mapped stay unchanged.
        fs::remove_file(file).unwrap();
        fs::write(file, &bytes).unwrap();

        let view = V::open_in(&path);
        let answers = view.answers(ROWS);
        assert!(
            view.health() != Health::Whole || answers == expected,
            "a wrong answer after damage to {}",
            file.display()
        );
        let health = view.verify();
        noticed += usize::from(health != Health::Whole);
        assert_ne!(
            health,
            Health::Whole,
            "damage to {} was overlooked",
            file.display()
        );

        assert_eq!(fold(&view, &log), Fold::Published(log.head().unwrap()));
        assert_eq!(
            (view.health(), view.verify()),
            (Health::Whole, Health::Whole)
        );
        assert_eq!(view.answers(ROWS), expected);
        if round % 10 == 9 {
            fs::remove_dir_all(&path).unwrap();
            three_folds::<V>(&path, ROWS);
        }
    }
    assert_eq!(noticed, 120);
}

#[test]
fn damaged_columns_never_answer_wrongly_and_heal() {
    damage_is_noticed_and_healed::<ColumnsView>();
}

#[test]
fn damaged_vectors_never_answer_wrongly_and_heal() {
    damage_is_noticed_and_healed::<VectorsView>();
}

fn missing_files_heal<V: Answers>() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("view");
    let log = three_folds::<V>(&path, ROWS);
    let expected = fresh_answers::<V>(&log);
    let view = V::open_in(&path);

    fs::remove_dir_all(&path).unwrap();
    view.refresh();
    assert_eq!(
        (view.health(), view.position(), view.tail_rows()),
        (Health::Whole, Seq(0), 0)
    );
    catch_up(&view, &log);
    assert_eq!(view.answers(ROWS), expected, "everything is in the tail");
    assert_eq!(fold(&view, &log), Fold::Published(log.head().unwrap()));
    assert_eq!(view.answers(ROWS), expected);

    let segment = files(&path)
        .into_iter()
        .find(|file| file.to_string_lossy().contains("segment-"))
        .unwrap();
    fs::remove_file(segment).unwrap();
    let view = V::open_in(&path);
    assert!(matches!(view.health(), Health::Broken(_)));
    assert_eq!(fold(&view, &log), Fold::Published(log.head().unwrap()));
    assert_eq!(view.answers(ROWS), expected);
}

#[test]
fn columns_heal_when_files_or_the_folder_are_gone() {
    missing_files_heal::<ColumnsView>();
}

#[test]
fn vectors_heal_when_files_or_the_folder_are_gone() {
    missing_files_heal::<VectorsView>();
}

#[test]
fn two_views_on_one_folder_see_each_others_folds() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (
        ColumnsView::open_in(folder.path()),
        ColumnsView::open_in(folder.path()),
    );
    let mut log = Log::default();
    for round in 0..30 {
        for row in 0..5 {
            log.write(round * 5 + row, Some(record(&text(round, 9), row)));
        }
        let (folding, watching) = if round % 2 == 0 {
            (&one, &other)
        } else {
            (&other, &one)
        };
        catch_up(watching, &log);
        let tail = watching.tail_rows();
        assert!(tail > 0);
        fold(folding, &log);
        watching.refresh();
        assert_eq!(
            (watching.watermark(), watching.tail_rows()),
            (log.head().unwrap(), 0)
        );
        assert_eq!(watching.snapshot().rows(), folding.snapshot().rows());
    }
}

#[test]
fn a_snapshot_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let (view, mut log) = (ColumnsView::open_in(folder.path()), Log::default());
    log.write(1, Some(record("one", 1)));
    fold(&view, &log);
    log.write(2, Some(record("two", 2)));
    catch_up(&view, &log);
    let before = view.snapshot();
    log.write(1, None);
    log.write(2, Some(record("two and more", 2)));
    catch_up(&view, &log);
    fold(&view, &log);
    assert_eq!(
        (before.rows(), before.tokens(Row(2)).map(<[u16]>::len)),
        (2, Some(1))
    );
    assert!(before.attributes(Row(1)).is_some());
    let after = view.snapshot();
    assert_eq!(
        (after.rows(), after.tokens(Row(2)).map(<[u16]>::len)),
        (1, Some(3))
    );
}

#[test]
fn an_interrupted_fold_leaves_the_old_state_and_its_remains_are_swept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("view");
    let mut log = three_folds::<ColumnsView>(&path, ROWS);
    let expected = fresh_answers::<ColumnsView>(&log);
    let view = ColumnsView::open_in(&path);
    let watermark = view.watermark();
    for row in ROWS..ROWS + 5_000 {
        log.write(row, Some(record("later", row)));
    }
    log.readings = Some(AtomicUsize::new(2));
    assert!(view.fold(&log, &mut |_| {}).is_err());
    log.readings = None;
    assert_eq!(
        (view.watermark(), view.health(), view.answers(ROWS)),
        (watermark, Health::Whole, expected.clone())
    );

    // Simulates a crash: one segment half written, another complete, a manifest not yet renamed.
    fs::write(path.join("segment-000900.columns"), b"half").unwrap();
    fs::write(
        path.join("segment-000901.columns"),
        fs::read(&files(&path)[2]).unwrap(),
    )
    .unwrap();
    fs::write(path.join("manifest.tmp"), b"half").unwrap();
    let view = ColumnsView::open_in(&path);
    assert_eq!(
        (view.watermark(), view.answers(ROWS)),
        (watermark, expected)
    );
    assert_eq!(fold(&view, &log), Fold::Published(log.head().unwrap()));
    assert_eq!(view.verify(), Health::Whole);
    assert_eq!(view.snapshot().rows(), log.live().count());
    let left: Vec<String> = files(&path)
        .iter()
        .map(|file| file.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert!(
        !left
            .iter()
            .any(|name| name.contains("90") && !name.contains("902") || name.ends_with("tmp")),
        "{left:?}"
    );
}

#[test]
fn only_one_folds_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (
        ColumnsView::open_in(folder.path()),
        ColumnsView::open_in(folder.path()),
    );
    let mut log = Log::default();
    (0..3_000).for_each(|row| log.write(row, Some(record("something", row))));
    let mut met = Vec::new();
    one.fold(&log, &mut |_| met.push(fold(&other, &log)))
        .unwrap();
    assert!(
        met.len() >= 2 && met.iter().all(|&met| met == Fold::Busy),
        "{met:?}"
    );
    assert_eq!(fold(&other, &log), Fold::Nothing);
    assert_eq!(other.watermark(), log.head().unwrap());
}

#[test]
fn many_small_folds_leave_few_segments() {
    let folder = tempfile::tempdir().unwrap();
    let (view, mut log) = (ColumnsView::open_in(folder.path()), Log::default());
    for round in 0..60 {
        for row in 0..20 {
            log.write(round * 17 + row, Some(record(&text(round, 5), row)));
        }
        fold(&view, &log);
        let files = files(folder.path()).into_iter();
        assert!(
            files
                .filter(|file| file.extension().is_some_and(|end| end == "columns"))
                .count()
                <= 8
        );
    }
    assert_eq!(view.snapshot().rows(), log.live().count());
}

#[test]
fn another_model_or_vocabulary_is_a_rebuild() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = Log::default();
    (0..20).for_each(|row| log.write(row, Some(record(&text(row, 30), row))));

    let path = folder.path().join("vectors");
    fold(
        &VectorsView::open(&path, Directions::new("one", 64)).unwrap(),
        &log,
    );
    let view = VectorsView::open(&path, Directions::new("other", 100)).unwrap();
    assert!(
        matches!(view.health(), Health::Broken(reason) if reason.contains("one") && reason.contains("other"))
    );
    assert!(view.search(&[1.0; 100], 3, None).is_err());
    fold(&view, &log);
    assert_eq!(
        (
            view.health(),
            view.search(&[1.0; 100], 3, None).unwrap().len()
        ),
        (Health::Whole, 3)
    );

    let path = folder.path().join("columns");
    fold(
        &ColumnsView::open(&path, std::sync::Arc::new(Words("one"))),
        &log,
    );
    let view = ColumnsView::open(&path, std::sync::Arc::new(Words("other")));
    assert!(matches!(view.health(), Health::Broken(_)));
    fold(&view, &log);
    assert_eq!((view.health(), view.snapshot().rows()), (Health::Whole, 20));
}

#[test]
fn a_record_that_cannot_be_embedded_holds_the_view_up_until_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = Directions::new("directions", 64);
    let view = VectorsView::open(folder.path(), embedder.clone()).unwrap();
    let mut log = Log::default();
    log.write(1, Some(record("one", 1)));
    catch_up(&view, &log);
    log.write(2, Some(record("two", 2)));
    embedder.fails.store(true, SeqCst);
    catch_up(&view, &log);
    assert_eq!(view.position(), Seq(1));
    assert!(matches!(view.health(), Health::Broken(_)));
    assert!(view.fold(&log, &mut |_| {}).is_err());

    embedder.fails.store(false, SeqCst);
    catch_up(&view, &log);
    assert_eq!(
        (view.position(), view.health(), view.rows()),
        (Seq(2), Health::Whole, 2)
    );
}

#[test]
fn changes_that_are_known_already_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let view = ColumnsView::open_in(folder.path());
    let change = |seq, text: &str| Change {
        seq: Seq(seq),
        row: Row(4),
        record: Some(record(text, 1)),
    };
    view.follow(&[change(3, "new words here")], Seq(5));
    view.follow(&[change(2, "old")], Seq(4));
    assert_eq!(
        (
            view.position(),
            view.snapshot().tokens(Row(4)).map(<[u16]>::len)
        ),
        (Seq(5), Some(3))
    );
    assert_eq!(view.snapshot().token_frequency(0), 0);
}

#[cfg(unix)]
#[test]
fn files_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("view");
    three_folds::<VectorsView>(&path, 20);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    assert!(files(&path).iter().all(|file| mode(file) == 0o600));
}
