//! `anamne remember`.

use anamne::{Category, Draft, Kind, Metadata, Remembered};
use serde_json::Value;

use super::guard;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::session_argument::SessionArgument;
use crate::typed_fields::{self, TypedFields};
use crate::{arguments, input};

/// Store a text
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Prints the id. On return, the text is durable and visible to every process.
Storing the same text again changes nothing and returns the same id.

Secrets in the text are redacted before it is stored (see `anamne guard`). What
is on the command line is visible to other programs and in the shell's history:
give texts that may contain secrets on standard input.

Examples:
  anamne remember \"The staging server listens on port 8471\" --tag staging
  anamne remember We deploy on Fridays only --category constraint --importance 8
  git log -1 --format=%B | anamne remember - --author Ada --thread releases
  anamne remember \"Grace is away\" --expires \"in 2 weeks\" --metadata ticket=42
  anamne remember \"Moved the API to Go\" --kind episode --goal \"lower latency\" \\
    --step \"ported the router\" --outcome \"half the latency\" --salience 7 --file api/main.go
  anamne remember \"How to roll back\" --kind skill --trigger \"a bad deploy\" --step \"make rollback\"

With --json: {\"id\", \"citation\", \"seq\", \"space\", \"duplicate\", \"rewording\"?, \"guard\"?: [{\"field\", \"kind\",
  \"action\", \"start\", \"end\"}]}")]
pub(crate) struct Remember {
    /// The text; several words are joined by spaces, `-` reads standard input
    #[arg(required = true)]
    text: Vec<String>,
    /// The kind [default: message]
    #[arg(long, value_parser = arguments::kind())]
    kind: Option<Kind>,
    /// The category of a fact; implies --kind fact
    #[arg(long, value_parser = arguments::category())]
    category: Option<Category>,
    /// A tag; repeatable
    #[arg(long)]
    tag: Vec<String>,
    /// The thread: a chat, a document, a topic
    #[arg(long, value_name = "NAME")]
    thread: Option<String>,
    /// Position in the thread [default: next]
    #[arg(long, value_name = "N")]
    position: Option<u32>,
    /// The author
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    #[command(flatten)]
    session: SessionArgument,
    /// When it happened: "2026-03-01 14:00", yesterday, "3 days ago" [default: now]
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// Importance, 1 to 10 [default: 5]
    #[arg(long, value_name = "N")]
    importance: Option<u8>,
    /// The author's confidence, 0 to 1 [default: 1]
    #[arg(long, value_name = "SHARE")]
    confidence: Option<f32>,
    /// Metadata as name=value; the value may be JSON
    #[arg(long, value_name = "NAME=VALUE", value_parser = arguments::metadata)]
    metadata: Vec<(String, Value)>,
    /// When it expires: 30d, "in 2 weeks", 2031-12-31
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,
    /// Store it without the guard: secrets stay in the text
    #[arg(long)]
    no_guard: bool,
    #[command(flatten)]
    fields: TypedFields,
}

impl Remember {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let no_guard = self.no_guard;
        let (mut draft, mut fields) = self.draft(output)?;
        let follows = fields.remove("follows");
        draft.body = draft.body.with_fields(&fields)?;
        // Before the store is opened, so that a rejected text creates no store.
        draft.check()?;
        let mut space = place.reached()?;
        if let Some(follows) = follows {
            let mut field = [("follows".to_owned(), follows)].into();
            typed_fields::resolve_ids(&space, &mut field)?;
            draft.body = draft.body.with_fields(&field)?;
        }
        if no_guard {
            space = space.without_guard()?;
        }
        let remembered = space.remember(draft)?;
        print(&remembered, output)?;
        space.settle(output)
    }

    /// The draft without its typed fields, and these.
    fn draft(self, output: &Output) -> Result<(Draft, Metadata), Failure> {
        let reads_stdin = matches!(&self.text[..], [dash] if dash == "-");
        let (fields, related) = self.fields.read(reads_stdin)?;
        let mut draft = Draft::new(input::some_text("content", &self.text, output)?);
        if let Some(body) = input::body(self.kind, self.category)? {
            draft.body = body;
        }
        typed_fields::check_kind(draft.body.kind(), &fields)?;
        let mut metadata: Metadata = self.metadata.into_iter().collect();
        related.add_to(&mut metadata)?;
        let draft = Draft {
            thread: self.thread,
            position: self.position,
            session: self.session.name(),
            author: self.author,
            importance: self.importance,
            confidence: self.confidence,
            tags: self.tag,
            metadata,
            occurred_at: output.dates.start("at", self.at.as_deref())?,
            expires_at: output
                .dates
                .future_time("expires", self.expires.as_deref())?,
            ..draft
        };
        Ok((draft, fields))
    }
}

/// Prints the id for a script, and a note for a person.
pub(super) fn print(remembered: &Remembered, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(remembered);
    }
    output.line(remembered.id)?;
    output.flush()?;
    let space = &remembered.space;
    let named = match remembered.citation.as_str() {
        "" => String::new(),
        citation => format!(" as {citation}"),
    };
    match (remembered.rewording, remembered.duplicate) {
        (Some(kept), _) => output.note(format_args!(
            "known already{named} in the space {space}; {kept} keeps the new words"
        )),
        (None, true) => output.note(format_args!("known already{named} in the space {space}")),
        (None, false) => output.note(format_args!("remembered{named} in the space {space}")),
    }
    guard::print_notes(&remembered.guard, output);
    Ok(())
}
