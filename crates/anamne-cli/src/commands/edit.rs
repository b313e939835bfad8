//! `anamne edit`.

use anamne::{Category, Kind};
use serde_json::{Value, json};

use super::show;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::typed_fields::{self, TypedFields};
use crate::{arguments, input};

/// Change a memory; earlier versions are kept
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  anamne edit m12 --content \"The staging server listens on port 8472\"
  anamne edit m12 --importance 9 --tag urgent --untag idea
  anamne edit m12 --metadata ticket=43 --metadata draft=null
  anamne edit m12 --superseded-by m31
  anamne edit m20 --outcome \"half the latency\" --step \"ported the router\"

Fields of a kind replace the former ones, lists as a whole. An empty text
empties a field. A new --kind starts with empty fields.

With --json: {\"memory\": the memory as it stands now}")]
pub(crate) struct Edit {
    /// The memory
    id: String,
    /// New content; `-` reads standard input
    #[arg(long, value_name = "TEXT")]
    content: Option<String>,
    /// New kind
    #[arg(long, value_parser = arguments::kind())]
    kind: Option<Kind>,
    /// New category; makes it a fact
    #[arg(long, value_parser = arguments::category())]
    category: Option<Category>,
    /// New importance, 1 to 10
    #[arg(long, value_name = "N")]
    importance: Option<u8>,
    /// New confidence, 0 to 1
    #[arg(long, value_name = "SHARE")]
    confidence: Option<f32>,
    /// New trust in its origin, 0 to 1
    #[arg(long, value_name = "SHARE")]
    trust: Option<f32>,
    /// Add this tag
    #[arg(long)]
    tag: Vec<String>,
    /// Remove this tag
    #[arg(long, value_name = "TAG")]
    untag: Vec<String>,
    /// Set a metadata field; name=null removes it
    #[arg(long, value_name = "NAME=VALUE", value_parser = arguments::metadata)]
    metadata: Vec<(String, Value)>,
    /// When it happened
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// When it expires; `never` removes this
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,
    /// The memory that replaces it; `none` removes this
    #[arg(long, value_name = "ID")]
    superseded_by: Option<String>,
    #[command(flatten)]
    fields: TypedFields,
}

impl Edit {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let reads_stdin = self.content.as_deref() == Some("-");
        let (fields, related) = self.fields.read(reads_stdin)?;
        let mut metadata = self.metadata.into_iter().collect();
        related.add_to(&mut metadata)?;
        let body = input::body(self.kind, self.category)?;
        if let Some(body) = &body {
            typed_fields::check_kind(body.kind(), &fields)?;
        }
        let never_expires = self.expires.as_deref() == Some("never");
        let expires = self.expires.as_deref().filter(|_| !never_expires);
        let mut edit = anamne::Edit {
            content: self
                .content
                .map(|text| input::text("content", &[text], output))
                .transpose()?,
            body,
            fields,
            importance: self.importance,
            confidence: self.confidence,
            trust: self.trust,
            add_tags: self.tag,
            remove_tags: self.untag,
            metadata,
            occurred_at: output.dates.start("at", self.at.as_deref())?,
            expires_at: output.dates.future_time("expires", expires)?,
            never_expires,
            superseded_by: None,
            not_superseded: self.superseded_by.as_deref() == Some("none"),
        };
        if edit.is_empty() && self.superseded_by.is_none() {
            return Err(
                Failure::refused("edit", "an edit must name something to change")
                    .hint("such as --content, --importance, --tag; `anamne edit --help` lists all"),
            );
        }
        let follows = edit.fields.remove_entry("follows");
        edit.check()?;
        let space = place.reached_existing()?;
        let id = space.resolve(&self.id)?;
        edit.fields.extend(follows);
        typed_fields::resolve_ids(&space, &mut edit.fields)?;
        if edit.body.is_none() && !edit.fields.is_empty() {
            typed_fields::check_kind(space.read(id)?.kind(), &edit.fields)?;
        }
        edit.superseded_by = self
            .superseded_by
            .filter(|_| !edit.not_superseded)
            .map(|other| space.resolve(&other))
            .transpose()?;
        let memory = space.edit(id, &edit)?;
        if output.is_json() {
            output.json(&json!({ "memory": memory }))?;
        } else {
            show::print(&memory, &space, output)?;
        }
        space.settle(output)
    }
}
