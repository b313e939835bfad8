//! `anamne remember`.

use anamne::{Category, Draft, Kind, Remembered};
use serde_json::Value;

use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::{arguments, input, settling};

/// Remember a text
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Prints the id. When this returns, the text is durable and every process finds
it. The same text told again changes nothing and gives the same id.

Examples:
  anamne remember \"The staging server listens on port 8471\" --tag staging
  anamne remember We deploy on Fridays only --category constraint --importance 8
  git log -1 --format=%B | anamne remember - --author Ada --thread releases
  anamne remember \"Grace is away\" --expires \"in 2 weeks\" --metadata ticket=42

With --json: {\"id\", \"seq\", \"space\", \"duplicate\"}")]
pub(crate) struct Remember {
    /// What to remember; several words are joined by spaces, `-` reads standard input
    #[arg(required = true)]
    text: Vec<String>,
    /// What it is; a message when not said
    #[arg(long, value_parser = arguments::kind())]
    kind: Option<Kind>,
    /// What a fact is about; makes it a fact
    #[arg(long, value_parser = arguments::category())]
    category: Option<Category>,
    /// A word to file it under; may be given several times
    #[arg(long)]
    tag: Vec<String>,
    /// The thread that it continues: a chat, a document, a topic
    #[arg(long, value_name = "NAME")]
    thread: Option<String>,
    /// Its place in the thread; the next free one when not said
    #[arg(long, value_name = "N")]
    position: Option<u32>,
    /// Who said it
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    /// The session in which it was told
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// When it happened: "2026-03-01 14:00", yesterday, "3 days ago"; now when not said
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// How much it matters, 1 to 10; 5 when not said
    #[arg(long, value_name = "N")]
    importance: Option<u8>,
    /// How sure its author is, 0 to 1; 1 when not said
    #[arg(long, value_name = "SHARE")]
    confidence: Option<f32>,
    /// Anything to keep with it, as name=value; the value is JSON where it parses as such
    #[arg(long, value_name = "NAME=VALUE", value_parser = arguments::metadata)]
    metadata: Vec<(String, Value)>,
    /// When it stops being recalled: 30d, "in 2 weeks", 2031-12-31
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,
}

impl Remember {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let draft = self.draft(output)?;
        // Before the store is opened, so that a refused text makes no store.
        draft.check()?;
        let space = place.space()?;
        let remembered = space.remember(draft)?;
        print(&remembered, output)?;
        settling::settle(&space, output)
    }

    fn draft(self, output: &Output) -> Result<Draft, Failure> {
        let mut draft = Draft::new(input::text("content", &self.text, output)?);
        if let Some(body) = input::body(self.kind, self.category)? {
            draft.body = body;
        }
        Ok(Draft {
            thread: self.thread,
            position: self.position,
            session: self.session,
            author: self.author,
            importance: self.importance,
            confidence: self.confidence,
            tags: self.tag,
            metadata: self.metadata.into_iter().collect(),
            occurred_at: output.dates.start("at", self.at.as_deref())?,
            expires_at: output.dates.to_come("expires", self.expires.as_deref())?,
            ..draft
        })
    }
}

/// The id for a script, and a word for a person.
pub(super) fn print(remembered: &Remembered, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(remembered);
    }
    output.line(remembered.id)?;
    output.flush()?;
    let what = if remembered.duplicate {
        "known already"
    } else {
        "remembered"
    };
    output.note(format_args!("{what} in the space {}", remembered.space));
    Ok(())
}
