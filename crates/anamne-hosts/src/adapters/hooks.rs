//! The entries of hooks in lists of a configuration file.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::drafts::{Drafts, keys};
use super::places::Places;
use super::server::remove_empty;
use super::shapes::{self, HookCommand, element, event_of, for_ours, has_ours, without_ours};
use super::snippet::Snippet;
use super::table::{Entry, Hooks, Style};
use crate::edit::{Document, EditError, Syntax};
use crate::hook::HookEvent;
use crate::plan::{Commands, HookState};

const SYNTAX: Syntax = Syntax::Json;

/// A wired event with the host's name of it and the command.
pub(super) type Wire<'a> = (HookEvent, &'a str, HookCommand);

/// The hooks of one host in one file.
#[derive(Clone, Copy)]
pub(super) struct Wiring<'a> {
    pub(super) host: &'a str,
    pub(super) hooks: &'a Hooks,
}

impl<'a> Wiring<'a> {
    /// The hooks of a host, unless they are files of their own or there are none.
    pub(super) fn of(entry: &'a Entry) -> Option<Self> {
        let hooks = entry.hooks.as_ref()?;
        let host = entry.id.as_str();
        let are_entries = !matches!(hooks.style, Style::Scripts | Style::Plugin);
        are_entries.then_some(Self { host, hooks })
    }

    /// The events and their commands; `None` if no quotation of the command holds in the shells of the platform.
    pub(super) fn wires(&self, places: Places<'_>, commands: &Commands) -> Option<Vec<Wire<'a>>> {
        let platform = places.machine.platform;
        let wire = |(event, name)| {
            let command = commands.hook(event, self.host);
            let command = shapes::command(self.hooks, platform, command)?;
            Some((event, name, command))
        };
        self.hooks.events().map(wire).collect()
    }

    /// The file, whether it exists or not.
    pub(super) fn file(&self, places: Places<'_>) -> Option<PathBuf> {
        let files = places.files(&self.hooks.person, &self.hooks.project);
        files.into_iter().next_back()
    }

    /// Adds or updates the entries; returns what the person has to add where set-up may not.
    pub(super) fn set_up(
        &self,
        path: &Path,
        wires: &[Wire<'_>],
        drafts: &mut Drafts,
    ) -> Option<Snippet> {
        let exists = drafts.document(path, SYNTAX);
        if drafts.is_left(path) {
            return None;
        }
        let has_shape = exists.is_some_and(|document| self.has_shape(document.as_ref()));
        if self.hooks.checked || has_shape {
            drafts.edit(path, SYNTAX, |document| self.enter(document, wires));
            return None;
        }
        Snippet::of(path.to_owned(), SYNTAX, |document| {
            self.enter(document, wires)
        })
    }

    /// Whether a file of an unchecked host looks as expected.
    fn has_shape(&self, document: &dyn Document) -> bool {
        match (document.get(&keys(&self.hooks.at, &[])), self.hooks.style) {
            (Some(Value::Array(_)), Style::Triggers) => true,
            (Some(Value::Object(_)), style) => style != Style::Triggers,
            // A file of named groups has only groups at its top.
            (None, _) if self.hooks.at == ["anamne"] => {
                matches!(document.get(&[]), Some(Value::Object(root)) if root.values().all(Value::is_object))
            }
            _ => false,
        }
    }

    fn enter(&self, document: &mut dyn Document, wires: &[Wire<'_>]) -> Result<(), EditError> {
        self.drop_obsolete(document, wires)?;
        let is_new = matches!(document.get(&[]), Some(Value::Object(root)) if root.is_empty());
        for (key, value) in self.hooks.root.iter().filter(|_| is_new) {
            document.set(&[key], value)?;
        }
        for wire in wires {
            self.enter_one(document, wire)?;
        }
        Ok(())
    }

    /// Adds an event's entry at the end of its list, or updates the one that is there.
    fn enter_one(&self, document: &mut dyn Document, wire: &Wire<'_>) -> Result<(), EditError> {
        let (event, name, command) = wire;
        let path = self.list(name);
        let mut list = elements(document, &path);
        let (mut found, mut changed) = (0, None);
        for (index, element) in list.iter_mut().enumerate() {
            for_ours(element, self.host, *event, |hook| {
                found += 1;
                if !shapes::has_command(hook, command) {
                    shapes::set_command(hook, command);
                    changed = Some(index);
                }
            });
        }
        match (found, changed) {
            (1, None) => return Ok(()),
            (1, Some(index)) => return self.replace(document, &path, *event, list, index),
            (0, _) => {}
            _ => drop(self.clear(document, &path, |found| found == *event)?),
        }
        document.push(&path, &element(self.hooks, (*event, name), command))
    }

    /// Gives a list an updated element. One that is ours alone goes and comes again at the end, so that comments and
    /// formatting of the others stay; but in its place if others would move by that and their position counts.
    fn replace(
        &self,
        document: &mut dyn Document,
        path: &[&str],
        event: HookEvent,
        list: Vec<Value>,
        index: usize,
    ) -> Result<(), EditError> {
        let is_alone = event_of(self.hooks, &list[index], self.host) == Some(event);
        let moves_others = index + 1 < list.len() && self.hooks.positions;
        if !is_alone || moves_others {
            return document.set(path, &Value::Array(list));
        }
        self.clear(document, path, |found| found == event)?;
        document.push(path, &list[index])
    }

    /// Takes out our hooks of events that aren't wired there.
    fn drop_obsolete(
        &self,
        document: &mut dyn Document,
        wires: &[Wire<'_>],
    ) -> Result<(), EditError> {
        for path in self.lists(document) {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let is_wired = |event| {
                let mut wires = wires.iter().filter(|wire| wire.0 == event);
                wires.any(|wire| self.list(wire.1) == path)
            };
            self.clear(document, &path, |event| !is_wired(event))?;
        }
        Ok(())
    }

    /// Takes out all our hooks, and the lists and tables that become empty by that, if set-up made them.
    pub(super) fn remove(&self, path: &Path, drafts: &mut Drafts) {
        let Some(document) = drafts.document(path, SYNTAX) else {
            return;
        };
        let lists = self.lists(document.as_ref());
        let has_any = lists.iter().any(|list| {
            let list: Vec<&str> = list.iter().map(String::as_str).collect();
            let elements = elements(document.as_ref(), &list);
            elements
                .iter()
                .any(|element| has_ours(self.hooks, element, self.host))
        });
        if !has_any {
            return;
        }
        let set_up_made = |at: &[String]| !drafts.was_there(path, SYNTAX, at);
        let made: Vec<bool> = lists.iter().map(|list| set_up_made(list)).collect();
        let made_table = set_up_made(&self.hooks.at);
        drafts.edit(path, SYNTAX, |document| {
            for (list, is_made) in lists.iter().zip(made) {
                let keys: Vec<&str> = list.iter().map(String::as_str).collect();
                if self.clear(document, &keys, |_| true)? && is_made {
                    remove_empty(document, SYNTAX, list)?;
                }
            }
            if !made_table {
                return Ok(());
            }
            remove_empty(document, SYNTAX, &self.hooks.at)
        });
        drafts.drop_if_empty(path, &self.hooks.root);
    }

    /// Takes our hooks of some events out of a list; returns whether there was one. Groups that are ours alone leave
    /// without touching the rest of the list.
    fn clear(
        &self,
        document: &mut dyn Document,
        path: &[&str],
        which: impl Fn(HookEvent) -> bool,
    ) -> Result<bool, EditError> {
        let goes = |element: &Value| event_of(self.hooks, element, self.host).is_some_and(&which);
        let mut removed = document.retain(path, &|element| !goes(element))? > 0;
        let list = elements(document, path);
        let mixed = |element: &Value| {
            event_of(self.hooks, element, self.host).is_none()
                && has_ours(self.hooks, element, self.host)
        };
        if list.iter().any(mixed) {
            let kept = list.iter().filter_map(|element| {
                if mixed(element) {
                    without_ours(element, self.host, &which)
                } else {
                    Some(element.clone())
                }
            });
            let kept: Vec<Value> = kept.collect();
            removed |= kept != list;
            document.set(path, &Value::Array(kept))?;
        }
        Ok(removed)
    }

    /// The state of each wired event, and whether a hook runs another command.
    pub(super) fn status(
        &self,
        path: &Path,
        wires: &[Wire<'_>],
        drafts: &mut Drafts,
    ) -> (Vec<HookState>, bool) {
        let document = drafts.document(path, SYNTAX);
        let mut differs = false;
        let state = |(event, name, command): &Wire<'_>| {
            let list = document
                .as_deref()
                .map(|document| elements(document, &self.list(name)));
            let mut configured = false;
            for element in &mut list.unwrap_or_default() {
                for_ours(element, self.host, *event, |hook| {
                    configured = true;
                    differs |= !shapes::has_command(hook, command);
                });
            }
            HookState {
                event: *event,
                configured,
                waits_for_trust: false,
            }
        };
        (wires.iter().map(state).collect(), differs)
    }

    /// The path of an event's list.
    fn list<'b>(&'b self, name: &'b str) -> Vec<&'b str> {
        match self.hooks.style {
            Style::Triggers => keys(&self.hooks.at, &[]),
            _ => keys(&self.hooks.at, &[name]),
        }
    }

    /// The paths of all lists in the file.
    fn lists(&self, document: &dyn Document) -> Vec<Vec<String>> {
        match document.get(&keys(&self.hooks.at, &[])) {
            Some(Value::Array(_)) if self.hooks.style == Style::Triggers => {
                vec![self.hooks.at.clone()]
            }
            Some(Value::Object(events)) if self.hooks.style != Style::Triggers => {
                let lists = events.into_iter().filter(|(_, value)| value.is_array());
                lists
                    .map(|(name, _)| [self.hooks.at.clone(), vec![name]].concat())
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

fn elements(document: &dyn Document, path: &[&str]) -> Vec<Value> {
    match document.get(path) {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    }
}
