//! Clause patterns: a verb, its subject, its object, and the relation that they express.

use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError, Row};
use anamne_types::{EntityType, RelationType};
use rustc_hash::FxHashMap;

/// What a pattern accepts as its subject or object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentKind {
    /// A person.
    Person,
    /// A person or organisation, `we` included.
    Party,
    /// Any entity but dates, versions and URLs; includes things such as `the port`.
    Any,
    /// Like `Any`, without people.
    NonPerson,
    /// A place.
    Place,
    /// An organisation, or an entity that may be one.
    Organisation,
    /// Any entity but dates and URLs.
    Named,
    /// Any entity but dates and people, or a value in words.
    Thing,
    /// A tool, concept, project, symbol, file, URL, organisation or version.
    Technical,
    /// A date.
    Date,
    /// A date or a version.
    DateOrVersion,
    /// An event: a concept, a project, or a value in words.
    Event,
}

impl ArgumentKind {
    /// The end with this name in the data file.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "person" => Self::Person,
            "party" => Self::Party,
            "any" => Self::Any,
            "made" => Self::NonPerson,
            "place" => Self::Place,
            "organisation" => Self::Organisation,
            "named" => Self::Named,
            "thing" => Self::Thing,
            "technical" => Self::Technical,
            "date" => Self::Date,
            "date_or_version" => Self::DateOrVersion,
            "happening" => Self::Event,
            _ => return None,
        })
    }

    /// Whether an entity of this type is accepted; `None` is a value in words.
    pub(super) fn accepts(self, entity_type: Option<EntityType>) -> bool {
        use EntityType::{
            Concept, Date, File, Organisation, Person, Place, Project, Symbol, Tool, Url, Version,
        };
        let Some(kind) = entity_type else {
            return matches!(self, Self::Thing | Self::Event);
        };
        match self {
            Self::Person => kind == Person,
            Self::Party => matches!(kind, Person | Organisation),
            Self::Any => !matches!(kind, Date | Version | Url),
            Self::NonPerson => !matches!(kind, Date | Version | Url | Person),
            Self::Place => kind == Place,
            Self::Organisation => matches!(kind, Organisation | Project | Concept | Tool | Place),
            Self::Named => kind != Date && kind != Url,
            Self::Thing => !matches!(kind, Date | Person),
            Self::Technical => matches!(
                kind,
                Tool | Project | Symbol | Concept | File | Url | Organisation | Version
            ),
            Self::Date => kind == Date,
            Self::DateOrVersion => matches!(kind, Date | Version),
            Self::Event => matches!(kind, Concept | Project),
        }
    }
}

/// A clause pattern.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) subject: ArgumentKind,
    /// Phrases of which one must follow the verb; `""` for none.
    pub(super) after: Vec<&'static str>,
    pub(super) object: ArgumentKind,
    pub(super) relation: RelationType,
    /// Confidence, 0 to 1.
    pub(super) confidence: f32,
    /// The verb is a participle after a form of be.
    pub(super) passive: bool,
    /// The statement is about the object.
    pub(super) swapped: bool,
}

type Rules = FxHashMap<&'static str, Vec<Rule>>;

/// The rules of a verb, in the order of the file.
pub(super) fn rules_of(verb: &str) -> &'static [Rule] {
    static RULES: LazyLock<Rules> = LazyLock::new(|| load().expect("a test loads the data file"));
    RULES.get(verb).map_or(&[], Vec::as_slice)
}

fn load() -> Result<Rules, LexiconError> {
    const TEXT: &str = include_str!("../../../../data/clause_rules.txt");
    let file = Lexicon::parse("clause_rules.txt", TEXT)?;
    let mut rules = Rules::default();
    for row in file.rows("clauses", 7)? {
        let rule = rule_of(&row)?;
        for verb in row.cells[1].split_ascii_whitespace() {
            rules.entry(verb).or_default().push(rule.clone());
        }
    }
    Ok(rules)
}

fn rule_of(row: &Row) -> Result<Rule, LexiconError> {
    let cells = row.cells.as_slice();
    let [subject, _, after, object, relation, confidence, flags] = cells else {
        return Err(row.fault("expected seven cells"));
    };
    let mut rule = Rule {
        subject: want(row, subject)?,
        after: after
            .split(", ")
            .map(|words| if words == "-" { "" } else { words })
            .collect(),
        object: want(row, object)?,
        relation: RelationType::from(*relation),
        confidence: confidence
            .parse()
            .map_err(|_| row.fault("confidence is no number"))?,
        passive: false,
        swapped: false,
    };
    if matches!(rule.relation, RelationType::Other(_)) {
        return Err(row.fault(format!("unknown relation {relation:?}")));
    }
    if !(0.0..=1.0).contains(&rule.confidence) {
        return Err(row.fault("confidence is not between 0 and 1"));
    }
    for flag in flags.split(' ').filter(|flag| *flag != "-") {
        match flag {
            "passive" => rule.passive = true,
            "swapped" => rule.swapped = true,
            other => return Err(row.fault(format!("unknown flag {other:?}"))),
        }
    }
    Ok(rule)
}

fn want(row: &Row, word: &str) -> Result<ArgumentKind, LexiconError> {
    ArgumentKind::named(word).ok_or_else(|| row.fault(format!("unknown end {word:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_loads_and_keeps_the_order_of_a_verb() {
        load().unwrap();
        let lived = rules_of("lived");
        assert_eq!(lived[0].relation, "lives_in");
        let uses: Vec<_> = rules_of("uses").iter().map(|rule| rule.object).collect();
        assert_eq!(uses, [ArgumentKind::Technical, ArgumentKind::Thing]);
        assert!(rules_of("owned")[0].passive && rules_of("owned")[0].swapped);
        assert!(rules_of("zzz").is_empty());
    }

    #[test]
    fn bad_rows_are_refused() {
        for (text, fault) in [
            (
                "[clauses]\nwho | a | - | any | uses | 1 | -",
                "unknown end \"who\"",
            ),
            (
                "[clauses]\nany | a | - | any | eats | 1 | -",
                "unknown relation \"eats\"",
            ),
            (
                "[clauses]\nany | a | - | any | uses | x | -",
                "confidence is no number",
            ),
            (
                "[clauses]\nany | a | - | any | uses | 2 | -",
                "confidence is not between 0 and 1",
            ),
            (
                "[clauses]\nany | a | - | any | uses | 1 | so",
                "unknown flag \"so\"",
            ),
        ] {
            let row = Lexicon::parse("f", text)
                .unwrap()
                .rows("clauses", 7)
                .unwrap()
                .remove(0);
            assert_eq!(
                rule_of(&row).unwrap_err().to_string(),
                format!("f, line 2: {fault}")
            );
        }
    }
}
