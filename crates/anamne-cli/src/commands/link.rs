//! `anamne link`.

use anamne::LinkType;
use serde_json::json;

use crate::arguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Link two memories
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The link is directed: FROM extends TO, FROM contradicts TO. Linking again
updates weight and reason. `anamne show` lists a memory's links.

Examples:
  anamne link m12 m31 --type supports --reason \"same bench, a week later\"
  anamne link m12 m31 --type related --weight 0.3
  anamne link m12 m31 --type supports --remove

With --json: {\"from\", \"to\", \"type\", \"linked\": whether the link exists now}")]
pub(crate) struct Link {
    /// The first memory
    from: String,
    /// The second memory
    to: String,
    /// The relation of the first memory to the second
    #[arg(long = "type", value_parser = arguments::link_type(), value_name = "TYPE")]
    sort: LinkType,
    /// Strength, 0 to 1
    #[arg(long, default_value_t = 1.0, value_name = "SHARE")]
    weight: f32,
    /// The reason
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "TEXT"
    )]
    reason: String,
    /// Remove the link
    #[arg(long)]
    remove: bool,
}

impl Link {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        let link = anamne::Link {
            from: space.resolve(&self.from)?,
            to: space.resolve(&self.to)?,
            link_type: self.sort,
            weight: self.weight,
            reason: self.reason,
            created_at: output.dates.now,
        };
        if !self.remove {
            space.link(&link)?;
        } else if !space.unlink(link.from, link.to, link.link_type)? {
            let what = format!(
                "no {} link from {} to {}",
                link.link_type, link.from, link.to
            );
            return Err(Failure::not_found(what)
                .hint(format!("see its links with `anamne show {}`", link.from)));
        }
        if output.is_json() {
            output.json(&json!({
                "from": link.from,
                "to": link.to,
                "type": link.link_type,
                "linked": !self.remove,
            }))?;
        } else {
            let (from, to) = (
                space.read(link.from)?.citation(),
                space.read(link.to)?.citation(),
            );
            let what = if self.remove { "no longer" } else { "now" };
            output.line(format_args!("{from} {what} {} {to}", link.link_type))?;
        }
        space.settle(output)
    }
}
