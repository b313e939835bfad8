//! `anamne forget`.

use std::io::{BufRead, IsTerminal};

use anamne::{Erased, MemoryId, Space};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{Output, memories, say};
use crate::place::Place;
use crate::wording::{at_most, one_line, wrapped};
use crate::{ids, settling};

/// Put memories away, or erase them for ever
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A forgotten memory is no longer recalled; `anamne restore` brings it back. With
--hard its content is removed from the database, the journal, every view, and
the backups made by `anamne backup` whose folders are there now, and nothing
brings it back. A backup that can't be reached is named: back up to it again.

Examples:
  anamne forget m12
  anamne forget m12 m31 --hard
  anamne forget m12 --hard --yes

With --json: {\"forgotten\": [id, …], \"erased\": [id, …], \"backups\"?: [{\"folder\",
  \"trouble\"?: why it still holds what was erased}]}")]
pub(crate) struct Forget {
    /// The memories
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Erase their content for ever
    #[arg(long)]
    hard: bool,
    /// Erase without asking
    #[arg(long)]
    yes: bool,
}

impl Forget {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let asks = self.hard && !self.yes;
        if asks && !std::io::stdin().is_terminal() {
            return Err(Failure::refused(
                "yes",
                "erasing for ever wants a yes, and nobody is there to ask",
            )
            .hint("add --yes, or leave out --hard to put them away so that they can be restored"));
        }
        let space = place.existing_space()?;
        let ids = ids::resolve_all(&space, &self.ids)?;
        // All of them are looked at before the first is touched.
        for id in &ids {
            space.get(*id)?;
        }
        if asks && !is_agreed(&ids, &space, output)? {
            output.note("nothing was erased");
            return Ok(());
        }
        let mut reached = Erased::default();
        if self.hard {
            reached = space.erase_all(&ids)?;
        } else {
            for id in &ids {
                space.forget(*id)?;
            }
        }
        self.print(&ids, &reached, output)?;
        settling::settle(&space, output)
    }

    fn print(
        &self,
        ids: &[MemoryId],
        reached: &Erased,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let (forgotten, erased) = if self.hard {
            (&[][..], ids)
        } else {
            (ids, &[][..])
        };
        if output.is_json() {
            let mut answer = json!({ "forgotten": forgotten, "erased": erased });
            if !reached.backups.is_empty() {
                answer["backups"] = json!(reached.backups);
            }
            return output.json(&answer);
        }
        let count = memories(ids.len() as u64);
        if self.hard {
            output.line(format_args!("erased {count} for ever"))?;
            return print_backups(reached, output);
        }
        output.line(format_args!("forgot {count}"))?;
        output.note("`anamne restore ID` brings one back");
        Ok(())
    }
}

fn print_backups(reached: &Erased, output: &mut Output) -> Result<(), Failure> {
    for backup in &reached.backups {
        let folder = backup.folder.display();
        if backup.trouble.is_empty() {
            output.line(format_args!("and in the backup {folder}"))?;
        } else {
            output.warn(format_args!(
                "the backup {folder} may still hold it ({}); `anamne backup {folder}` drops it there",
                backup.trouble
            ));
        }
    }
    Ok(())
}

fn is_agreed(ids: &[MemoryId], space: &Space, output: &Output) -> Result<bool, Failure> {
    for id in ids {
        let content = one_line(&space.get(*id)?.content);
        let width = output.width.saturating_sub(2);
        for line in at_most(wrapped(&content, width), 1, width) {
            say(format_args!("  {line}"));
        }
    }
    say(format_args!(
        "Erase {} for ever, with every earlier state? Type yes to go on:",
        memories(ids.len() as u64)
    ));
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| Failure::failed(format!("can't read the answer: {error}")))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
