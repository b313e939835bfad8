//! `anamne spaces delete`.

use std::io::{BufRead, IsTerminal};

use anamne::{KnownBackup, Space, Statistics};
use serde::Serialize;
use serde_json::json;

use crate::commands::forget::{describe, print_reached};
use crate::failure::Failure;
use crate::output::{Output, memories, report};
use crate::place::Place;
use crate::shell::shell_word;
use crate::wording::{file_name, named, number};

/// Erase a space with everything in it, and its backups
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Permanently removes the space's folder: memories with their history, settings,
indexes, what models read in it, the query log, and the copies of the space in
the backups made by `anamne backup`, including their own backups. Memories of
the space that are members of other spaces are erased there too; members that
have their home elsewhere stay there. What is removed is shown first; a person
confirms it by typing the name, a script with --yes and the name again.

If a copy can't be reached (missing disk, read-only backup), it is named with
the reason (exit code 4), `anamne doctor` lists it, and every command on the
store tries again. Not reached: copies made by other means, stores made by
`anamne rewind`, exports. An interrupted deletion is completed by the next
command on the store. A space that is used again is a new one, `core` too.

Examples:
  anamne spaces delete recipes
  anamne spaces delete recipes --yes recipes

With --json: {\"space\", \"memories\", \"forgotten\", \"members_lost_in\"?: [space, …],
  \"complete\", \"backups\"?: [{\"folder\", \"problem\"?}], \"unreached\"?: [{\"place\",
  \"reason\"}]}; without --yes: {\"preview\": {\"space\", \"memories\", \"forgotten\",
  \"erased\", \"threads\", \"links\", \"events\", \"backups\": [folder, …]}}, and nothing
  changes")]
pub(crate) struct Delete {
    /// The space
    #[arg(value_name = "NAME")]
    name: String,
    /// Don't ask; the space's name again
    #[arg(long, value_name = "NAME")]
    yes: Option<String>,
}

/// What a deletion removes.
#[derive(Serialize)]
struct Preview {
    space: String,
    memories: u64,
    forgotten: u64,
    erased: u64,
    threads: u64,
    links: u64,
    events: u64,
    backups: Vec<String>,
}

impl Preview {
    fn of(space: &Space) -> Result<Self, Failure> {
        let Statistics {
            memories,
            forgotten,
            erased,
            threads,
            links,
            events,
            ..
        } = space.report()?.statistics;
        let backups = space.backups()?.into_iter();
        Ok(Self {
            space: space.name().to_owned(),
            memories,
            forgotten,
            erased,
            threads,
            links,
            events,
            backups: backups
                .map(|KnownBackup { folder, .. }| file_name(&folder))
                .collect(),
        })
    }

    /// Says it on standard error.
    fn show(&self) {
        report(format_args!("the space {}:", named(&self.space)));
        report(format_args!(
            "  {}, {} forgotten; {} threads, {} links, {} events of history",
            memories(self.memories),
            number(self.forgotten),
            number(self.threads),
            number(self.links),
            number(self.events)
        ));
        for folder in &self.backups {
            report(format_args!("  its copy in the backup {folder}"));
        }
    }
}

impl Delete {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let store = place.existing_store()?;
        let space = store.existing_space(&self.name)?;
        let name = space.name().to_owned();
        let preview = Preview::of(&space)?;
        drop(space);
        if self.yes.is_none() && output.is_json() {
            return output.json(&json!({ "preview": preview }));
        }
        preview.show();
        if !self.is_agreed(&name)? {
            output.note("nothing was changed");
            return Ok(());
        }
        let erased = store.erase_space(&name)?;
        let is_complete = erased.outside.is_complete();
        if output.is_json() {
            let mut answer = json!({
                "space": erased.space,
                "memories": erased.memories,
                "forgotten": erased.forgotten,
            });
            if !erased.members_lost_in.is_empty() {
                answer["members_lost_in"] = json!(erased.members_lost_in);
            }
            describe(&erased.outside, &mut answer);
            output.json(&answer)?;
        } else {
            let count = memories(erased.memories + erased.forgotten);
            output.line(format_args!(
                "permanently erased the space {} with {count}",
                named(&erased.space)
            ))?;
            for space in &erased.members_lost_in {
                output.line(format_args!(
                    "and its members in the space {}",
                    named(space)
                ))?;
            }
            let retried = "retried by every command on this store; `anamne doctor` lists it";
            print_reached(&erased.outside, retried, output)?;
        }
        if is_complete {
            Ok(())
        } else {
            Err(Failure::Incomplete)
        }
    }

    /// Whether a person, or the script, confirms the deletion of the space `name`.
    fn is_agreed(&self, name: &str) -> Result<bool, Failure> {
        let suggestion = || {
            let word = shell_word(name);
            format!("confirm with: anamne spaces delete {word} --yes {word}")
        };
        match &self.yes {
            Some(again) if again == name => return Ok(true),
            Some(_) => {
                let reason = format!("--yes needs the space's name again, {name:?}");
                return Err(Failure::refused("yes", reason).hint(suggestion()));
            }
            None => {}
        }
        if !std::io::stdin().is_terminal() {
            let reason = "deleting a space without a terminal needs --yes with its name";
            return Err(Failure::refused("yes", reason).hint(suggestion()));
        }
        report("This can't be undone. Type the space's name to continue:");
        let mut answer = String::new();
        std::io::stdin()
            .lock()
            .read_line(&mut answer)
            .map_err(|error| Failure::failed(format!("can't read the answer: {error}")))?;
        Ok(answer.trim() == name)
    }
}
