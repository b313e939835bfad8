//! The names in a text.

mod dates;
mod kinds;
mod proper;
mod speech;

use std::ops::Range;

use anamne_types::EntityType;
use rustc_hash::FxHashMap;

use self::kinds::Points;
use self::proper::Candidate;
use self::speech::Speech;
use super::Mention;
use super::code;
use super::gazetteer::{self, Class};
use super::tokens::{Shape, Tokens};

/// The fewest points with which a name is taken for one.
const ENOUGH: f32 = 1.4;

/// The most names that one text gives; what comes after is left out.
const MOST: usize = 4096;

/// A name, and the tokens that it is made of.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) tokens: Range<usize>,
    pub(super) mention: Mention,
    /// What is told of it where it stands: `26` in `minSdkVersion = 26`.
    pub(super) value: Option<String>,
}

/// Finds the names of a text, by where they stand; none overlap.
pub(super) fn names(tokens: &Tokens<'_>) -> Vec<Named> {
    let speech = Speech::of(tokens);
    let mut taken = vec![false; tokens.all.len()];
    let mut named = Vec::new();
    coded(tokens, &mut taken, &mut named);
    dates(tokens, &mut taken, &mut named);
    let candidates = proper::candidates(tokens, &speech, &taken);
    proper_names(tokens, &candidates, &mut taken, &mut named);
    versions(tokens, &mut taken, &mut named);
    named.sort_by_key(|found| found.tokens.start);
    named.truncate(MOST);
    named
}

/// The names that code between fences defines.
pub(super) fn defined(tokens: &Tokens<'_>) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    for fenced in &tokens.fenced {
        for name in code::definitions(&tokens.text[fenced.clone()]) {
            let span = fenced.start + name.start..fenced.start + name.end;
            found.push(Mention {
                name: tokens.text[span.clone()].to_owned(),
                span,
                entity_type: EntityType::Symbol,
                confidence: 0.7,
            });
        }
    }
    found.truncate(MOST);
    found
}

fn take(
    tokens: &Tokens<'_>,
    range: Range<usize>,
    entity_type: EntityType,
    confidence: f32,
    taken: &mut [bool],
    named: &mut Vec<Named>,
) {
    taken[range.clone()].fill(true);
    let article = entity_type != EntityType::Date
        && range.len() > 1
        && matches!(&*tokens.all[range.start].lower, "the" | "a" | "an");
    let range = range.start + usize::from(article)..range.end;
    let span = tokens.bytes(&range);
    named.push(Named {
        tokens: range,
        mention: Mention {
            name: tidy(&tokens.text[span.clone()]),
            span,
            entity_type,
            confidence,
        },
        value: None,
    });
}

/// One space where there is white space.
fn tidy(text: &str) -> String {
    if text.contains(['\n', '\t']) || text.contains("  ") {
        return text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    text.to_owned()
}

fn coded(tokens: &Tokens<'_>, taken: &mut [bool], named: &mut Vec<Named>) {
    for (at, token) in tokens.all.iter().enumerate() {
        if token.shape == Shape::Lower && token.text.contains('-') && code::is_numbered(token.text)
        {
            take(tokens, at..at + 1, EntityType::Symbol, 0.6, taken, named);
            continue;
        }
        if one_of!(
            token.text,
            "Dockerfile" "Makefile" "Jenkinsfile" "Procfile" "Vagrantfile" "README" "CHANGELOG"
        ) && token.is_word()
        {
            take(tokens, at..at + 1, EntityType::File, 0.8, taken, named);
            continue;
        }
        if is_ticket(token.text) {
            take(tokens, at..at + 1, EntityType::Concept, 0.7, taken, named);
            continue;
        }
        if is_commit(token.text) {
            take(tokens, at..at + 1, EntityType::Version, 0.6, taken, named);
            continue;
        }
        let found = match token.shape {
            Shape::Code => code::between_backticks(token.text),
            Shape::Special => code::plain(token.text),
            _ => continue,
        };
        taken[at] = true;
        if let Some(found) = found {
            let start =
                found.name.as_ptr() as usize - token.text.as_ptr() as usize + token.span.start;
            named.push(Named {
                tokens: at..at + 1,
                mention: Mention {
                    span: start..start + found.name.len(),
                    name: found.name.to_owned(),
                    entity_type: found.entity_type,
                    confidence: found.confidence,
                },
                value: found.value.map(str::to_owned),
            });
        }
    }
}

/// `ABC-123`, `CVE-2025-0911`.
fn is_ticket(text: &str) -> bool {
    let mut parts = text.split('-');
    let letters = parts.next().unwrap_or("");
    let mut numbers = parts.peekable();
    (2..=8).contains(&letters.len())
        && letters.bytes().all(|byte| byte.is_ascii_uppercase())
        && !matches!(
            letters,
            "ISO" | "UTF" | "SHA" | "RFC" | "GPT" | "UTC" | "COVID" | "GMT"
        )
        && numbers.peek().is_some()
        && numbers.all(|part| part.len() >= 2 && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The beginning of a commit's hash: `9f3c2ab`.
fn is_commit(text: &str) -> bool {
    (7..=40).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
        && text.bytes().filter(u8::is_ascii_digit).count() >= 2
        && text.bytes().filter(u8::is_ascii_lowercase).count() >= 2
}

fn dates(tokens: &Tokens<'_>, taken: &mut [bool], named: &mut Vec<Named>) {
    let mut at = 0;
    while at < tokens.all.len() {
        let length = if taken[at] || is_inside_a_name(tokens, at) {
            None
        } else {
            dates::date_at(tokens, at)
        };
        if let Some(length) = length.filter(|length| {
            at + length <= tokens.all.len() && !taken[at..at + length].contains(&true)
        }) {
            take(tokens, at..at + length, EntityType::Date, 0.9, taken, named);
            at += length;
        } else {
            at += 1;
        }
    }
}

/// Whether a day stands in the name of something else: `Good Friday`, `Half of a Yellow Sun`.
fn is_inside_a_name(tokens: &Tokens<'_>, at: usize) -> bool {
    let token = &tokens.all[at];
    if !token.class.is(Class::WEEKDAY) || !token.is_capital() {
        return false;
    }
    at.checked_sub(1).is_some_and(|before| {
        let previous = &tokens.all[before];
        let listed = gazetteer::phrase(&previous.lower, |after| {
            tokens.get(before + 1 + after).map(|word| &*word.lower)
        });
        previous.is_capital()
            && (listed.is_some()
                || token.lower == "sun" && !previous.begins && !previous.class.is(Class::WEEKDAY))
    })
}

fn key(tokens: &Tokens<'_>, candidate: &Candidate) -> String {
    tokens.text[tokens.bytes(&candidate.tokens)].to_lowercase()
}

fn proper_names(
    tokens: &Tokens<'_>,
    candidates: &[Candidate],
    taken: &mut [bool],
    named: &mut Vec<Named>,
) {
    let mut around: FxHashMap<String, Points> = FxHashMap::default();
    for candidate in candidates {
        around
            .entry(key(tokens, candidate))
            .or_default()
            .merge(&kinds::points_around(tokens, candidate));
    }
    let points_of = |candidate: &Candidate| {
        around[&key(tokens, candidate)].plus(&kinds::own_points(tokens, candidate))
    };
    let mut people: FxHashMap<String, usize> = FxHashMap::default();
    for candidate in candidates
        .iter()
        .filter(|candidate| candidate.tokens.len() > 1)
    {
        if points_of(candidate).best().0 == EntityType::Person {
            for at in candidate.tokens.clone() {
                *people.entry(tokens.all[at].lower.to_string()).or_default() += 1;
            }
        }
    }
    for candidate in candidates {
        let mut points = points_of(candidate);
        if candidate.tokens.len() == 1
            && people.contains_key(&*tokens.all[candidate.tokens.start].lower)
        {
            points.add(EntityType::Person, 2.5);
        }
        let (entity_type, most, ahead) = points.best();
        let needed = if candidate.weak && !candidate.listed.is_name() {
            ENOUGH + 0.4
        } else {
            ENOUGH
        };
        if most < needed || (candidate.ordinary && most < 2.0) {
            continue;
        }
        let confidence = (0.45 + 0.08 * most.min(5.0) + 0.05 * ahead.min(3.0)).min(0.95);
        take(
            tokens,
            candidate.tokens.clone(),
            entity_type,
            confidence,
            taken,
            named,
        );
    }
}

/// Versions without a form of their own: `PostgreSQL 16`, `version 2`, `release 1.0`.
fn versions(tokens: &Tokens<'_>, taken: &mut [bool], named: &mut Vec<Named>) {
    let mut tool_ending_at = vec![None; tokens.all.len() + 1];
    for found in named.iter() {
        let lower = found.mention.name.to_lowercase();
        let listed = gazetteer::class_of(&lower).is(Class::TOOL)
            || lower.contains(' ') && found.mention.entity_type == EntityType::Tool;
        if listed
            || tokens
                .get(found.tokens.end)
                .is_some_and(|next| next.shape == Shape::Digit && next.text.contains('.'))
                && matches!(
                    found.mention.entity_type,
                    EntityType::Tool | EntityType::Project
                )
            || (found.mention.entity_type == EntityType::Concept
                && found
                    .mention
                    .name
                    .bytes()
                    .all(|byte| byte.is_ascii_uppercase())
                && !gazetteer::class_of(&lower).is(Class::CONCEPT)
                && tokens
                    .get(found.tokens.end)
                    .is_some_and(|next| next.text.contains('.')))
        {
            tool_ending_at[found.tokens.end] = Some(found.mention.name.clone());
        }
    }
    let releases = tokens.all.iter().any(|token| {
        one_of!(
            &*token.lower,
            "version" "release" "ship" "ships" "shipped" "released" "milestone" "changelog"
        )
    });
    for at in 0..tokens.all.len() {
        let token = &tokens.all[at];
        if taken[at] || token.shape != Shape::Digit || token.titled {
            continue;
        }
        let previous = at.checked_sub(1).map(|at| &tokens.all[at]);
        let next = tokens.get(at + 1);
        let unit = next.is_some_and(|next| {
            matches!(next.text, "%" | "€" | "$" | ":" | "°" | "," | "x" | "×") && next.text != ","
                || (next.shape == Shape::Lower
                    && !next.class.is(Class::FUNCTION.and(Class::FOREIGN))
                    && !next.class.is(Class::AFTER_TOOL.and(Class::PERSON_VERB))
                    && !is_verb_of_release(&next.lower))
        });
        let parts: Vec<&str> = token.text.split('.').collect();
        let numeric = parts.iter().all(|part| {
            !part.is_empty() && part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit())
        });
        if !numeric
            || parts.len() > 3
            || previous.is_none_or(|previous| {
                previous.shape == Shape::Mark
                    && previous.text != "("
                    && parts.len() < 3
                    && !matches!(previous.text, "." | ":")
            }) && at > 0
        {
            continue;
        }
        let after_tool = tool_ending_at[at].is_some()
            && token.spaced
            && !unit
            && (parts.len() > 1 || token.text.len() <= 2);
        let said = previous
            .is_some_and(|previous| matches!(&*previous.lower, "version" | "release" | "v"));
        let minor = parts.len() == 2 && parts[0].len() <= 2 && parts[1].len() <= 2 && !unit;
        let led = previous.is_none_or(|previous| {
            one_of!(
                &*previous.lower,
                "in" "for" "of" "to" "with" "since" "until" "." "ship" "shipped" "the"
            )
        });
        let held = minor
            && previous.is_some_and(|previous| matches!(&*previous.lower, "on" | "at"))
            && (1..=3).any(|back| {
                at.checked_sub(back)
                    .is_some_and(|before| tool_ending_at[before].is_some())
            });
        let bare = minor
            && led
            && (parts[1] == "0" || releases)
            && !next.is_some_and(|next| next.lower == "to" || next.is_mark("("));
        if after_tool || said || bare || held {
            take(
                tokens,
                at..at + 1,
                EntityType::Version,
                if bare { 0.6 } else { 0.85 },
                taken,
                named,
            );
            if let Some(tool) = tool_ending_at[at].take().filter(|_| after_tool) {
                let version = named.last_mut().expect("a version was just taken");
                version.mention.name = format!("{tool} {}", token.text);
                version.value = Some(token.text.to_owned());
            }
        }
    }
}

fn is_verb_of_release(lower: &str) -> bool {
    one_of!(
        lower,
        "moves" "ships" "launches" "lands" "release" "comes" "goes" "adds" "introduced" "starts"
        "milestone" "beta"
    )
}
