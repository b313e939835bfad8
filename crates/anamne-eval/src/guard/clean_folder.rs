//! Findings in a folder of files that contain no secrets.

use std::fs;
use std::path::{Path, PathBuf};

use super::guard_for;
use super::set::Subject;
use crate::failure::Failure;
use crate::output::line;

/// Larger files are skipped.
const LARGEST: u64 = 4 << 20;

/// The folder.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The folder; read with its subfolders, except hidden ones and `target`.
    folder: PathBuf,
    /// Also print this many lines with findings.
    #[arg(long, value_name = "N", default_value_t = 0)]
    show: usize,
}

/// Counts the lines with findings, each line on its own.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let guard = guard_for(Subject::Secrets)?;
    let (mut files, mut lines, mut flagged) = (0_usize, 0_usize, 0_usize);
    for path in texts(&arguments.folder)? {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        files += 1;
        for (at, one) in text
            .lines()
            .enumerate()
            .filter(|(_, one)| !one.trim().is_empty())
        {
            lines += 1;
            let findings = guard.findings(one);
            if findings.is_empty() {
                continue;
            }
            flagged += 1;
            if flagged <= arguments.show {
                let kinds: Vec<_> = findings.iter().map(|finding| finding.kind.name()).collect();
                let start: String = one.trim().chars().take(160).collect();
                line(&format!(
                    "{}:{} {}\n    {start}",
                    path.display(),
                    at + 1,
                    kinds.join(" ")
                ));
            }
        }
    }
    let share = flagged as f64 / lines.max(1) as f64 * 100.0;
    line(&format!(
        "{files} files, {lines} lines, {flagged} with findings ({share:.4} %)"
    ));
    Ok(())
}

/// The files of a folder and its subfolders, sorted.
pub(super) fn texts(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let is_skipped = name.to_string_lossy().starts_with('.') || name == "target";
            let metadata = entry.metadata()?;
            if metadata.is_dir() && !is_skipped {
                folders.push(entry.path());
            } else if metadata.is_file() && metadata.len() <= LARGEST {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}
