//! Metrics of the process, from the system at the time of each request.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::gauge::ConstGauge;

/// Memory and open files. What the system doesn't say is left out: zero would be a figure.
#[derive(Debug)]
pub(super) struct ProcessMetrics;

impl Collector for ProcessMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let levels = [
            (
                "resident_memory_bytes",
                "Memory of the process",
                resident_bytes(),
            ),
            ("open_fds", "Open files of the process", open_files()),
        ];
        for (name, help, level) in levels {
            let Some(level) = level else { continue };
            let gauge = ConstGauge::new(level);
            let descriptor = encoder.encode_descriptor(name, help, None, gauge.metric_type())?;
            gauge.encode(descriptor)?;
        }
        Ok(())
    }
}

fn resident_bytes() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: i64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1_024)
}

fn open_files() -> Option<i64> {
    let files = std::fs::read_dir("/proc/self/fd").ok()?;
    i64::try_from(files.count()).ok()
}
