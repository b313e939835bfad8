//! Reading everything back once a day, so that damage is found which no answer shows.
//!
//! What is handed out is proven by its digest. A row that an index has lost is never handed out, and SQLite does not
//! miss it; only reading everything tells.

use crate::Error;
use crate::core::Inner;

/// The background of some process reads everything back once in so long, in microseconds.
const BETWEEN_EXAMINATIONS: i64 = 24 * 3_600 * 1_000_000;

impl Inner {
    /// Reads everything back if no process has done so today, and restores a damaged database. What can't be mended is
    /// an error that names it.
    ///
    /// In a space that nobody has ever read back the day begins now.
    pub(crate) fn examine_if_due(&self) -> Result<(), Error> {
        let present = self.source.now();
        let now = present.as_microsecond();
        let last = self.source.last_examination()?;
        // What is noted for a later time was noted by a clock that was set back since.
        if let Some(last) =
            last.filter(|last| (now - BETWEEN_EXAMINATIONS + 1..=now).contains(last))
        {
            let left = last + BETWEEN_EXAMINATIONS - now;
            self.jobs.due("examination").put_off(present, left);
            return Ok(());
        }
        match self.source.note_examination(now) {
            // What may only be read is not mended either.
            Err(error) if error.is_read_only() => return Ok(()),
            noted => noted?,
        }
        if last.is_none() {
            return Ok(());
        }
        let findings = self.source.examine_and_heal()?;
        self.site
            .troubles
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
        let told = open()
            .remember(Draft::new("the lamp burns"))
            .expect("told")
            .id;
        open().inner.look_after();

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
        space.inner.look_after();
        assert!(
            space.inner.source.mended().is_empty(),
            "a day has not gone by"
        );
        set_clock(24);
        space.inner.look_after();
        let mended = space.inner.source.mended();
        assert!(
            mended.iter().any(|said| said.contains("restored")),
            "{mended:?}"
        );
        assert_eq!(space.get(told).expect("a memory").content, "the lamp burns");

        let journal = space.folder().join("journal/000001.jsonl");
        let text = fs::read_to_string(&journal).expect("a journal");
        fs::write(&journal, text.replace("lamp", "damp")).expect("written");
        space.inner.look_after();
        let problems = |space: &crate::Space| space.inner.site.troubles.take();
        assert!(problems(&space).is_empty(), "it was read back a moment ago");
        set_clock(48);
        space.inner.look_after();
        let found = problems(&space);
        assert!(
            found
                .iter()
                .any(|said| said.contains("journal/000001.jsonl")),
            "{found:?}"
        );
    }
}
