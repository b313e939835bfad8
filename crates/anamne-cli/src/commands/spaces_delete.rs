//! `anamne spaces delete`.

use std::io::{BufRead, IsTerminal};

use anamne::Statistics;
use serde::Serialize;
use serde_json::{Value, json};

use crate::commands::forget::{describe, print_reached};
use crate::failure::Failure;
use crate::output::{Output, counted, memories, report};
use crate::place::Place;
use crate::reached::{Deletable, Deleted, Outside};
use crate::shell::shell_word;
use crate::wording::{named, number, one_line};

/// Erase a space with everything in it, and its backups
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Permanently removes the space's folder: memories with their history, settings,
indexes, what models read in it, the query log, and the copies of the space in
the backups made by `anamne backup`, including their own backups. Memories of
the space that are members of other spaces are erased there too; members that
have their home elsewhere stay there. What `spaces split` or `spaces join` left
forgotten in the space that a memory came from is erased with it; a copy that
was restored there is only named. What is removed is shown first; a person
confirms it by typing the name, a script with --yes and the name again.

If a copy can't be reached (missing disk, read-only backup), it is named with
the reason (exit code 4), `anamne doctor` lists it, and every command on the
store tries again. Not reached: copies made by other means, stores made by
`anamne rewind`, exports. An interrupted deletion is completed by the next
command on the store. A space that is used again is a new one, `core` too.
Keys of a server that name the space lose it; one that names no other space is
revoked.

On a server the key needs the right to erase; a server says how many copies it
couldn't reach, and its operator sees which.

Examples:
  anamne spaces delete recipes
  anamne spaces delete recipes --yes recipes

With --json: {\"space\", \"memories\", \"forgotten\", \"members_lost_in\"?: [space, …],
  \"copies_erased_in\"?: [space, …], \"keys\"?: [{\"id\", \"name\", \"revoked\"}],
  \"complete\", \"backups\"?: [{\"folder\", \"problem\"?}], \"unreached\"?:
  [{\"place\", \"reason\"}]; on a server instead of these two \"unreached_count\"?};
  without --yes: {\"preview\": {\"space\",
  \"memories\", \"forgotten\", \"erased\", \"threads\", \"links\", \"events\",
  \"backups\": [folder, …]}}, and nothing changes; a folder is null where a
  server doesn't tell it")]
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
    backups: Vec<Option<String>>,
}

impl From<Deletable> for Preview {
    fn from(deletable: Deletable) -> Self {
        let Statistics {
            memories,
            forgotten,
            erased,
            threads,
            links,
            events,
            ..
        } = deletable.statistics;
        Self {
            space: deletable.space,
            memories,
            forgotten,
            erased,
            threads,
            links,
            events,
            backups: deletable.backups,
        }
    }
}

impl Preview {
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
            match folder {
                Some(folder) => report(format_args!("  its copy in the backup {folder}")),
                None => report("  its copy in a backup of the server"),
            }
        }
    }
}

impl Delete {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let store = place.reached_store()?;
        let preview = Preview::from(store.deletable(&self.name)?);
        if self.yes.is_none() && output.is_json() {
            return output.json(&json!({ "preview": preview }));
        }
        preview.show();
        if !self.is_agreed(&preview.space)? {
            output.note("nothing was changed");
            return Ok(());
        }
        let deleted = store.delete_space(&preview.space)?;
        if output.is_json() {
            output.json(&as_json(&deleted))?;
        } else {
            print(&deleted, output)?;
        }
        if deleted.outside.is_complete() {
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

fn as_json(deleted: &Deleted) -> Value {
    let mut answer = json!({
        "space": deleted.space,
        "memories": deleted.memories,
        "forgotten": deleted.forgotten,
    });
    if !deleted.members_lost_in.is_empty() {
        answer["members_lost_in"] = json!(deleted.members_lost_in);
    }
    if !deleted.copies_erased_in.is_empty() {
        answer["copies_erased_in"] = json!(deleted.copies_erased_in);
    }
    if !deleted.keys.is_empty() {
        answer["keys"] = json!(deleted.keys);
    }
    match &deleted.outside {
        Outside::Here(outside) => describe(outside, &mut answer),
        Outside::There { unreached } => {
            answer["complete"] = deleted.outside.is_complete().into();
            if *unreached > 0 {
                answer["unreached_count"] = json!(unreached);
            }
        }
    }
    answer
}

fn print(deleted: &Deleted, output: &mut Output) -> Result<(), Failure> {
    let count = memories(deleted.memories + deleted.forgotten);
    output.line(format_args!(
        "permanently erased the space {} with {count}",
        named(&deleted.space)
    ))?;
    for space in &deleted.members_lost_in {
        output.line(format_args!(
            "and its members in the space {}",
            named(space)
        ))?;
    }
    for space in &deleted.copies_erased_in {
        output.line(format_args!(
            "and their forgotten copies in the space {}",
            named(space)
        ))?;
    }
    for key in &deleted.keys {
        let name = one_line(&key.name);
        let lost = if key.revoked {
            "named no other space and was revoked"
        } else {
            "does not reach it any more"
        };
        output.line(format_args!("the key {} ({name}) {lost}", key.id))?;
    }
    match &deleted.outside {
        Outside::Here(outside) => {
            let retried = "retried by every command on this store; `anamne doctor` lists it";
            print_reached(outside, retried, output)
        }
        Outside::There { unreached: 0 } => Ok(()),
        Outside::There { unreached } => {
            output.warn(format_args!(
                "{} of the server may still have something of it; the server tries again",
                counted(*unreached, "place")
            ));
            Ok(())
        }
    }
}
