//! Short and lower-case repeats of known names.

use anamne_types::EntityType;
use rustc_hash::FxHashMap;

use super::gazetteer;
use super::tokens::{Shape, Token, Tokens};
use super::{Mention, normalised};

/// Names with a common second spelling.
const SHORT_FORMS: &[(&str, &str)] = &[
    ("postgresql", "postgres"),
    ("kubernetes", "k8s"),
    ("javascript", "js"),
    ("typescript", "ts"),
    ("golang", "go"),
    ("node.js", "nodejs"),
    ("mongodb", "mongo"),
    ("elasticsearch", "elastic"),
    ("visual studio code", "vscode"),
    ("vs code", "vscode"),
    ("rabbitmq", "rabbit"),
    ("docker compose", "compose"),
    ("github actions", "gha"),
    ("sqlite", "sqlite3"),
];

/// A spelling of a known name: its words, and the index of the name; `None` if ambiguous.
struct Spelling {
    words: Vec<String>,
    known: Option<usize>,
}

/// Finds repeats of names from earlier memories of a thread: in lower case, or a part of a person's name.
///
/// The mention has the known name. Repeats that match two known names, or that may be an ordinary English word in
/// their position, are excluded. Linear in the text and in the known names.
///
/// ```
/// use anamne_knowledge::reading::echoes;
/// use anamne_types::EntityType;
///
/// let known = [("Mara Lindt".to_owned(), EntityType::Person)];
/// let found = echoes("ask mara about it", &known);
/// assert_eq!((found[0].name.as_str(), found[0].span.clone()), ("Mara Lindt", 4..8));
/// ```
pub fn echoes(text: &str, known: &[(String, EntityType)]) -> Vec<Mention> {
    let forms = forms(known);
    if forms.is_empty() {
        return Vec::new();
    }
    let tokens = Tokens::of(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.all.len() {
        match echo_at(&tokens, at, &forms) {
            Some((length, Some(index))) => {
                let span = tokens.all[at].span.start..tokens.all[at + length - 1].span.end;
                let (name, entity_type) = &known[index];
                let exact = tokens.text[span.clone()] == **name;
                found.push(Mention {
                    span,
                    name: name.clone(),
                    entity_type: *entity_type,
                    confidence: if exact { 0.9 } else { 0.75 },
                });
                at += length;
            }
            Some((length, None)) => at += length,
            None => at += 1,
        }
    }
    found
}

fn echo_at(
    tokens: &Tokens<'_>,
    at: usize,
    forms: &FxHashMap<String, Vec<Spelling>>,
) -> Option<(usize, Option<usize>)> {
    let first = &tokens.all[at];
    let form = forms.get(&*first.lower)?.iter().find(|form| {
        form.words.iter().enumerate().all(|(ahead, word)| {
            tokens
                .get(at + ahead)
                .is_some_and(|token| *token.lower == **word)
        })
    })?;
    let is_word = form.words.len() > 1 || may_be_name_here(first);
    is_word.then_some((form.words.len(), form.known))
}

/// Whether a single word may be a name in its position.
fn may_be_name_here(token: &Token<'_>) -> bool {
    let ordinary = gazetteer::is_ordinary(&token.lower) || token.lower.chars().count() < 3;
    match token.shape {
        Shape::Code | Shape::Special => true,
        Shape::Capital | Shape::Upper | Shape::Mixed => {
            !ordinary || !(token.begins || token.titled)
        }
        _ => !ordinary,
    }
}

fn forms(known: &[(String, EntityType)]) -> FxHashMap<String, Vec<Spelling>> {
    let mut by_words: FxHashMap<Vec<String>, Option<usize>> = FxHashMap::default();
    let mut add = |words: Vec<String>, index: usize| {
        let same = |other: usize| normalised(&known[other].0) == normalised(&known[index].0);
        by_words
            .entry(words)
            .and_modify(|form| {
                if form.is_some_and(|other| !same(other)) {
                    *form = None;
                }
            })
            .or_insert(Some(index));
    };
    let mut parts = Vec::new();
    for (index, (name, entity_type)) in known.iter().enumerate() {
        if matches!(
            entity_type,
            EntityType::Date | EntityType::Version | EntityType::Url
        ) {
            continue;
        }
        let key = normalised(name);
        let words: Vec<String> = key.split(' ').map(str::to_owned).collect();
        if words.iter().any(String::is_empty) || words.len() > 6 {
            continue;
        }
        if *entity_type == EntityType::Person && (2..=4).contains(&words.len()) {
            parts.extend(
                [words[0].clone(), words[words.len() - 1].clone()].map(|part| (part, index)),
            );
        }
        for (long, short) in SHORT_FORMS {
            if *entity_type == EntityType::Tool && (key == *long || key == *short) {
                let other = if key == *long { short } else { long };
                add(other.split(' ').map(str::to_owned).collect(), index);
            }
        }
        add(words, index);
    }
    for (part, index) in parts {
        if part.chars().count() > 2 {
            add(vec![part], index);
        }
    }
    let mut forms: FxHashMap<String, Vec<Spelling>> = FxHashMap::default();
    for (words, known) in by_words {
        forms
            .entry(words[0].clone())
            .or_default()
            .push(Spelling { words, known });
    }
    for ways in forms.values_mut() {
        ways.sort_by(|left, right| {
            right
                .words
                .len()
                .cmp(&left.words.len())
                .then_with(|| left.words.cmp(&right.words))
        });
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, known: &[(&str, EntityType)], expected: &[(&str, &str)]) {
        let known: Vec<(String, EntityType)> = known
            .iter()
            .map(|(name, kind)| ((*name).to_owned(), *kind))
            .collect();
        let found: Vec<(String, String)> = echoes(text, &known)
            .into_iter()
            .map(|mention| (text[mention.span].to_owned(), mention.name))
            .collect();
        let expected: Vec<(String, String)> = expected
            .iter()
            .map(|(span, name)| ((*span).to_owned(), (*name).to_owned()))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn lower_case_repeats_are_found() {
        use EntityType::{Person, Tool};
        check(
            "i asked mara, postgres is up",
            &[("Mara", Person), ("PostgreSQL", Tool)],
            &[("mara", "Mara"), ("postgres", "PostgreSQL")],
        );
        check("Mara's laptop", &[("Mara", Person)], &[("Mara", "Mara")]);
    }

    #[test]
    fn a_part_of_a_full_name_matches_unless_ambiguous() {
        use EntityType::Person;
        check(
            "ask ottilie or Brandt",
            &[("Ottilie Brandt", Person)],
            &[("ottilie", "Ottilie Brandt"), ("Brandt", "Ottilie Brandt")],
        );
        check(
            "ask Ottilie",
            &[("Ottilie Brandt", Person), ("Ottilie Keller", Person)],
            &[],
        );
        check(
            "Ottilie Keller came",
            &[("Ottilie Brandt", Person), ("Ottilie Keller", Person)],
            &[("Ottilie Keller", "Ottilie Keller")],
        );
    }

    #[test]
    fn ordinary_words_are_not_names() {
        use EntityType::{Person, Tool};
        let known = [
            ("Will", Person),
            ("Mark", Person),
            ("Go", Tool),
            ("Swift", Tool),
            ("Rust", Tool),
        ];
        check("will you mark it? go on, be swift, no rust", &known, &[]);
        check("Will you go?", &known, &[]);
        check(
            "I asked Will and Mark",
            &known,
            &[("Will", "Will"), ("Mark", "Mark")],
        );
    }

    #[test]
    fn days_and_versions_have_no_echo() {
        check("on friday", &[("Friday", EntityType::Date)], &[]);
    }
}
