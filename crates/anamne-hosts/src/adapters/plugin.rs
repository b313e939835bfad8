//! Hooks of a host that takes a plugin: a file of a program of ours that the host loads.
//!
//! The file is the same in all versions of Anamne but for the line with the command. It is written only for a generation
//! of the host that it was seen working in: the plugin of one may fail in another.

use std::path::{Path, PathBuf};

use super::drafts::Drafts;
use super::places::Places;
use super::table::{Entry, Hooks, PluginOf, Style};
use crate::hook::HookEvent;
use crate::plan::{Commands, HookState};

/// The plugin of OpenCode 1.
const TEXT: &str = include_str!("../../data/opencode-plugin.js");

/// The line with the command, before and after the command's words as a JSON list.
const BEFORE: &str = "const COMMAND = ";
const WORDS: &str = "[\"anamne\"]";

/// The plugin of one host.
#[derive(Clone, Copy)]
pub(super) struct Plugin<'a> {
    entry: &'a Entry,
    hooks: &'a Hooks,
    of: &'a PluginOf,
}

/// What is in the place of the plugin.
enum Found {
    Nothing,
    /// The plugin with this command.
    Ours(Vec<String>),
    /// The plugin, but somebody changed it.
    Changed,
    Foreign,
}

impl<'a> Plugin<'a> {
    /// That of a host that takes one.
    pub(super) fn of(entry: &'a Entry) -> Option<Self> {
        let hooks = entry.hooks.as_ref()?;
        let of = hooks.plugin_of.as_ref()?;
        (hooks.style == Style::Plugin).then_some(Self { entry, hooks, of })
    }

    fn file(&self, places: Places<'_>) -> Option<PathBuf> {
        let files = places.files(&self.hooks.person, &self.hooks.project);
        files.into_iter().next_back()
    }

    /// Writes or updates the plugin, if the installed generation of the host takes it; returns what the person has to
    /// know if not.
    pub(super) fn set_up(
        &self,
        places: Places<'_>,
        commands: &Commands,
        drafts: &mut Drafts,
    ) -> Option<String> {
        let file = self.file(places)?;
        let found = found(drafts.text(&file));
        match (self.generation(places), &found) {
            (_, Found::Foreign) => {
                drafts.leave(&file, "it is not the plugin that set-up writes".to_owned());
                None
            }
            (Some(major), _) if major == self.of.major => {
                drafts.rewrite(&file, |_| Ok(Some(text(commands))));
                None
            }
            (Some(major), found) => {
                if let Found::Ours(_) = found {
                    drafts.rewrite(&file, |_| Ok(None));
                }
                Some(format!(
                    "{} {major} takes other plugins than {0} {}, and set-up has none for it: it searches and stores on \
                     its own decision, as the instructions say.{}",
                    self.entry.name,
                    self.of.major,
                    self.import()
                ))
            }
            (None, Found::Nothing) => Some(format!(
                "Set-up has a plugin for {} {}, but can't find out which version is installed. {}{}",
                self.entry.name,
                self.of.major,
                self.how_to_find_out(places),
                self.import()
            )),
            (None, _) => None,
        }
    }

    fn import(&self) -> String {
        let id = &self.entry.id;
        format!(" `anamne import --from {id}` stores its conversations.")
    }

    fn how_to_find_out(&self, places: Places<'_>) -> String {
        match self.program(places) {
            Some(program) => format!(
                "`{} --version` doesn't tell it: run set-up again when it does.",
                program.display()
            ),
            None => format!(
                "Put `{}` on the search path and run set-up again.",
                self.of.program
            ),
        }
    }

    /// The first number of the installed version.
    fn generation(&self, places: Places<'_>) -> Option<String> {
        let program = self.program(places)?;
        let version = (places.machine.version_of)(&program)?;
        let first = version.split_whitespace().last()?;
        let major = first.trim_start_matches('v').split('.').next()?;
        let is_number = !major.is_empty() && major.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| major.to_owned())
    }

    /// The host's program on the search path, or where its installer puts it.
    fn program(&self, places: Places<'_>) -> Option<PathBuf> {
        let path = places.machine.variable("PATH").unwrap_or_default();
        let mut folders: Vec<PathBuf> = std::env::split_paths(path).collect();
        folders.extend(places.all(&self.of.folders));
        let name = &self.of.program;
        let names = [name.clone(), format!("{name}.exe"), format!("{name}.cmd")];
        let count = if cfg!(windows) { 3 } else { 1 };
        let mut files = folders.iter().flat_map(|folder| {
            let names = names.iter().take(count);
            names.map(|name| folder.join(name))
        });
        files.find(|file| file.is_file())
    }

    /// Removes the plugin. One that somebody changed stays, and is named.
    pub(super) fn remove(&self, places: Places<'_>, drafts: &mut Drafts) {
        let Some(file) = self.file(places) else {
            return;
        };
        match found(drafts.text(&file)) {
            Found::Ours(_) => drafts.rewrite(&file, |_| Ok(None)),
            Found::Changed => {
                let reason = "somebody changed the plugin: delete it if it isn't needed any more";
                drafts.leave(&file, reason.to_owned());
            }
            Found::Nothing | Found::Foreign => {}
        }
    }

    /// The state of each event, and whether another command or text is in the plugin.
    pub(super) fn status(
        &self,
        places: Places<'_>,
        commands: &Commands,
        drafts: &mut Drafts,
    ) -> (Vec<HookState>, Option<PathBuf>) {
        let file = self.file(places);
        let found = file
            .as_ref()
            .map_or(Found::Nothing, |file| found(drafts.text(file)));
        let differs = match &found {
            Found::Ours(command) => *command != words(commands),
            Found::Changed => true,
            Found::Nothing | Found::Foreign => false,
        };
        let configured = matches!(found, Found::Ours(_) | Found::Changed);
        let state = |(event, _): (HookEvent, &str)| HookState {
            event,
            configured,
            waits_for_trust: false,
        };
        let states = self.hooks.events().map(state).collect();
        (states, file.filter(|_| differs))
    }
}

/// The program and the options before `hook`.
fn words(commands: &Commands) -> Vec<String> {
    let program = std::iter::once(&commands.program);
    program.chain(&commands.global).cloned().collect()
}

fn line(words: &[String]) -> String {
    // JSON is JavaScript, too.
    let list = serde_json::to_string(words).expect("texts are JSON");
    format!("{BEFORE}{list}\n")
}

fn text(commands: &Commands) -> String {
    let template = format!("{BEFORE}{WORDS}\n");
    TEXT.replacen(&template, &line(&words(commands)), 1)
}

fn found(text: Option<&str>) -> Found {
    let Some(text) = text else {
        return Found::Nothing;
    };
    let mark = TEXT.lines().next().unwrap_or_default();
    if text.lines().next() != Some(mark) {
        return Found::Foreign;
    }
    let mut lines = text.split_inclusive('\n');
    let given = lines.find_map(|line| line.strip_prefix(BEFORE));
    let command: Option<Vec<String>> = given.and_then(|list| serde_json::from_str(list).ok());
    match command {
        Some(command) if is_template(text, &command) => Found::Ours(command),
        _ => Found::Changed,
    }
}

/// Whether a text is the plugin with this command.
fn is_template(text: &str, command: &[String]) -> bool {
    let template = format!("{BEFORE}{WORDS}\n");
    TEXT.replacen(&template, &line(command), 1) == text
}

/// The file of a path as a person reads it.
pub(super) fn differs(file: &Path) -> String {
    format!(
        "The plugin {} runs another anamne, or was changed: run set-up again.",
        file.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(program: &str, global: &[&str]) -> Commands {
        Commands {
            program: program.to_owned(),
            global: global.iter().map(|&word| word.to_owned()).collect(),
        }
    }

    #[test]
    fn the_plugin_is_recognised_with_any_command_and_only_unchanged() {
        for commands in [
            with("anamne", &[]),
            with("/a \"b\"/anamne", &["--store", "C:\\x\n'y"]),
        ] {
            let text = text(&commands);
            let Found::Ours(command) = found(Some(&text)) else {
                panic!("{text}");
            };
            assert_eq!(command, words(&commands));
            let changed = text.replace("PATIENCE = 300", "PATIENCE = 3000");
            assert!(matches!(found(Some(&changed)), Found::Changed));
            let broken = text.replace("COMMAND = [", "COMMAND = (");
            assert!(matches!(found(Some(&broken)), Found::Changed));
        }
        assert_eq!(text(&with("anamne", &[])), TEXT);
        assert!(matches!(found(Some("export {}")), Found::Foreign));
        assert!(matches!(found(Some("")), Found::Foreign));
        assert!(matches!(found(None), Found::Nothing));
    }
}
