//! The post-commit hook of a person: whether it runs, and for which repositories, stays as it is or is said.

#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::bench::Bench;
use crate::hooks::run_in;

const SCRIPT: &str = "#!/bin/sh\necho mine\n";

/// A repository in a folder of the bench.
fn repository(bench: &Bench) -> PathBuf {
    let project = bench.folder().join("project");
    fs::create_dir_all(&project).expect("a folder");
    git(bench, &project, &["init", "-q", "-b", "main"]);
    assert_eq!(run_in(bench, &project, &["init"]).code, 0);
    project
}

fn git(bench: &Bench, folder: &Path, arguments: &[&str]) {
    let run = std::process::Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("HOME", bench.folder())
        .status();
    assert!(run.expect("git").success(), "{arguments:?}");
}

fn write_hook(path: &Path, mode: u32) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, SCRIPT).expect("written");
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("the mode");
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("the hook").permissions().mode() & 0o777
}

#[test]
fn a_hook_that_is_switched_off_is_left_alone() {
    let bench = Bench::new();
    let project = repository(&bench);
    let hook = project.join(".git/hooks/post-commit");
    write_hook(&hook, 0o644);
    let ran = run_in(&bench, &project, &["hook", "git", "--install"]);
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("not executable"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&hook).expect("the hook"), SCRIPT);
    assert_eq!(mode(&hook), 0o644);
}

#[test]
fn a_hook_keeps_its_mode() {
    let bench = Bench::new();
    let project = repository(&bench);
    let hook = project.join(".git/hooks/post-commit");
    write_hook(&hook, 0o700);
    for action in ["--install", "--remove"] {
        let ran = run_in(&bench, &project, &["hook", "git", action]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(mode(&hook), 0o700, "{action}");
        assert!(!ran.stderr.contains("every repository"), "{}", ran.stderr);
    }
    assert_eq!(fs::read_to_string(&hook).expect("the hook"), SCRIPT);
    // One that was switched off since stays so.
    run_in(&bench, &project, &["hook", "git", "--install"]);
    fs::set_permissions(&hook, Permissions::from_mode(0o600)).expect("the mode");
    run_in(&bench, &project, &["hook", "git", "--remove"]);
    assert_eq!(mode(&hook), 0o600);
    assert_eq!(fs::read_to_string(&hook).expect("the hook"), SCRIPT);
}

#[test]
fn a_hook_of_all_repositories_is_called_that() {
    let bench = Bench::new();
    let project = repository(&bench);
    let shared = bench.folder().join("ghooks");
    let path = shared.to_str().expect("Unicode");
    git(&bench, &project, &["config", "core.hooksPath", path]);
    for action in ["--install", "--remove"] {
        let ran = run_in(&bench, &project, &["hook", "git", action]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("every repository"),
            "{action}: {}",
            ran.stderr
        );
    }
    git(&bench, &project, &["config", "core.hooksPath", ".githooks"]);
    let ran = run_in(&bench, &project, &["hook", "git", "--install"]);
    assert!(!ran.stderr.contains("every repository"), "{}", ran.stderr);
}
