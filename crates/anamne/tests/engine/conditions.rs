//! A condition on metadata chooses the same memories as a plain evaluation of their values: in lists, selections and
//! queries, now and as of an earlier time, in every tier.

use std::collections::BTreeSet;

use anamne::{
    AsOf, Condition, ContextRequest, Draft, Edit, ErrorKind, Filter, Limits, Listing, MemoryId,
    Metadata, Order, Recall, Space, SpaceChoice, Spaces, Visibility,
};
use jiff::{SignedDuration, Timestamp};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::Home;

const NOW: &str = "2026-06-01T00:00:00Z";
const LATER: &str = "2026-06-02T00:00:00Z";

fn instant(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

/// The value under a name, as the documentation says it: the name as a whole, else its parts.
fn value_under<'a>(metadata: &'a Value, name: &str) -> Option<&'a Value> {
    let whole = metadata.as_object()?.get(name);
    whole.or_else(|| {
        let (first, rest) = name.split_once('.')?;
        value_under(metadata.get(first)?, rest)
    })
}

/// A plain evaluation of one condition.
fn holds(metadata: &Metadata, name: &str, sign: &str, wanted: &Value) -> bool {
    let metadata = json!(metadata);
    let Some(value) = value_under(&metadata, name) else {
        return false;
    };
    if sign.is_empty() {
        return true;
    }
    if sign == "~" {
        let wanted = wanted.as_str().expect("text").to_lowercase();
        let is_in = |value: &Value| match value {
            Value::String(text) => text.to_lowercase().contains(&wanted),
            Value::Bool(_) | Value::Number(_) => {
                let written = value.to_string();
                written == wanted
            }
            _ => false,
        };
        return match value {
            Value::String(_) => is_in(value),
            Value::Array(values) => values.iter().any(is_in),
            _ => false,
        };
    }
    let order = match (value, wanted) {
        (Value::Number(one), Value::Number(other)) => one.as_f64().partial_cmp(&other.as_f64()),
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        (Value::Bool(one), Value::Bool(other)) => Some(one.cmp(other)),
        (Value::Null, Value::Null) => Some(std::cmp::Ordering::Equal),
        _ => None,
    };
    order.is_some_and(|order| match sign {
        "=" => order.is_eq(),
        "!=" => order.is_ne(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        _ => order.is_ge(),
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("Ada"),
        Just("ada l"),
        Just("42"),
        Just("true"),
        Just("\"q\" \\ ö\n")
    ]
    .prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-2i64..4).prop_map(Value::from),
        prop_oneof![Just(0.5), Just(2.0), Just(41.9)].prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        text().prop_map(Value::from),
    ]
}

fn metadata() -> impl Strategy<Value = Metadata> {
    let value = prop_oneof![
        4 => scalar(),
        1 => vec(scalar(), 0..3).prop_map(Value::from),
        1 => scalar().prop_map(|value| json!({ "b": value, "c": { "b": 1 } })),
    ];
    let name = prop_oneof![Just("a"), Just("a.b"), Just("b"), Just("c"), Just("ö")];
    btree_map(name.prop_map(str::to_owned), value, 0..4)
}

/// Name, sign and value of a condition.
type Parts = (String, &'static str, Value);

fn condition() -> impl Strategy<Value = Parts> {
    let name = prop_oneof![
        Just("a"),
        Just("a.b"),
        Just("a.c.b"),
        Just("b"),
        Just("c"),
        Just("ö"),
        Just("x")
    ];
    let sign = prop_oneof![
        Just(""),
        Just("="),
        Just("!="),
        Just("<"),
        Just("<="),
        Just(">"),
        Just(">="),
        Just("~")
    ];
    (name, sign, scalar(), text())
        .prop_map(|(name, sign, value, text)| {
            let value = if sign == "~" {
                Value::from(text)
            } else {
                value
            };
            (name.to_owned(), sign, value)
        })
        .prop_filter("values that have an order", |(_, sign, value)| {
            !sign.starts_with(['<', '>']) || value.is_number() || value.is_string()
        })
}

fn parsed((name, sign, value): &Parts) -> Condition {
    let written = match sign {
        &"" => name.clone(),
        sign => format!("{name} {sign} {value}"),
    };
    written.parse().expect("a condition")
}

/// A memory's metadata before and after an edit.
struct Told {
    id: MemoryId,
    before: Metadata,
    after: Metadata,
}

/// Memories in every tier, a third of them edited a day later.
fn world(home: &Home, before: Vec<Metadata>, edits: &[Metadata]) -> (Space, Vec<Told>) {
    let (store, clock) = home.store_with_clock(NOW);
    let space = store.space("tests").expect("a space");
    let drafts: Vec<Draft> = before
        .iter()
        .enumerate()
        .map(|(number, metadata)| {
            let age = SignedDuration::from_hours(24 * 20 * number as i64);
            let mut draft = Draft::new(format!("The lighthouse log, page {number}"))
                .occurred_at(instant(NOW) - age);
            draft.metadata = metadata.clone();
            draft
        })
        .collect();
    let stored = space.remember_all(&drafts).expect("told");
    space.age(&mut |_, _| {}).expect("moved");
    clock.set(LATER);
    let mut told = Vec::new();
    for (number, (stored, before)) in stored.iter().zip(before).enumerate() {
        let mut after = before.clone();
        if let Some(change) = edits.get(number / 3).filter(|_| number % 3 == 0) {
            let edit = Edit {
                metadata: change.clone(),
                ..Edit::default()
            };
            after = space.edit(stored.id, &edit).expect("edited").metadata;
        }
        told.push(Told {
            id: stored.id,
            before,
            after,
        });
    }
    (space, told)
}

fn ids(told: &[Told], holds: impl Fn(&Told) -> bool) -> BTreeSet<MemoryId> {
    told.iter()
        .filter(|told| holds(told))
        .map(|told| told.id)
        .collect()
}

fn found(space: &Space, recall: &Recall) -> BTreeSet<MemoryId> {
    let answer = space.recall(recall).expect("an answer");
    assert_eq!(answer.degraded, Vec::<String>::new());
    answer.results.iter().map(|hit| hit.memory.id).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn conditions_choose_what_a_plain_evaluation_chooses(
        before in vec(metadata(), 12..24),
        edits in vec(metadata(), 0..6),
        wanted in vec(vec(condition(), 1..3), 6),
    ) {
        let home = Home::new();
        let (space, told) = world(&home, before, &edits);
        for parts in &wanted {
            let filter = Filter {
                conditions: parts.iter().map(parsed).collect(),
                ..Filter::default()
            };
            let all = |metadata: &Metadata| {
                let mut parts = parts.iter();
                parts.all(|(name, sign, value)| holds(metadata, name, sign, value))
            };
            let now = ids(&told, |told| all(&told.after));
            let then = ids(&told, |told| all(&told.before));
            let selected = space.select(&filter, Visibility::Live, Order::NewestFirst).expect("ids");
            prop_assert_eq!(&selected.into_iter().collect::<BTreeSet<_>>(), &now, "selected by {:?}", filter);
            let listing = Listing { filter: filter.clone(), limit: 100, ..Listing::default() };
            let listed = space.list(&listing).expect("a list");
            prop_assert_eq!(&listed.iter().map(|memory| memory.id).collect::<BTreeSet<_>>(), &now);
            let mut recall = Recall::new("lighthouse log page").limit(100).filter(filter);
            recall.planning = false;
            prop_assert_eq!(&found(&space, &recall), &now, "recalled by {:?}", recall.filter);
            recall.as_of = AsOf { known: Some(instant(NOW)), ..AsOf::default() };
            prop_assert_eq!(&found(&space, &recall), &then, "as of then by {:?}", recall.filter);
        }
    }
}

fn with(metadata: Value, text: &str) -> Draft {
    Draft {
        metadata: serde_json::from_value(metadata).expect("metadata"),
        ..Draft::new(text)
    }
}

fn filter(conditions: &[&str]) -> Filter {
    Filter {
        conditions: conditions
            .iter()
            .map(|text| text.parse().expect("a condition"))
            .collect(),
        ..Filter::default()
    }
}

#[test]
fn a_condition_never_starves_the_results() {
    let home = Home::new();
    let space = home.space();
    let mut drafts: Vec<Draft> = (0..300)
        .map(|number| Draft::new(format!("The pump house was inspected, visit {number}")))
        .collect();
    drafts.push(with(json!({ "ticket": 42 }), "Something about a pump"));
    let stored = space.remember_all(&drafts).expect("told");
    let wanted = stored[300].id;
    let recall = Recall::new("pump house inspected visit")
        .limit(3)
        .filter(filter(&["ticket=42"]));
    assert_eq!(found(&space, &recall), [wanted].into());
    let request = ContextRequest {
        recall: recall.clone(),
        ..ContextRequest::new("", 200)
    };
    let context = space.context(&request).expect("a context");
    assert!(
        context.text.contains("Something about a pump"),
        "{}",
        context.text
    );
    assert!(!context.text.contains("inspected"), "{}", context.text);
    // In several spaces, each by its own metadata.
    let (store, _) = home.store_with_clock(NOW);
    let other = store.space("other").expect("a space");
    other
        .remember(with(json!({ "ticket": 42 }), "A pump elsewhere"))
        .expect("told");
    other
        .remember(with(
            json!({ "ticket": "42" }),
            "A pump with a ticket in words",
        ))
        .expect("told");
    let both = Spaces {
        choice: SpaceChoice::All,
        core: false,
    };
    let answer = store.recall(&both, &recall).expect("an answer");
    let mut texts: Vec<_> = answer
        .results
        .iter()
        .map(|hit| hit.memory.content.as_str())
        .collect();
    texts.sort_unstable();
    assert_eq!(texts, ["A pump elsewhere", "Something about a pump"]);
}

#[test]
fn conditions_are_bounded_and_go_with_every_other_filter() {
    let home = Home::new();
    let space = home.space();
    for (number, text) in ["one", "two", "three"].into_iter().enumerate() {
        let draft = with(
            json!({ "priority": number + 1, "files": ["src/a.rs"] }),
            text,
        );
        space
            .remember(if number == 1 {
                draft.tag("kept")
            } else {
                draft
            })
            .expect("told");
    }
    let listed = |filter: Filter| -> Vec<String> {
        let listing = Listing {
            filter,
            limit: 10,
            order: Order::OldestFirst,
            ..Listing::default()
        };
        let memories = space.list(&listing).expect("a list").into_iter();
        memories.map(|memory| memory.content).collect()
    };
    assert_eq!(
        listed(filter(&["priority>=2", "files~a.rs"])),
        ["two", "three"]
    );
    let tagged = Filter {
        tags: vec!["kept".to_owned()],
        ..filter(&["priority>=2"])
    };
    assert_eq!(listed(tagged.clone()), ["two"]);
    let recall = Recall::new("one two three").filter(tagged);
    assert_eq!(found(&space, &recall).len(), 1);
    let forgotten = space.select(
        &filter(&["priority=3"]),
        Visibility::Live,
        Order::NewestFirst,
    );
    space.forget(forgotten.expect("ids")[0]).expect("forgotten");
    assert_eq!(listed(filter(&["priority"])), ["one", "two"]);
    let many = filter(&vec!["priority"; Limits::CONDITIONS + 1]);
    let error = space.list(&Listing {
        filter: many,
        limit: 1,
        ..Listing::default()
    });
    assert_eq!(error.expect_err("refused").kind(), ErrorKind::Refused);
    // Written and read back as JSON, as a filter in a request is.
    let written = serde_json::to_string(&filter(&["priority>=2", "owner=\"42\""])).expect("JSON");
    assert!(
        written.contains(r#""where":["priority>=2","owner=\"42\""]"#),
        "{written}"
    );
    assert_eq!(
        serde_json::from_str::<Filter>(&written).ok(),
        Some(filter(&["priority>=2", "owner=\"42\""]))
    );
    assert!(serde_json::from_str::<Filter>(r#"{"where":["=3"]}"#).is_err());
}

#[test]
fn erased_metadata_is_found_by_no_condition() {
    let home = Home::new();
    let space = home.space();
    let id = space
        .remember(with(json!({ "ticket": 42 }), "A private matter"))
        .expect("told")
        .id;
    space
        .remember(with(json!({ "ticket": 42 }), "A public matter"))
        .expect("told");
    assert!(space.erase(id).expect("erased").is_complete());
    let left = space.select(
        &filter(&["ticket=42"]),
        Visibility::Both,
        Order::NewestFirst,
    );
    assert_eq!(left.expect("ids").len(), 1);
    let recall = Recall::new("a private matter").filter(filter(&["ticket"]));
    assert!(!found(&space, &recall).contains(&id));
}
