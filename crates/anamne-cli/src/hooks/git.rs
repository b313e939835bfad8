//! The post-commit hook of a repository: each commit becomes a memory of the project.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anamne::{Body, Draft};
use anamne_hosts::hook::HookInput;

use super::job::JobArguments;
use super::session::HookSite;
use super::{start_later, watchdog};
use crate::arguments::Global;
use crate::failure::Failure;
use crate::output::Output;
use crate::programs;
use crate::shell::shell_word;
use crate::whole_file::write_whole;
use crate::wording::file_name;

/// The first line of our part of the script.
const BEGIN: &str = "# anamne:begin";

/// The last line of it.
const END: &str = "# anamne:end";

/// The shells that can run our line.
const SHELLS: [&str; 9] = [
    "sh", "ash", "bash", "dash", "fish", "ksh", "mksh", "yash", "zsh",
];

/// Who tells of commits.
const HOST: &str = "git";

/// The most files that are named in a memory.
const MOST_FILES: usize = 100;

/// Fields of a commit, separated by null characters: hash, time, author, message.
const FORMAT: &str = "--format=%H%x00%cI%x00%an%x00%B";

/// The author's tag on the memories of commits.
const TAG: &str = "commit";

/// Stores the latest commit of the current folder's repository. Never fails: git has committed already.
pub(crate) fn commit(global: &Global) {
    watchdog::end_in_time();
    let Ok(folder) = std::env::current_dir() else {
        return;
    };
    // There is nobody to report a failure to; the commit itself is in git.
    let _ = store_commit(global, &folder);
}

fn store_commit(global: &Global, folder: &Path) -> Result<(), Failure> {
    let input = HookInput {
        folder: Some(folder.to_owned()),
        ..HookInput::default()
    };
    let Some(site) = HookSite::find(global, HOST, &input, Instant::now())? else {
        return Ok(());
    };
    let Some(draft) = commit_draft(folder) else {
        return Ok(());
    };
    match &site.remote {
        Some(remote) => {
            remote.keep(HOST, &site.space, &[draft], site.now)?;
            start_later(&site.job(HOST, JobArguments::default()));
        }
        None => drop(site.space()?.remember(draft)?),
    }
    Ok(())
}

/// The latest commit as an episode: message, files and branch.
fn commit_draft(folder: &Path) -> Option<Draft> {
    let shown = git(folder, &["log", "-1", "--no-show-signature", FORMAT])?;
    let [hash, time, author, message] = shown.splitn(4, '\0').collect::<Vec<_>>()[..] else {
        return None;
    };
    let message = message.trim();
    let branch = git(folder, &["branch", "--show-current"])?;
    let named = ["show", "--name-only", "--format=", "-z", hash];
    let files = git(folder, &named).unwrap_or_default();
    let files: Vec<&str> = files.split('\0').filter(|file| !file.is_empty()).collect();
    let mut draft = Draft::new(content(hash, branch.trim(), message, &files))
        .body(Body::Episode {
            goal: message.lines().next().unwrap_or_default().to_owned(),
            plan: Vec::new(),
            steps: Vec::new(),
            outcome: "committed".to_owned(),
            tool_log: Vec::new(),
            salience: None,
        })
        .author(author.trim())
        .tag(TAG);
    draft.external_id = Some(format!("git:{hash}"));
    draft.occurred_at = time.parse().ok();
    Some(draft)
}

fn content(hash: &str, branch: &str, message: &str, files: &[&str]) -> String {
    let short = hash.get(..10).unwrap_or(hash);
    let on = if branch.is_empty() {
        String::new()
    } else {
        format!(" on {branch}")
    };
    let mut listed = files[..files.len().min(MOST_FILES)].join(", ");
    if files.len() > MOST_FILES {
        listed = format!("{listed} and {} more", files.len() - MOST_FILES);
    }
    format!("Commit {short}{on}: {message}\n\nFiles: {listed}")
}

/// What git prints, if it succeeds.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let run = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = run
        .status
        .success()
        .then(|| String::from_utf8_lossy(&run.stdout).into_owned())?;
    Some(text)
}

/// Adds our lines to the repository's post-commit hook, which is created if missing.
pub(crate) fn install(global: &Global, output: &mut Output) -> Result<(), Failure> {
    let path = hook_file()?;
    let before = read(&path)?;
    check_switched_on(&path)?;
    let text = before.as_deref().unwrap_or("#!/bin/sh\n");
    check_shell(&path, text)?;
    let after = with_block(&path, text, Some(&command_line(global)?))?;
    if before.as_deref() == Some(after.as_str()) {
        return output.line(format_args!("{} is up to date", file_name(&path)));
    }
    write_script(&path, &after)?;
    output.line(format_args!(
        "{} stores each commit from now on, except merges without conflicts",
        file_name(&path)
    ))?;
    note_shared(&path, output);
    Ok(())
}

/// Takes our lines out of the hook; a hook with nothing else is removed.
pub(crate) fn uninstall(output: &mut Output) -> Result<(), Failure> {
    let path = hook_file()?;
    let Some(before) = read(&path)? else {
        return output.line(format_args!("there is no {}", file_name(&path)));
    };
    let after = with_block(&path, &before, None)?;
    if after == before {
        return output.line(format_args!("{} doesn't call anamne", file_name(&path)));
    }
    if after.trim() == "#!/bin/sh" {
        fs::remove_file(&path).map_err(|error| unwritable(&path, &error))?;
    } else {
        write_script(&path, &after)?;
    }
    output.line(format_args!("removed from {}", file_name(&path)))?;
    note_shared(&path, output);
    Ok(())
}

/// Says that a hook outside of the repository, as `core.hooksPath` can name one, is that of others, too.
fn note_shared(path: &Path, output: &Output) {
    if is_shared(path) {
        output.note("this is the hook of every repository that uses its folder (core.hooksPath)");
    }
}

/// Whether a hook lies neither in the repository of the current folder nor among its files.
fn is_shared(path: &Path) -> bool {
    let Ok(folder) = std::env::current_dir() else {
        return false;
    };
    let Ok(path) = path.canonicalize().or_else(|_| parent_of(path)) else {
        return false;
    };
    let of_repository = ["--git-common-dir", "--show-toplevel"].iter().any(|which| {
        let root = git(&folder, &["rev-parse", which]);
        let root = root.map(|root| folder.join(root.trim_end()));
        root.and_then(|root| root.canonicalize().ok())
            .is_some_and(|root| path.starts_with(root))
    });
    !of_repository
}

/// The folder of a file that was removed.
fn parent_of(path: &Path) -> std::io::Result<PathBuf> {
    path.parent().unwrap_or(path).canonicalize()
}

/// Refuses a hook that git doesn't run, since its owner switched it off: our lines would switch it on.
#[cfg(unix)]
fn check_switched_on(path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    let is_off = fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o111 == 0);
    if !is_off {
        return Ok(());
    }
    let name = file_name(path);
    Err(Failure::refused(
        "hook",
        format!("git doesn't run {name}, which is not executable; it was left alone"),
    )
    .hint(format!(
        "switch it on with `chmod +x {name}`, or move it away, and repeat"
    )))
}

#[cfg(not(unix))]
fn check_switched_on(_: &Path) -> Result<(), Failure> {
    Ok(())
}

/// The hook of the current folder's repository, wherever its configuration puts hooks.
fn hook_file() -> Result<PathBuf, Failure> {
    let folder = std::env::current_dir()
        .map_err(|error| Failure::failed(format!("can't find the current folder: {error}")))?;
    let path =
        git(&folder, &["rev-parse", "--git-path", "hooks/post-commit"]).ok_or_else(|| {
            Failure::not_found("the current folder is in no git repository, or git isn't installed")
                .hint("run this in the project's folder")
        })?;
    Ok(folder.join(path.trim_end()))
}

fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::failed(format!(
            "can't read {}: {error}",
            file_name(path)
        ))),
    }
}

/// Refuses a hook that no shell runs.
fn check_shell(path: &Path, text: &str) -> Result<(), Failure> {
    let first = text.lines().next().unwrap_or_default();
    if interpreter(first).is_some_and(|program| SHELLS.contains(&program)) {
        return Ok(());
    }
    let name = file_name(path);
    Err(Failure::refused(
        "hook",
        format!("{name} is no shell script; it was left alone"),
    )
    .hint("let it run `anamne hook git-commit` after each commit"))
}

/// The program that the first line of a script names, itself or through `env`.
fn interpreter(first: &str) -> Option<&str> {
    let mut words = first.strip_prefix("#!")?.split_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    if program != "env" {
        return Some(program);
    }
    let named = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    named.rsplit('/').next()
}

/// The text with `line` between our marks, or without our lines. They come first: a script may end anywhere.
fn with_block(path: &Path, text: &str, line: Option<&str>) -> Result<String, Failure> {
    let rest = without_block(path, text)?;
    let Some(line) = line else {
        return Ok(rest);
    };
    let (first, after) = rest.split_once('\n').unwrap_or((&rest, ""));
    Ok(format!("{first}\n{BEGIN}\n{line}\n{END}\n{after}"))
}

/// The text without our lines.
fn without_block(path: &Path, text: &str) -> Result<String, Failure> {
    let count = |mark| text.lines().filter(|line| *line == mark).count();
    match (count(BEGIN), count(END)) {
        (0, 0) => Ok(text.to_owned()),
        (1, 1) => {
            let (before, rest) = text.split_once(BEGIN).unwrap_or((text, ""));
            let (_, after) = rest.split_once(END).unwrap_or((rest, ""));
            let after = after.strip_prefix('\n').unwrap_or(after);
            Ok(format!("{before}{after}"))
        }
        _ => Err(Failure::refused(
            "hook",
            format!(
                "the marks {BEGIN} and {END} in {} don't match; it was left alone",
                file_name(path)
            ),
        )),
    }
}

/// The line that runs after each commit.
fn command_line(global: &Global) -> Result<String, Failure> {
    let commands = programs::for_hosts(global)?;
    let words = std::iter::once(&commands.program)
        .chain(&commands.global)
        .map(|word| shell_word(word));
    let line = words.collect::<Vec<_>>().join(" ");
    Ok(format!(
        "{line} hook git-commit </dev/null >/dev/null 2>&1 || true"
    ))
}

/// Writes the script. A new one can be run; an existing one keeps its mode.
fn write_script(path: &Path, text: &str) -> Result<(), Failure> {
    let former = fs::metadata(path).ok().map(|found| found.permissions());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    }
    write_whole(path, |file| Ok(file.write_all(text.as_bytes())?))?;
    #[cfg(not(unix))]
    drop(former);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = former.unwrap_or_else(|| fs::Permissions::from_mode(0o755));
        fs::set_permissions(path, mode).map_err(|error| unwritable(path, &error))?;
    }
    Ok(())
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("can't write {}: {error}", file_name(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_lines_come_and_go_and_leave_the_rest() {
        let path = Path::new("post-commit");
        for text in [
            "#!/bin/sh\n",
            "#!/bin/bash\necho one\n",
            "#!/bin/sh\necho one",
            "#!/bin/sh\necho one\nexit 0\n",
        ] {
            let with = with_block(path, text, Some("anamne hook git-commit")).expect("added");
            let (first, rest) = text.split_once('\n').expect("a line");
            let block = "# anamne:begin\nanamne hook git-commit\n# anamne:end";
            assert_eq!(with, format!("{first}\n{block}\n{rest}"));
            let again = with_block(path, &with, Some("anamne hook git-commit")).expect("replaced");
            assert_eq!(again, with);
            let without = with_block(path, &with, None).expect("removed");
            assert_eq!(without, text);
            let at_the_end = format!("{text}\n{block}\n");
            let moved = with_block(path, &at_the_end, Some("anamne hook git-commit"));
            assert_eq!(moved.expect("moved").trim_end(), with.trim_end());
        }
        assert!(with_block(path, "#!/bin/sh\n# anamne:begin\n", None).is_err());
    }

    #[test]
    fn a_hook_that_no_shell_runs_is_left_alone() {
        let path = Path::new("post-commit");
        for text in [
            "#!/bin/sh\n",
            "#!/usr/bin/env bash\n",
            "#!/bin/bash -e\n",
            "#!/usr/bin/env -S LANG=C bash -eu\n",
            "#! /bin/sh -eu\r\n",
        ] {
            assert!(check_shell(path, text).is_ok(), "{text:?}");
        }
        for text in [
            "#!/usr/bin/python3\n",
            "#!/usr/bin/env pwsh\n",
            "",
            "\u{7f}ELF",
        ] {
            assert!(check_shell(path, text).is_err(), "{text:?}");
        }
    }
}
