//! The memory of processes: read while they run, apart from the timed rounds, because reading disturbs them.

use std::ops::Range;
use std::path::Path;
use std::process::Child;
use std::thread::sleep;
use std::time::Duration;

use super::commands::{Runner, Work};
use crate::failure::Failure;
use crate::speed::budgets;
use crate::speed::figures::Figure;

/// Pause between two reads of a process.
const PAUSE: Duration = Duration::from_micros(200);

/// Peak memory of a process in bytes.
#[derive(Clone, Copy, Default)]
struct Peak {
    /// Resident, with pages of mapped files, which processes share.
    resident: u64,
    /// Of its own.
    anonymous: u64,
}

/// Peak memory by work; none if the system does not report it.
pub(super) struct Resident(Vec<(Work, Peak)>);

impl Resident {
    /// Runs each work in these rounds.
    pub(super) fn read(runner: &Runner<'_>, rounds: Range<u64>) -> Result<Self, Failure> {
        let mut peaks = Vec::new();
        for work in Work::ALL {
            let mut peak = Peak::default();
            for round in rounds.clone() {
                if let Some(child) = runner.start(work, round)? {
                    watch(child, &mut peak)?;
                }
            }
            if peak.resident > 0 {
                peaks.push((work, peak));
            }
        }
        Ok(Self(peaks))
    }

    /// Its own memory, and all resident memory.
    pub(super) fn figures(&self) -> Vec<Figure> {
        let figures = |(work, peak): &(Work, Peak)| {
            let figure = |part: &str, label: &str, bytes: u64| {
                let key = format!("{}_{part}_mb", work.key());
                Figure::mb(&key, &format!("{}{label}", work.label()), bytes as f64)
            };
            [
                figure("own", ", own memory", peak.anonymous).promised(budgets::PROCESS_MEMORY),
                figure("resident", ", and files", peak.resident),
            ]
        };
        self.0.iter().flat_map(figures).collect()
    }
}

/// Reads the memory of a process until it ends.
fn watch(mut child: Child, peak: &mut Peak) -> Result<(), Failure> {
    let status = Path::new("/proc")
        .join(child.id().to_string())
        .join("status");
    // What it prints fits into the pipes: it never waits for a reader.
    while child.try_wait()?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        peak.resident = peak.resident.max(bytes(&text, "VmHWM:"));
        peak.anonymous = peak.anonymous.max(bytes(&text, "RssAnon:"));
        sleep(PAUSE);
    }
    Ok(())
}

/// A number of bytes in a process's status; 0 if it isn't there, as on other systems.
fn bytes(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.map_or(0, |kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_of_a_process_is_read_in_bytes() {
        let status = "Name:\tanamne\nVmHWM:\t   40960 kB\nRssAnon:\t 12 kB\n";
        let read = ["VmHWM:", "RssAnon:", "VmSwap:"].map(|name| bytes(status, name));
        assert_eq!(read, [40_960 * 1024, 12 * 1024, 0]);
    }
}
