//! The progress bar of an import.

use std::time::Instant;

use anamne::ImportReport;

use super::total::Total;
use crate::output::{memories, report};
use crate::progress::Bar;
use crate::wording::number;

/// A progress bar; not drawn without a terminal.
pub(super) struct Progress {
    bar: Option<Bar>,
    started: Instant,
}

impl Progress {
    /// `bytes` is the total size, if known.
    pub(super) fn new(bytes: Option<u64>, watched: bool) -> Self {
        let template = match bytes {
            Some(_) => "{bar:24} {percent:>3} % {msg} · {eta} to go",
            None => "{spinner} {msg} · {elapsed}",
        };
        let bar = watched.then(|| Bar::new(template, bytes).tick());
        Self {
            bar,
            started: Instant::now(),
        }
    }

    pub(super) fn reading(&self, before: &Total, report: &ImportReport) {
        let Some(bar) = &self.bar else { return };
        let read = before.imported + before.known + report.imported + report.known;
        let rate = read as f64 / self.started.elapsed().as_secs_f64().max(0.001);
        let message = format!("{} · {}/s", memories(read), number(rate as u64));
        bar.reached(before.bytes + report.bytes, &message);
    }

    /// Writes a line above the bar.
    pub(super) fn above(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| report(line)),
            None => report(line),
        }
    }

    pub(super) fn indexing(&self, view: &str) {
        if let Some(bar) = &self.bar {
            bar.report(&format!("updating the {view} index"));
        }
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use indicatif::ProgressStyle;

    #[test]
    fn the_templates_of_the_bar_can_be_read() {
        for template in [
            "{bar:24} {percent:>3} % {msg} · {eta} to go",
            "{spinner} {msg} · {elapsed}",
        ] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}
