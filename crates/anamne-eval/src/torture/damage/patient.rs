//! The process that works with a damaged store: its crash is counted and affects nothing else.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anamne::Space;
use serde::{Deserialize, Serialize};

use super::super::space::{SPACE, quiet_store};
use super::harm::FileDamage;
use super::pattern::Pattern;
use super::questions::Answers;
use crate::failure::Failure;
use crate::output;

/// Arguments of the process that works with a damaged store.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The store, damaged now or later.
    #[arg(long)]
    store: PathBuf,
    /// The file that describes the content of the store.
    #[arg(long)]
    pattern: PathBuf,
    /// Open the store, report that, and wait for an input line before continuing.
    #[arg(long)]
    in_use: bool,
}

/// The result of working with a damaged store.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct PatientReport {
    /// How the process crashed.
    #[serde(default)]
    pub(super) crash: Option<String>,
    /// The first answers.
    pub(super) first: Answers,
    /// Errors, and findings of checks, verification and repair.
    pub(super) named: Vec<String>,
    /// Automatic repairs.
    pub(super) repaired: Vec<String>,
    /// The answers to the same questions after all repairs.
    pub(super) after: Answers,
}

impl PatientReport {
    /// The problems, as text.
    pub(super) fn in_words(&self) -> Vec<String> {
        let first = self.first.wrong.iter().chain(&self.first.lost).take(3);
        let after = self.after.wrong.iter().chain(&self.after.lost).take(3);
        self.crash
            .iter()
            .cloned()
            .chain(first.map(|what| format!("at first: {what}")))
            .chain(after.map(|what| format!("after repair: {what}")))
            .chain(
                self.named
                    .iter()
                    .take(3)
                    .map(|what| format!("named: {what}")),
            )
            .collect()
    }
}

/// The line that reports the store as open.
const OPEN: &str = "open";

/// Damages `store`, before or while a process has it open, and returns the report of that process.
pub(super) fn examine(
    store: &Path,
    pattern: &Path,
    harm: &FileDamage,
    in_use: bool,
) -> Result<PatientReport, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("torture-patient").arg("--store").arg(store);
    command.arg("--pattern").arg(pattern);
    if in_use {
        command.arg("--in-use");
    } else {
        harm.strike(store)?;
    }
    let mut patient = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if in_use && let (Some(stdin), Some(stdout)) = (&mut patient.stdin, &mut patient.stdout) {
        let mut line = String::new();
        // Reads single bytes, so that nothing after the line is consumed.
        BufReader::with_capacity(1, stdout).read_line(&mut line)?;
        if line.trim() == OPEN {
            harm.strike(store)?;
            stdin.write_all(b"\n")?;
        }
    }
    let output = patient.wait_with_output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    match serde_json::from_str(text.trim()) {
        Ok(said) if output.status.success() => Ok(said),
        _ => Ok(PatientReport {
            crash: Some(format!(
                "{}: {}",
                output.status,
                String::from_utf8_lossy(&output.stderr).trim()
            )),
            ..PatientReport::default()
        }),
    }
}

/// Works with the store as programs and users would, and prints the result as one line of JSON.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let pattern = Pattern::read(&arguments.pattern)?;
    let mut said = PatientReport::default();
    let open = || {
        let store = quiet_store(&arguments.store)?;
        let space = store.existing_space(SPACE)?;
        Ok::<_, Failure>((store, space))
    };
    match open() {
        Ok((_store, space)) => {
            if arguments.in_use {
                pattern.ask(&space);
                output::line(OPEN);
                std::io::stdin().read_line(&mut String::new())?;
            }
            said.first = pattern.ask(&space);
            said.work_on(&space);
        }
        Err(error) => said.named.push(format!("opening: {error}")),
    }
    said.repair(&arguments.store);
    match open() {
        Ok((_store, space)) => said.after = pattern.ask(&space),
        Err(error) => said
            .named
            .push(format!("opening after the repair: {error}")),
    }
    output::line(&serde_json::to_string(&said)?);
    Ok(ExitCode::SUCCESS)
}

impl PatientReport {
    /// Runs background work and examines the space as `doctor` does.
    fn work_on(&mut self, space: &Space) {
        self.named.append(&mut self.first.errors.clone());
        if let Err(error) = space.settle(&mut |_, _| {}) {
            self.named.push(format!("settling: {error}"));
        }
        match space.check_up() {
            Ok(found) => {
                self.repaired.extend(found.repaired);
                self.named.extend(found.problems);
            }
            Err(error) => self.named.push(format!("check-up: {error}")),
        }
    }

    /// Verifies the store, and repairs it if necessary.
    fn repair(&mut self, store: &Path) {
        let repaired = || -> Result<(Vec<String>, Vec<String>), Failure> {
            let store = quiet_store(store)?;
            let findings: Vec<_> = store
                .verify(None)?
                .into_iter()
                .flat_map(|verified| verified.examination.findings)
                .map(|finding| finding.to_string())
                .collect();
            if findings.is_empty() {
                return Ok((findings, Vec::new()));
            }
            let reports = store.repair(Some(SPACE))?;
            let repaired = reports
                .iter()
                .flat_map(|report| report.repaired.clone())
                .collect();
            let lost = reports.into_iter().flat_map(|report| report.lost);
            Ok((findings.into_iter().chain(lost).collect(), repaired))
        };
        match repaired() {
            Ok((mut named, mut repaired)) => {
                self.named.append(&mut named);
                self.repaired.append(&mut repaired);
            }
            Err(error) => self.named.push(format!("repair: {error}")),
        }
    }
}
