//! Versions recognised by context: `PostgreSQL 16`, `version 2`, `release 1.0`.

use anamne_types::EntityType;

use super::{NameFinder, Named};
use crate::reading::gazetteer::{self, Class};
use crate::reading::tokens::{Shape, Tokens};

/// Finds the numbers that are versions, and adds the name of the tool before them.
pub(super) fn find(found: &mut NameFinder<'_>) {
    let tokens = found.tokens;
    let mut tool_ending_at = tools(tokens, &found.named);
    let releases = tokens.all.iter().any(|token| {
        one_of!(
            &*token.lower,
            "version" "release" "ship" "ships" "shipped" "released" "milestone" "changelog"
        )
    });
    for at in 0..tokens.all.len() {
        let token = &tokens.all[at];
        if found.taken[at] || token.titled || !may_be_version(tokens, at) {
            continue;
        }
        let parts: Vec<&str> = token.text.split('.').collect();
        let previous = tokens.lower(at.wrapping_sub(1));
        let counts = counts(tokens, at);
        let after_tool = tool_ending_at[at].is_some()
            && token.spaced
            && !counts
            && (parts.len() > 1 || token.text.len() <= 2);
        let said = matches!(previous, "version" | "release" | "v");
        let minor = parts.len() == 2 && parts[0].len() <= 2 && parts[1].len() <= 2 && !counts;
        let held = minor
            && matches!(previous, "on" | "at")
            && (at.saturating_sub(3)..at).any(|before| tool_ending_at[before].is_some());
        let led = at == 0
            || one_of!(
                previous,
                "in" "for" "of" "to" "with" "since" "until" "." "ship" "shipped" "the"
            );
        let goes_on = tokens
            .get(at + 1)
            .is_some_and(|next| next.lower == "to" || next.is_mark("("));
        let bare = minor && led && (parts[1] == "0" || releases) && !goes_on;
        if !(after_tool || said || bare || held) {
            continue;
        }
        let confidence = if bare { 0.6 } else { 0.85 };
        found.take(at..at + 1, EntityType::Version, confidence);
        if let Some(tool) = tool_ending_at[at].take().filter(|_| after_tool) {
            let version = found.named.last_mut().expect("a version was just taken");
            version.mention.name = format!("{tool} {}", token.text);
            version.value = Some(token.text.to_owned());
        }
    }
}

/// The names that a version may follow, by the index of the token after them.
fn tools(tokens: &Tokens<'_>, named: &[Named]) -> Vec<Option<String>> {
    let mut ending_at = vec![None; tokens.all.len() + 1];
    for tool in named {
        let (name, end) = (&tool.mention.name, tool.tokens.end);
        let lower = name.to_lowercase();
        let class = gazetteer::class_of(&lower);
        let next = tokens.get(end).filter(|next| next.text.contains('.'));
        let has_versions = match tool.mention.entity_type {
            EntityType::Tool if lower.contains(' ') => true,
            EntityType::Tool | EntityType::Project => {
                next.is_some_and(|next| next.shape == Shape::Digit)
            }
            EntityType::Concept => {
                next.is_some()
                    && name.bytes().all(|byte| byte.is_ascii_uppercase())
                    && !class.is(Class::CONCEPT)
            }
            _ => false,
        };
        if has_versions || class.is(Class::TOOL) {
            ending_at[end] = Some(name.clone());
        }
    }
    ending_at
}

/// Whether a number has the form and the position of a version.
fn may_be_version(tokens: &Tokens<'_>, at: usize) -> bool {
    let token = &tokens.all[at];
    let mut parts = token.text.split('.');
    let count = parts.clone().count();
    let numeric = parts.all(|part| {
        !part.is_empty() && part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit())
    });
    let after_mark = at.checked_sub(1).is_some_and(|before| {
        let previous = &tokens.all[before];
        previous.shape == Shape::Mark && count < 3 && !matches!(previous.text, "(" | "." | ":")
    });
    token.shape == Shape::Digit && numeric && count <= 3 && !after_mark
}

/// Whether a number counts or measures what follows it: `16 %`, `3 boats`.
fn counts(tokens: &Tokens<'_>, at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|next| {
        matches!(next.text, "%" | "€" | "$" | ":" | "°" | "x" | "×")
            || (next.shape == Shape::Lower
                && !next.class.is(Class::FUNCTION.and(Class::FOREIGN))
                && !next.class.is(Class::AFTER_TOOL.and(Class::PERSON_VERB))
                && !is_verb_of_release(&next.lower))
    })
}

fn is_verb_of_release(lower: &str) -> bool {
    one_of!(
        lower,
        "moves" "ships" "launches" "lands" "release" "comes" "goes" "adds" "introduced" "starts"
        "milestone" "beta"
    )
}
