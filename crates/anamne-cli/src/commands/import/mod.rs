//! `anamne import`.

mod binary;
mod progress;
mod served;
mod source;
mod total;

use std::time::Instant;

use anamne::{BadLines, ImportOptions};
use anamne_ingest::transcripts::TranscriptFormat;

use crate::arguments::Global;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::reached::Reached;
use crate::transcripts::TranscriptImport;
use progress::Progress;
use served::Watching;
use source::{Source, size_of, unreadable};
use total::{BadLine, Total};

/// Import JSON lines, Markdown notes, export files or the conversations of a host
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A line is an object such as
  {\"id\": \"a1\", \"thread\": \"standup\", \"position\": 0,
   \"time\": \"2026-02-03T09:12:37Z\", \"author\": \"Ada\", \"text\": \"We use tabs\"}
Only `text` (or `content`) is required. Also accepted: session, kind,
category, role, importance, confidence, trust, tags, metadata, expires, links,
the fields of typed memories, and everything that `anamne export` writes.
Exported memories keep their ids, times and links. Of other lines, `created_at`
is the time if there is no other, and one with `deleted_at` becomes a forgotten
memory. Other fields become metadata, as NAME_2 if `metadata` has another value
of that name. Older forms are read too: skill_name, chain_id, thought_number,
timestamp, tool_logs, memory_type, goal, plan, outcome, salience, steps, code,
trigger.

One JSON document that maps keys such as thought:7, chain:2, node:9 and
relation:4 to documents or hashes, or an array of them, is read as a dump:
thoughts in the thread of their chain, nodes and relations as statements about
the knowledge graph (told ones with --trusted).

A folder is read as Markdown notes, such as an Obsidian vault or the output of
`anamne export --format markdown`, a file named NAME.md as one note: properties
as above, links as properties such as supports: \"[[Other note]]\"; one that
can't be a field of a memory, such as author: [A, B], becomes metadata. A note
without an id becomes a document named by its path. One without a time has that
of created_at, created, date, updated_at, updated or modified, else of its file.

--from HOST imports the conversations that an agent host recorded on this
machine (claude-code, codex, gemini, opencode, cline, cursor): what was said on
the live branch, and one line for each tool call. A message without a time gets
that of the message before or after it, else that of the file. Each goes to the
space of its project, or to the one that --space names; outside of projects to
`unfiled`. What hooks have captured already is not stored twice. Stored messages
of branches that were abandoned since are named; they stay. If something can't
be read, the exit code is 4.

A file of `anamne export --format binary` is recognised by its first bytes and
verified as a whole before anything is stored. Each of its spaces keeps its
name, or only the one that --space names is taken; --into NAME renames one. A
space that has or had other memories is never merged: the import is refused.
With --trusted the result equals the exported space: history, actors, trust,
assertions and settings, the guard's and the schedule of backups included, and
its texts are not checked again. So trust only files that you made yourself.
Without --trusted its memories are imported like lines: untrusted, without
history and settings.

Imported text is untrusted. Without --trusted an import can't set trust above
0.9, importance above 5, assertions about entities or feedback (they are dropped
and counted), and can't supersede or contradict memories with more trust.
Memories that this store exported itself keep all of them.

A line or note whose id belongs to a memory with different content is refused.
With --update it edits that memory: content, kind and fields, times, and the
tags and metadata that it has; the history keeps what was there. What it says as
at the last import leaves what the store changed since, and one with the content
of an earlier version changes nothing: the memory is newer. A note without an id
is known by its folder and its path there; a folder that was moved or copied is
known again by its notes, if half of those that it shares with one are the same.
Memories whose note an earlier import found in the same folder, and that is
gone, are counted and named; none is forgotten. Lines have no such report: the
store doesn't know which file a line was in.

Imports are idempotent: if one was interrupted, run it again. A line that can't
be read stops the import (exit code 1); the lines before it stay imported and
are counted in the error. With --skip-bad the import skips lines, notes, folders
and files that can't be read, names the first 20 (--json: all) and ends with
exit code 4; only a store that can't be written, such as on a full disk, still
stops it.

Links are drawn after all lines: the memory of a refused link is stored. A link
that the store has stays as it is, and a removed one stays removed. With
--update the import edits weight and reason of a link that an import wrote, or
that nobody changed since it was exported.

Examples:
  anamne import conversation.jsonl
  anamne import 2026-*.jsonl --skip-bad
  anamne import ~/vault/anamne
  anamne import ~/vault/anamne --update
  anamne import my-export.jsonl --trusted
  anamne import memories.anamne --trusted
  anamne import memories.anamne --into copy
  anamne import --from claude-code --since \"3 months ago\" --dry-run
  zstd -dc backup.jsonl.zst | anamne import -

With --json: {\"lines\", \"bytes\", \"imported\", \"known\", \"updated\", \"newer\"
  and \"erased\": of the known ones, \"gone\"?: [{\"file\", \"memory\", \"citation\"}],
  \"passed_over\"?: files in a folder that are no notes, \"links\",
  \"bad\": [{\"file\", \"line\"?, \"reason\", \"stored\"?: only a link was
  refused}], \"unproven\": {\"trust\", \"importance\", \"metadata\"}, \"guard\"?:
  {\"kinds\": {kind: count}, \"lines\": [{\"file\", \"line\", \"field\", \"kind\",
  \"action\", \"start\", \"end\"}]}, \"took_ms\"}; an error has \"taken\":
  {\"imported\", \"known\", \"links\"}.
  For an export file: {\"made_at\", \"trusted\", \"spaces\": [{\"space\",
  \"exported\": its name in the file, \"events\", \"known\", \"memories\",
  \"backups_to\"?, \"import\"?: as above}]}.
  With --from: {\"conversations\", \"kept\", \"merged\", \"redacted\", \"undated\",
  \"skipped\": {reason: count}, \"refusal\"?: why the first of the refused was,
  \"abandoned\"?: [{\"space\", \"memory\", \"citation\"}], \"spaces\": {name: count},
  \"bad\": [{\"file\", \"line\"?, \"reason\"}], \"took_ms\"}")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches of the command line"
)]
pub(crate) struct Import {
    /// Files and folders, in this order; `-` reads standard input
    #[arg(required_unless_present = "from", value_name = "FILE")]
    files: Vec<String>,
    /// Import the conversations that this host recorded on this machine
    #[arg(long, value_name = "HOST", conflicts_with_all = ["files", "skip_bad", "trusted"], value_parser = format_named)]
    from: Option<TranscriptFormat>,
    /// With --from: only conversations changed since this time
    #[arg(long, value_name = "TIME", requires = "from", conflicts_with = "files")]
    since: Option<String>,
    /// With --from: read and count, store nothing
    #[arg(long, requires = "from", conflicts_with = "files")]
    dry_run: bool,
    /// Skip and report invalid lines, notes and files
    #[arg(long)]
    skip_bad: bool,
    /// Accept the trust, importance, assertions and feedback in the files. For your own exports
    #[arg(long)]
    trusted: bool,
    /// Edit memories whose lines or notes have changed since they were imported, instead of stopping there
    #[arg(long, conflicts_with = "from")]
    update: bool,
    /// Import without the guard: secrets stay in the texts
    #[arg(long)]
    no_guard: bool,
    /// For an export file: the name of the space
    #[arg(long, value_name = "NAME", conflicts_with = "from")]
    into: Option<String>,
}

impl Import {
    pub(crate) fn run(
        self,
        place: &Place,
        global: &Global,
        output: &mut Output,
    ) -> Result<(), Failure> {
        self.check_place(place)?;
        if let Some(format) = self.from {
            let import = TranscriptImport {
                format,
                since: output.dates.start("since", self.since.as_deref())?,
                dry_run: self.dry_run,
                no_guard: self.no_guard,
            };
            return import.run(place, global, output);
        }
        let started = Instant::now();
        // Before the store is opened, so that a misspelt file name creates no store.
        let sizes = self
            .files
            .iter()
            .map(|file| size_of(file))
            .collect::<Result<Vec<_>, _>>()?;
        let bad_lines = if self.skip_bad {
            BadLines::Skip
        } else {
            BadLines::Stop
        };
        let options = ImportOptions {
            bad_lines,
            trusted: self.trusted,
            updates: self.update,
        };
        let mut first = None;
        if let [file] = self.files.as_slice() {
            match Source::open(file) {
                Ok(Source::Binary(opened)) => {
                    return self.import_export_file(file, opened, options, place, output);
                }
                Err(error) if !self.skip_bad => return Err(unreadable(file, &error)),
                source => first = Some(source),
            }
        }
        self.refuse_into()?;
        let mut space = place.reached()?;
        if self.no_guard {
            space = space.without_guard()?;
        }
        let progress = Progress::new(sizes.into_iter().sum(), output.is_watched());
        let mut total = Total::default();
        for file in &self.files {
            let opened = match first.take().unwrap_or_else(|| Source::open(file)) {
                Err(error) if self.skip_bad => {
                    total.bad.push(BadLine {
                        file: file.clone(),
                        line: None,
                        reason: format!("can't read it: {error}"),
                        stored: false,
                        next_step: None,
                        is_shown: false,
                    });
                    continue;
                }
                opened => opened.map_err(|error| unreadable(file, &error))?,
            };
            let mut shown = Vec::new();
            let report = match &space {
                Reached::Here(space) if space.config().guard.skips(file) => {
                    let space = space.without_guard()?;
                    opened.read(file, &space, options, &progress, &total)
                }
                Reached::Here(space) => opened.read(file, space, options, &progress, &total),
                Reached::There(space) => {
                    let shows_refused = self.skip_bad && !output.is_json();
                    let mut watching = Watching::new(&progress, &total, shows_refused);
                    let report = opened.send(file, space, options, &mut watching);
                    shown = watching.shown;
                    report
                }
            };
            total.add(file, report.inspect_err(|_| progress.end())?, &shown);
        }
        let settled = match space.here() {
            Some(space) => space.settle(&mut |view, _| progress.indexing(view)),
            None => Ok(()),
        };
        progress.end();
        total.took_ms = started.elapsed().as_secs_f64() * 1_000.0;
        total.print(output)?;
        if let Err(error) = settled {
            output.warn(format_args!(
                "indexes not updated: {error}; the next command tries again"
            ));
        }
        total.outcome()
    }
}

fn format_named(name: &str) -> Result<TranscriptFormat, String> {
    let known = TranscriptFormat::ALL.map(TranscriptFormat::as_str);
    TranscriptFormat::ALL
        .into_iter()
        .find(|format| format.as_str() == name)
        .ok_or_else(|| format!("conversations can be imported from {}", known.join(", ")))
}
