//! The latent index separates topics, and its file is verified or rejected.

use std::sync::Arc;

use anamne_index::columns::{ColumnsSnapshot, ColumnsView, Tokenise};
use anamne_index::latent::{LatentIndex, STRETCH};
use anamne_store::view::{Attributes, Change, Record, View};
use anamne_types::{Row, Seq};

/// A tokeniser whose tokens are the numbers in the text.
struct Numbers;

impl Tokenise for Numbers {
    fn name(&self) -> String {
        "numbers".to_owned()
    }

    fn tokens(&self, text: &str, out: &mut Vec<u16>) {
        out.extend(text.split(' ').filter_map(|word| word.parse::<u16>().ok()));
    }
}

/// Rows of threads of `STRETCH` rows each, from row 1, given by their tokens.
fn columns(rows: &[Vec<u16>]) -> ColumnsSnapshot {
    let view = ColumnsView::open("/nonexistent", Arc::new(Numbers));
    let change = |(number, tokens): (u32, &Vec<u16>)| {
        let words: Vec<String> = tokens.iter().map(u16::to_string).collect();
        let attributes = Attributes {
            thread: number / STRETCH + 1,
            position: number % STRETCH,
            ..Attributes::default()
        };
        Change {
            seq: Seq(u64::from(number) + 1),
            row: Row(number + 1),
            record: Some(Record {
                text: words.join(" "),
                attributes,
                ..Record::default()
            }),
        }
    };
    let changes: Vec<Change> = (0..).zip(rows).map(change).collect();
    view.follow(&changes, Seq(rows.len() as u64));
    view.snapshot()
}

/// Threads alternating between two topics of twenty tokens each, from 100 and from 200; each row has four of them.
fn two_topics(threads: u16) -> Vec<Vec<u16>> {
    let row = |number: u16| {
        let thread = number / STRETCH as u16;
        let base = if thread.is_multiple_of(2) { 100 } else { 200 };
        (0..4)
            .map(|step| base + (thread * 7 + number * 3 + step) % 20)
            .collect()
    };
    (0..threads * STRETCH as u16).map(row).collect()
}

fn fit(rows: &[Vec<u16>]) -> Option<LatentIndex> {
    LatentIndex::fit(&[columns(rows)], "numbers".to_owned(), Seq(7))
}

#[test]
fn stretches_of_the_same_topic_are_nearer() {
    let index = fit(&two_topics(40)).expect("enough texts");
    assert_eq!(index.through(), Seq(7));
    let question = index.direction(&[103]).expect("a direction");
    let nearness = |thread: u32| question.nearness(index.stretch(thread, 3).expect("placed"));
    let mean = |first: u32| {
        (0..20)
            .map(|number| nearness(first + 2 * number))
            .sum::<f32>()
            / 20.0
    };
    let (own, other) = (mean(1), mean(2));
    assert!(own > 0.3 && other < 0.1, "{own} and {other}");
    let first = index.place(&two_topics(1).concat()).expect("a place");
    assert!((question.nearness(&first) - nearness(1)).abs() < 0.1);
    for thread in 1..=40 {
        assert!((0.0..=1.0).contains(&nearness(thread)));
    }
}

#[test]
fn unknown_tokens_and_stretches_have_no_location() {
    let index = fit(&two_topics(40)).expect("enough texts");
    assert!(index.direction(&[]).is_none() && index.place(&[]).is_none());
    assert!(index.direction(&[999]).is_none() && index.place(&[u16::MAX]).is_none());
    assert!(index.stretch(41, 0).is_none() && index.stretch(1, STRETCH).is_none());
}

#[test]
fn too_few_texts_give_no_index() {
    assert!(fit(&[]).is_none());
    assert!(fit(&two_topics(15)).is_none());
    assert!(fit(&two_topics(16)).is_some());
    // Texts without a common token, and empty texts.
    let alone = |number: u16| vec![vec![number]; STRETCH as usize];
    let index = fit(&(0..20).flat_map(alone).collect::<Vec<_>>()).expect("an index");
    assert!(index.direction(&[3]).is_none());
    let empty = fit(&vec![Vec::new(); 20 * STRETCH as usize]).expect("an index");
    assert!(empty.direction(&[3]).is_none());
}

#[test]
fn the_same_columns_give_the_same_file_which_is_read_back() {
    let rows = two_topics(30);
    let index = fit(&rows).expect("an index");
    let bytes = index.encode();
    assert_eq!(bytes, fit(&rows).expect("an index").encode());
    assert_eq!(LatentIndex::decode(&bytes, "numbers"), Some(index));
}

#[test]
fn a_damaged_file_and_one_of_another_vocabulary_are_refused() {
    let bytes = fit(&two_topics(20)).expect("an index").encode();
    assert_eq!(LatentIndex::decode(&bytes, "other"), None);
    assert_eq!(LatentIndex::decode(&[], "numbers"), None);
    for length in 0..bytes.len() {
        assert_eq!(LatentIndex::decode(&bytes[..length], "numbers"), None);
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert_eq!(LatentIndex::decode(&damaged, "numbers"), None, "byte {at}");
    }
}

#[test]
fn a_row_in_two_tiers_counts_as_in_the_hotter_one() {
    let rows = two_topics(20);
    let (hot, cold) = (columns(&rows), columns(&vec![vec![300]; rows.len()]));
    let index = LatentIndex::fit(&[hot, cold], "numbers".to_owned(), Seq(7)).expect("an index");
    assert_eq!(Some(index), fit(&rows));
}
