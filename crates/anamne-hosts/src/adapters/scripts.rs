//! Hooks that are executable files, one for each event.

use std::path::{Path, PathBuf};

use anamne_ingest::Platform;

use super::command::{self, event, words};
use super::drafts::{Drafts, is_executable};
use super::places::Places;
use super::table::{Entry, Hooks, Style};
use crate::hook::HookEvent;
use crate::plan::{Commands, HookState};

/// The scripts of one host.
#[derive(Clone, Copy)]
pub(super) struct Scripts<'a> {
    host: &'a str,
    /// The host's name for people.
    name: &'a str,
    hooks: &'a Hooks,
}

impl<'a> Scripts<'a> {
    /// The scripts of a host that takes some.
    pub(super) fn of(entry: &'a Entry) -> Option<Self> {
        let hooks = entry.hooks.as_ref()?;
        let host = entry.id.as_str();
        let name = entry.name.as_str();
        (hooks.style == Style::Scripts).then_some(Self { host, name, hooks })
    }

    fn files(&self, places: Places<'_>) -> Vec<(HookEvent, PathBuf)> {
        let folders = places.files(&self.hooks.person, &self.hooks.project);
        let Some(folder) = folders.last() else {
            return Vec::new();
        };
        let file = |(event, name)| (event, folder.join(name));
        self.hooks.events().map(file).collect()
    }

    /// Writes the scripts, where the host is known to run them, and updates those that are ours; returns what the person
    /// has to do about the others. A file that isn't ours stays.
    pub(super) fn set_up(
        &self,
        places: Places<'_>,
        commands: &Commands,
        drafts: &mut Drafts,
    ) -> Vec<String> {
        if places.machine.platform == Platform::Windows {
            return vec![format!(
                "On Windows, set-up has no hooks for {}: it searches and stores on its own decision.",
                self.name
            )];
        }
        let mut missing = Vec::new();
        let mut by_hand = Vec::new();
        for (event, path) in self.files(places) {
            let Some(script) = self.script(event, commands) else {
                continue;
            };
            let text = drafts.text(&path).map(str::to_owned);
            let is_ours = self.event_in(text.as_deref()) == Some(event);
            match text {
                Some(_) if is_ours => {
                    drafts.program(&path, script);
                    by_hand.extend(not_executable(&path));
                }
                None if self.hooks.checked && !drafts.is_left(&path) => {
                    drafts.program(&path, script);
                }
                _ => missing.push(format!("{}:\n{}", path.display(), script.trim_end())),
            }
        }
        if !missing.is_empty() {
            let files = missing.join("\n\n");
            by_hand.push(format!(
                "For hooks, write these files, or add their last line to yours, and make them executable (chmod \
                 +x).\n\n{files}"
            ));
        }
        by_hand
    }

    fn script(&self, event: HookEvent, commands: &Commands) -> Option<String> {
        let (program, arguments) = commands.hook(event, self.host);
        let line = command::line(Platform::Linux, &program, &arguments)?;
        Some(format!("#!/bin/sh\nexec {line}\n"))
    }

    /// Removes the scripts that are ours.
    pub(super) fn remove(&self, places: Places<'_>, drafts: &mut Drafts) {
        for (_, path) in self.files(places) {
            if self.event_in(drafts.text(&path)).is_some() {
                drafts.rewrite(&path, |_| Ok(None));
            }
        }
    }

    /// The state of each event.
    pub(super) fn status(&self, places: Places<'_>, drafts: &mut Drafts) -> Vec<HookState> {
        let files = self.files(places).into_iter();
        let states = files.map(|(event, path)| HookState {
            event,
            configured: self.event_in(drafts.text(&path)) == Some(event) && is_executable(&path),
            waits_for_trust: false,
        });
        states.collect()
    }

    /// The event of a script that runs a hook of ours and nothing else.
    fn event_in(&self, script: Option<&str>) -> Option<HookEvent> {
        let mut lines = script?.lines().filter(|line| !line.trim().is_empty());
        let (first, command) = (lines.next()?, lines.next()?);
        if !first.starts_with("#!") || lines.next().is_some() {
            return None;
        }
        event(&words(command.trim().strip_prefix("exec ")?), self.host)
    }
}

/// What a person does about a script that can't be run.
fn not_executable(path: &Path) -> Option<String> {
    let path_shown = path.display();
    (!is_executable(path)).then(|| format!("Make {path_shown} executable: chmod +x '{path_shown}'"))
}
