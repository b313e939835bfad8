//! The journal: single lines, segment files, and payloads in a valid chain.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anamne_store::{Digest, Line, Lines, SpaceName, SpaceSource, SystemClock, examine};
use anamne_types::{Actor, Event, EventKind, MemoryId, Seq};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The magic number of a zstd frame.
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// A journal line: writing and parsing it again must keep its hash.
pub(crate) fn line(bytes: &[u8]) -> bool {
    let Ok(line) = serde_json::from_slice::<Line>(bytes) else {
        return false;
    };
    let _ = line.check(Seq(0), Digest::default());
    let _ = line.event();
    let written = serde_json::to_string(&line).expect("a line can be written");
    let again: Line = serde_json::from_str(&written).expect("a line that was written can be read");
    let hash = |line: &Line| line.expected_hash(Digest::default());
    assert_eq!(hash(&line), hash(&again), "{written}");
    true
}

/// A segment file, plain or sealed according to its first bytes.
pub(crate) fn segment(bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = folder.path().join("journal");
    fs::create_dir(&journal).expect("a folder");
    let name = if bytes.starts_with(&ZSTD) {
        "000001.jsonl.zst"
    } else {
        "000001.jsonl"
    };
    fs::write(journal.join(name), bytes).expect("written");
    if let Ok(lines) = Lines::of(&journal) {
        lines.for_each(drop);
    }
    open(folder.path())
}

/// One event, one per line in the input of [`payload`].
#[derive(Deserialize)]
struct EventLine {
    kind: EventKind,
    memory: MemoryId,
    payload: Box<RawValue>,
}

/// The lines of a valid chain around payloads, one per line, and the chain's end.
pub(crate) fn chained(bytes: &[u8]) -> (String, Seq, Digest) {
    let stored = bytes.split(|&byte| byte == b'\n');
    let stored = stored.filter_map(|line| serde_json::from_slice::<EventLine>(line).ok());
    let (mut text, mut last, mut previous) = (String::new(), Seq(0), Digest::default());
    for (seq, stored) in (1..).zip(stored) {
        let event = Event {
            seq: Seq(seq),
            at: Timestamp::from_second(1_760_000_000 + seq as i64).expect("an instant"),
            actor: Actor::user(),
            kind: stored.kind,
            memory: stored.memory,
        };
        let line = Line::chain(previous, event, stored.payload);
        (last, previous) = (line.seq, line.hash);
        text += &serde_json::to_string(&line).expect("a line can be written");
        text.push('\n');
    }
    (text, last, previous)
}

/// Payloads, one per line, written to a journal with a valid chain; the database is restored from it.
pub(crate) fn payload(bytes: &[u8]) -> bool {
    let zero = Digest::default();
    let header = format!(
        "{{\"anamne_journal\":1,\"segment\":1,\"after_seq\":0,\"after_hash\":\"{zero}\"}}\n"
    );
    let text = header + &chained(bytes).0;
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("journal")).expect("a folder");
    fs::write(folder.path().join("journal/000001.jsonl"), text).expect("written");
    open(folder.path())
}

/// Examines a space, opens it, which restores its database from the journal, and writes to it. Returns whether anything
/// was restored.
fn open(space: &Path) -> bool {
    let _ = examine(space);
    let opened = SpaceSource::open(space, &SpaceName::core(), Arc::new(SystemClock), true);
    let Ok(space) = opened else { return false };
    let restored = space.statistics().is_ok_and(|counts| counts.memories > 0);
    let _ = space.remember(&Actor::user(), &"after it".into());
    let _ = space.verify_database();
    restored
}
