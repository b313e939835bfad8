//! The command that other programs run to reach this one.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anamne_hosts::Commands;
use anamne_hosts::adapters::is_ours;

use crate::arguments::Global;
use crate::failure::Failure;
use crate::wording::file_name;

/// The name of this program.
const NAME: &str = "anamne";

/// The commands for hosts: by name if the search path finds this program, else by its absolute path. A store and a
/// space that were given go with them.
pub(crate) fn for_hosts(global: &Global) -> Result<Commands, Failure> {
    let current = std::env::current_exe()
        .map_err(|error| Failure::failed(format!("can't find this program's file: {error}")))?;
    let program = if found_in_path().is_some_and(|found| is_same(&found, &current)) {
        NAME.to_owned()
    } else {
        current.to_str().map(str::to_owned).ok_or_else(|| {
            Failure::failed(
                "the path of this program is not Unicode, so no host can be told to run it",
            )
            .hint("put `anamne` in a folder of the search path")
        })?
    };
    Ok(Commands {
        program,
        global: given(global)?,
    })
}

/// Refuses a program whose hooks set-up would neither find again nor remove.
pub(crate) fn check_name(program: &str) -> Result<(), Failure> {
    if is_ours(program) {
        return Ok(());
    }
    let message = format!(
        "hooks are recognised by the program's name, and {} is not called {NAME}",
        file_name(program)
    );
    Err(Failure::refused("program", message).hint(format!("call its file {NAME}")))
}

/// The options that were given for the store and the space.
fn given(global: &Global) -> Result<Vec<String>, Failure> {
    let mut options = Vec::new();
    if let Some(store) = global.store.as_ref().filter(|store| !store.is_empty()) {
        let store = std::path::absolute(store)
            .map_err(|error| Failure::failed(format!("can't find the store's folder: {error}")))?;
        let text = store.to_str().ok_or_else(|| {
            Failure::refused(
                "store",
                "the store's path is not Unicode, so no host can be told of it",
            )
        })?;
        options.extend(["--store".to_owned(), text.to_owned()]);
    }
    if let Some(space) = global.space.as_ref().filter(|space| !space.is_empty()) {
        options.extend(["--space".to_owned(), space.clone()]);
    }
    Ok(options)
}

/// How long a program may take to tell its version: the first start of a large one on a busy machine takes long.
const VERSION_PATIENCE: Duration = Duration::from_secs(30);

/// The most bytes of an answer that are read.
const MAX_VERSION: u64 = 4096;

/// What a program prints with `--version`: at most some lines, without waiting for long.
pub(crate) fn version_of(program: &Path) -> Option<String> {
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let printed = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = printed.take(MAX_VERSION).read_to_string(&mut text);
        let _ = sender.send(read.ok().map(|_| text));
    });
    let version = receiver.recv_timeout(VERSION_PATIENCE).ok().flatten();
    // It may have ended already.
    let _ = child.kill();
    let _ = child.wait();
    version
}

/// The first program of this name in the search path.
fn found_in_path() -> Option<PathBuf> {
    let name = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_another_name_is_not_set_up() {
        for called in ["anamne", "/opt/anamne-0.1.0", r"C:\bin\Anamne.exe"] {
            assert!(check_name(called).is_ok(), "{called}");
        }
        for called in ["/opt/memory", "anamnesis", "/opt/anamne/memory", ""] {
            let refused = check_name(called).map_err(|failure| failure.kind_word());
            assert_eq!(refused, Err("refused"), "{called}");
        }
    }
}
