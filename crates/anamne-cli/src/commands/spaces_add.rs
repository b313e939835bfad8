//! `anamne spaces add`.

use anamne::{AddedMember, MemberTerms};
use serde_json::{Value, json};

use crate::arguments;
use crate::failure::Failure;
use crate::output::{Output, memories};
use crate::place::Place;

/// Make memories members of another space, too
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The text stays where it was told, in its home, and is stored and embedded once.
The other space finds and lists the memory with relevance, tags and metadata of
its own; edits in the home are seen there. Whoever may read that space may read
the memory, but no links, threads or earlier versions of the home. Erasing it in
the home erases it everywhere. Private memories are refused, and those of a
private space such as ~ada, except for another space of the same person.

Examples:
  anamne spaces add m12 --to team
  anamne spaces add m12 m13 --to team --relevance 0.5 --tag release

With --json: {\"members\": [{\"id\", \"home\", \"space\", \"citation\": in that space}]}")]
pub(crate) struct Add {
    /// The memories, in the space used here
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// The other space; created if missing
    #[arg(long, value_name = "SPACE")]
    to: String,
    #[command(flatten)]
    terms: Terms,
}

/// What the other space says of its members.
#[derive(Debug, clap::Args)]
pub(crate) struct Terms {
    /// How relevant they are there, 0 to 1 [default: 1]
    #[arg(long, value_name = "SHARE")]
    relevance: Option<f32>,
    /// Add this tag there
    #[arg(long)]
    tag: Vec<String>,
    /// Set a metadata field there; name=null removes it
    #[arg(long, value_name = "NAME=VALUE", value_parser = arguments::metadata)]
    metadata: Vec<(String, Value)>,
}

impl Terms {
    fn told(self) -> MemberTerms {
        MemberTerms {
            relevance: self.relevance,
            tags: self.tag,
            metadata: self.metadata.into_iter().collect(),
        }
    }
}

impl Add {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        add(&self.ids, &self.to, self.terms, place, output)
    }
}

/// Makes memories of the space used here members of the space `to`.
pub(crate) fn add(
    ids: &[String],
    to: &str,
    terms: Terms,
    place: &Place,
    output: &mut Output,
) -> Result<(), Failure> {
    let store = place.reached_store()?;
    let from = place.existing_in(&store)?;
    let ids = from.resolve_all(ids)?;
    let members = store.add_members(from.name(), &ids, to, &terms.told())?;
    if output.is_json() {
        output.json(&json!({ "members": members }))?;
    } else {
        let citations: Vec<_> = members
            .iter()
            .map(|AddedMember { citation, .. }| citation.as_str())
            .collect();
        let (count, citations) = (memories(members.len() as u64), citations.join(", "));
        output.line(format_args!(
            "added {count} to {to}; cited there as {citations}"
        ))?;
    }
    store.space(to)?.settle(output)
}
