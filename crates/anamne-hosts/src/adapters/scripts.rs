//! Hooks that are executable files, one for each event. Set-up can't make a file executable: the person adds it.

use std::path::PathBuf;

use anamne_ingest::Platform;

use super::command::{self, event, words};
use super::drafts::Drafts;
use super::places::Places;
use super::table::{Entry, Hooks, Style};
use crate::hook::HookEvent;
use crate::plan::{Commands, HookState};

/// The scripts of one host.
#[derive(Clone, Copy)]
pub(super) struct Scripts<'a> {
    host: &'a str,
    hooks: &'a Hooks,
}

impl<'a> Scripts<'a> {
    /// The scripts of a host that takes some.
    pub(super) fn of(entry: &'a Entry) -> Option<Self> {
        let hooks = entry.hooks.as_ref()?;
        let host = entry.id.as_str();
        (hooks.style == Style::Scripts).then_some(Self { host, hooks })
    }

    fn files(&self, places: Places<'_>) -> Vec<(HookEvent, PathBuf)> {
        let folders = places.files(&self.hooks.person, &self.hooks.project);
        let Some(folder) = folders.last() else {
            return Vec::new();
        };
        let file = |(event, name)| (event, folder.join(name));
        self.hooks.events().map(file).collect()
    }

    /// Updates the scripts that are ours; returns the missing ones as a sentence for the person.
    pub(super) fn set_up(
        &self,
        places: Places<'_>,
        commands: &Commands,
        drafts: &mut Drafts,
    ) -> Option<String> {
        let mut missing = Vec::new();
        for (event, path) in self.files(places) {
            let (program, arguments) = commands.hook(event, self.host);
            let line = command::line(Platform::Linux, &program, &arguments)?;
            if self.event_in(drafts.text(&path)) == Some(event) {
                drafts.rewrite(&path, |_| Ok(Some(format!("#!/bin/sh\nexec {line}\n"))));
            } else {
                missing.push(format!("{}:\n#!/bin/sh\nexec {line}", path.display()));
            }
        }
        if missing.is_empty() || places.machine.platform == Platform::Windows {
            return None;
        }
        let files = missing.join("\n\n");
        Some(format!(
            "For hooks, write these files and make them executable (chmod +x).\n\n{files}"
        ))
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
            configured: self.event_in(drafts.text(&path)) == Some(event),
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
