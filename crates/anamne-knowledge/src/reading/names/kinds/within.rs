//! Evidence for a name's type in its own words.

use anamne_types::EntityType;

use super::Points;
use crate::reading::gazetteer::{self, Class};
use crate::reading::names::proper::{Candidate, is_head};
use crate::reading::tokens::{Shape, Tokens};

pub(super) fn add(tokens: &Tokens<'_>, candidate: &Candidate, points: &mut Points) {
    use EntityType::{Concept, Organisation, Person, Place, Project, Tool};
    let words = &tokens.all[candidate.tokens.clone()];
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return;
    };
    if candidate.listed.is_name() {
        for (class, entity_type, given) in [
            (Class::REGION, Place, 4.0),
            (Class::TOWN, Place, 3.5),
            (Class::FIRST_NAME, Person, 3.0),
            (Class::TOOL, Tool, 4.0),
            (Class::ORGANISATION, Organisation, 3.6),
            (Class::CONCEPT, Concept, 3.5),
        ] {
            if candidate.listed.is(class) {
                let alone = candidate.listed.is_one_kind();
                points.add(entity_type, if alone { given + 2.5 } else { given });
            }
        }
    }
    if candidate.titled {
        points.add(Person, 5.0);
    }
    let several = words.len() > 1;
    if several {
        let heads = [
            (Class::ORGANISATION_HEAD, Organisation, 3.5),
            (Class::PLACE_HEAD, Place, 3.3),
            (Class::CONCEPT_HEAD, Concept, 3.0),
            (Class::PROJECT_HEAD, Project, 3.0),
            (Class::TOOL_HEAD, Tool, 2.5),
        ];
        let head = words
            .iter()
            .position(|word| word.lower == "of")
            .filter(|at| *at > 0)
            .map_or(last, |of| &words[of - 1]);
        for (class, entity_type, given) in heads {
            if head.class.is(class)
                && !(head.class.is(Class::FIRST_NAME) && first.class.is(Class::FIRST_NAME))
            {
                points.add(entity_type, given);
                if words.len() > 2 && !head.class.is(Class::SURNAME) {
                    // "Mila Mountain Pass" is not a person called Mila.
                    points.add(Person, -2.5);
                }
                break;
            }
        }
        let built_like_a_place = [
            "zentrum", "gipfel", "dorf", "hütte", "brücke", "platz", "straße",
        ]
        .iter()
        .any(|ending| last.lower.len() > ending.len() && last.lower.ends_with(ending));
        if built_like_a_place && !first.class.is(Class::FIRST_NAME) {
            points.add(Place, 2.0);
            points.add(Person, -1.0);
        }
        if first.class.is(Class::PLACE_FRONT) && !first.class.is(Class::FIRST_NAME) {
            points.add(Place, 2.5);
        }
        if words.iter().any(|word| word.lower == "&") {
            points.add(Organisation, 3.0);
        }
        if first.lower == "team" {
            points.add(Organisation, 3.0);
        }
        if first.class.is(Class::PROJECT_HEAD) {
            points.add(Project, 4.0);
        }
        if first.class.is(Class::FIRST_NAME)
            && words.len() <= 4
            && last.class != Class::NONE
            && !gazetteer::is_ordinary(&last.lower)
        {
            points.add(Person, 1.0);
        }
        let may_be_person =
            !candidate.ordinary || last.class.is(Class::FIRST_NAME.and(Class::SURNAME));
        let place_or_party = Class::PLACE_HEAD.and(Class::ORGANISATION_HEAD);
        if first.class.is(Class::FIRST_NAME) && may_be_person && !last.class.is(place_or_party) {
            points.add(Person, 1.0);
        }
        let unknown = words
            .iter()
            .filter(|word| word.is_word() && !gazetteer::is_ordinary(&word.lower))
            .count();
        let named_after_place = first.class.is(Class::TOWN.and(Class::REGION));
        if first.class.is(Class::ORGANISATION_FRONT) && !first.begins
            || first.class.is(Class::ORGANISATION_FRONT) && unknown > 0
        {
            points.add(Organisation, 3.2);
            points.add(Person, -1.5);
        } else if last.class.is(Class::ORGANISATION_TAIL)
            && !first.class.is(Class::FIRST_NAME)
            && unknown + usize::from(named_after_place) > 0
        {
            points.add(Organisation, 2.8);
            points.add(Person, -1.5);
        } else if named_after_place
            && last.lower.len() > 4
            && last.lower.ends_with('s')
            && !is_head(last)
            && !last.class.is_name()
        {
            // "Toyama Thunderbirds"
            points.add(Organisation, 2.5);
            points.add(Person, -1.0);
        }
        if last.class.is(Class::SURNAME) {
            points.add(Person, 1.2);
        }
        if unknown == words.len()
            && words.len() <= 3
            && !words.iter().any(|word| {
                word.class
                    .is(Class::TOOL.and(Class::ORGANISATION).and(Class::CONCEPT))
            })
        {
            points.add(Person, 1.4);
        } else if unknown == 0 {
            points.add(Concept, 0.8);
        }
        if let Some(known) = words
            .iter()
            .find(|word| word.class.is(Class::TOOL.and(Class::ORGANISATION)))
        {
            points.add(
                if known.class.is(Class::TOOL) {
                    Tool
                } else {
                    Organisation
                },
                1.8,
            );
        }
    } else {
        shape(first.text, first.shape, candidate, points);
    }
}

fn shape(text: &str, shape: Shape, candidate: &Candidate, points: &mut Points) {
    use EntityType::{Concept, Organisation, Person, Place, Tool};
    match shape {
        Shape::Upper => {
            points.add(Person, -2.5);
            points.add(Place, -2.5);
            points.add(Concept, 1.5);
            points.add(Organisation, 0.9);
            points.add(Tool, 0.6);
        }
        Shape::Mixed => {
            points.add(Tool, 1.7);
            points.add(Person, -2.0);
            points.add(Place, -2.0);
        }
        Shape::Capital => {
            let lower = text.to_lowercase();
            if gazetteer::has_place_ending(&lower) {
                points.add(Place, 1.2);
            } else if text
                .chars()
                .all(|letter| letter.is_alphabetic() || matches!(letter, '-' | '\'' | '’'))
            {
                points.add(Person, if candidate.weak { 0.4 } else { 1.0 });
            }
            if gazetteer::class_of(&lower).is(Class::SURNAME) && !candidate.listed.is_name() {
                points.add(Person, 1.4);
            }
            if text.contains('.') || text.ends_with(|letter: char| letter.is_ascii_digit()) {
                points.add(Tool, 1.5);
            }
        }
        _ => {}
    }
}
