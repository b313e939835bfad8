//! The record of repairs in a space, by any process, for the next check-up.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::files::{look_at, open_private_file, replace_file};

/// Above this size the file is cut to its last half.
const MOST_BYTES: u64 = 64 << 10;

/// A repair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Incident {
    /// The time.
    pub at: Timestamp,
    /// A description for a person.
    pub what: String,
}

fn file(folder: &Path) -> PathBuf {
    folder.join("incidents.jsonl")
}

/// Records the repairs made at `at`. Write errors are ignored: the caller reports the repairs anyway.
pub(crate) fn note(folder: &Path, at: Timestamp, repaired: &[String]) {
    let write = || -> Option<()> {
        let path = file(folder);
        if look_at(&path)
            .ok()?
            .is_some_and(|state| state.length > MOST_BYTES)
        {
            let text = std::fs::read_to_string(&path).ok()?;
            let half = text.len() / 2;
            let kept = text[text.char_indices().find(|(at, _)| *at >= half)?.0..]
                .split_once('\n')?
                .1;
            replace_file(&path, kept.as_bytes()).ok()?;
        }
        let mut lines = String::new();
        for what in repaired {
            let incident = Incident {
                at,
                what: what.clone(),
            };
            lines += &serde_json::to_string(&incident).ok()?;
            lines.push('\n');
        }
        drop(open_private_file(&path).ok()?);
        let mut file = OpenOptions::new().append(true).open(&path).ok()?;
        file.write_all(lines.as_bytes()).ok()
    };
    let _ = write();
}

/// The repairs since `since`, oldest first. Unreadable lines are skipped.
pub(crate) fn since(folder: &Path, since: Timestamp) -> Vec<Incident> {
    let text = std::fs::read(file(folder)).unwrap_or_default();
    String::from_utf8_lossy(&text)
        .lines()
        .filter_map(|line| serde_json::from_str::<Incident>(line).ok())
        .filter(|incident| incident.at >= since)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_keeps_the_latest_incidents_and_stays_small() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |second| Timestamp::from_second(second).expect("an instant");
        for number in 0..2_000 {
            let what = format!("the file number {number} was set aside as ünlesbar");
            note(folder.path(), at(number), &[what]);
        }
        let all = since(folder.path(), at(0));
        assert!((100..2_000).contains(&all.len()), "{} lines", all.len());
        assert_eq!(all.last().map(|incident| incident.at), Some(at(1_999)));
        assert_eq!(since(folder.path(), at(1_998)).len(), 2);
        std::fs::write(file(folder.path()), [0xFF, 0x0A, 0x7B]).expect("written");
        assert_eq!(since(folder.path(), at(0)), []);
    }
}
