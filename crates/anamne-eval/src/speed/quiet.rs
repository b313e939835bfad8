//! Whether the machine was quiet: times that include waits for a core say more about other processes than about the
//! engine.

use super::figures::{Figure, Section, Unit};
use crate::failure::Failure;

/// Waiting time, as a percentage of run time, above which a measurement counts as disturbed.
const DISTURBED: f64 = 5.0;

const DISTURBANCE: &str = "DISTURBED: other programs held the cores; times are too high, and near-equal ones prove nothing";

/// Nanoseconds that this thread has run, and has waited for a core while runnable.
#[derive(Clone, Copy)]
struct Schedule {
    ran: u64,
    waited: u64,
}

impl Schedule {
    /// The current values from Linux's `schedstat`; `None` on other systems.
    fn read() -> Option<Self> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let mut fields = text.split_whitespace().map(str::parse);
        let (ran, waited) = (fields.next()?.ok()?, fields.next()?.ok()?);
        Some(Self { ran, waited })
    }
}

/// CPU time of this thread in milliseconds, without waits for a core; `None` if the system does not report it.
pub(crate) fn processor_ms() -> Option<f64> {
    Schedule::read().map(|schedule| schedule.ran as f64 / 1e6)
}

/// Runs a measurement, and adds this thread's waiting time to its figures. An error becomes a section too.
pub(crate) fn watched(
    measurement: &'static str,
    measure: impl FnOnce() -> Result<Section, Failure>,
) -> Section {
    let before = Schedule::read();
    let mut section = Section::or_failed(measurement, measure());
    if let (Some(before), Some(after), false) = (before, Schedule::read(), section.failed) {
        note(&mut section, before, after);
    }
    section
}

fn note(section: &mut Section, before: Schedule, after: Schedule) {
    let ran = after.ran.saturating_sub(before.ran).max(1);
    let waited = after.waited.saturating_sub(before.waited) as f64 / ran as f64 * 100.0;
    section.figures.push(Figure::new(
        "waited_percent",
        "(waited for a core)",
        waited,
        Unit::WaitedPercent,
    ));
    if waited > DISTURBED {
        section.note.get_or_insert_with(|| DISTURBANCE.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(waited: u64) -> Section {
        let mut section = Section::new("recall", Vec::new());
        let before = Schedule { ran: 10, waited: 5 };
        let after = Schedule {
            ran: 1_010,
            waited: 5 + waited,
        };
        note(&mut section, before, after);
        section
    }

    #[test]
    fn waiting_for_a_core_is_told_and_marked() {
        assert!((noted(300).figures[0].value - 30.0).abs() < 1e-9);
        assert!(
            noted(300)
                .note
                .is_some_and(|note| note.starts_with("DISTURBED"))
        );
        assert!(noted(10).note.is_none());
    }
}
