//! Aliases that a text states explicitly.

use std::ops::Range;

use anamne_types::{EntityType, RelationType};

use super::names::Named;
use super::tokens::{Shape, Tokens};
use super::{Mention, Statement, Term, normalised};

/// Words between a name and its alias.
const BETWEEN: &[&[&str]] = &[
    &["also", "called"],
    &["also", "known", "as"],
    &["better", "known", "as"],
    &["formerly", "known", "as"],
    &["formerly", "called"],
    &["previously", "called"],
    &["previously", "known", "as"],
    &["now", "called"],
    &["now", "known", "as"],
    &["once", "called"],
    &["commonly", "called"],
    &["commonly", "known", "as"],
    &["known", "as"],
    &["nicknamed"],
    &["aka"],
    &["a.k.a"],
    &["alias"],
    &["short", "for"],
    &["stands", "for"],
    &["formerly"],
    &["née"],
];

/// Finds the aliases that a text states, and adds names that are recognised only as an alias to `named`.
pub(super) fn aliases(tokens: &Tokens<'_>, named: &mut Vec<Named>) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut added = Vec::new();
    let mut starting_at = vec![None; tokens.all.len() + 1];
    for (index, name) in named.iter().enumerate() {
        starting_at[name.tokens.start] = Some(index);
    }
    for name in named
        .iter()
        .filter(|name| may_have_alias(name.mention.entity_type))
    {
        let end = name.tokens.end;
        if let Some((other, length)) = after_words(tokens, named, &starting_at, end)
            && !crosses_sentence(tokens, name.tokens.start, end + length)
        {
            found.push(statement(tokens, name, &named[other]));
        }
        if let Some(acronym) = acronym_after(tokens, name) {
            let mention = mention_of(tokens, &acronym, name.mention.entity_type);
            found.push(same(tokens, name.tokens.start, &mention, &name.mention));
            if starting_at[acronym.start].is_none() {
                added.push(Named {
                    tokens: acronym,
                    mention,
                    value: None,
                });
            }
        }
    }
    long_forms(tokens, &starting_at, named, &mut found, &mut added);
    named.extend(added);
    named.sort_by_key(|name| name.tokens.start);
    found
}

fn may_have_alias(entity_type: EntityType) -> bool {
    !matches!(
        entity_type,
        EntityType::Date | EntityType::Version | EntityType::Url
    )
}

fn crosses_sentence(tokens: &Tokens<'_>, start: usize, end: usize) -> bool {
    tokens.sentence_of(start).end < end
}

/// The alias after a name that ends at `end`: its index, and the number of tokens from `end` to the end of the alias.
fn after_words(
    tokens: &Tokens<'_>,
    named: &[Named],
    starting_at: &[Option<usize>],
    end: usize,
) -> Option<(usize, usize)> {
    let mut at = end;
    let lower = |at: usize| tokens.get(at).map_or("", |token| &*token.lower);
    let opened = matches!(lower(at), "," | "(" | "–" | "—");
    at += usize::from(opened);
    let is = matches!(lower(at), "is" | "was" | "are");
    at += usize::from(is || matches!(lower(at), "'s"));
    let words = BETWEEN.iter().find(|words| {
        words
            .iter()
            .enumerate()
            .all(|(ahead, word)| lower(at + ahead) == *word)
    });
    let listed = words.filter(|words| {
        opened
            || is
            || words.len() > 1
            || matches!(words[0], "aka" | "alias" | "a.k.a" | "nicknamed")
    });
    let or_for_short = lower(at) == "or" && opened;
    at += match listed {
        Some(words) => words.len(),
        None if or_for_short => 1,
        None => return None,
    };
    while matches!(lower(at), "the" | "\"" | "'" | "“" | "." | "*" | "**") && at < end + 8 {
        at += 1;
    }
    let other = starting_at.get(at).copied().flatten()?;
    let close = named[other].tokens.end;
    if or_for_short
        && !(lower(close) == "for" && lower(close + 1) == "short"
            || lower(close + 1) == "for" && lower(close + 2) == "short")
    {
        return None;
    }
    may_have_alias(named[other].mention.entity_type).then_some((other, close - end))
}

fn statement(tokens: &Tokens<'_>, name: &Named, other: &Named) -> Statement {
    same(tokens, name.tokens.start, &other.mention, &name.mention)
}

fn same(tokens: &Tokens<'_>, at: usize, other: &Mention, name: &Mention) -> Statement {
    Statement {
        span: tokens.bytes(&tokens.sentence_of(at)),
        subject: Term::Entity(other.name.clone(), other.entity_type),
        relation: RelationType::AliasOf,
        object: Term::Entity(name.name.clone(), name.entity_type),
        negated: false,
        valid_from: None,
        valid_to: None,
        confidence: 0.85,
    }
}

fn mention_of(tokens: &Tokens<'_>, range: &Range<usize>, entity_type: EntityType) -> Mention {
    let span = tokens.bytes(range);
    Mention {
        name: tokens.text[span.clone()].to_owned(),
        span,
        entity_type,
        confidence: 0.8,
    }
}

/// `Talbach Beekeepers Association (TBA)`.
fn acronym_after(tokens: &Tokens<'_>, name: &Named) -> Option<Range<usize>> {
    let at = name.tokens.end;
    let acronym = bracketed(tokens, at)?;
    let words: Vec<&str> = name.mention.name.split([' ', '-']).collect();
    (words.len() > 1 && are_initials(tokens.all[acronym].text, &words))
        .then_some(acronym..acronym + 1)
}

/// The acronym in parentheses at `at`.
fn bracketed(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let acronym = tokens
        .get(at + 1)
        .filter(|token| token.shape == Shape::Upper && token.text.len() < 9)?;
    let stands = tokens.get(at)?.is_mark("(") && tokens.get(at + 2)?.is_mark(")");
    (stands && acronym.text.len() > 1).then_some(at + 1)
}

/// Whether an acronym consists of the initials of words, with or without small words.
fn are_initials(acronym: &str, words: &[&str]) -> bool {
    let small = |word: &str| matches!(word, "of" | "the" | "and" | "for" | "in" | "on" | "&");
    let initials = |skip: bool| -> String {
        words
            .iter()
            .filter(|word| !(skip && small(&word.to_lowercase())))
            .filter_map(|word| word.chars().next())
            .flat_map(char::to_uppercase)
            .collect()
    };
    initials(true) == acronym || initials(false) == acronym
}

/// `row level security (RLS)`: a lower-case long form before an acronym in parentheses.
fn long_forms(
    tokens: &Tokens<'_>,
    starting_at: &[Option<usize>],
    named: &[Named],
    found: &mut Vec<Statement>,
    added: &mut Vec<Named>,
) {
    let mut taken = vec![false; tokens.all.len()];
    for name in named {
        taken[name.tokens.clone()].fill(true);
    }
    for at in 1..tokens.all.len() {
        let Some(acronym) = bracketed(tokens, at) else {
            continue;
        };
        let count = tokens.all[acronym].text.len();
        let Some(start) = at
            .checked_sub(count)
            .filter(|start| *start >= tokens.sentence_of(at).start)
        else {
            continue;
        };
        let words: Vec<&str> = tokens.all[start..at]
            .iter()
            .map(|token| token.text)
            .collect();
        let all_words = tokens.all[start..at]
            .iter()
            .all(super::tokens::Token::is_word);
        if count < 2
            || !all_words
            || taken[start..at].contains(&true)
            || !are_initials(tokens.all[acronym].text, &words)
        {
            continue;
        }
        let known = starting_at[acronym].map(|index| named[index].mention.clone());
        let entity_type = known
            .as_ref()
            .map_or(EntityType::Concept, |known| known.entity_type);
        let short = known
            .clone()
            .unwrap_or_else(|| mention_of(tokens, &(acronym..acronym + 1), entity_type));
        let long = mention_of(tokens, &(start..at), entity_type);
        if normalised(&short.name) != normalised(&long.name) {
            found.push(same(tokens, start, &short, &long));
        }
        added.push(Named {
            tokens: start..at,
            mention: long,
            value: None,
        });
        if known.is_none() {
            added.push(Named {
                tokens: acronym..acronym + 1,
                mention: short,
                value: None,
            });
        }
    }
}
