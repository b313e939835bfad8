//! The kinds and categories of memory that a query's wording asks for: "how do I …" asks for a skill, "which decision
//! …" for a decision.

use std::sync::LazyLock;

use anamne_store::view::Attributes;
use anamne_text::lexicon::{Lexicon, LexiconError};
use anamne_types::{Category, Kind};
use rustc_hash::FxHashMap;

/// The first words of a query that are examined.
const WORDS: usize = 64;

/// What a phrase asks for.
#[derive(Clone, Copy)]
enum Target {
    OfKind(Kind),
    OfCategory(Category),
}

/// The phrases of the data file by what they ask for.
static PHRASES: LazyLock<Vec<(Target, Vec<&'static str>)>> =
    LazyLock::new(|| load().expect("a test loads the data file"));

fn load() -> Result<Vec<(Target, Vec<&'static str>)>, LexiconError> {
    const TEXT: &str = include_str!("../data/query_intent.txt");
    let file = Lexicon::parse("query_intent.txt", TEXT)?;
    let kinds = Kind::ALL
        .iter()
        .map(|kind| (format!("kind {kind}"), Target::OfKind(*kind)));
    let categories = Category::ALL.iter();
    let categories = categories.map(|category| {
        (
            format!("category {category}"),
            Target::OfCategory(*category),
        )
    });
    let known: FxHashMap<String, Target> = kinds.chain(categories).collect();
    let of_section = |section: &'static str| {
        let target = known.get(section).copied();
        let target = target.ok_or_else(|| file.unknown_section(section))?;
        Ok((target, file.names(section)?))
    };
    file.sections().into_iter().map(of_section).collect()
}

/// Bit sets of the kinds and categories that a query asks for, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QueryIntent {
    kinds: u32,
    categories: u32,
}

impl QueryIntent {
    /// The intent of a query with these lower-case words. One to ten microseconds, whatever its length.
    pub(crate) fn from_words(words: &[String]) -> Self {
        let mut intent = Self::default();
        let words = &words[..words.len().min(WORDS)];
        // Most phrases are skipped by their first letter.
        let mut initials = [false; 256];
        for word in words {
            initials[initial(word)] = true;
        }
        for (target, phrases) in PHRASES.iter() {
            let mut candidates = phrases.iter().filter(|phrase| initials[initial(phrase)]);
            if candidates.any(|phrase| contains_phrase(words, phrase)) {
                match target {
                    Target::OfKind(kind) => intent.kinds |= 1 << kind.number(),
                    Target::OfCategory(category) => intent.categories |= 1 << category.number(),
                }
            }
        }
        intent
    }

    /// 1 for a memory of a requested kind or category, else 0.
    pub(crate) fn matches(self, attributes: &Attributes) -> f32 {
        let contains = |set: u32, number: u8| set.checked_shr(number.into()).unwrap_or(0) & 1 == 1;
        let is_match =
            contains(self.kinds, attributes.kind) || contains(self.categories, attributes.category);
        f32::from(u8::from(is_match))
    }
}

/// The first byte, for a cheap comparison.
fn initial(text: &str) -> usize {
    text.bytes().next().unwrap_or_default().into()
}

/// Whether `words` contains the phrase as consecutive words.
fn contains_phrase(words: &[String], phrase: &str) -> bool {
    let mut starts = (0..words.len()).filter(|start| phrase.starts_with(words[*start].as_str()));
    starts.any(|start| {
        let mut next_words = words[start..].iter();
        let mut phrase = phrase.split(' ');
        phrase.all(|word| next_words.next().is_some_and(|next| next == word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intent(query: &str) -> QueryIntent {
        let words = query.split_whitespace().map(str::to_owned);
        QueryIntent::from_words(&words.collect::<Vec<_>>())
    }

    fn attributes_of(kind: Kind, category: Option<Category>) -> Attributes {
        Attributes {
            kind: kind.number(),
            category: category.map_or(0, Category::number),
            ..Attributes::default()
        }
    }

    /// Checks that the query asks for exactly these.
    #[track_caller]
    fn check(query: &str, kinds: &[Kind], categories: &[Category]) {
        let intent = intent(query);
        for kind in Kind::ALL {
            let is_match = intent.matches(&attributes_of(*kind, None)) > 0.0;
            assert_eq!(is_match, kinds.contains(kind), "{query:?} {kind}");
        }
        for category in Category::ALL {
            let is_match = intent.matches(&attributes_of(Kind::Fact, Some(*category))) > 0.0;
            assert_eq!(
                is_match,
                categories.contains(category),
                "{query:?} {category}"
            );
        }
    }

    #[test]
    fn the_wording_of_a_query_gives_kinds_and_categories() {
        check("how do i rotate the keys", &[Kind::Skill], &[]);
        check("what are the steps to rotate the keys", &[Kind::Skill], &[]);
        check("wie kann ich die schlüssel tauschen", &[Kind::Skill], &[]);
        check(
            "why did we choose tides over currents",
            &[],
            &[Category::ArchitectureDecision],
        );
        check("what went wrong on monday", &[], &[Category::BugFix]);
        check("what does she say mina likes", &[], &[Category::Preference]);
        check("are guests allowed upstairs", &[], &[Category::Constraint]);
        check("which port does it use", &[], &[Category::Configuration]);
        check(
            "how do i fix the error of the port",
            &[Kind::Skill],
            &[Category::BugFix, Category::Configuration],
        );
    }

    #[test]
    fn other_queries_have_no_intent() {
        for query in [
            "",
            "how",
            "how do",
            "how many keys are there",
            "what does the portal look like",
            "where is mina",
            "wie heißt der hafen",
            "鍵 を 交換",
        ] {
            check(query, &[], &[]);
        }
        let far = format!("{} how to", "word ".repeat(WORDS));
        check(&far, &[], &[]);
    }

    #[test]
    fn unknown_kind_and_category_numbers_never_match() {
        let odd = Attributes {
            kind: 255,
            category: 200,
            ..Attributes::default()
        };
        assert!(intent("how do i fix the port").matches(&odd).abs() < f32::EPSILON);
    }

    #[test]
    fn phrases_are_unique_across_targets() {
        let mut seen = std::collections::BTreeSet::new();
        for phrase in load().unwrap().into_iter().flat_map(|(_, phrases)| phrases) {
            assert!(seen.insert(phrase), "{phrase}");
        }
    }
}
