//! `anamne export`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anamne::{CorpusReport, ExportExtra, ExportReport, ExportSelection, Skipped, Visibility};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::next_step::worded;
use crate::output::{Output, counted, memories};
use crate::place::Place;
use crate::reached::Reached;
use crate::skipped;
use crate::whole_file::write_whole;
use crate::wording::{number, size};

/// Export memories as JSON lines, Markdown notes, a training corpus or one file
#[derive(Debug, clap::Args)]
#[command(after_help = "\
jsonl     one JSON object per line, oldest first: every field of a memory, and
its outgoing links
markdown  one Obsidian note per memory: YAML front matter, [[wikilinks]], one
folder per thread; records of experience with --experience only
corpus    a line for each thread, its messages in order: {\"thread\", \"messages\":
          [{\"role\", \"content\", \"name\"?}]}; one without a role counts as user.
          What is no message, in no thread, or private is left out
binary    one compressed, checksummed file with everything: every space, or the
          one that --space names, each with settings, forgotten memories and
          history. Import it with `anamne import FILE --trusted` on another
          machine to get an equal store. What was erased is not in it; indexes
          are built again. --with adds what can't be computed again: `paid`
          (what a language model read, which cost money), `observed` (the log
          of your queries and what was learned from it), `external` (cached
          results of tools). Leave these out of a file for somebody else

`anamne import` restores lines and notes with their ids, times and links.
Earlier versions are in binary files only. What you told about personal entities
is exported with --personal only; a binary file always has it. A memory that is
damaged in both copies is skipped and named (exit code 4).

Files and pipes get the exact text. On a terminal, control and invisible
characters are escaped as \\uXXXX, which is the same data in JSON.

Examples:
  anamne export > memories.jsonl
  anamne --space recipes export --all --output recipes.jsonl
  anamne export --format markdown --into ~/vault/anamne
  anamne export --format corpus --output corpus.jsonl
  anamne export --format binary --output memories.anamne --with paid,observed
  anamne export | jq -r .content

With --json and --output or --into: {\"exported\", \"output\", \"personal\"?: facts
  left out, \"experience\"?: records left out}; for a corpus also \"threads\",
  \"left_out\" and \"private\": messages left out; for binary:
  {\"output\", \"bytes\", \"digest\", \"spaces\": [{\"name\", \"last_seq\",
  \"last_hash\"}], \"extras\"?: […], \"without_home\"?: [{\"space\", \"home\",
  \"members\"}]: members whose text is not in it}; \"skipped\"?: {\"count\", \"first\":
  [{\"entry\": id, \"reason\"}]}, to standard error where the memories go to
  standard output")]
pub(crate) struct Export {
    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    /// Output file, owner-readable only; created when complete
    #[arg(short, long, value_name = "FILE", conflicts_with = "into")]
    output: Option<PathBuf>,
    /// For markdown: an empty or new folder
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// Include forgotten memories; a binary file always has them
    #[arg(long)]
    all: bool,
    /// Include what you told about personal entities; in a corpus, private messages
    #[arg(long)]
    personal: bool,
    /// For markdown: include records of experience (outcomes, feedback, traces)
    #[arg(long)]
    experience: bool,
    /// For binary: also what can't be computed again
    #[arg(long, value_name = "DATA", value_enum, value_delimiter = ',')]
    with: Vec<Extra>,
}

/// Data beside the memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Extra {
    Paid,
    Observed,
    External,
}

impl From<Extra> for ExportExtra {
    fn from(extra: Extra) -> Self {
        match extra {
            Extra::Paid => Self::Paid,
            Extra::Observed => Self::Observed,
            Extra::External => Self::External,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Jsonl,
    Markdown,
    Corpus,
    Binary,
}

/// What was exported.
struct Written {
    exported: u64,
    personal: u64,
    experience: u64,
    corpus: Option<CorpusReport>,
    skipped: Skipped,
}

impl From<ExportReport> for Written {
    fn from(exported: ExportReport) -> Self {
        Self {
            exported: exported.exported,
            personal: exported.personal,
            experience: exported.experience,
            corpus: None,
            skipped: exported.skipped,
        }
    }
}

impl From<CorpusReport> for Written {
    fn from(corpus: CorpusReport) -> Self {
        Self {
            exported: corpus.messages,
            personal: 0,
            experience: 0,
            skipped: corpus.skipped.clone(),
            corpus: Some(corpus),
        }
    }
}

impl Export {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        self.check()?;
        if self.format == Format::Binary {
            return self.write_binary(place, output);
        }
        let space = place.reached_existing()?;
        if self.format != Format::Jsonl && space.here().is_none() {
            let message = "a server sends its memories as JSON lines only";
            return Err(Failure::refused("server", message)
                .hint("leave out --format and --into, or export where the server runs"));
        }
        if let (Some(folder), Some(space)) = (&self.into, space.here()) {
            let written = space.export_notes(folder, self.selection())?.into();
            return print(&written, folder, output);
        }
        let Some(path) = &self.output else {
            let written = output.json_lines(|writer| self.write(&space, writer))?;
            output.flush()?;
            note_left_out(&written, output);
            return end(&written.skipped, output);
        };
        let written = write_whole(path, |writer| self.write(&space, writer))?;
        print(&written, path, output)
    }

    fn check(&self) -> Result<(), Failure> {
        match (self.format, &self.into) {
            (Format::Markdown, None) => Err(Failure::refused(
                "into",
                "Markdown notes want a folder: --into DIR",
            )),
            (Format::Jsonl | Format::Corpus | Format::Binary, Some(_)) => Err(Failure::refused(
                "into",
                "--into is for --format markdown; a file is named by --output",
            )),
            (Format::Corpus, None) if self.all => Err(Failure::refused(
                "all",
                "a corpus has no forgotten memories in it",
            )),
            _ if self.format != Format::Markdown && self.experience => Err(Failure::refused(
                "experience",
                "--experience is for --format markdown; other formats have these records or never do",
            )),
            _ if self.format != Format::Binary && !self.with.is_empty() => Err(Failure::refused(
                "with",
                "--with is for --format binary; other formats have the memories alone",
            )),
            _ => Ok(()),
        }
    }

    fn write_binary(&self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let Some(path) = &self.output else {
            let message = "a binary export wants a file: --output FILE";
            return Err(Failure::refused("output", message));
        };
        let store = place.existing_store()?;
        let space = place.is_named().then(|| place.space_name().as_str());
        let extras: Vec<ExportExtra> = self.with.iter().copied().map(Into::into).collect();
        let written = store.export_binary(path, space, &extras)?;
        if output.is_json() {
            output.json(&worded(&written))?;
            return skipped::outcome(&written.skipped);
        }
        for space in &written.spaces {
            let events = counted(space.last_seq.0, "event");
            output.line(format_args!("{}  {events}", space.name))?;
        }
        output.flush()?;
        skipped::tell(&written.skipped, output);
        for without in &written.without_home {
            let (count, space, home) = (number(without.members), &without.space, &without.home);
            output.warn(format_args!(
                "the text of {count} members of {space} is not in the file, because their home {home} isn't"
            ));
        }
        output.note(format_args!(
            "{} written to {}",
            size(written.bytes),
            path.display()
        ));
        skipped::outcome(&written.skipped)
    }

    fn selection(&self) -> ExportSelection {
        let visibility = if self.all {
            Visibility::Both
        } else {
            Visibility::Live
        };
        ExportSelection {
            visibility,
            personal: self.personal,
            // Notes are for people; lines are complete.
            experience: self.experience || self.format != Format::Markdown,
        }
    }

    fn write(&self, space: &Reached, writer: impl Write) -> Result<Written, Failure> {
        match space.here() {
            Some(space) if self.format == Format::Corpus => {
                Ok(space.export_corpus(self.personal, writer)?.into())
            }
            _ => Ok(space.export(writer, self.selection())?.into()),
        }
    }
}

fn print(written: &Written, path: &Path, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        let mut answer = json!({ "exported": written.exported, "output": path });
        if written.personal > 0 {
            answer["personal"] = written.personal.into();
        }
        if written.experience > 0 {
            answer["experience"] = written.experience.into();
        }
        if let (Some(corpus), Value::Object(answer)) = (&written.corpus, &mut answer) {
            answer.insert("threads".to_owned(), corpus.threads.into());
            answer.insert("left_out".to_owned(), corpus.left_out.into());
            answer.insert("private".to_owned(), corpus.private.into());
        }
        skipped::describe(&written.skipped, &mut answer);
        output.json(&answer)?;
        return skipped::outcome(&written.skipped);
    }
    output.note(format_args!(
        "{} written to {}",
        memories(written.exported),
        path.display()
    ));
    note_left_out(written, output);
    end(&written.skipped, output)
}

/// Reports what is missing in the export.
fn end(passed: &Skipped, output: &Output) -> Result<(), Failure> {
    // With `--json` only standard output, which contains the memories, has no place for it.
    skipped::report_to_stderr(passed, output);
    if !passed.is_empty() {
        output.warn("the export lacks them: they are damaged in both copies; `anamne verify` lists the damage");
    }
    skipped::outcome(passed)
}

fn note_left_out(written: &Written, output: &Output) {
    if written.personal > 0 {
        output.note(format_args!(
            "{} about personal entities left out; --personal includes them",
            counted(written.personal, "fact")
        ));
    }
    if written.experience > 0 {
        output.note(format_args!(
            "{} of experience left out; --experience includes them",
            counted(written.experience, "record")
        ));
    }
    if let Some(corpus) = &written.corpus
        && corpus.left_out > 0
    {
        output.note(format_args!(
            "{} left out, which are no messages or in no thread; {} written",
            memories(corpus.left_out),
            counted(corpus.threads, "thread")
        ));
    }
    if let Some(corpus) = &written.corpus
        && corpus.private > 0
    {
        output.note(format_args!(
            "{} left out; --personal includes them",
            counted(corpus.private, "private message")
        ));
    }
}
