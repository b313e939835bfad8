//! Cues for whether capitalised ordinary words are a name.

use crate::reading::gazetteer::Class;
use crate::reading::tokens::{Shape, Tokens};

/// Whether the words before `at` introduce a name: `called`, `my sister`.
pub(super) fn is_called(tokens: &Tokens<'_>, at: usize) -> bool {
    if tokens.all[at].titled || tokens.all[at].begins && !tokens.all[at].quoted {
        return false;
    }
    let lower = |back: usize| tokens.lower(at.wrapping_sub(back));
    let called = |back: usize| {
        matches!(
            lower(back),
            "called" | "named" | "codenamed" | "dubbed" | "nicknamed"
        )
    };
    let quoted = matches!(lower(1), "\"" | "'" | "“" | "*" | "**" | "_");
    called(1)
        || (lower(1) == "is" && lower(2) == "name")
        || (quoted && called(2))
        || matches!(lower(1), "project" | "codename" | "alias")
        || (tokens.class(at.wrapping_sub(1)).is(Class::KIN)
            && at >= 2
            && matches!(lower(2), "my" | "our" | "'s" | "his" | "her"))
}

/// Whether a common noun such as `band` or `app` comes before: `our band Velvet Tractor`.
pub(super) fn follows_noun(tokens: &Tokens<'_>, at: usize) -> bool {
    let nouns = Class::WORK_NOUN
        .and(Class::PROJECT_NOUN)
        .and(Class::ORGANISATION_NOUN)
        .and(Class::TOOL_NOUN)
        .and(Class::PLACE_NOUN);
    at.checked_sub(1).is_some_and(|before| {
        tokens.all[before].shape == Shape::Lower && tokens.all[before].class.is(nouns)
    }) && !tokens.all[at].titled
}

/// Whether the word `at` comes before, as with an organisation or place: `at Sunny Meadows`.
pub(super) fn follows_at(tokens: &Tokens<'_>, at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| {
        tokens.all[before].lower == "at" && !tokens.all[before].begins && !tokens.all[at].titled
    })
}

/// Legal forms, which only company names end with: `GmbH`, `Ltd`.
pub(super) fn is_company_form(lower: &str) -> bool {
    one_of!(lower, "gmbh" "ag" "kg" "ug" "ohg" "ev" "ltd" "llc" "llp" "inc" "plc" "bv" "oy" "ab")
}

/// Words that form a phrase with `project` or `team` and not a name: `Project Overview`.
pub(super) fn is_about_work(lower: &str) -> bool {
    let listed = one_of!(
        lower,
        "name" "title" "overview" "goals" "goal" "scope" "manager" "plan" "planning" "update"
        "updates" "summary" "summaries" "details" "deadline" "deadlines" "timeline" "log" "gallery"
        "lead" "leader" "proposal" "report" "status" "structure" "team" "building" "work" "effort"
        "meeting" "members" "member" "morale" "dynamics" "post-mortem" "budget" "brief" "page" "x"
        "history" "files" "setup" "size" "player" "spirit" "sync" "link" "links"
    );
    listed
        || ["tion", "tions", "ment", "ship", "ity", "ing", "sion"]
            .iter()
            .any(|ending| lower.len() > 6 && lower.ends_with(ending))
}
