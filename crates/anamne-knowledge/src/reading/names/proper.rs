//! Runs of words that may be a name: listed ones, and those that capitals set apart.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::speech::Speech;
use crate::reading::gazetteer::{self, Class};
use crate::reading::tokens::{Shape, Token, Tokens};

/// A run of words that may be a name.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Its tokens, without title and article.
    pub(super) tokens: Range<usize>,
    /// What a list says that it is.
    pub(super) listed: Class,
    /// Whether a title such as `Dr.` stands before it.
    pub(super) titled: bool,
    /// Whether its capital says nothing, since a sentence begins with it.
    pub(super) weak: bool,
    /// Whether all its words are ordinary ones.
    pub(super) ordinary: bool,
}

/// What a text's capitals tell of its words.
struct Evidence {
    /// Words that stand in lower case somewhere.
    lower: FxHashSet<String>,
    /// Words that have a capital where none is due.
    capital: FxHashSet<String>,
}

/// Finds the runs of words that may be names, outside of what is taken.
pub(super) fn candidates(tokens: &Tokens<'_>, speech: &Speech, taken: &[bool]) -> Vec<Candidate> {
    let evidence = Evidence::of(tokens);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.all.len() {
        let candidate = if taken[at] || !tokens.all[at].is_word() {
            None
        } else {
            listed(tokens, taken, &evidence, speech, at)
                .or_else(|| run(tokens, taken, &evidence, speech, at))
        };
        at = match &candidate {
            Some(candidate) => candidate.tokens.end.max(at + 1),
            None => at + 1,
        };
        found.extend(candidate);
    }
    found
}

impl Evidence {
    fn of(tokens: &Tokens<'_>) -> Self {
        let mut evidence = Self {
            lower: FxHashSet::default(),
            capital: FxHashSet::default(),
        };
        for token in &tokens.all {
            if token.shape == Shape::Lower && token.lower.len() > 2 {
                evidence.lower.insert(token.lower.to_string());
            } else if token.shape == Shape::Capital && !token.begins && !token.titled {
                evidence.capital.insert(token.lower.to_string());
            }
        }
        evidence
    }
}

/// The word, unless it is taken or stands apart.
fn next_word<'a, 'text>(
    tokens: &'a Tokens<'text>,
    taken: &[bool],
    at: usize,
) -> Option<&'a Token<'text>> {
    tokens.get(at).filter(|token| {
        !taken[at] && token.is_word()
            || token.shape == Shape::Digit
            || token.text == "&"
            || token.lower == "'s"
    })
}

fn listed(
    tokens: &Tokens<'_>,
    taken: &[bool],
    evidence: &Evidence,
    speech: &Speech,
    at: usize,
) -> Option<Candidate> {
    let token = &tokens.all[at];
    let phrase = gazetteer::phrase(&token.lower, |after| {
        next_word(tokens, taken, at + 1 + after).map(|word| &*word.lower)
    });
    if let Some((length, class)) = phrase {
        let capital = token.is_capital();
        let ordinary = (at..at + length).all(|at| gazetteer::is_ordinary(&tokens.all[at].lower));
        let longer = capital
            && tokens.get(at + length).is_some_and(|next| {
                next.spaced && next.is_capital() && !next.begins && is_head(next)
            });
        if !longer && (capital || !ordinary) {
            let length = length + usize::from(has_number(tokens, at, length));
            return Some(Candidate {
                tokens: at..at + length,
                listed: class,
                titled: false,
                weak: false,
                ordinary: false,
            });
        }
    }
    if !token.class.is_name() || token.text.chars().count() < 2 {
        return None;
    }
    let ordinary = gazetteer::is_ordinary(&token.lower);
    let next = tokens.get(at + 1);
    let next_class = next.map_or(Class::NONE, |next| next.class);
    let person = token.class.is(Class::FIRST_NAME);
    let accepted = if token.shape == Shape::Lower {
        if ordinary {
            is_illness(&token.lower)
                || token.class.is(Class::TOOL)
                    && is_language(&token.lower)
                    && next_class.is(Class::AFTER_TOOL)
                    && !(token.lower == "go" && next.is_some_and(|next| next.lower == "test"))
        } else {
            !person || (speech.is_lower && token.lower.len() > 2) || has_person_cue(tokens, at)
        }
    } else if ordinary {
        let supported = evidence.capital.contains(&*token.lower)
            || (token.class.is(Class::TOOL)
                && next_class.is(Class::AFTER_TOOL)
                && token.class.is(Class::TOOL)
                && next.is_some_and(|next| next.shape == Shape::Lower))
            || (token.class.is(Class::TOOL)
                && next.is_some_and(|next| {
                    matches!(
                        &*next.lower,
                        "works" | "keeps" | "crashed" | "crashes" | "doesn't" | "won't"
                    ) || (matches!(&*next.lower, "is" | "was" | "isn't")
                        && tokens.get(at + 2).is_some_and(|after| {
                            matches!(
                                &*after.lower,
                                "down" | "back" | "slow" | "broken" | "up" | "open"
                            )
                        }))
                }))
            || (person
                && next.is_some_and(|next| {
                    next.lower == "'s"
                        || (next.class.is(Class::PERSON_VERB) && next.lower.ends_with("ed"))
                        || matches!(
                            &*next.lower,
                            "said" | "says" | "told" | "wrote" | "thinks" | "wants"
                        )
                }));
        let alone = token.shape == Shape::Capital && !evidence.lower.contains(&*token.lower);
        if token.begins || token.titled {
            supported && !evidence.lower.contains(&*token.lower)
        } else {
            alone
                || supported
                || (token.shape == Shape::Upper && !token.class.is(Class::FIRST_NAME))
        }
    } else {
        true
    };
    if !accepted
        || (token.shape == Shape::Upper
            && person
            && token.text.len() > 2
            && !speech.is_lower
            && speech.shouts(tokens, at))
    {
        return None;
    }
    let grown = if token.is_capital() {
        run(tokens, taken, evidence, speech, at)
            .filter(|run| run.tokens.len() > 1 && run.tokens.start == at)
    } else {
        None
    };
    Some(match grown {
        Some(run) => Candidate {
            listed: if person {
                Class::FIRST_NAME
            } else {
                Class::NONE
            },
            ..run
        },
        None => Candidate {
            tokens: at..at + 1 + usize::from(token.is_capital() && has_number(tokens, at, 1)),
            listed: token.class,
            titled: at > 0 && is_title(tokens, at - 1),
            weak: false,
            ordinary: false,
        },
    })
}

/// Illnesses, which are ordinary words with a name of their own.
fn is_illness(lower: &str) -> bool {
    one_of!(
        lower,
        "asthma" "diabetes" "migraine" "migraines" "arthritis" "pneumonia" "insomnia" "eczema"
    )
}

/// Whether a number after a device is part of its name: `Pixel 7`.
fn has_number(tokens: &Tokens<'_>, at: usize, length: usize) -> bool {
    tokens.all[at].class.is(Class::DEVICE)
        && tokens.get(at + length).is_some_and(|next| {
            next.spaced
                && next.text.len() <= 3
                && next.text.chars().any(|letter| letter.is_ascii_digit())
                && next.text.chars().all(char::is_alphanumeric)
        })
}

/// Whether the words around a name in lower case say that it is someone's.
fn has_person_cue(tokens: &Tokens<'_>, at: usize) -> bool {
    let before = at.checked_sub(1).map(|at| &tokens.all[at]);
    tokens.all[at].lower.len() > 3
        && before.is_some_and(|before| {
            before.class.is(Class::KIN.and(Class::BEFORE_PERSON)) && !before.begins
        })
}

/// Languages that are ordinary words in lower case: `rust tests` means one of them.
fn is_language(lower: &str) -> bool {
    matches!(lower, "rust" | "go" | "swift" | "react" | "node" | "ruby")
}

fn is_title(tokens: &Tokens<'_>, at: usize) -> bool {
    let at = if tokens.all[at].is_mark(".") && at > 0 {
        at - 1
    } else {
        at
    };
    let token = &tokens.all[at];
    token.class.is(Class::TITLE) && token.is_capital()
}

/// A run of words with capitals that begins here.
fn run(
    tokens: &Tokens<'_>,
    taken: &[bool],
    evidence: &Evidence,
    speech: &Speech,
    at: usize,
) -> Option<Candidate> {
    let first = &tokens.all[at];
    if !may_begin(tokens, first, at) {
        return None;
    }
    let title = title_length(tokens, taken, at);
    let start = at + title;
    if title > 0
        && !tokens
            .get(start)
            .is_some_and(|next| next.is_capital() && next.text.chars().count() > 1)
    {
        return None;
    }
    let mut end = start + 1;
    while let Some(length) = continues(tokens, taken, start, end) {
        end += length;
    }
    let (start, end) = trimmed(tokens, start, end)?;
    let words = &tokens.all[start..end];
    let lone = end - start == 1;
    let first = &tokens.all[start];
    // "Lake Bled" is none, though both words are.
    let front = words.len() > 1 && first.class.is(Class::PLACE_FRONT);
    let ordinary = words
        .iter()
        .filter(|word| word.is_word())
        .all(|word| gazetteer::is_ordinary(&word.lower) && !(front && word.class.is_name()));
    let weak = first.begins && title == 0;
    if speech.shouts(tokens, start)
        || (speech.german(tokens, start)
            && title == 0
            && !words.iter().any(|word| {
                word.class.is(Class::FIRST_NAME) || word.text == "&" || is_company_form(&word.lower)
            })
            && !(words.len() > 1
                && words[0].class.is(Class::ORGANISATION_FRONT)
                && !words[0].begins))
    {
        return None;
    }
    if lone {
        let seen_lower = evidence.lower.contains(&*first.lower);
        let seen_capital = evidence.capital.contains(&*first.lower);
        let letters = first.text.chars().count();
        if (seen_lower && title == 0)
            || letters < 2
            || (ordinary && title == 0 && !is_called(tokens, start))
            || (first.titled && !seen_capital)
        {
            return None;
        }
        if is_compound(first) {
            return None;
        }
        if first.text.bytes().filter(u8::is_ascii_digit).count() > 2 {
            return None;
        }
        if first.shape == Shape::Upper
            && (!(3..=6).contains(&letters) || is_roman(first.text))
            && title == 0
        {
            return None;
        }
        return Some(Candidate {
            tokens: start..end,
            listed: Class::NONE,
            titled: title > 0,
            weak: weak && !seen_capital,
            ordinary,
        });
    }
    let leads = matches!(&*first.lower, "project" | "team" | "operation")
        && !first.titled
        && !is_about_work(&tokens.all[end - 1].lower);
    if ordinary
        && title == 0
        && (weak || !is_head(&tokens.all[end - 1]))
        && !leads
        && !is_called(tokens, start)
        && !follows_noun(tokens, start)
        && !follows_at(tokens, start)
    {
        return None;
    }
    let stands_elsewhere = |word: &Token<'_>| {
        !gazetteer::is_ordinary(&word.lower) && evidence.capital.contains(&*word.lower)
    };
    let signed = end - start > 1
        && words
            .last()
            .is_some_and(|last| last.class.is(Class::ORGANISATION_HEAD))
        && !gazetteer::is_ordinary(&first.lower);
    if first.titled
        && !signed
        && !words
            .iter()
            .any(|word| word.class.is(Class::FIRST_NAME) || stands_elsewhere(word))
    {
        return None;
    }
    Some(Candidate {
        tokens: start..end,
        listed: Class::NONE,
        titled: title > 0,
        weak: false,
        ordinary,
    })
}

fn may_begin(tokens: &Tokens<'_>, first: &Token<'_>, at: usize) -> bool {
    if !first.is_capital() || first.class.is(Class::WEEKDAY.and(Class::MONTH)) {
        return false;
    }
    if first.class.is(Class::FUNCTION) && !first.class.is(Class::FIRST_NAME.and(Class::TOOL)) {
        return false;
    }
    let ordinary = gazetteer::is_ordinary(&first.lower);
    if (first.begins || first.titled)
        && ordinary
        && !first.class.is(Class::TITLE.and(Class::PLACE_FRONT))
    {
        // "Central Park" and "Green Valley School" may stay whole, "Hello Anna" may not.
        let head = tokens.get(at + 1).is_some_and(|next| {
            next.spaced
                && next.is_capital()
                && !next.begins
                && next
                    .class
                    .is(Class::PLACE_HEAD.and(Class::ORGANISATION_HEAD))
        });
        let leading = matches!(
            &*first.lower,
            "project" | "team" | "operation" | "lake" | "mount" | "hotel" | "camp" | "café"
        ) && tokens.get(at + 1).is_some_and(|next| {
            next.spaced
                && next.shape == Shape::Capital
                && !next.begins
                && !next.class.is(Class::FUNCTION)
        });
        return (head || leading)
            && !first.titled
            && !first.class.is(Class::BEFORE_PERSON
                .and(Class::FUNCTION)
                .and(Class::PERSON_VERB));
    }
    true
}

/// More titles than this follow each other before no name.
const MOST_TITLES: usize = 8;

/// How many tokens from here on are titles that a name follows: `Dr`, `.`.
fn title_length(tokens: &Tokens<'_>, taken: &[bool], at: usize) -> usize {
    let mut length = 0;
    for _ in 0..MOST_TITLES {
        let title = &tokens.all[at + length];
        if !title.class.is(Class::TITLE) || title.text.len() < 2 {
            return 0;
        }
        let point = tokens
            .get(at + length + 1)
            .is_some_and(|next| next.is_mark("."));
        length += 1 + usize::from(point);
        let Some(next) = tokens.get(at + length) else {
            return 0;
        };
        if next.class.is(Class::TITLE) && next.is_capital() && next.text.len() > 1 {
            continue;
        }
        let named = !taken[at + length]
            && next.is_capital()
            && !next.class.is(Class::FUNCTION)
            && !is_head(next);
        return if named { length } else { 0 };
    }
    0
}

/// How many tokens from `end` on go on with a run that began at `start`.
fn continues(tokens: &Tokens<'_>, taken: &[bool], start: usize, end: usize) -> Option<usize> {
    let next = tokens.get(end).filter(|_| !taken[end] && end - start < 8)?;
    let last = &tokens.all[end - 1];
    let capital_at = |at: usize| {
        tokens.get(at).is_some_and(|token| {
            !taken[at]
                && token.spaced
                && token.is_capital()
                && !token.begins
                && !token.class.is(Class::FUNCTION)
        })
    };
    if next.is_capital()
        && next.spaced
        && !next.begins
        && !next.class.is(Class::WEEKDAY)
        && (!next.class.is(Class::FUNCTION) || next.class.is(Class::TOOL.and(Class::FIRST_NAME)))
        && (next.text != "I")
    {
        return Some(1);
    }
    let initials = last.text.len() < 6
        && last.text.split('.').all(|part| part.chars().count() == 1)
        && last
            .text
            .chars()
            .all(|letter| letter.is_uppercase() || letter == '.');
    let saint = matches!(&*last.lower, "st" | "mt" | "ft") && end - start == 1;
    if next.is_mark(".") && !next.spaced && (initials || saint) && capital_at(end + 1) {
        return Some(2);
    }
    if !next.spaced && next.lower != "'s" {
        return None;
    }
    match &*next.lower {
        "du" | "da" | "do" | "das" | "des" | "dos" | "della" | "delle" | "dei" | "degli"
            if last.class.is(Class::PLACE_HEAD
                .and(Class::PLACE_FRONT)
                .and(Class::ORGANISATION_HEAD)
                .and(Class::ORGANISATION_FRONT)) =>
        {
            capital_at(end + 1).then_some(2)
        }
        "of" if is_head(last)
            || one_of!(
                &*last.lower,
                "lord" "game" "isle" "republic" "gulf" "king" "queen" "bay" "city" "house" "church"
                "university" "call" "legend" "tower"
            ) =>
        {
            let the = usize::from(
                tokens
                    .get(end + 1)
                    .is_some_and(|token| token.lower == "the"),
            );
            capital_at(end + 1 + the).then_some(2 + the)
        }
        "&" if capital_at(end + 1) && !last.class.is_name() && !last.titled => Some(2),
        "de" | "la" | "del" | "van" | "von" | "der" | "den" | "di" | "da" | "du" | "bin" | "al"
        | "el" | "zu" | "ten" | "ter" | "dos"
            if next.shape == Shape::Lower
                && (last.class.is(Class::FIRST_NAME)
                    || (!last.begins && matches!(&*next.lower, "de" | "la" | "del"))) =>
        {
            let more = usize::from(tokens.get(end + 1).is_some_and(|token| {
                matches!(&*token.lower, "la" | "der" | "den" | "los" | "las")
            }));
            capital_at(end + 1 + more).then_some(2 + more)
        }
        "'s" if (!last.class.is(Class::FIRST_NAME)
            || matches!(&*tokens.all[start].lower, "st" | "saint"))
            && capital_at(end + 1)
            && is_head(&tokens.all[end + 1]) =>
        {
            Some(2)
        }
        _ => None,
    }
}

/// Leaves out what is no part of the name at either end of a run.
fn trimmed(tokens: &Tokens<'_>, mut start: usize, end: usize) -> Option<(usize, usize)> {
    let second_is_name = |at: usize| {
        tokens.get(at + 1).is_some_and(|next| {
            next.class.is(Class::FIRST_NAME) || !gazetteer::is_ordinary(&next.lower)
        })
    };
    let called = |at: usize| {
        tokens.all[at].begins
            && tokens.all[at + 1].class.is(Class::FIRST_NAME)
            && tokens.all[at].class == Class::NONE
    };
    if start + 1 < end && called(start) {
        start += 1;
    }
    while start + 1 < end && is_german_kin(&tokens.all[start].lower) {
        start += 1;
    }
    while start + 1 < end
        && tokens.all[start].class.is(Class::BEFORE_PERSON
            .and(Class::FOREIGN)
            .and(Class::PERSON_VERB))
        && !tokens.all[start].class.is_name()
        && second_is_name(start)
    {
        start += 1;
    }
    (start < end).then_some((start, end))
}

/// What German, which gives nouns capitals, calls people before their names.
fn is_german_kin(lower: &str) -> bool {
    one_of!(
        lower,
        "freund" "freundin" "bruder" "schwester" "tante" "onkel" "opa" "oma" "kollege" "kollegin"
        "mutter" "vater" "nachbar" "nachbarin" "sohn" "tochter" "cousine"
    )
}

/// Whether a word is what the names of places, organisations and the like end in.
pub(super) fn is_head(token: &Token<'_>) -> bool {
    token.class.is(Class::PLACE_HEAD
        .and(Class::ORGANISATION_HEAD)
        .and(Class::CONCEPT_HEAD)
        .and(Class::PROJECT_HEAD)
        .and(Class::TOOL_HEAD))
}

/// Whether the words before say that a name follows.
fn is_called(tokens: &Tokens<'_>, at: usize) -> bool {
    if tokens.all[at].titled || tokens.all[at].begins && !tokens.all[at].quoted {
        return false;
    }
    let lower = |back: usize| at.checked_sub(back).map_or("", |at| &*tokens.all[at].lower);
    let called = |back: usize| {
        matches!(
            lower(back),
            "called" | "named" | "codenamed" | "dubbed" | "nicknamed"
        )
    };
    let class = |back: usize| {
        at.checked_sub(back)
            .map_or(Class::NONE, |at| tokens.all[at].class)
    };
    let quoted = matches!(lower(1), "\"" | "'" | "“" | "*" | "**" | "_");
    called(1)
        || (lower(1) == "is" && lower(2) == "name")
        || (quoted && called(2))
        || matches!(lower(1), "project" | "codename" | "alias")
        || (class(1).is(Class::KIN)
            && at >= 2
            && matches!(lower(2), "my" | "our" | "'s" | "his" | "her"))
}

/// Whether a word such as `band` or `app` stands before: `our band Velvet Tractor`.
fn follows_noun(tokens: &Tokens<'_>, at: usize) -> bool {
    let nouns = Class::WORK_NOUN
        .and(Class::PROJECT_NOUN)
        .and(Class::ORGANISATION_NOUN)
        .and(Class::TOOL_NOUN)
        .and(Class::PLACE_NOUN);
    at.checked_sub(1).is_some_and(|before| {
        tokens.all[before].shape == Shape::Lower && tokens.all[before].class.is(nouns)
    }) && !tokens.all[at].titled
}

/// `GmbH`, `Ltd`: what only the names of firms end in.
fn is_company_form(lower: &str) -> bool {
    one_of!(lower, "gmbh" "ag" "kg" "ug" "ohg" "ev" "ltd" "llc" "llp" "inc" "plc" "bv" "oy" "ab")
}

/// Whether `at` stands before, and so a house or firm follows: `at Sunny Meadows`.
fn follows_at(tokens: &Tokens<'_>, at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| {
        tokens.all[before].lower == "at" && !tokens.all[before].begins && !tokens.all[at].titled
    })
}

/// Words that make a phrase of `project` and `team` and no name: `Project Overview`.
fn is_about_work(lower: &str) -> bool {
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

/// `ATS-friendly`, `URLs`: made of an acronym and no name by itself.
fn is_compound(token: &Token<'_>) -> bool {
    let tail = token.text.rsplit_once('-').is_some_and(|(_, tail)| {
        tail.len() > 2 && tail.chars().all(char::is_lowercase) && gazetteer::is_ordinary(tail)
    });
    let plural = token.text.strip_suffix('s').is_some_and(|stem| {
        stem.len() > 1
            && stem.bytes().all(|byte| byte.is_ascii_uppercase())
            && (stem.len() == 2 || gazetteer::is_ordinary(&stem.to_lowercase()))
    });
    tail || plural
}

fn is_roman(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'I' | b'V' | b'X')) && text.len() < 5
}
