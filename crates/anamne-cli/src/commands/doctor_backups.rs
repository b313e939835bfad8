//! What `anamne doctor` says of a server that backs itself up.

use anamne::{BackupStatus, Store};
use jiff::Timestamp;

use crate::failure::Failure;
use crate::output::{BOLD, GREEN, Output, RED, YELLOW, counted, paint};

/// The backups of a server, and when they were looked at.
pub(super) struct ServerBackups {
    pub(super) status: BackupStatus,
    now: Timestamp,
}

impl ServerBackups {
    /// Those of the server whose store this is; `None` if it makes none.
    pub(super) fn of(store: &Store) -> Result<Option<Self>, Failure> {
        let status = store.server_records()?.backup_status()?;
        let now = store.clock().now();
        Ok(status.map(|status| Self { status, now }))
    }

    /// Whether the last attempt was complete and is not late.
    pub(super) fn are_sound(&self) -> bool {
        self.status.failure.is_none() && !self.status.is_overdue(self.now)
    }

    pub(super) fn print(&self, output: &mut Output) -> Result<(), Failure> {
        output.line(paint(BOLD, "backups of the server"))?;
        let (status, last) = (&self.status, self.last());
        let every = counted(status.every_seconds / 3_600, "hour");
        let schedule = format!("every {every} to {}", status.folder.display());
        let kept = counted(status.complete, "complete backup");
        if let Some(failure) = &status.failure {
            let at = status.failed_at.map(|at| format!(" at {at}"));
            let at = at.unwrap_or_default();
            let said =
                format!("{schedule}; the last attempt{at} failed: {failure}; {last}; {kept}");
            output.entry(RED, "problem", &said)?;
        } else if status.is_overdue(self.now) {
            let said = format!("{schedule}; overdue: does the server run? {last}; {kept}");
            output.entry(RED, "problem", &said)?;
        } else {
            output.entry(GREEN, "well   ", &format!("{schedule}; {last}; {kept}"))?;
        }
        if status.changed > 0 {
            let changed = counted(status.changed, "backup");
            let said = format!(
                "{changed} in the folder with something missing, changed or unreadable: not counted, and never removed"
            );
            output.entry(YELLOW, "look   ", &said)?;
        }
        Ok(())
    }

    fn last(&self) -> String {
        match self.status.last_at {
            Some(at) => format!("the last complete one was made at {at}"),
            None => "there is no complete one yet".to_owned(),
        }
    }
}
