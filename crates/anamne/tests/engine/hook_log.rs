//! The record of hooks: what a session was shown, what it captured, and when something is wrong.

use anamne::{Edit, HookLog, MemoryId, Store};
use jiff::{SignedDuration, Timestamp};

use crate::common::Home;

fn log(home: &Home) -> HookLog {
    Store::open(home.root())
        .and_then(|store| store.hook_log())
        .expect("the record")
}

#[test]
fn a_session_keeps_its_space_and_its_position() {
    let home = Home::new();
    let (log, now) = (log(&home), Timestamp::now());
    assert_eq!(log.session("s1").expect("read"), None);
    let session = log.begin("s1", "codex", "one", now).expect("begun");
    log.note_captured(&session, 120, Some([7; 16]), 3)
        .expect("noted");
    let again = log.begin("s1", "codex", "two", now).expect("begun");
    assert_eq!((again.space.as_str(), again.captured_bytes), ("one", 120));
    assert_eq!(again.captured_mark, Some([7; 16]));
    assert_eq!(log.session("s1").expect("read"), Some(again));
}

#[test]
fn an_event_acts_once_and_the_next_one_again() {
    let home = Home::new();
    let (log, now) = (log(&home), Timestamp::now());
    let session = log.begin("s1", "codex", "one", now).expect("begun");
    let first = |identity: &str, seconds: i64| {
        let at = now + SignedDuration::from_secs(seconds);
        log.acts_first(&session, "prompt", identity, at)
            .expect("judged")
    };
    assert!(first("hello", 0));
    assert!(!first("hello", 3), "another host fired the same event");
    assert!(first("something else", 4));
    assert!(first("hello", 60), "typed again later");
    assert!(
        first("hello", -60),
        "a clock that was set back blocks nothing"
    );
}

#[test]
fn what_was_shown_is_forgotten_with_an_erasure_and_at_a_compaction() {
    let home = Home::new();
    let space = home.space();
    let kept = space.remember("the port is 8471").expect("stored").id;
    let gone = space.remember("the port was 8470").expect("stored").id;
    let (log, now) = (log(&home), Timestamp::now());
    let session = log.begin("s1", "codex", space.name(), now).expect("begun");
    let shown = |expected: &[MemoryId]| {
        assert_eq!(log.shown(&session).expect("read"), expected);
    };
    log.note_shown(&session, space.name(), &[kept, gone])
        .expect("noted");
    shown(&[kept, gone]);
    log.forget_shown(&session).expect("forgotten");
    shown(&[]);
    log.note_shown(&session, space.name(), &[gone])
        .expect("noted");
    let told = || {
        log.told(&session)
            .expect("read")
            .contains("the port was 8470")
    };
    log.note_told(&session, " the port was 8470\n")
        .expect("noted");
    assert!(told());
    drop(space.erase(gone).expect("erased"));
    shown(&[]);
    assert!(!told());
    let bytes = std::fs::read(home.root().join("hooks.db")).expect("the file");
    let id = gone.as_bytes();
    assert!(
        !bytes.windows(id.len()).any(|window| window == id),
        "no trace of the id"
    );
}

#[test]
fn a_memory_that_changed_since_it_was_shown_is_told_apart() {
    let home = Home::new();
    let space = home.space();
    let edited = space.remember("the port is 8471").expect("stored").id;
    let kept = space.remember("the host is called ada").expect("stored").id;
    let (log, now) = (log(&home), Timestamp::now());
    let session = log.begin("s1", "codex", space.name(), now).expect("begun");
    let ids = [edited, kept];
    let changed = || {
        let memories = space.get_each(&ids).expect("read");
        log.changed_since(&session, &memories).expect("compared")
    };
    log.note_shown(&session, space.name(), &ids).expect("noted");
    assert_eq!(changed(), [], "no text was noted");
    let memories = space.get_each(&ids).expect("read");
    log.note_shown_texts(&session, space.name(), &memories)
        .expect("noted");
    assert_eq!(changed(), []);
    let edit = Edit {
        content: Some("the port is 9000".to_owned()),
        ..Edit::default()
    };
    space.edit(edited, &edit).expect("edited");
    assert_eq!(changed(), [edited]);
    log.forget_shown(&session).expect("forgotten");
    assert_eq!(changed(), []);
}

#[test]
fn a_week_of_sessions_without_a_capture_is_noticed() {
    let home = Home::new();
    let (log, now) = (log(&home), Timestamp::now());
    let week = SignedDuration::from_hours(7 * 24);
    let days_ago = |days: i64| now - SignedDuration::from_hours(days * 24);
    let silent = || log.silent_sessions("one", week, now).expect("judged");
    assert_eq!(silent(), None);
    log.begin("s1", "codex", "one", days_ago(8)).expect("begun");
    log.begin("s2", "codex", "one", days_ago(1)).expect("begun");
    log.begin("s3", "codex", "two", days_ago(9)).expect("begun");
    assert_eq!(silent(), Some(2));
    let session = log.begin("s2", "codex", "one", now).expect("begun");
    log.note_captured(&session, 10, None, 1).expect("noted");
    assert_eq!(silent(), None);
}
