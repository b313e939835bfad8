//! `anamne forget`.

use std::io::{BufRead, IsTerminal};

use anamne::{MemoryId, Space};
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
--hard its content is removed from the database, the journal and every view, and
nothing brings it back.

Examples:
  anamne forget m12
  anamne forget m12 m31 --hard
  anamne forget m12 --hard --yes

With --json: {\"forgotten\": [id, …], \"erased\": [id, …]}")]
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
        if self.hard {
            space.erase_all(&ids)?;
        } else {
            for id in &ids {
                space.forget(*id)?;
            }
        }
        self.print(&ids, output)?;
        settling::settle(&space, output)
    }

    fn print(&self, ids: &[MemoryId], output: &mut Output) -> Result<(), Failure> {
        let (forgotten, erased) = if self.hard {
            (&[][..], ids)
        } else {
            (ids, &[][..])
        };
        if output.is_json() {
            return output.json(&json!({ "forgotten": forgotten, "erased": erased }));
        }
        let count = memories(ids.len() as u64);
        if self.hard {
            return output.line(format_args!("erased {count} for ever"));
        }
        output.line(format_args!("forgot {count}"))?;
        output.note("`anamne restore ID` brings one back");
        Ok(())
    }
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
