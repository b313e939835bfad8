//! Signals of memories are a function of the log.

use anamne_knowledge::signals::{Feedback, RECENT, Signals};
use anamne_knowledge::summaries::Summaries;
use anamne_types::{Body, Row, Seq};
use jiff::Timestamp;
use proptest::prelude::*;

use crate::twin::{Log, message};

fn all_of(summaries: &Summaries, log: &Log) -> Vec<Option<Signals>> {
    summaries.catch_up(log, &mut |_| {}).expect("caught up");
    assert_eq!(
        summaries
            .build_signals(log, usize::MAX)
            .expect("reckoned")
            .waiting,
        0
    );
    let rows = 1..=log.ids().len() as u32;
    rows.map(|row| summaries.signals(Row(row)).expect("readable"))
        .collect()
}

fn fresh(log: &Log) -> Vec<Option<Signals>> {
    let folder = tempfile::tempdir().expect("a folder");
    all_of(
        &Summaries::open(&folder.path().join("summaries.db")).expect("a new file"),
        log,
    )
}

fn thought(position: u32, text: &str) -> anamne_types::Memory {
    let mut memory = message("chain", position, "ana", "2024-03-01T09:00:00Z", text);
    memory.body = Body::Thought { follows: None };
    memory
}

#[test]
fn a_recent_repetition_is_not_new() {
    let mut log = Log::default();
    for (position, text) in [
        "The pump leaks.",
        "Invoices go to Basel.",
        "The pump leaks.",
    ]
    .into_iter()
    .enumerate()
    {
        log.tell(message(
            "log",
            position as u32,
            "ana",
            "2024-03-01T09:00:00Z",
            text,
        ));
    }
    log.tell(message(
        "elsewhere",
        0,
        "ana",
        "2024-03-01T09:00:00Z",
        "The pump leaks.",
    ));
    let found: Vec<f32> = fresh(&log)
        .into_iter()
        .flatten()
        .map(|signals| signals.novelty)
        .collect();
    assert!(
        (found[0] - 1.0).abs() < 1e-6
            && found[1] > 0.5
            && found[2] < 1e-3
            && (found[3] - 1.0).abs() < 1e-6,
        "{found:?}"
    );
}

#[test]
fn an_old_statement_is_new_again() {
    let mut log = Log::default();
    log.tell(message(
        "log",
        0,
        "ana",
        "2024-03-01T09:00:00Z",
        "The pump leaks.",
    ));
    for position in 1..=RECENT as u32 {
        log.tell(message(
            "log",
            position,
            "ana",
            "2024-03-01T09:00:00Z",
            "Invoices go to Basel.",
        ));
    }
    log.tell(message(
        "log",
        90,
        "ana",
        "2024-03-01T09:00:00Z",
        "The pump leaks.",
    ));
    let last = fresh(&log).pop().flatten().expect("reckoned");
    assert!(last.novelty > 0.5, "{last:?}");
}

#[test]
fn thoughts_on_the_same_topic_agree() {
    let mut log = Log::default();
    let texts = [
        "The pump leaks at the lower seal.",
        "So the seal of the pump must be replaced.",
        "Violins are made of spruce.",
        "A new seal for the leaking pump costs 40 euros.",
    ];
    for (position, text) in texts.into_iter().enumerate() {
        log.tell(thought(position as u32, text));
    }
    let found: Vec<(u32, u32)> = fresh(&log)
        .into_iter()
        .flatten()
        .map(|signals| (signals.agreeing, signals.neighbours))
        .collect();
    assert_eq!(found, [(1, 2), (2, 3), (0, 3), (1, 2)]);
}

#[test]
fn feedback_is_folded_once_and_in_order() {
    let mut log = Log::default();
    log.tell(message(
        "log",
        0,
        "ana",
        "2024-03-01T09:00:00Z",
        "The pump leaks.",
    ));
    let folder = tempfile::tempdir().expect("a folder");
    let summaries = Summaries::open(&folder.path().join("summaries.db")).expect("a new file");
    let at: Timestamp = "2024-03-02T09:00:00Z".parse().expect("an instant");
    let good = Feedback {
        row: Row(1),
        score: 1.0,
        at,
    };
    assert!(
        summaries
            .take_feedback(&[good, good], Seq(0), Seq(2))
            .expect("taken")
    );
    assert!(
        !summaries
            .take_feedback(&[good], Seq(0), Seq(2))
            .expect("refused")
    );
    assert_eq!(summaries.feedback_watermark().expect("readable"), Seq(2));
    let utility = all_of(&summaries, &log)[0].expect("reckoned").utility;
    assert_eq!((utility.events, utility.at), (2, at));
    assert!((utility.value - 0.755).abs() < 1e-6, "{utility:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn signals_are_a_function_of_the_log(
        steps in prop::collection::vec((0u8..8, any::<usize>(), 0i64..40, "(the|pump|leaks|seal|Basel|pays| ){1,8}"), 1..24)
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let summaries = Summaries::open(&folder.path().join("summaries.db")).expect("a new file");
        let mut log = Log::default();
        for (what, which, hours, text) in steps {
            let ids = log.ids();
            let at = Timestamp::from_second(1_709_000_000 + hours * 3_600).expect("an instant");
            match what {
                0 if !ids.is_empty() => log.forget(ids[which % ids.len()]),
                1 if !ids.is_empty() => log.edit(ids[which % ids.len()], |memory| memory.occurred_at = at),
                2 => {
                    summaries.catch_up(&log, &mut |_| {}).expect("caught up");
                    summaries.build_signals(&log, 3).expect("reckoned");
                }
                _ => {
                    let mut memory = thought(0, &text);
                    memory.occurred_at = at;
                    memory.thread = (which % 3 > 0).then(|| format!("thread {}", which % 3));
                    log.tell(memory);
                }
            }
        }
        prop_assert_eq!(all_of(&summaries, &log), fresh(&log));
    }
}
