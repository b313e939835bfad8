//! The adapter of all hosts: it does what the table says.

use std::path::{Path, PathBuf};

use anamne_ingest::Machine;
use serde_json::{Map, json};

use super::codex::Trust;
use super::drafts::{Drafts, keys};
use super::hooks::Wiring;
use super::places::Places;
use super::plugin::{self, Plugin};
use super::scripts::Scripts;
use super::table::{Entry, entries};
use super::{Adapter, instructions, server, shapes};
use crate::edit::Syntax;
use crate::plan::{Commands, Connection, HookState, HostStatus, Plan, SetupScope};

/// What a person does about hooks that Codex doesn't trust yet.
const TRUST: &str = "Codex skips new and changed hooks until you trust them: start codex, enter /hooks and trust those of \
    anamne.";

/// An adapter for an entry of the table.
pub(super) struct TableAdapter {
    entry: &'static Entry,
}

impl Adapter for TableAdapter {
    fn found(&self, machine: &Machine) -> Option<PathBuf> {
        let scope = &SetupScope::Person;
        let paths = Places { machine, scope }.all(&self.entry.found);
        paths.into_iter().find(|path| path.exists())
    }

    fn set_up(&self, machine: &Machine, scope: &SetupScope, commands: &Commands) -> Plan {
        let places = Places { machine, scope };
        let mut drafts = Drafts::default();
        let mut by_hand = Vec::new();
        let snippet = server::set_up(&self.entry.server, places, &mut drafts, &commands.server());
        by_hand.extend(snippet.map(|snippet| snippet.sentence()));
        if self.server_files(places).is_empty() {
            by_hand.push(format!(
                "{} takes no servers from a project.",
                self.entry.name
            ));
        }
        self.set_up_hooks(places, commands, &mut drafts, &mut by_hand);
        if let Some(instructions) = &self.entry.instructions {
            let snippet = instructions::set_up(instructions, places, &mut drafts);
            by_hand.extend(snippet.map(|snippet| snippet.sentence()));
        }
        by_hand.extend(self.entry.by_hand.iter().cloned());
        let (states, _) = self.hooks(places, commands, &mut drafts);
        if states.iter().any(|state| state.waits_for_trust) {
            by_hand.push(TRUST.to_owned());
        }
        let mut plan = drafts.plan(by_hand);
        if !plan.changes.is_empty() {
            plan.by_hand.extend(self.after(scope));
        }
        plan
    }

    fn remove_knowing(
        &self,
        machine: &Machine,
        scope: &SetupScope,
        former: &[(PathBuf, String)],
    ) -> Plan {
        let places = Places { machine, scope };
        let mut drafts = Drafts::knowing(former);
        let staying = server::remove(&self.entry.server, places, &mut drafts);
        if let Some(wiring) = Wiring::of(self.entry)
            && let Some(file) = wiring.file(places)
        {
            self.forget_trust(places, &wiring, &file, &mut drafts);
            wiring.remove(&file, &mut drafts);
        }
        if let Some(scripts) = Scripts::of(self.entry) {
            scripts.remove(places, &mut drafts);
        }
        if let Some(plugin) = Plugin::of(self.entry) {
            plugin.remove(places, &mut drafts);
        }
        if let Some(instructions) = &self.entry.instructions {
            let shared = self.shared(places);
            instructions::remove(instructions, places, &mut drafts, |path| {
                shared.contains(path)
            });
        }
        drafts.plan(staying)
    }

    fn status(&self, machine: &Machine, scope: &SetupScope, commands: &Commands) -> HostStatus {
        let places = Places { machine, scope };
        let mut drafts = Drafts::default();
        let command = commands.server();
        let (mut server, mut warnings) =
            server::status(&self.entry.server, places, &mut drafts, &command);
        let (hooks, more) = self.hooks(places, commands, &mut drafts);
        warnings.extend(more);
        if hooks.iter().any(|hook| hook.configured) {
            warnings.extend(self.switched_off(places, &mut drafts));
        }
        let instructions = self.entry.instructions.as_ref();
        let instructions =
            instructions.and_then(|one| instructions::status(one, places, &mut drafts));
        // What set-up can't change, status can't tell. No program is started for that.
        let quiet = Machine {
            version_of: |_| None,
            ..machine.clone()
        };
        for left in self.set_up(&quiet, scope, commands).left_alone {
            if server == Connection::Absent && self.server_files(places).contains(&left.path) {
                server = Connection::Unreadable;
            }
            warnings.push(format!("{}: {}.", left.path.display(), left.reason));
        }
        HostStatus {
            server,
            hooks,
            instructions,
            warnings,
        }
    }
}

impl TableAdapter {
    pub(super) fn new(entry: &'static Entry) -> Self {
        Self { entry }
    }

    pub(super) fn id(&self) -> &'static str {
        &self.entry.id
    }

    fn server_files(&self, places: Places<'_>) -> Vec<PathBuf> {
        let server = &self.entry.server;
        places.files(&server.person, &server.project)
    }

    fn set_up_hooks(
        &self,
        places: Places<'_>,
        commands: &Commands,
        drafts: &mut Drafts,
        by_hand: &mut Vec<String>,
    ) {
        if let Some(scripts) = Scripts::of(self.entry) {
            by_hand.extend(scripts.set_up(places, commands, drafts));
        }
        if let Some(plugin) = Plugin::of(self.entry) {
            by_hand.extend(plugin.set_up(places, commands, drafts));
        }
        let Some(wiring) = Wiring::of(self.entry) else {
            return;
        };
        let Some(file) = wiring.file(places) else {
            return;
        };
        let Some(wires) = wiring.wires(places, commands) else {
            by_hand.push(format!(
                "No quotation of {} holds in all shells of Windows: install anamne in another folder, or add its folder to \
                 PATH, and run set-up again.",
                commands.program
            ));
            return;
        };
        if let Some(snippet) = wiring.set_up(&file, &wires, drafts) {
            by_hand.push(snippet.sentence());
            by_hand.extend(wiring.hooks.note.clone());
        }
    }

    /// The state of the hooks, and what keeps them from working.
    fn hooks(
        &self,
        places: Places<'_>,
        commands: &Commands,
        drafts: &mut Drafts,
    ) -> (Vec<HookState>, Vec<String>) {
        if let Some(scripts) = Scripts::of(self.entry) {
            return (scripts.status(places, drafts), Vec::new());
        }
        if let Some(plugin) = Plugin::of(self.entry) {
            let (states, differing) = plugin.status(places, commands, drafts);
            let warnings = differing.as_deref().map(plugin::differs);
            return (states, warnings.into_iter().collect());
        }
        let Some(wiring) = Wiring::of(self.entry) else {
            return (Vec::new(), Vec::new());
        };
        let (Some(file), Some(wires)) = (wiring.file(places), wiring.wires(places, commands))
        else {
            return (Vec::new(), Vec::new());
        };
        let mut warnings = Vec::new();
        let (mut states, differs) = wiring.status(&file, &wires, drafts);
        if differs {
            let path = file.display();
            warnings.push(format!(
                "A hook in {path} runs another anamne: run set-up again."
            ));
        }
        if self.entry.id == "codex" {
            warnings.extend(self.trust(places, &wiring, &file, &mut states, drafts));
        }
        (states, warnings)
    }

    /// Notes which hooks Codex doesn't trust.
    fn trust(
        &self,
        places: Places<'_>,
        wiring: &Wiring<'_>,
        file: &Path,
        states: &mut [HookState],
        drafts: &mut Drafts,
    ) -> Vec<String> {
        // Trust is the person's, also that in a project's hooks.
        let scope = &SetupScope::Person;
        let own = Places { scope, ..places };
        let Some(config) = own.all(&self.entry.server.person).pop() else {
            return Vec::new();
        };
        let name = |wanted| {
            let mut events = wiring.hooks.events();
            let named = events.find(|(event, _)| *event == wanted);
            named.map(|(_, name)| name.to_owned())
        };
        let is_ours = |hook: &_, event| shapes::event_of_hook(hook, wiring.host) == Some(event);
        let is_off = Trust::read(&config, drafts).mark(states, file, drafts, is_ours, name);
        let mut warnings = Vec::new();
        if states.iter().any(|state| state.waits_for_trust) {
            warnings.push(TRUST.to_owned());
        }
        if is_off {
            warnings
                .push("A hook of anamne is switched off in Codex: enter /hooks there.".to_owned());
        }
        warnings
    }

    /// Removes what Codex recorded of our hooks when the person trusted them. Trust in a project's hooks is recorded among
    /// the person's settings, which a removal from a project doesn't touch.
    fn forget_trust(
        &self,
        places: Places<'_>,
        wiring: &Wiring<'_>,
        file: &Path,
        drafts: &mut Drafts,
    ) {
        if self.entry.id != "codex" || *places.scope != SetupScope::Person {
            return;
        }
        let Some(config) = self.server_files(places).pop() else {
            return;
        };
        let is_ours = |hook: &_| shapes::event_of_hook(hook, wiring.host).is_some();
        let keys = Trust::read(&config, drafts).keys_of_ours(file, drafts, is_ours);
        if keys.is_empty() {
            return;
        }
        drafts.edit(&config, Syntax::Toml, |document| {
            for key in &keys {
                document.remove(&["hooks", "state", key])?;
            }
            let state = ["hooks", "state"].map(str::to_owned);
            server::remove_empty(document, Syntax::Toml, &state)?;
            server::remove_empty(document, Syntax::Toml, &state[..1])
        });
        drafts.drop_if_empty(&config, &Map::new());
    }

    /// The settings that keep the host from running hooks.
    fn switched_off(&self, places: Places<'_>, drafts: &mut Drafts) -> Vec<String> {
        let mut warnings = Vec::new();
        for switch in &self.entry.switches {
            for path in places.all(&switch.files) {
                let document = drafts.document(&path, switch.syntax.0);
                let value = document.and_then(|document| document.get(&keys(&switch.at, &[])));
                if value == Some(json!(switch.is)) {
                    warnings.push(format!("{} in {}.", switch.says, path.display()));
                }
            }
        }
        warnings
    }

    fn after(&self, scope: &SetupScope) -> impl Iterator<Item = String> {
        let of_project = match scope {
            SetupScope::Person => &[],
            SetupScope::Project(_) => self.entry.after_project.as_slice(),
        };
        self.entry.after.iter().chain(of_project).cloned()
    }

    /// The instruction files that other hosts with our server read, too.
    fn shared(&self, places: Places<'_>) -> Vec<PathBuf> {
        let others = entries().iter().filter(|entry| entry.id != self.entry.id);
        let connected = others.filter(|entry| {
            let command = (String::new(), Vec::new());
            let (connection, _) =
                server::status(&entry.server, places, &mut Drafts::default(), &command);
            matches!(connection, Connection::Current | Connection::Different)
        });
        let files = connected.filter_map(|entry| entry.instructions.as_ref());
        let files = files.flat_map(|one| places.files(&one.person, &one.project));
        files.collect()
    }
}
