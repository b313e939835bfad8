//! Verifies everything once a day, to find damage that no query shows.
//!
//! Returned records are verified by digests. A row that is missing from an index is never returned, and SQLite doesn't
//! notice; only a full read finds it.

use crate::Error;
use crate::core::Inner;

/// Interval between full verifications, in microseconds.
const BETWEEN_EXAMINATIONS: i64 = 24 * 3_600 * 1_000_000;

impl Inner {
    /// Verifies everything if no process has done so today, and restores a damaged database. Unrepairable damage is an
    /// error that names it.
    ///
    /// A space that was never verified starts its interval now.
    pub(crate) fn examine_if_due(&self) -> Result<(), Error> {
        let present = self.source.now();
        let now = present.as_microsecond();
        let last = self.source.last_examination()?;
        // A future time was recorded by a clock that was set back since.
        if let Some(last) =
            last.filter(|last| (now - BETWEEN_EXAMINATIONS + 1..=now).contains(last))
        {
            let left = last + BETWEEN_EXAMINATIONS - now;
            self.jobs.due("examination").put_off(present, left);
            return Ok(());
        }
        match self.source.note_examination(now) {
            // A read-only store isn't repaired.
            Err(error) if error.is_read_only() => return Ok(()),
            noted => noted?,
        }
        if last.is_none() {
            return Ok(());
        }
        let findings = self.source.examine_and_heal()?;
        self.site
            .problems
            .note(findings.iter().map(ToString::to_string));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use anamne_types::Draft;
    use jiff::{Timestamp, ToSpan};

    use crate::set_clock::SetClock;
    use crate::{Options, Store};

    #[test]
    fn the_background_reads_everything_back_once_a_day_and_restores_what_is_damaged() {
        let folder = tempfile::tempdir().expect("a folder");
        let start: Timestamp = "2026-03-01T00:00:00Z".parse().expect("an instant");
        let clock = Arc::new(SetClock::at(start));
        let open = || {
            let options = Options {
                clock: clock.clone(),
                ..Options::new(folder.path()).background(false)
            };
            let store = Store::open_with(options).expect("a store");
            store.space("tests").expect("a space")
        };
        let set_clock = |hours: i64| clock.set(start + hours.hours());
        let stored = open()
            .remember(Draft::new("the lamp burns"))
            .expect("told")
            .id;
        open().inner.run_round();

        let space = open();
        let database = space.folder().join("memories/active.db");
        let mut bytes = fs::read(&database).expect("a database");
        let place = bytes
            .windows(8)
            .position(|text| text == b"the lamp")
            .expect("the content");
        bytes[place] ^= 1;
        fs::write(&database, bytes).expect("written");
        set_clock(23);
        space.inner.run_round();
        assert!(
            space.inner.source.repaired().is_empty(),
            "a day has not gone by"
        );
        set_clock(24);
        space.inner.run_round();
        let repaired = space.inner.source.repaired();
        assert!(
            repaired.iter().any(|said| said.contains("restored")),
            "{repaired:?}"
        );
        assert_eq!(
            space.get(stored).expect("a memory").content,
            "the lamp burns"
        );

        let journal = space.folder().join("journal/000001.jsonl");
        let text = fs::read_to_string(&journal).expect("a journal");
        fs::write(&journal, text.replace("lamp", "damp")).expect("written");
        space.inner.run_round();
        let problems = |space: &crate::Space| space.inner.site.problems.take();
        assert!(problems(&space).is_empty(), "it was read back a moment ago");
        set_clock(48);
        space.inner.run_round();
        let found = problems(&space);
        assert!(
            found
                .iter()
                .any(|said| said.contains("journal/000001.jsonl")),
            "{found:?}"
        );
    }
}
