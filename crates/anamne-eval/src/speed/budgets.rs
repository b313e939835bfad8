//! The engine's performance budgets, for a machine with two cores.

use super::figures::Budget;

/// Milliseconds of a warm recall at p95, by maximum number of records.
const RECALL: [(u64, f64); 3] = [(10_000, 0.5), (100_000, 2.0), (1_000_000, 10.0)];

/// Megabytes of anonymous memory of a process that has answered, by maximum number of records.
const MEMORY: [(u64, f64); 2] = [(100_000, 60.0), (1_000_000, 200.0)];

/// `remember` at p50, relative to a bare commit.
pub(crate) const REMEMBER: Budget = Budget::RatioAtMost(2.0);

/// Writes per second of 64 threads: at least twice those of one thread.
pub(crate) const MANY_WRITERS: Budget = Budget::RatioAtMost(0.5);

/// Records per second, embedded and indexed.
pub(crate) const IMPORT: Budget = Budget::AtLeast(10_000.0);

/// Milliseconds from opening a store to the first answer.
pub(crate) const OPEN: Budget = Budget::AtMost(100.0);

/// Milliseconds from exec to the first reply of the server.
pub(crate) const FIRST_REPLY: Budget = Budget::AtMost(50.0);

/// Megabytes of anonymous memory of a process before its first query.
pub(crate) const IDLE_MEMORY: Budget = Budget::AtMost(25.0);

/// KiB on disk per thousand records.
pub(crate) const DISK: Budget = Budget::AtMost(600.0);

/// Megabytes of the binary.
pub(crate) const BINARY: Budget = Budget::AtMost(60.0);

/// The hook of a prompt, from fork to exit at p95, relative to `--version` and opening and answering in a process.
pub(crate) const PROMPT: Budget = Budget::RatioAtMost(2.0);

/// The hook of a session's start, relative to the same.
pub(crate) const SESSION_START: Budget = Budget::RatioAtMost(4.0);

/// The hook of a turn's end, relative to `anamne remember`.
pub(crate) const TURN_END: Budget = Budget::RatioAtMost(2.0);

/// Megabytes of memory of a process of the command.
pub(crate) const PROCESS_MEMORY: Budget = Budget::AtMost(40.0);

/// Tokens of the tool list.
pub(crate) const TOOL_LIST: Budget = Budget::AtMost(2_500.0);

/// Messages extracted per second while questions are asked: 10 000 per minute.
pub(crate) const EXTRACT: Budget = Budget::AtLeast(10_000.0 / 60.0);

/// Recall latency during background extraction, relative to that without.
pub(crate) const RECALL_WHILE_EXTRACTING: Budget = Budget::RatioAtMost(1.2);

/// Megabytes of additional memory for extraction.
pub(crate) const EXTRACTION_MEMORY: Budget = Budget::AtMost(150.0);

/// Milliseconds of a two-hop query at p95, in the active and the recent tier, by maximum number of records.
const TWO_HOPS: [(u64, f64); 1] = [(60_000, 10.0)];

/// Milliseconds of a deep query over all tiers at p95, up to a million records.
pub(crate) const DEEP: Budget = Budget::AtMost(60.0);

/// A context block from long messages at p95, relative to a recall.
pub(crate) const CONTEXT: Budget = Budget::RatioAtMost(2.5);

/// The budget of a two-hop query over this many records.
pub(crate) fn two_hops(records: u64) -> Option<Budget> {
    of_size(&TWO_HOPS, records)
}

/// The budget of a recall over this many records; none above the largest.
pub(crate) fn recall(records: u64) -> Option<Budget> {
    of_size(&RECALL, records)
}

/// The memory budget of a process that has answered over this many records.
pub(crate) fn memory(records: u64) -> Option<Budget> {
    of_size(&MEMORY, records)
}

fn of_size(budgets: &[(u64, f64)], records: u64) -> Option<Budget> {
    let (_, limit) = budgets.iter().find(|(largest, _)| records <= *largest)?;
    Some(Budget::AtMost(*limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_in_between_has_the_budget_of_the_next_one() {
        let limits = [500, 10_000, 10_001, 1_000_000].map(recall);
        let expected = [0.5, 0.5, 2.0, 10.0].map(|limit| Some(Budget::AtMost(limit)));
        assert_eq!(limits, expected);
        assert_eq!(recall(1_000_001), None);
    }
}
