//! Behaviour of the vectors view beyond that of every view.

use anamne_index::vectors::{VectorHit, VectorsView};
use anamne_types::Row;
use roaring::RoaringBitmap;

use crate::segments_log::{Directions, Log, catch_up, fold, record, text, text_about};

const DIMENSIONS: usize = 256;
const TOPICS: u32 = 300;

/// `published` memories in segments and `tail` more in the tail.
fn view(folder: &std::path::Path, published: u32, tail: u32) -> (Log, VectorsView) {
    let view = VectorsView::open(folder, Directions::new("directions", DIMENSIONS)).unwrap();
    let mut log = Log::default();
    (0..published)
        .for_each(|row| log.write(row, Some(record(&text_about(row % TOPICS, row, 12), row))));
    fold(&view, &log);
    (published..published + tail)
        .for_each(|row| log.write(row, Some(record(&text_about(row % TOPICS, row, 12), row))));
    catch_up(&view, &log);
    (log, view)
}

/// The exact cosines of all matching memories, best first.
fn exact(log: &Log, query: &[f32], filter: Option<&RoaringBitmap>) -> Vec<(f32, u32)> {
    let embedder = Directions::new("directions", DIMENSIONS);
    let cosine = |text: &str| {
        embedder
            .vector(text)
            .iter()
            .zip(query)
            .map(|(one, other)| one * other)
            .sum::<f32>()
    };
    let passing = log
        .live()
        .filter(|(row, _)| filter.is_none_or(|filter| filter.contains(*row)));
    let mut all: Vec<(f32, u32)> = passing
        .map(|(row, record)| (cosine(&record.text), row))
        .collect();
    all.sort_by(|one, other| other.0.total_cmp(&one.0));
    all
}

/// Recall of the exact top ten over some queries.
fn recall(log: &Log, view: &VectorsView, filter: Option<&RoaringBitmap>) -> f64 {
    let embedder = Directions::new("directions", DIMENSIONS);
    let (mut found, mut all) = (0, 0);
    for query in 0..30 {
        let query = embedder.vector(&text_about(query * 13 % TOPICS, 1_000_000 + query, 6));
        let best = exact(log, &query, filter);
        let hits = view.search(&query, 10, filter).unwrap();
        assert_eq!(hits.len(), best.len().min(10));
        all += hits.len();
        // Eight-bit codes can swap memories whose cosines are closer than this.
        let tenth = best[hits.len() - 1].0 - 0.002;
        found += hits
            .iter()
            .filter(|hit| {
                best.iter()
                    .any(|&(cosine, row)| row == hit.row.0 && cosine >= tenth)
            })
            .count();
    }
    found as f64 / all as f64
}

#[test]
fn ten_nearest_are_found_among_many() {
    let folder = tempfile::tempdir().unwrap();
    let (log, view) = view(folder.path(), 12_000, 300);
    let recall = recall(&log, &view, None);
    assert!(recall >= 0.99, "recall@10 was {recall}");

    let query = Directions::new("directions", DIMENSIONS).vector(&text_about(7, 1, 9));
    let all = view.search(&query, 100_000, None).unwrap();
    assert_eq!(
        all.len(),
        12_300,
        "a limit beyond all memories gives all of them"
    );
    assert!(all.is_sorted_by(|one, other| one.similarity >= other.similarity));
}

#[test]
fn filters_never_starve_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let (log, view) = view(folder.path(), 9_000, 200);
    for every in [2, 7, 12, 17, 100, 1_500, 9_100] {
        let filter: RoaringBitmap = (0..9_200).filter(|row| row % every == every - 1).collect();
        let recall = recall(&log, &view, Some(&filter));
        assert!(recall >= 0.99, "recall@10 was {recall} for one in {every}");
    }
    let query = Directions::new("directions", DIMENSIONS).vector("word1");
    assert_eq!(
        view.search(&query, 10, Some(&RoaringBitmap::new()))
            .unwrap(),
        []
    );
    assert_eq!(
        view.search(&query, 10, Some(&RoaringBitmap::from_iter([70_000])))
            .unwrap(),
        []
    );
}

#[test]
fn a_long_memory_is_found_by_any_of_its_parts() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = Directions::new("directions", DIMENSIONS);
    let view = VectorsView::open(folder.path(), embedder.clone()).unwrap();
    let mut log = Log::default();
    let long = text(3, 600);
    log.write(0, Some(record(&text(1, 600), 0)));
    log.write(1, Some(record(&long, 1)));
    log.write(2, Some(record("short and simple", 2)));
    log.write(3, Some(record("", 3)));
    for round in 0..2 {
        if round == 0 {
            catch_up(&view, &log);
        } else {
            fold(&view, &log);
        }
        assert_eq!(view.rows(), 3, "an empty text has no vector");
        assert!(view.vectors() > 10);
        let sentence: Vec<&str> = long.split_inclusive(". ").skip(20).take(10).collect();
        let query = embedder.vector(&sentence.concat());
        let hits = view.search(&query, 5, None).unwrap();
        assert_eq!((hits[0].row, hits.len()), (Row(1), 3), "each memory once");
        assert!(
            hits[0].similarity > 0.8,
            "nearer than the whole alone: {hits:?}"
        );
        for VectorHit { row, similarity } in hits {
            assert_eq!(view.similarity(&query, row).unwrap(), Some(similarity));
        }
        assert_eq!(view.similarity(&query, Row(3)).unwrap(), None);
        assert_eq!(
            view.similarities(&query, &[Row(9), Row(1)]).unwrap()[0],
            None
        );
    }
}

#[test]
fn a_query_that_makes_no_sense_is_refused_and_a_zero_one_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (_, view) = view(folder.path(), 50, 5);
    assert!(view.search(&[1.0; 3], 10, None).is_err());
    assert!(view.search(&[f32::NAN; DIMENSIONS], 10, None).is_err());
    assert!(view.search(&[f32::INFINITY; DIMENSIONS], 10, None).is_err());
    assert_eq!(view.search(&[0.0; DIMENSIONS], 10, None).unwrap(), []);
    assert_eq!(view.search(&[1e30; DIMENSIONS], 0, None).unwrap(), []);
    assert_eq!(
        view.search(&[1e30; DIMENSIONS], 10, None).unwrap().len(),
        10
    );
    assert_eq!(
        view.search(&[1e-30; DIMENSIONS], 900, None).unwrap().len(),
        55
    );
}
