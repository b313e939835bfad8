//! `anamne forget`.

use std::io::IsTerminal;

use anamne::{
    Filter, Memory, MemoryId, NextStep, OutsideErasure, PendingErasure, Recall, Visibility,
};
use serde_json::{Value, json};

use crate::dates::Dates;
use crate::failure::Failure;
use crate::filters::Filters;
use crate::next_step;
use crate::output::{CYAN, Output, is_confirmed, memories, paint, report};
use crate::place::Place;
use crate::reached::Reached;
use crate::shell::shell_word;
use crate::wording::{at_most, file_name, number, one_line, wrapped};

/// Maximum memories in a preview for a person; `--json` has all of them.
const SHOWN: usize = 20;

/// Forget memories, or erase them permanently
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A forgotten memory is no longer recalled; `anamne restore` brings it back.
--hard permanently removes its content from the database, the journal, every
index, quarantined files, and the backups made by `anamne backup`, including
their own backups. If a copy can't be reached (missing disk, read-only
backup), it is named with the reason (exit code 4), and the next `forget
--hard`, `backup` or `doctor` tries again, also if nothing is selected any
more. An interrupted erasure is completed in the same way. Not reached: copies
made by other means, stores made by `anamne rewind`, exports.
Content means text and typed fields, title, tags, metadata, external id,
earlier versions, links with their reasons, and names of threads, sessions and
authors that no other memory uses.

Instead of ids, select memories with --query, --all or filters; the selection
is shown first and needs --yes or a confirmation. With --hard, filters and
--all also select forgotten memories.

Examples:
  anamne forget m12
  anamne forget m12 m31 --hard --yes
  anamne forget --thread standup
  anamne forget --query \"the old office\" -k 5 --min-confidence 0.6 --hard
  anamne forget --author Ada --until 2024 --hard --yes
  anamne forget --space recipes --all --hard --yes

With --json: {\"forgotten\": [id, …], \"erased\": [id, …]}; with --hard also
  \"complete\", \"backups\"?: [{\"folder\", \"problem\"?: why it may still contain
  erased text, \"removed\"?}], \"removed\"?: [set-aside file, …], \"unreached\"?: [{\"place\",
  \"reason\"}]; where memories are chosen, without --yes: {\"preview\": [memory, …],
  \"hard\"}, and nothing changes")]
pub(crate) struct Forget {
    /// The memories
    #[arg(value_name = "ID", conflicts_with_all = ["query", "all"])]
    ids: Vec<String>,
    /// Memories that a recall returns for this query
    #[arg(long, value_name = "TEXT", conflicts_with = "all")]
    query: Option<String>,
    /// With --query: maximum number of memories
    #[arg(
        short = 'k',
        long,
        default_value_t = 10,
        value_name = "N",
        requires = "query"
    )]
    limit: usize,
    /// With --query: minimum confidence, 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "SHARE", requires = "query")]
    min_confidence: f32,
    /// All memories of the space; requires --space
    #[arg(long)]
    all: bool,
    /// Erase the content permanently
    #[arg(long)]
    hard: bool,
    /// Don't ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    filters: Filters,
}

/// When an erasure that did not reach every place is continued.
const RETRIED: &str =
    "retried by the next `anamne forget --hard`, `anamne backup` or `anamne doctor`";

/// The selected memories.
struct SelectedMemories {
    ids: Vec<MemoryId>,
    /// Whether the memories were named individually, and not selected by a filter.
    named: bool,
}

impl Forget {
    pub(crate) fn run(mut self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let filter = std::mem::take(&mut self.filters).read(&output.dates)?;
        self.check(place, &filter)?;
        let space = place.reached_existing()?;
        let chosen = match self.choose(&space, filter, &output.dates) {
            // It may be erased already, by a command that did not get further.
            Err(failure) if self.hard => {
                print_finished(&space.finish_erasures()?, output)?;
                return Err(failure);
            }
            chosen => chosen?,
        };
        if chosen.ids.is_empty() {
            output.note(format_args!(
                "no matching memory in the space {}",
                space.name()
            ));
            return self.finish_earlier(&space, output);
        }
        let asks = !self.yes && (self.hard || !chosen.named);
        if asks && output.is_json() && !chosen.named {
            let preview = space.get_each(&chosen.ids)?;
            return output.json(&json!({ "preview": preview, "hard": self.hard }));
        }
        if asks && !self.is_agreed(&chosen, &space, output)? {
            output.note("nothing was changed");
            return Ok(());
        }
        let mut reached = OutsideErasure::default();
        if self.hard {
            reached = space.erase_all(&chosen.ids)?;
        } else {
            space.forget_all(&chosen.ids)?;
        }
        self.print(&chosen.ids, &reached, output)?;
        space.settle(output)?;
        outcome(&reached)
    }

    /// Where nothing is selected, `--hard` still completes what earlier erasures left.
    fn finish_earlier(&self, space: &Reached, output: &mut Output) -> Result<(), Failure> {
        if !self.hard {
            return self.print(&[], &OutsideErasure::default(), output);
        }
        let finished = space.finish_erasures()?;
        if output.is_json() {
            self.print(&[], &finished, output)?;
        } else {
            output.line(format_args!("permanently erased {}", memories(0)))?;
            print_finished(&finished, output)?;
        }
        outcome(&finished)
    }

    /// Rejects an empty or ambiguous selection before anything is opened.
    fn check(&self, place: &Place, filter: &Filter) -> Result<(), Failure> {
        let chooses = self.query.is_some() || self.all || !filter.is_empty();
        if self.ids.is_empty() && !chooses {
            return Err(Failure::refused("ids", "no memories selected")
                .hint("give ids, or select with --query, --all or a filter such as --thread"));
        }
        if !self.ids.is_empty() && !filter.is_empty() {
            return Err(Failure::refused(
                "ids",
                "give either ids or filters, not both",
            ));
        }
        if self.all && !filter.is_empty() {
            return Err(Failure::refused(
                "all",
                "--all can't be combined with a filter",
            ));
        }
        if self.all && !place.is_named() {
            return Err(Failure::refused(
                "space",
                "--all requires --space, so that the wrong space isn't emptied",
            )
            .hint(format!(
                "add --space {}",
                shell_word(place.space_name().as_str())
            )));
        }
        if self.hard && !self.yes && !self.ids.is_empty() && !std::io::stdin().is_terminal() {
            return Err(
                Failure::refused("yes", "erasing without a terminal needs --yes")
                    .hint("add --yes, or omit --hard to forget them reversibly"),
            );
        }
        Ok(())
    }

    fn choose(
        &self,
        space: &Reached,
        filter: Filter,
        dates: &Dates,
    ) -> Result<SelectedMemories, Failure> {
        if !self.ids.is_empty() {
            let ids = space.resolve_all(&self.ids)?;
            // All ids are resolved before the first memory is changed.
            for id in &ids {
                space.read(*id)?;
            }
            return Ok(SelectedMemories { ids, named: true });
        }
        let ids = if let Some(query) = &self.query {
            let recall = Recall {
                min_confidence: self.min_confidence,
                ..Recall::new(query)
                    .limit(self.limit)
                    .filter(filter)
                    .asked(dates.now, &dates.zone)
            };
            let found = space.recall(&recall)?.results;
            found.into_iter().map(|hit| hit.memory.id).collect()
        } else {
            let visibility = if self.hard {
                Visibility::Both
            } else {
                Visibility::Live
            };
            space.select(&filter, visibility)?
        };
        Ok(SelectedMemories { ids, named: false })
    }

    /// Shows what will be forgotten or erased, and asks for confirmation.
    fn is_agreed(
        &self,
        chosen: &SelectedMemories,
        space: &Reached,
        output: &Output,
    ) -> Result<bool, Failure> {
        for memory in space.get_each(&chosen.ids[..chosen.ids.len().min(SHOWN)])? {
            show(&memory, output);
        }
        if chosen.ids.len() > SHOWN {
            let more = (chosen.ids.len() - SHOWN) as u64;
            report(format_args!("  … and {} more", number(more)));
        }
        let count = memories(chosen.ids.len() as u64);
        if !std::io::stdin().is_terminal() {
            return Err(Failure::refused(
                "yes",
                format!("{count} selected; without a terminal, forgetting them needs --yes"),
            )
            .hint("add --yes to confirm; --json lists all of them"));
        }
        let of = format!("{count} of the space {}", space.name());
        let question = match (self.all, self.hard) {
            (true, true) => format!("Permanently erase all {of}, with every earlier version?"),
            (true, false) => format!("Forget all {of}?"),
            (false, true) => format!("Permanently erase {count}, with every earlier version?"),
            (false, false) => format!("Forget {count}?"),
        };
        is_confirmed(format_args!("{question} Type yes to continue:"))
    }

    /// The command that restores what was forgotten.
    fn way_back(&self) -> String {
        if self.ids.is_empty() || self.ids.len() > SHOWN {
            return "anamne restore ID".to_owned();
        }
        let ids: Vec<_> = self.ids.iter().map(|id| shell_word(id)).collect();
        format!("anamne restore {}", ids.join(" "))
    }

    fn print(
        &self,
        ids: &[MemoryId],
        reached: &OutsideErasure,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let (forgotten, erased) = if self.hard {
            (&[][..], ids)
        } else {
            (ids, &[][..])
        };
        if output.is_json() {
            let mut answer = json!({ "forgotten": forgotten, "erased": erased });
            if self.hard {
                describe(reached, &mut answer);
            }
            return output.json(&answer);
        }
        let count = memories(ids.len() as u64);
        if self.hard {
            output.line(format_args!("permanently erased {count}"))?;
            return print_reached(reached, RETRIED, output);
        }
        output.line(format_args!("forgot {count}"))?;
        output.flush()?;
        if !ids.is_empty() {
            output.note(format_args!("restore with `{}`", self.way_back()));
        }
        Ok(())
    }
}

/// Exit code 4 if an erasure did not reach every place.
fn outcome(reached: &OutsideErasure) -> Result<(), Failure> {
    if reached.is_complete() {
        Ok(())
    } else {
        Err(Failure::Incomplete)
    }
}

/// Prints on standard error what came of earlier erasures that were still to be completed.
fn print_finished(finished: &OutsideErasure, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return Ok(());
    }
    for backup in &finished.backups {
        if backup.problem.is_empty() {
            output.note(format_args!(
                "completed an earlier erasure in the backup {}",
                file_name(&backup.folder)
            ));
        }
    }
    print_left(finished, RETRIED, output);
    output.flush()
}

/// Adds what the erasure reached and did not reach to the output of `--json`.
pub(super) fn describe(reached: &OutsideErasure, answer: &mut Value) {
    answer["complete"] = reached.is_complete().into();
    let unreached = reached.unreached();
    for (name, list) in [
        ("backups", json!(reached.backups)),
        ("removed", json!(reached.removed)),
        ("unreached", json!(unreached)),
    ] {
        if list != json!([]) {
            answer[name] = next_step::worded(&list);
        }
    }
}

/// Prints what the erasure reached, and what it did not reach; `retried` says when that is tried again.
pub(super) fn print_reached(
    reached: &OutsideErasure,
    retried: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    for backup in &reached.backups {
        if backup.problem.is_empty() {
            let folder = file_name(&backup.folder);
            output.line(format_args!("and in the backup {folder}"))?;
        }
    }
    print_left(reached, retried, output);
    Ok(())
}

/// Prints on standard error which quarantined files are gone, and what was not reached.
fn print_left(reached: &OutsideErasure, retried: &str, output: &Output) {
    for path in reached.removed() {
        output.note(format_args!(
            "deleted {}, a quarantined file that may have contained the text",
            file_name(path)
        ));
    }
    let unreached = reached.unreached();
    for PendingErasure { place, reason, .. } in &unreached {
        output.warn(format_args!(
            "{} may still contain the text: {}",
            file_name(place),
            one_line(reason)
        ));
    }
    if !unreached.is_empty() {
        output.note(retried);
        let steps = unreached.iter().filter_map(|one| one.next_step);
        next_step::report_each(steps.chain([NextStep::ForgetBackup]));
    }
}

fn show(memory: &Memory, output: &Output) {
    let citation = memory.citation();
    let width = output.width.saturating_sub(citation.len() + 4);
    for line in at_most(wrapped(&one_line(&memory.content), width), 1, width) {
        report(format_args!("  {}  {line}", paint(CYAN, &citation)));
    }
}
