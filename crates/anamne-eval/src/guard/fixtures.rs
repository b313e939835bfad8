//! Test data of other scanners, from checkouts of their repositories. The packages on PyPI and npm don't contain it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::guard_for;
use super::set::Subject;
use crate::failure::Failure;
use crate::output::line;

/// The checkouts.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A checkout of github.com/secretlint/secretlint.
    #[arg(long, value_name = "DIR", required_unless_present = "detect_secrets")]
    secretlint: Option<PathBuf>,
    /// A checkout of github.com/Yelp/detect-secrets.
    #[arg(long, value_name = "DIR")]
    detect_secrets: Option<PathBuf>,
    /// Also print this many disagreements.
    #[arg(long, value_name = "N", default_value_t = 0)]
    show: usize,
}

/// A text of another scanner's tests, and whether that scanner must find something in it.
struct Case {
    name: String,
    text: String,
    is_secret: bool,
}

/// Prints how often the guard agrees with the tests.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(folder) = &arguments.secretlint {
        report("secretlint", &secretlint(folder)?, arguments.show)?;
    }
    if let Some(folder) = &arguments.detect_secrets {
        report("detect-secrets", &detect_secrets(folder)?, arguments.show)?;
    }
    Ok(())
}

fn report(name: &str, cases: &[Case], show: usize) -> Result<(), Failure> {
    let guard = guard_for(Subject::Secrets)?;
    let is_found = |case: &Case| !guard.findings(&case.text).is_empty();
    let [mut found, mut secrets, mut alarms] = [0; 3];
    let mut disagreements = Vec::new();
    for case in cases {
        let is_found = is_found(case);
        secrets += usize::from(case.is_secret);
        found += usize::from(case.is_secret && is_found);
        alarms += usize::from(!case.is_secret && is_found);
        if case.is_secret != is_found {
            disagreements.push(case);
        }
    }
    line(&format!(
        "{name}: {found} of {secrets} texts with secrets found, findings in {alarms} of {} texts without",
        cases.len() - secrets
    ));
    for case in disagreements.into_iter().take(show) {
        let said = if case.is_secret { "missed" } else { "alarm" };
        let start: String = case.text.chars().take(200).collect();
        line(&format!("  {said} {} {start:?}", case.name));
    }
    Ok(())
}

/// Snapshots: folders with an `output.json`, which contains the text or stands beside `input…`. Those with options of
/// their own are skipped.
fn secretlint(folder: &Path) -> Result<Vec<Case>, Failure> {
    let mut cases = Vec::new();
    for snapshot in folders(&folder.join("packages"))? {
        let Ok(output) = fs::read_to_string(snapshot.join("output.json")) else {
            continue;
        };
        let names = entries(&snapshot)?;
        let starts = |path: &Path, start: &str| file_name(path).starts_with(start);
        if starts(&snapshot, "options") || names.iter().any(|path| starts(path, "options")) {
            continue;
        }
        let output: Value = serde_json::from_str(&output)?;
        let input = names.iter().find(|path| starts(path, "input"));
        let text = match output["sourceContent"].as_str() {
            Some(text) => Some(text.to_owned()),
            None => input.and_then(|path| fs::read_to_string(path).ok()),
        };
        cases.extend(text.map(|text| {
            Case {
                name: file_name(&snapshot),
                text,
                is_secret: output["messages"]
                    .as_array()
                    .is_some_and(|all| !all.is_empty()),
            }
        }));
    }
    Ok(cases)
}

/// Reads the cases of `@pytest.mark.parametrize("payload, should_flag", […])` that are literals.
const PYTEST_CASES: &str = r#"
import ast, json, pathlib, sys
cases = []
for path in sorted(pathlib.Path(sys.argv[1]).glob("tests/plugins/*_test.py")):
    for node in ast.walk(ast.parse(path.read_text())):
        if not (isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "parametrize" and len(node.args) == 2):
            continue
        try:
            names = ast.literal_eval(node.args[0])
        except ValueError:
            continue
        names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
        flag = next((at for at, name in enumerate(names) if name.startswith("should_")), None)
        if flag is None or not isinstance(node.args[1], (ast.List, ast.Tuple)):
            continue
        for case in node.args[1].elts:
            try:
                values = ast.literal_eval(case)
            except (ValueError, TypeError):
                continue
            if isinstance(values, tuple) and isinstance(values[0], str) and len(values) > flag:
                cases.append({"name": path.name, "text": values[0], "secret": bool(values[flag])})
json.dump(cases, sys.stdout)
"#;

fn detect_secrets(folder: &Path) -> Result<Vec<Case>, Failure> {
    let output = Command::new("python3")
        .args(["-c", PYTEST_CASES])
        .arg(folder)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let cases: Vec<Value> = serde_json::from_slice(&output.stdout)?;
    let text = |case: &Value, key: &str| case[key].as_str().unwrap_or_default().to_owned();
    let case = |case: &Value| Case {
        name: text(case, "name"),
        text: text(case, "text"),
        is_secret: case["secret"].as_bool().unwrap_or_default(),
    };
    Ok(cases.iter().map(case).collect())
}

/// All folders below one, without `node_modules`.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut all = vec![folder.to_owned()];
    let mut at = 0;
    while at < all.len() {
        let below = entries(&all[at])?;
        let is_kept = |path: &PathBuf| path.is_dir() && file_name(path) != "node_modules";
        all.extend(below.into_iter().filter(is_kept));
        at += 1;
    }
    Ok(all)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
