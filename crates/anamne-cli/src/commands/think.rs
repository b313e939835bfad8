//! `anamne think`.

use anamne::{Body, Draft, Filter, Kind, Listing, MemoryId};

use super::remember;
use crate::failure::Failure;
use crate::input;
use crate::output::Output;
use crate::place::Place;
use crate::reached::Reached;
use crate::session_argument::SessionArgument;
use crate::typed_fields::{Related, ThoughtFields};

/// Add a thought to a chain of reasoning
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A thought follows the last thought of its thread, unless --follows names another.
Prints the id.

Examples:
  anamne think \"The cache is cold after every deploy\"
  anamne think \"So the first requests time out\"
  anamne think Warm it before the switch --thread slow-deploys --importance 7
  anamne think What is certain? --framework \"first principles\" --chain cache --number 1 --total 4
  anamne list --thread slow-deploys --oldest-first

With --json: {\"id\", \"seq\", \"space\", \"duplicate\"}")]
pub(crate) struct Think {
    /// The thought; several words are joined by spaces, `-` reads standard input
    #[arg(required = true)]
    text: Vec<String>,
    /// The chain of thoughts
    #[arg(long, value_name = "NAME", default_value = "thoughts")]
    thread: String,
    /// A tag; repeatable
    #[arg(long)]
    tag: Vec<String>,
    /// The author
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    #[command(flatten)]
    session: SessionArgument,
    /// Importance, 1 to 10 [default: 5]
    #[arg(long, value_name = "N")]
    importance: Option<u8>,
    /// The author's confidence, 0 to 1 [default: 1]
    #[arg(long, value_name = "SHARE")]
    confidence: Option<f32>,
    #[command(flatten)]
    fields: ThoughtFields,
    #[command(flatten)]
    related: Related,
}

impl Think {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let mut draft = Draft {
            content: input::some_text("content", &self.text, output)?,
            thread: Some(self.thread),
            session: self.session.name(),
            author: self.author,
            importance: self.importance,
            confidence: self.confidence,
            tags: self.tag,
            ..Draft::new("")
        };
        self.related.add_to(&mut draft.metadata)?;
        let mut fields = self.fields.read();
        let follows = fields.remove("follows");
        draft.body = Body::thought(None).with_fields(&fields)?;
        draft.check()?;
        let space = place.reached()?;
        space.create()?;
        let follows = match follows.as_ref().and_then(|id| id.as_str()) {
            Some(id) => Some(space.resolve(id)?),
            None => last_thought(&space, draft.thread.as_deref())?,
        };
        if let Body::Thought {
            follows: before, ..
        } = &mut draft.body
        {
            *before = follows;
        }
        let remembered = space.remember(draft)?;
        remember::print(&remembered, output)?;
        space.settle(output)
    }
}

fn last_thought(space: &Reached, thread: Option<&str>) -> Result<Option<MemoryId>, Failure> {
    let listing = Listing {
        filter: Filter {
            threads: thread.map(str::to_owned).into_iter().collect(),
            kinds: vec![Kind::Thought],
            ..Filter::default()
        },
        limit: 1,
        ..Listing::default()
    };
    let (last, _) = space.list(&listing)?;
    Ok(last.first().map(|memory| memory.id))
}
