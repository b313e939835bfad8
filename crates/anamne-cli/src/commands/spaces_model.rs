//! The embedding model of a space: what a change of it takes, and whether the user agrees.

use std::fmt::Write as _;
use std::io::IsTerminal;

use anamne::{EmbeddingEstimate, Space};

use crate::failure::Failure;
use crate::output::{Output, is_confirmed};
use crate::wording::number;

/// A change of the embedding model.
pub(super) struct ModelChange {
    /// The full name of the model.
    pub(super) name: String,
    /// What embedding all memories with it takes.
    pub(super) estimate: EmbeddingEstimate,
}

impl ModelChange {
    /// The change to the model called `name`; `None` if the space uses it already.
    pub(super) fn to(name: &str, space: &Space) -> Result<Option<Self>, Failure> {
        let name = space.full_model_name(name)?;
        if space.config().embedding.model == name {
            return Ok(None);
        }
        let estimate = space.embedding_estimate(&name)?;
        Ok(Some(Self { name, estimate }))
    }

    /// What it takes, as text.
    pub(super) fn description(&self) -> String {
        let estimate = &self.estimate;
        let known = match estimate.cached {
            0 => String::new(),
            cached => format!(", of which {} are cached", number(cached)),
        };
        let mut text = format!(
            "{} embeds {} texts{known}",
            estimate.model,
            number(estimate.texts)
        );
        if estimate.tokens > 0 {
            let cost = match &estimate.cost {
                Some(cost) if estimate.leaves_machine => format!(", about {cost}"),
                Some(_) => String::new(),
                None => ", at an unknown price".to_owned(),
            };
            let _ = write!(text, "; about {} tokens{cost}", number(estimate.tokens));
        }
        if estimate.minutes > 1 {
            let minutes = number(estimate.minutes);
            let _ = write!(
                text,
                "; at least {minutes} minutes within limits.tokens_per_minute"
            );
        }
        if estimate.private > 0 {
            let private = crate::output::memories(estimate.private);
            let _ = write!(
                text,
                "; {private} marked private are not sent, and are found by words only"
            );
        }
        text
    }

    /// Fails unless the user agrees to send texts to another machine.
    pub(super) fn agree(&self, has_yes: bool, output: &mut Output) -> Result<(), Failure> {
        let description = self.description();
        if has_yes || !self.estimate.may_cost() {
            if self.estimate.texts > self.estimate.cached {
                output.note(&description);
            }
            return Ok(());
        }
        if output.is_json() || !std::io::stdin().is_terminal() {
            return Err(
                Failure::refused("yes", format!("{description}; this may cost money"))
                    .hint("add --yes to confirm, or --dry-run to see the estimate alone"),
            );
        }
        output.flush()?;
        if is_confirmed(format_args!("{description}\nEmbed with it? [y/N]"))? {
            return Ok(());
        }
        Err(Failure::refused(
            "yes",
            "not confirmed; nothing was changed",
        ))
    }
}
