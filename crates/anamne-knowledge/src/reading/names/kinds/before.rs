//! Evidence for a name's type in the words before it: `lives in`, `my sister`, `an app called`.

use anamne_types::EntityType;

use super::Points;
use crate::reading::gazetteer::Class;
use crate::reading::names::proper::Candidate;
use crate::reading::tokens::Tokens;

pub(super) fn add(tokens: &Tokens<'_>, candidate: &Candidate, points: &mut Points) {
    use EntityType::{Concept, Organisation, Person, Place, Project, Tool};
    let start = candidate.tokens.start;
    let lower = |back: usize| tokens.lower(start.wrapping_sub(back));
    let class = |back: usize| tokens.class(start.wrapping_sub(back));
    let mut back = 1;
    while matches!(lower(back), "\"" | "'" | "“" | "*" | "**" | "_" | "(" | "`") {
        back += 1;
    }
    let the = lower(back) == "the";
    let article = matches!(lower(back), "a" | "an");
    if the {
        points.add(Person, -1.5);
        points.add(Organisation, 0.3);
        points.add(Concept, 0.4);
        back += 1;
    } else if article {
        points.add(Person, -2.0);
        points.add(Place, -1.0);
        back += 1;
    }
    let called = matches!(lower(back), "called" | "named" | "codenamed" | "dubbed");
    if called {
        back += 1;
        back += usize::from(matches!(lower(back), "is" | "'s" | "was" | "are" | "'re"));
    }
    let comma = usize::from(lower(back) == ",");
    let noun = class(back + comma);
    let named = |otherwise: f32| if called { 3.0 } else { otherwise };
    if (called || comma == 0) && !the {
        for (class, entity_type, given) in [
            (Class::KIN, Person, 3.5),
            (Class::WORK_NOUN, Concept, 3.0),
            (Class::PROJECT_NOUN, Project, named(2.0)),
            (Class::TOOL_NOUN, Tool, named(1.5)),
            (Class::ORGANISATION_NOUN, Organisation, named(2.0)),
            (Class::PLACE_NOUN, Place, named(1.0)),
        ] {
            if noun.is(class) {
                points.add(entity_type, given);
                break;
            }
        }
    }
    let word = lower(back);
    let second = lower(back + 1);
    match word {
        "in" | "near" | "outside" | "throughout" | "across" | "visiting" | "visited" | "visit"
        | "towards" | "toward" => {
            points.add(
                Place,
                if one_of!(
                    second,
                    "live" "lives" "lived" "living" "born" "arrived" "based" "stay" "staying"
                    "stayed" "vacation" "house" "apartment"
                ) {
                    3.5
                } else {
                    1.4
                },
            );
            points.add(Person, -0.8);
        }
        "to" | "from" if is_replacement(tokens, start - back) => points.add(Tool, 2.0),
        "is" if second == "name" => points.add(Person, 2.5),
        "to" if !is_recipient(tokens, start - back) => points.add(
            Place,
            if one_of!(
                second,
                "moved" "move" "moving" "trip" "flew" "fly" "flight" "travel" "traveled" "travelled"
                "went" "going" "drive" "drove" "been" "visit"
            ) {
                2.5
            } else {
                0.2
            },
        ),
        "from" if candidate.tokens.len() > 1 => {
            points.add(Organisation, 1.0);
            points.add(Place, 0.6);
            points.add(Person, -0.6);
        }
        "from" => points.add(Place, 1.0),
        "on" | "onto" if matches!(second, "hosted" | "lives" | "walk" | "walked") => {
            points.add(Place, 1.4);
        }
        "at" => {
            let works = one_of!(
                second,
                "work" "works" "worked" "working" "job" "intern" "internship" "interview" "study"
                "studies" "studying" "studied" "engineer" "manager" "developer" "position" "role"
            );
            points.add(Organisation, if works { 3.0 } else { 1.6 });
            points.add(Place, if works { 0.5 } else { 1.3 });
            if candidate.ordinary {
                // "at Sunny Meadows" is not a person called Sunny.
                points.add(Organisation, 1.4);
                points.add(Person, -4.0);
            }
            points.add(Person, -1.0);
        }
        "on" if matches!(second, "run" | "runs" | "running" | "hosted" | "deployed") => {
            points.add(Tool, 2.0);
        }
        "on" if matches!(second, "working" | "work" | "works" | "worked") => {
            points.add(Project, 2.2);
            points.add(Person, -1.0);
        }
        "with"
            if matches!(
                second,
                "contract" | "deal" | "lease" | "invoice" | "account" | "partnership" | "policy"
            ) =>
        {
            points.add(Organisation, 1.6);
        }
        "for"
            if one_of!(
                second,
                "plays" "play" "played" "playing" "work" "works" "worked" "working" "freelance"
                "consulting"
            ) =>
        {
            points.add(Organisation, 2.5);
        }
        "read" | "reading" | "watched" | "watching" | "finished" | "rewatching" | "rereading" => {
            points.add(Concept, 1.6);
        }
        "to" => points.add(Person, 1.2),
        "joined" | "join" | "joining" | "founded" | "cofounded" | "co-founded" | "acquired"
        | "acquires" => {
            points.add(Organisation, 1.8);
        }
        "represent" | "represents" | "bought" | "left" | "customer" | "client" | "supplier" => {
            points.add(Organisation, 1.5);
            points.add(Person, -0.6);
        }
        "climbed" | "hiked" | "summited" | "explored" | "reached" => points.add(Place, 2.2),
        "dropped" | "ditched" | "uninstalled" | "using" => points.add(Tool, 1.6),
        "my" | "our" => {
            points.add(Tool, 1.6);
            points.add(Person, -1.0);
        }
        "got" | "own" | "owns" | "drive" | "drives" | "play" | "plays" | "ordered" | "ride"
        | "rides" | "bring" | "use" | "uses"
            if article =>
        {
            points.add(Tool, 2.0);
        }
        "of" if one_of!(
            second,
            "ceo" "cto" "cfo" "founder" "director" "chair" "employee" "employees" "member"
            "president" "board" "shares"
        ) =>
        {
            points.add(Organisation, 2.5);
        }
        "of" if one_of!(
            second,
            "city" "town" "village" "island" "capital" "state" "north" "south" "east" "west"
        ) =>
        {
            points.add(Place, 3.5);
        }
        "with" | "and" | "by" => points.add(Person, 0.5),
        "hi" | "hello" | "hey" | "dear" | "thanks" | "congrats" | "told" | "tell" | "ask"
        | "asked" | "met" | "meet" => points.add(Person, 2.2),
        _ => {
            if class(back).is(Class::BEFORE_PERSON) {
                points.add(Person, 1.6);
            } else if class(back).is(Class::BEFORE_TOOL) {
                points.add(Tool, 1.8);
            }
        }
    }
}

/// Whether the sentence describes a replacement: `switched from … to`.
fn is_replacement(tokens: &Tokens<'_>, at: usize) -> bool {
    tokens.all[at.saturating_sub(5)..at].iter().any(|token| {
        matches!(
            &*token.lower,
            "switched" | "switch" | "switching" | "migrated" | "migrate" | "migrating" | "upgraded"
        )
    })
}

/// Whether the name after `to` is a recipient: `sent … to`, `spoke to`.
fn is_recipient(tokens: &Tokens<'_>, to: usize) -> bool {
    tokens.all[to.saturating_sub(6)..to].iter().any(|token| {
        one_of!(
            &*token.lower,
            "send" "sent" "gave" "give" "talk" "talked" "spoke" "speak" "wrote" "write" "introduced"
            "listen" "thanks" "handed" "assigned" "reported"
        )
    })
}
