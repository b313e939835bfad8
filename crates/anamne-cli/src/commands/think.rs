//! `anamne think`.

use anamne::{Body, Draft, Filter, Kind, Listing, MemoryId, Space};

use super::remember;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::session_argument::SessionArgument;
use crate::{ids, input, settling};

/// Add a thought to a chain of reasoning
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A thought follows the last thought of its thread. Prints the id.

Examples:
  anamne think \"The cache is cold after every deploy\"
  anamne think \"So the first requests time out\"
  anamne think Warm it before the switch --thread slow-deploys --importance 7
  anamne list --thread slow-deploys --oldest-first

With --json: {\"id\", \"seq\", \"space\", \"duplicate\"}")]
pub(crate) struct Think {
    /// The thought; several words are joined by spaces, `-` reads standard input
    #[arg(required = true)]
    text: Vec<String>,
    /// The chain of thoughts
    #[arg(long, value_name = "NAME", default_value = "thoughts")]
    thread: String,
    /// The preceding thought [default: the last of the thread]
    #[arg(long, value_name = "ID")]
    follows: Option<String>,
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
}

impl Think {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let mut draft = Draft {
            content: input::text("content", &self.text, output)?,
            thread: Some(self.thread),
            session: self.session.name(),
            author: self.author,
            importance: self.importance,
            confidence: self.confidence,
            tags: self.tag,
            ..Draft::new("")
        };
        draft.check()?;
        let space = place.space()?;
        let follows = match &self.follows {
            Some(id) => Some(ids::resolve(&space, id)?),
            None => last_thought(&space, draft.thread.as_deref())?,
        };
        draft.body = Body::Thought { follows };
        let remembered = space.remember(draft)?;
        remember::print(&remembered, output)?;
        settling::settle(&space, output)
    }
}

fn last_thought(space: &Space, thread: Option<&str>) -> Result<Option<MemoryId>, Failure> {
    let listing = Listing {
        filter: Filter {
            threads: thread.map(str::to_owned).into_iter().collect(),
            kinds: vec![Kind::Thought],
            ..Filter::default()
        },
        limit: 1,
        ..Listing::default()
    };
    Ok(space.list(&listing)?.first().map(|memory| memory.id))
}
