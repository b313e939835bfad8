//! Summaries are a function of the log, and contain nothing that was forgotten.

use std::fs;
use std::path::Path;

use anamne_knowledge::summaries::{Level, Summaries, Summary};
use anamne_store::view::Health;
use anamne_types::{Body, Kind, Role, Seq};
use jiff::Timestamp;
use proptest::prelude::*;
use rusqlite::Connection;

use super::twin::{Log, message, numbers};

fn settle(summaries: &Summaries, log: &Log) {
    summaries
        .catch_up(log, &mut |_| {})
        .expect("the log can be read");
    let extracted = summaries
        .build(log, usize::MAX, &mut |_| {})
        .expect("extraction works");
    assert_eq!(extracted.waiting, 0);
}

fn everything(summaries: &Summaries) -> Vec<Summary> {
    let all = Timestamp::MIN..Timestamp::MAX;
    let of = |level| {
        summaries
            .between(level, all.clone(), usize::MAX >> 1)
            .expect("summaries can be read")
    };
    Level::ALL.into_iter().flat_map(of).collect()
}

fn fresh(log: &Log) -> Vec<Summary> {
    let folder = tempfile::tempdir().expect("a folder");
    let summaries = Summaries::open(&folder.path().join("summaries.db")).expect("a new file");
    settle(&summaries, log);
    everything(&summaries)
}

/// Whether any file in the folder contains a word.
fn any_file_contains(folder: &Path, word: &str) -> bool {
    fs::read_dir(folder).expect("the folder").any(|entry| {
        let bytes = fs::read(entry.expect("an entry").path()).expect("a file");
        bytes
            .windows(word.len())
            .any(|window| window == word.as_bytes())
    })
}

fn talk(log: &mut Log) {
    let lines = [
        ("ana", "2024-03-01T09:00:00Z", "Hey! How are you?"),
        (
            "ben",
            "2024-03-01T09:01:00Z",
            "Thanks, great! I moved to Porto last Friday and rented a flat near the river.",
        ),
        (
            "ana",
            "2024-03-01T09:02:00Z",
            "Wow, awesome! What do you do there?",
        ),
        (
            "ben",
            "2024-03-01T09:03:00Z",
            "I started at a shipyard as a welder, and we repair 12 trawlers until June.",
        ),
        (
            "ana",
            "2024-03-01T20:00:00Z",
            "My sister Carla decided to sell her bakery in Graz for 90,000 euros.",
        ),
        (
            "ben",
            "2024-03-02T08:00:00Z",
            "We fixed the leaking valve of the trawler Estrela yesterday.",
        ),
        (
            "ana",
            "2024-03-29T08:00:00Z",
            "Carla signed the contract with the buyer, a chain from Linz.",
        ),
    ];
    for (position, (author, at, text)) in lines.into_iter().enumerate() {
        log.add(message("harbour", position as u32, author, at, text));
    }
}

#[test]
fn summaries_cite_what_was_said_word_for_word() {
    let mut log = Log::default();
    talk(&mut log);
    let folder = tempfile::tempdir().expect("a folder");
    let summaries =
        Summaries::open(&folder.path().join("views").join("summaries.db")).expect("a new file");
    settle(&summaries, &log);
    let all = everything(&summaries);
    let levels = |level| all.iter().filter(|summary| summary.level == level).count();
    assert_eq!(
        [1, 2, 3, 4].map(|at| levels(Level::ALL[at - 1])),
        [4, 3, 2, 1]
    );
    for summary in &all {
        assert!(
            !summary.sentences.is_empty() && !summary.stale,
            "{summary:?}"
        );
        for sentence in &summary.sentences {
            let source = log
                .live(sentence.memory)
                .expect("it cites a memory that is there");
            let said = sentence.text.trim_matches('…');
            assert!(
                source.content.contains(said),
                "{said:?} is not in {:?}",
                source.content
            );
            assert_eq!(source.row, sentence.row);
        }
    }
    let at = "2024-03-01T12:00:00Z".parse().expect("an instant");
    let day = summaries
        .period(Level::Day, at)
        .expect("readable")
        .expect("that day is there");
    assert_eq!(day.memories, 5);
    assert!(!day.text().contains("How are you"));
    let session = summaries.session(
        "harbour",
        "2024-03-01T09:02:00Z".parse().expect("an instant"),
    );
    let session = session.expect("readable").expect("that session is there");
    assert_eq!(
        (session.memories, session.thread.as_deref()),
        (4, Some("harbour"))
    );
    assert!(session.text().contains("Porto"), "{}", session.text());
    assert_eq!(
        summaries
            .sessions_of("harbour", 10)
            .expect("readable")
            .len(),
        4
    );
}

#[test]
fn forgotten_text_leaves_summaries_at_once_and_the_file_after_a_purge() {
    let mut log = Log::default();
    talk(&mut log);
    let secret = log.add(message(
        "vault",
        0,
        "zoe",
        "2024-03-01T10:00:00Z",
        "I hid the xylophonist under quokkaberry 4711 yesterday.",
    ));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("summaries.db");
    let summaries = Summaries::open(&path).expect("a new file");
    settle(&summaries, &log);
    assert!(
        any_file_contains(folder.path(), "quokkaberry")
            && any_file_contains(folder.path(), "vault")
    );
    log.forget(secret);
    summaries.catch_up(&log, &mut |_| {}).expect("caught up");
    let cites = |summary: &Summary| {
        summary
            .sentences
            .iter()
            .any(|sentence| sentence.memory == secret)
    };
    assert!(!everything(&summaries).iter().any(cites));
    summaries.purge(&log, &mut |_| {}).expect("nobody reads");
    for word in ["quokkaberry", "vault", "zoe"] {
        assert!(!any_file_contains(folder.path(), word), "{word} is left");
    }
    settle(&summaries, &log);
    assert_eq!(everything(&summaries), fresh(&log));
}

#[test]
fn an_edit_replaces_what_was_said_before() {
    let mut log = Log::default();
    talk(&mut log);
    let id = log.add(message(
        "notes",
        0,
        "ana",
        "2024-03-02T10:00:00Z",
        "The auction of the brasserie is on 4 May.",
    ));
    let folder = tempfile::tempdir().expect("a folder");
    let summaries = Summaries::open(&folder.path().join("summaries.db")).expect("a new file");
    settle(&summaries, &log);
    log.edit(id, |memory| {
        memory.content = "The auction of the brasserie is on 11 May.".to_owned();
    });
    summaries.catch_up(&log, &mut |_| {}).expect("caught up");
    let text = |summaries: &Summaries| {
        everything(summaries)
            .iter()
            .map(Summary::text)
            .collect::<String>()
    };
    assert!(!text(&summaries).contains("4 May"));
    settle(&summaries, &log);
    assert!(text(&summaries).contains("11 May"));
    log.edit(id, |memory| {
        memory.occurred_at = "2025-01-01T00:00:00Z".parse().expect("an instant");
    });
    settle(&summaries, &log);
    assert_eq!(everything(&summaries), fresh(&log));
}

#[test]
fn summaries_documents_system_and_tool_messages_are_not_summarised() {
    let mut log = Log::default();
    let kinds = [
        Body::empty(Kind::Summary).expect("a summary"),
        Body::empty(Kind::Document).expect("a document"),
        Body::Message {
            role: Some(Role::System),
        },
        Body::Message {
            role: Some(Role::Tool),
        },
    ];
    for body in kinds {
        let mut memory = message(
            "host",
            0,
            "ana",
            "2024-03-02T10:00:00Z",
            "Carla sold the bakery in Graz for 90,000 euros.",
        );
        memory.body = body;
        log.add(memory);
    }
    assert!(fresh(&log).is_empty());
}

#[test]
fn a_damaged_file_is_set_aside_and_recreated() {
    let mut log = Log::default();
    talk(&mut log);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("summaries.db");
    let summaries = Summaries::open(&path).expect("a new file");
    settle(&summaries, &log);
    let before = everything(&summaries);
    drop(summaries);
    // The write-ahead log alone would restore it.
    let _ = fs::remove_file(path.with_file_name("summaries.db-wal"));
    fs::write(&path, vec![7u8; 9_000]).expect("written over");
    let summaries = Summaries::open(&path).expect("recreated");
    assert_eq!(summaries.watermark().expect("recreated"), Seq(0));
    assert!(path.with_file_name("summaries.db.damaged-1").exists());
    settle(&summaries, &log);
    assert_eq!(everything(&summaries), before);
    assert_eq!(summaries.verify().expect("readable"), Health::Whole);
    summaries.purge(&log, &mut |_| {}).expect("nobody reads");
    assert!(!path.with_file_name("summaries.db.damaged-1").exists());
}

#[test]
fn a_file_of_another_version_is_recreated() {
    for change in [
        "PRAGMA user_version = 99",
        "UPDATE state SET summariser = 99",
    ] {
        let mut log = Log::default();
        talk(&mut log);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("summaries.db");
        settle(&Summaries::open(&path).expect("a new file"), &log);
        Connection::open(&path)
            .expect("opened")
            .execute_batch(change)
            .expect("changed");
        let summaries = Summaries::open(&path).expect("recreated");
        assert_eq!(summaries.watermark().expect("readable"), Seq(0), "{change}");
        settle(&summaries, &log);
        assert_eq!(everything(&summaries), fresh(&log));
    }
}

#[test]
fn a_log_that_ends_earlier_is_read_from_its_beginning() {
    let mut log = Log::default();
    talk(&mut log);
    let folder = tempfile::tempdir().expect("a folder");
    let summaries = Summaries::open(&folder.path().join("summaries.db")).expect("a new file");
    settle(&summaries, &log);
    let mut shorter = Log::default();
    shorter.add(message(
        "other",
        0,
        "eva",
        "2024-03-01T09:00:00Z",
        "The ferry to Split leaves at 7:40 from pier 3.",
    ));
    settle(&summaries, &shorter);
    assert_eq!(everything(&summaries), fresh(&shorter));
}

#[test]
fn huge_texts_are_summarised_like_others() {
    let mut log = Log::default();
    let texts = [
        "anvil ".repeat(10_000),
        "x".repeat(60_000),
        "字".repeat(20_000),
        "the ".repeat(10_000),
        "```\ncode\n```\nThe anvil fell. ".repeat(1_000),
        "Wow! ".repeat(5_000),
        numbers(5_000),
    ];
    for (position, text) in texts.iter().enumerate() {
        log.add(message(
            "huge",
            position as u32,
            "ana",
            "2024-03-01T09:00:00Z",
            text,
        ));
    }
    for summary in fresh(&log) {
        assert!(!summary.sentences.is_empty() && summary.text().chars().count() <= 6_000);
    }
}

#[test]
fn a_file_that_is_removed_while_in_use_is_recreated() {
    let mut log = Log::default();
    talk(&mut log);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("summaries.db");
    let summaries = Summaries::open(&path).expect("a new file");
    settle(&summaries, &log);
    let before = everything(&summaries);
    for side in ["summaries.db", "summaries.db-wal", "summaries.db-shm"] {
        fs::remove_file(folder.path().join(side)).expect("removed");
    }
    settle(&summaries, &log);
    assert_eq!(everything(&summaries), before);
}

#[test]
fn several_may_follow_the_log_at_once() {
    let mut log = Log::default();
    talk(&mut log);
    for number in 0..600 {
        let at = format!("2024-05-{:02}T{:02}:00:00Z", 1 + number % 28, number % 24);
        let text = format!("Crate {number} went to Graz.");
        log.add(message("depot", number, "max", &at, &text));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("summaries.db");
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let summaries = Summaries::open(&path).expect("opened");
                summaries.catch_up(&log, &mut |_| {}).expect("caught up");
                summaries.build(&log, 40, &mut |_| {}).expect("extracted");
            });
        }
    });
    let summaries = Summaries::open(&path).expect("opened");
    settle(&summaries, &log);
    assert_eq!(everything(&summaries), fresh(&log));
}

#[test]
fn a_day_of_thousands_of_turns_has_a_bounded_summary() {
    let mut log = Log::default();
    for number in 0..5_000u32 {
        let text = format!(
            "Crate {number} with {} anvils went to warehouse {}.",
            number * 7 % 91,
            number % 13
        );
        log.add(message(
            "depot",
            number,
            "max",
            "2024-03-01T09:00:00Z",
            &text,
        ));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let summaries = Summaries::open(&folder.path().join("summaries.db")).expect("a new file");
    settle(&summaries, &log);
    for summary in everything(&summaries) {
        assert!(summary.sentences.len() <= 40 && !summary.sentences.is_empty());
        assert!(summary.text().chars().count() <= 6_000);
    }
}

/// One step of a random history.
#[derive(Clone, Debug)]
enum Step {
    Written {
        thread: u8,
        hours: i64,
        author: u8,
        text: String,
    },
    Forgotten(usize),
    Moved(usize, i64),
}

fn random_steps() -> impl Strategy<Value = Vec<Step>> {
    let text = prop_oneof![
        4 => "(I|We|Carla) (bought|moved|saw|fixed) [a-z]{3,9} (in Graz|yesterday|[0-9]{1,4})[.!]( Wow! [a-z]{2,8} [a-z]{4,9} [a-z]{3,9}\\?)?",
        1 => "\\PC{0,60}",
        1 => Just("日本語の文章です。今日は会議がありました。".to_owned()),
    ];
    let one = prop_oneof![
        6 => (0u8..4, 0i64..400, 0u8..3, text).prop_map(|(thread, hours, author, text)| Step::Written { thread, hours, author, text }),
        2 => any::<usize>().prop_map(Step::Forgotten),
        1 => (any::<usize>(), 0i64..400).prop_map(|(which, hours)| Step::Moved(which, hours)),
    ];
    prop::collection::vec(one, 1..30)
}

fn instant(hours: i64) -> Timestamp {
    Timestamp::from_second(1_709_000_000 + hours * 3_600).expect("an instant")
}

fn apply(log: &mut Log, happening: &Step) {
    let ids = log.ids();
    match happening {
        Step::Written {
            thread,
            hours,
            author,
            text,
        } => {
            let mut memory = message(
                "",
                0,
                ["ana", "ben", ""][*author as usize],
                "2024-03-01T09:00:00Z",
                text,
            );
            memory.thread = (*thread > 0).then(|| format!("thread {thread}"));
            memory.position = (*thread > 1).then_some(log.ids().len() as u32);
            memory.occurred_at = instant(*hours);
            log.add(memory);
        }
        Step::Forgotten(which) if !ids.is_empty() => log.forget(ids[which % ids.len()]),
        Step::Moved(which, hours) if !ids.is_empty() => {
            log.edit(ids[which % ids.len()], |memory| {
                memory.occurred_at = instant(*hours);
            });
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn summaries_are_a_function_of_the_log(steps in random_steps(), pauses in prop::collection::vec(0u8..3, 30)) {
        let folder = tempfile::tempdir().expect("a folder");
        let summaries = Summaries::open(&folder.path().join("summaries.db")).expect("a new file");
        let mut log = Log::default();
        for (step, pause) in steps.iter().zip(&pauses) {
            apply(&mut log, step);
            if *pause > 0 {
                summaries.catch_up(&log, &mut |_| {}).expect("caught up");
            }
            if *pause > 1 {
                summaries.build(&log, 2, &mut |_| {}).expect("extracted");
            }
        }
        settle(&summaries, &log);
        prop_assert_eq!(everything(&summaries), fresh(&log));
        summaries.verify().expect("readable");
    }

    #[test]
    fn any_text_is_cited_verbatim(texts in prop::collection::vec("\\PC{0,200}|([a-zA-Z]{1,9}[ ,.!?\n]){0,60}", 1..8)) {
        let mut log = Log::default();
        for (at, text) in texts.iter().enumerate() {
            log.add(message("any", at as u32, "ana", "2024-03-01T09:00:00Z", text));
        }
        for summary in fresh(&log) {
            for sentence in summary.sentences {
                let squeezed = |text: &str| text.replace("**", "").split_whitespace().collect::<Vec<_>>().join(" ");
                let source = squeezed(&log.live(sentence.memory).expect("alive").content);
                let said = sentence.text.strip_prefix('…').unwrap_or(&sentence.text);
                let said = said.strip_suffix('…').unwrap_or(said);
                prop_assert!(source.contains(said), "{:?} is not in {:?}", said, source);
            }
        }
    }
}
