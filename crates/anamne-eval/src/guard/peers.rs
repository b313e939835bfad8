//! Two public scanners on the same texts: detect-secrets (PyPI) and secretlint (npm) with its recommended rules.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::score::Found;
use super::set::Record;
use crate::failure::Failure;

/// The folder of the texts inside the folder of the tools.
const TEXTS: &str = "texts";

/// A scanner.
#[derive(Clone, Copy)]
pub(super) enum Peer {
    /// Yelp's detect-secrets with its default plugins; it never checks values with their vendors here.
    DetectSecrets,
    /// secretlint with the preset `recommend`.
    Secretlint,
}

impl Peer {
    /// All scanners.
    pub(super) const ALL: [Self; 2] = [Self::DetectSecrets, Self::Secretlint];

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::DetectSecrets => "detect-secrets",
            Self::Secretlint => "secretlint",
        }
    }

    /// Its version, and what it found: every text is a file of its own.
    pub(super) fn scan(
        self,
        records: &[Record],
        tools: &Path,
    ) -> Result<(String, Vec<Found>), Failure> {
        let tools = std::path::absolute(tools)?.join(self.name());
        fs::create_dir_all(&tools)?;
        let names = write(records, &tools.join(TEXTS))?;
        let (version, flagged) = match self {
            Self::DetectSecrets => detect_secrets(&tools)?,
            Self::Secretlint => secretlint(&tools, names.len())?,
        };
        let found = names
            .iter()
            .map(|name| Found::Anything(flagged.contains(name)));
        Ok((version, found.collect()))
    }
}

/// Writes one file per text; returns their names.
fn write(records: &[Record], folder: &Path) -> Result<Vec<String>, Failure> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir(folder)?;
    let mut names = Vec::new();
    for (at, record) in records.iter().enumerate() {
        let extension = match record.extension.as_str() {
            // Plain text to both scanners; they know no such extensions.
            "chat" | "lock" => "txt",
            other => other,
        };
        let name = format!("r{at:05}.{extension}");
        fs::write(folder.join(&name), format!("{}\n", record.text))?;
        names.push(name);
    }
    Ok(names)
}

/// Names of the files with findings.
type Flagged = HashSet<String>;

fn detect_secrets(tools: &Path) -> Result<(String, Flagged), Failure> {
    let program = tools.join("venv/bin/detect-secrets");
    if !program.exists() {
        run(
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(tools.join("venv")),
            &[0],
        )?;
        let pip = tools.join("venv/bin/pip");
        run(
            Command::new(pip).args(["install", "--quiet", "detect-secrets"]),
            &[0],
        )?;
    }
    let version = run(Command::new(&program).arg("--version"), &[0])?;
    let report = run(
        Command::new(&program)
            .args(["scan", "--all-files", "--no-verify", "."])
            .current_dir(tools.join(TEXTS)),
        &[0],
    )?;
    let report: Value = serde_json::from_str(&report)?;
    let results = report["results"]
        .as_object()
        .ok_or("a report without results")?;
    let flagged = results.keys().map(|path| file_name(path)).collect();
    Ok((version.trim().to_owned(), flagged))
}

fn secretlint(tools: &Path, count: usize) -> Result<(String, Flagged), Failure> {
    const PRESET: &str = "@secretlint/secretlint-rule-preset-recommend";
    let program = tools.join("node_modules/.bin/secretlint");
    if !program.exists() {
        fs::write(tools.join("package.json"), r#"{"private": true}"#)?;
        let install = ["install", "--no-audit", "--no-fund", "secretlint", PRESET];
        run(Command::new("npm").args(install).current_dir(tools), &[0])?;
    }
    let rules = format!(r#"{{"rules": [{{"id": "{PRESET}"}}]}}"#);
    fs::write(tools.join(".secretlintrc.json"), rules)?;
    let version = run(
        Command::new(&program).arg("--version").current_dir(tools),
        &[0],
    )?;
    let mut flagged = Flagged::new();
    for hundred in 0..count.div_ceil(100) {
        let texts = format!("{TEXTS}/r{hundred:03}??.*");
        flagged.extend(secretlint_some(tools, &program, &texts)?);
    }
    Ok((version.trim().to_owned(), flagged))
}

/// Runs secretlint on some of the texts: its time grows with the square of the number of files.
fn secretlint_some(tools: &Path, program: &Path, texts: &str) -> Result<Flagged, Failure> {
    // A pipe would lose the end of a long report.
    const REPORT: &str = "report.json";
    let arguments = ["--format", "json", "--output", REPORT, texts];
    // It exits with 1 if it found something.
    run(
        Command::new(program).args(arguments).current_dir(tools),
        &[0, 1],
    )?;
    let report: Value = serde_json::from_slice(&fs::read(tools.join(REPORT))?)?;
    let files = report.as_array().ok_or("a report that is no list")?;
    let has_findings = |file: &&Value| {
        file["messages"]
            .as_array()
            .is_some_and(|all| !all.is_empty())
    };
    let flagged = files.iter().filter(has_findings);
    let flagged = flagged.filter_map(|file| file["filePath"].as_str().map(file_name));
    Ok(flagged.collect())
}

fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name().map(PathBuf::from);
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// Standard output of a command that exits with one of these codes.
fn run(command: &mut Command, codes: &[i32]) -> Result<String, Failure> {
    let output = command.output()?;
    if output
        .status
        .code()
        .is_some_and(|code| codes.contains(&code))
    {
        return Ok(String::from_utf8(output.stdout)?);
    }
    let program = command.get_program().to_string_lossy().into_owned();
    let said = String::from_utf8_lossy(&output.stderr);
    let last: Vec<&str> = said.lines().rev().take(3).collect();
    Err(format!("{program}: {} ({})", output.status, last.join("; ")).into())
}
