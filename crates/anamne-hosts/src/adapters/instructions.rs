//! The block in an instruction file.

use std::path::PathBuf;

use super::drafts::Drafts;
use super::places::Places;
use super::snippet::Snippet;
use super::table::Instructions;
use crate::edit::block;

/// What the block says. Kept short: the agent reads it in each session. It doesn't repeat the MCP server's instructions.
const BODY: &str = include_str!("../../data/instructions.md");

/// The file that the host reads: the first that exists, else the one to create.
fn file(instructions: &Instructions, places: Places<'_>, drafts: &mut Drafts) -> Option<PathBuf> {
    let files = places.files(&instructions.person, &instructions.project);
    let mut existing = files.iter();
    let existing = existing.find(|path| drafts.text(path).is_some() || drafts.is_left(path));
    if let Some(existing) = existing {
        return Some(existing.clone());
    }
    let new = instructions.new.as_deref().and_then(|new| places.path(new));
    new.filter(|new| files.contains(new))
        .or(files.into_iter().next_back())
}

/// Adds or updates the block; returns what the person has to add where set-up may not.
pub(super) fn set_up(
    instructions: &Instructions,
    places: Places<'_>,
    drafts: &mut Drafts,
) -> Option<Snippet> {
    let path = file(instructions, places, drafts)?;
    if drafts.text(&path).is_none() && !drafts.is_left(&path) && !instructions.checked {
        return Some(Snippet::new(path, BODY.to_owned()));
    }
    drafts.rewrite(&path, |text| {
        block::set_block(text.unwrap_or_default(), BODY).map(Some)
    });
    None
}

/// Takes the block out of all files of the host, and removes a file that had nothing else. `is_shared` tells which files
/// another host that is set up reads as well: their block stays.
pub(super) fn remove(
    instructions: &Instructions,
    places: Places<'_>,
    drafts: &mut Drafts,
    is_shared: impl Fn(&PathBuf) -> bool,
) {
    let files = places.files(&instructions.person, &instructions.project);
    for path in files.into_iter().filter(|path| !is_shared(path)) {
        if drafts.text(&path).is_none() {
            continue;
        }
        drafts.rewrite(&path, |text| {
            let text = text.unwrap_or_default();
            let rest = block::remove_block(text)?;
            Ok(match rest {
                Some(rest) if rest.trim().is_empty() => None,
                rest => Some(rest.unwrap_or_else(|| text.to_owned())),
            })
        });
    }
}

/// Whether the block is there; `None` if the host has no such file.
pub(super) fn status(
    instructions: &Instructions,
    places: Places<'_>,
    drafts: &mut Drafts,
) -> Option<bool> {
    let path = file(instructions, places, drafts)?;
    let found = drafts.text(&path).map(block::block);
    Some(matches!(found, Some(Ok(Some(_)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_costs_about_a_hundred_and_twenty_tokens() {
        // Four characters of English are about a token.
        assert!(BODY.len() <= 4 * 130, "{} characters", BODY.len());
        assert!(BODY.is_ascii() && BODY.ends_with('\n'));
    }
}
