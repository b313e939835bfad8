//! `anamne guard`.

use std::collections::BTreeMap;

use anamne::guard::{Action, DataKind, Group};
use anamne::{GuardConfig, GuardNote, GuardScan, OutsideErasure, Space};
use serde_json::json;

use crate::failure::Failure;
use crate::input;
use crate::output::{DIM, Output, YELLOW, counted, memories, paint};
use crate::place::Place;
use crate::settling;
use crate::skipped;
use crate::wording::{number, one_line};

/// Groups of more kinds are counted, not listed.
const MANY: usize = 20;

/// Show what happens to secrets and personal data, scan for them, or test a text
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every text is checked before it is stored. Secrets are redacted by default: the
memory contains [secret:github-token] in their place, and no file, log or error
message contains the value. Access codes (PINs, codes of doors, codes for
recovery), IBANs, card numbers and national ids are marked; marked memories are
private, as are those with the tag private: they go to language models on this
machine only. Other personal data is ignored unless a policy says otherwise.
Actions: off, mark, redact, refuse. `test` stores nothing and needs no store:
without one it shows what a new space would do.

A secret in a command's arguments is visible to other programs and in the
shell's history. Give it on standard input instead: anamne remember -

Examples:
  anamne guard
  anamne guard set email=redact github-token=refuse
  anamne guard set secret=default
  anamne guard set --private true
  anamne guard allow 'test-*-key'
  anamne guard test < deploy.log
  anamne guard scan
  anamne guard scan --redact --yes

With --json: {\"actions\": {kind: action}, \"allow\": […], \"names\": […],
  \"paths\": […], \"private\"}; for test {\"text\", \"findings\": [{\"field\", \"kind\",
  \"action\", \"start\", \"end\"}]}; for scan {\"memories\", \"kinds\": {kind: count},
  \"affected\": [id], \"findings\": [{\"memory\", \"citation\", \"version\"?, \"field\",
  \"kind\", \"action\", \"start\", \"end\"}], \"redaction\": null or {\"replaced\":
  [[id, id]], \"complete\", \"unreached\": [{\"place\", \"reason\"}],
  \"not_shared\": [{\"memory\", \"space\", \"reason\"}]}}")]
pub(crate) struct Guard {
    #[command(subcommand)]
    action: Option<GuardCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum GuardCommand {
    /// Set the action of kinds or groups (secret, personal): KIND=ACTION
    Set {
        /// KIND=off, mark, redact, refuse or default
        #[arg(required_unless_present = "private", value_name = "KIND=ACTION")]
        actions: Vec<String>,
        /// Make every memory of the space private, or not
        #[arg(long, value_name = "BOOL")]
        private: Option<bool>,
    },
    /// Ignore values that match a pattern; * stands for any characters
    Allow {
        /// The pattern
        #[arg(required = true)]
        pattern: Vec<String>,
        /// The patterns are paths of files whose imports are not checked
        #[arg(long, conflicts_with = "name")]
        path: bool,
        /// Instead, look for these names of people
        #[arg(long)]
        name: bool,
        /// Remove them from the list
        #[arg(long)]
        remove: bool,
    },
    /// Show what would be stored of a text
    Test {
        /// The text; - or nothing reads standard input
        #[arg(default_value = "-", hide_default_value = true)]
        text: Vec<String>,
    },
    /// Scan the stored memories, their earlier versions and forgotten ones
    Scan {
        /// Replace affected memories by redacted copies, and erase them from every file and backup
        #[arg(long)]
        redact: bool,
        /// Confirm the erasure
        #[arg(long, requires = "redact")]
        yes: bool,
    },
}

impl Guard {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        match self.action {
            None => show(&place.existing_space()?, output),
            Some(GuardCommand::Set { actions, private }) => {
                let space = place.space()?;
                set(&space, &actions, private)?;
                show(&space, output)
            }
            Some(GuardCommand::Allow {
                pattern,
                path,
                name,
                remove,
            }) => {
                let space = place.space()?;
                space.configure(|config| {
                    let guard = &mut config.guard;
                    let list = match (path, name) {
                        (true, _) => &mut guard.paths,
                        (_, true) => &mut guard.names,
                        _ => &mut guard.allow,
                    };
                    list.retain(|known| !pattern.contains(known));
                    if !remove {
                        list.extend(pattern);
                    }
                })?;
                show(&space, output)
            }
            Some(GuardCommand::Test { text }) => {
                let text = input::text("text", &text, output)?;
                let (stored, notes) = tested(place, &text)?;
                print_test(&stored, &notes, output)
            }
            Some(GuardCommand::Scan { redact, yes }) => {
                scan(&place.existing_space()?, redact, yes, output)
            }
        }
    }
}

fn set(space: &Space, actions: &[String], private: Option<bool>) -> Result<(), Failure> {
    let mut changes = BTreeMap::new();
    for one in actions {
        let (kind, action) = one
            .split_once('=')
            .ok_or_else(|| Failure::refused("action", format!("{one:?} is not KIND=ACTION")))?;
        changes.insert(kind.trim().to_owned(), parsed(action.trim())?);
    }
    let mut policy = space.config().guard.actions.clone();
    for (kind, action) in changes {
        policy.set(&kind, action);
    }
    policy
        .check()
        .map_err(|error| Failure::refused("action", error.to_string()))?;
    space.configure(|config| {
        config.guard.actions = policy;
        if let Some(private) = private {
            config.guard.private = private;
        }
    })?;
    Ok(())
}

/// An action; `None` for the default.
fn parsed(action: &str) -> Result<Option<Action>, Failure> {
    Ok(Some(match action {
        "default" => return Ok(None),
        "off" => Action::Off,
        "mark" => Action::Mark,
        "redact" => Action::Redact,
        "refuse" => Action::Refuse,
        other => {
            let accepts = "off, mark, redact, refuse or default";
            let refused = format!("the action must be {accepts}, but was {other:?}");
            return Err(Failure::refused("action", refused));
        }
    }))
}

fn show(space: &Space, output: &mut Output) -> Result<(), Failure> {
    let guard = &space.config().guard;
    let kinds = DataKind::all();
    if output.is_json() {
        let actions: BTreeMap<_, _> = kinds
            .iter()
            .map(|kind| (kind.name(), guard.actions.action(*kind)))
            .collect();
        return output.json(&json!({
            "actions": actions,
            "allow": guard.allow,
            "names": guard.names,
            "paths": guard.paths,
            "private": guard.private,
        }));
    }
    for group in [Group::Secret, Group::Personal] {
        show_group(group, &kinds, guard, output)?;
    }
    for (title, list) in [
        ("allowed ", &guard.allow),
        ("names   ", &guard.names),
        ("paths   ", &guard.paths),
    ] {
        if !list.is_empty() {
            output.entry(DIM, title, &list.join(", "))?;
        }
    }
    if guard.private {
        output.line("every memory of this space is private")?;
    }
    Ok(())
}

/// The action of most kinds of a group, and the kinds with another one.
fn show_group(
    group: Group,
    kinds: &[DataKind],
    guard: &GuardConfig,
    output: &mut Output,
) -> Result<(), Failure> {
    let of_action = |action: Action| -> Vec<&str> {
        let kinds = kinds.iter().filter(|kind| kind.group() == group);
        let kinds = kinds.filter(|kind| guard.actions.action(**kind) == action);
        kinds.map(|kind| kind.name()).collect()
    };
    let mut actions = [Action::Refuse, Action::Redact, Action::Mark, Action::Off].map(|action| {
        let names = of_action(action);
        (action, names)
    });
    actions.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    for (at, (action, names)) in actions.iter().enumerate() {
        let text = match (at, names.len()) {
            (_, 0) => continue,
            (0, count) if count > MANY => {
                format!("{} kinds (--json lists them)", number(count as u64))
            }
            _ => names.join(", "),
        };
        let sign = format!("{:<9} {action:<7}", group.name());
        output.entry(DIM, &sign, &text)?;
    }
    Ok(())
}

/// What the space would store of a text; the policy of new spaces holds where there is no store or space yet.
fn tested(place: &Place, text: &str) -> Result<(String, Vec<GuardNote>), Failure> {
    match place.space_if_there()? {
        Some(space) => Ok(space.guard_test(text)?),
        None => Ok(anamne::guard_test(&GuardConfig::default(), text)?),
    }
}

fn print_test(stored: &str, notes: &[GuardNote], output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(&json!({"text": stored, "findings": notes}));
    }
    output.line(stored.trim_end())?;
    output.flush()?;
    print_notes(notes, output);
    Ok(())
}

/// Notes what was redacted and marked: `redacted: github-token, password (2)`.
pub(super) fn print_notes(notes: &[GuardNote], output: &mut Output) {
    for (action, word) in [("redact", "redacted"), ("mark", "marked as private")] {
        let mut counts = BTreeMap::<&str, u64>::new();
        for note in notes.iter().filter(|note| note.action == action) {
            *counts.entry(&note.kind).or_default() += 1;
        }
        if !counts.is_empty() {
            output.note(format_args!("{word}: {}", listed(&counts)));
        }
    }
}

fn listed(counts: &BTreeMap<&str, u64>) -> String {
    let parts: Vec<_> = counts
        .iter()
        .map(|(kind, count)| match count {
            1 => (*kind).to_owned(),
            count => format!("{kind} ({count})"),
        })
        .collect();
    parts.join(", ")
}

fn scan(space: &Space, redact: bool, yes: bool, output: &mut Output) -> Result<(), Failure> {
    let found = space.guard_scan()?;
    let affected = found.affected.len() as u64;
    if redact && affected > 0 && !yes {
        let message = format!("{} would be erased and replaced", memories(affected));
        return Err(Failure::refused("yes", message).hint("add --yes to confirm"));
    }
    let redaction = if redact {
        // Also of nothing, for what an interruption left.
        Some(space.guard_redact(&found.affected)?)
    } else {
        None
    };
    if output.is_json() {
        let mut shown = json!(found);
        shown["redaction"] = redaction.as_ref().map_or(json!(null), |redaction| {
            json!({
                "replaced": redaction.replaced,
                "complete": redaction.erasure.is_complete(),
                "unreached": redaction.erasure.unreached(),
                "not_shared": redaction.not_shared,
            })
        });
        skipped::describe(&found.skipped, &mut shown);
        output.json(&shown)?;
    } else {
        print_scan(&found, output)?;
        if let Some(redaction) = &redaction {
            let count = redaction.replaced.len() as u64;
            if affected > 0 {
                output.line(format_args!("replaced {}", memories(count)))?;
            }
            for copy in &redaction.not_shared {
                output.note(format_args!(
                    "the copy {} is not a member of the space {}: {}",
                    copy.memory, copy.space, copy.reason
                ));
            }
            print_unreached(&redaction.erasure, output);
        }
        output.flush()?;
        skipped::tell(&found.skipped, output);
    }
    settling::settle(space, output)?;
    if redaction.is_some_and(|redaction| !redaction.erasure.is_complete()) {
        return Err(Failure::Incomplete);
    }
    skipped::outcome(&found.skipped)
}

fn print_scan(found: &GuardScan, output: &mut Output) -> Result<(), Failure> {
    for one in &found.findings {
        let version = one.version.map(|version| format!(", version {version}"));
        output.line(format_args!(
            "{}{}  {}  {} at {} to {}  {}",
            one.citation,
            version.unwrap_or_default(),
            paint(YELLOW, &one.note.kind),
            one.note.field,
            one.note.start,
            one.note.end,
            paint(DIM, &one.note.action),
        ))?;
    }
    let total: u64 = found.kinds.values().sum();
    output.line(format_args!(
        "{} in {}; {} affected",
        counted(total, "finding"),
        memories(found.memories),
        memories(found.affected.len() as u64),
    ))?;
    Ok(())
}

fn print_unreached(erasure: &OutsideErasure, output: &Output) {
    for place in erasure.unreached() {
        output.warn(format_args!(
            "{} may still contain the text: {}",
            one_line(&place.place.display().to_string()),
            one_line(&place.reason)
        ));
    }
}
