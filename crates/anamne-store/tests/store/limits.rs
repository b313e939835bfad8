//! Values outside the limits are refused with an error that names them, and change nothing; values inside are returned
//! unchanged.

use anamne_store::Listing;
use anamne_store::StoreError;
use anamne_types::{Actor, ActorKind, Body, Draft, Edit, Filter, Limits, Link, LinkType, Metadata};
use jiff::Timestamp;
use serde_json::json;

use crate::common::{Home, assert_sound, head, user};

#[track_caller]
fn check_refused<T: std::fmt::Debug>(
    answer: Result<T, StoreError>,
    field: &str,
    accepts: &str,
    given: &str,
) {
    match answer {
        Err(StoreError::Refused(refusal)) => {
            assert_eq!(refusal.field(), field);
            assert!(refusal.accepts().contains(accepts), "{refusal}");
            assert!(refusal.given().contains(given), "{refusal}");
        }
        other => panic!("{field} should have been refused, but {other:?}"),
    }
}

fn with(change: impl FnOnce(&mut Draft)) -> Draft {
    let mut draft = Draft::new("a note");
    change(&mut draft);
    draft
}

fn nested(levels: usize) -> serde_json::Value {
    (0..levels).fold(json!(1), |inner, _| json!([inner]))
}

#[test]
fn every_field_of_a_draft_has_a_limit_that_its_refusal_names() {
    let home = Home::new();
    let space = home.open();
    let long = "x".repeat(257);
    let many: Vec<_> = (0..65).map(|number| format!("tag {number}")).collect();
    let fat = Metadata::from([("fat".to_owned(), json!("x".repeat(65_536)))]);
    let cases: Vec<(Draft, &str, &str, &str)> = vec![
        (Draft::new(""), "content", "1 to 1000000 bytes", "0 bytes"),
        (
            Draft::new(" \n\t "),
            "content",
            "white space",
            "4 blank bytes",
        ),
        (
            Draft::new("x".repeat(1_000_001)),
            "content",
            "1000000",
            "1000001 bytes",
        ),
        (
            with(|draft| draft.thread = Some(long.clone())),
            "thread",
            "256",
            "257 bytes",
        ),
        (
            with(|draft| draft.session = Some(String::new())),
            "session",
            "256",
            "0 bytes",
        ),
        (
            with(|draft| draft.author = Some("a\nb".to_owned())),
            "author",
            "control",
            "\\n",
        ),
        (
            with(|draft| draft.external_id = Some(long.clone())),
            "external_id",
            "256",
            "257 bytes",
        ),
        (
            with(|draft| draft.position = Some(1)),
            "position",
            "thread",
            "1",
        ),
        (
            with(|draft| draft.trust = Some(1.5)),
            "trust",
            "0 to 1",
            "1.5",
        ),
        (
            with(|draft| draft.trust = Some(f32::NAN)),
            "trust",
            "0 to 1",
            "NaN",
        ),
        (
            with(|draft| draft.confidence = Some(-0.1)),
            "confidence",
            "0 to 1",
            "-0.1",
        ),
        (
            with(|draft| draft.importance = Some(0)),
            "importance",
            "1 to 10",
            "0",
        ),
        (
            with(|draft| draft.importance = Some(11)),
            "importance",
            "1 to 10",
            "11",
        ),
        (
            with(|draft| draft.tags = many.clone()),
            "tags",
            "64",
            "65 tags",
        ),
        (
            with(|draft| draft.tags = vec![long.clone()]),
            "tag",
            "256",
            "257 bytes",
        ),
        (
            with(|draft| draft.metadata = fat.clone()),
            "metadata",
            "65536",
            "65546 bytes",
        ),
        (
            with(|draft| draft.metadata = [(long.clone(), json!(1))].into()),
            "metadata key",
            "256",
            "257",
        ),
        (
            with(|draft| draft.metadata = [("deep".to_owned(), nested(65))].into()),
            "metadata",
            "64 levels",
            "deeper",
        ),
        (
            with(|draft| draft.metadata = [("deep".to_owned(), nested(500))].into()),
            "metadata",
            "64 levels",
            "deeper",
        ),
        (
            with(|draft| {
                draft.body = Body::Document {
                    title: "x".repeat(1_000_000),
                    source: String::new(),
                }
            }),
            "body",
            "1000000",
            "bytes",
        ),
        (
            with(|draft| {
                draft.body = Body::Episode {
                    goal: String::new(),
                    plan: vec![],
                    steps: vec![],
                    outcome: String::new(),
                    tool_log: vec![],
                    salience: Some(2.0),
                }
            }),
            "salience",
            "0 to 1",
            "2",
        ),
    ];
    for (draft, field, accepts, given) in cases {
        check_refused(space.remember(&user(), &draft), field, accepts, given);
        check_refused(
            space.remember_all(&user(), &["fine".into(), draft.clone()]),
            field,
            accepts,
            given,
        );
        let each = space
            .remember_each(&user(), std::slice::from_ref(&draft))
            .expect("a write");
        check_refused(
            each.into_iter().next().expect("an answer"),
            field,
            accepts,
            given,
        );
    }
    assert_eq!(head(&space).0, 0, "nothing was changed");
    assert_eq!(space.statistics().expect("counts").memories, 0);
}

#[test]
fn edits_links_actors_and_filters_have_limits_too() {
    let home = Home::new();
    let space = home.open();
    let draft = with(|draft| {
        draft.tags = (0..60).map(|number| format!("tag {number}")).collect();
        draft.metadata = [("fat".to_owned(), json!("x".repeat(60_000)))].into();
    });
    let id = space.remember(&user(), &draft).expect("a write").id;
    let other = space
        .remember(&user(), &"another".into())
        .expect("a write")
        .id;
    let before = head(&space);
    let edit = |change: fn(&mut Edit)| {
        let mut edit = Edit::default();
        change(&mut edit);
        space.edit(&user(), id, &edit)
    };
    check_refused(
        edit(|edit| edit.content = Some(String::new())),
        "content",
        "1 to",
        "0 bytes",
    );
    check_refused(
        edit(|edit| edit.add_tags = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec()),
        "tags",
        "64",
        "65 tags",
    );
    check_refused(
        edit(|edit| edit.metadata = [("more".to_owned(), json!("y".repeat(6_000)))].into()),
        "metadata",
        "65536",
        "bytes",
    );
    check_refused(
        edit(|edit| edit.importance = Some(0)),
        "importance",
        "1 to 10",
        "0",
    );
    let own = Edit {
        superseded_by: Some(id),
        ..Edit::default()
    };
    check_refused(
        space.edit(&user(), id, &own),
        "superseded_by",
        "a different memory",
        &id.to_string(),
    );
    check_refused(
        edit(|edit| {
            edit.never_expires = true;
            edit.expires_at = Some(Timestamp::UNIX_EPOCH);
        }),
        "never_expires",
        "false where expires_at is given",
        "true",
    );
    let link = |change: fn(&mut Link)| {
        let mut link = Link {
            from: id,
            to: other,
            link_type: LinkType::Related,
            weight: 1.0,
            reason: String::new(),
            created_at: jiff::Timestamp::UNIX_EPOCH,
        };
        change(&mut link);
        space.link(&user(), &link)
    };
    check_refused(link(|link| link.weight = 2.0), "weight", "0 to 1", "2");
    check_refused(
        link(|link| link.reason = "x".repeat(4097)),
        "reason",
        "4096",
        "4097",
    );
    check_refused(
        link(|link| link.to = link.from),
        "to",
        "other than the link's start",
        &id.to_string(),
    );
    let nobody = Actor {
        kind: ActorKind::Agent,
        name: "x".repeat(257),
    };
    check_refused(
        space.remember(&nobody, &"new".into()),
        "actor",
        "256",
        "257",
    );
    check_refused(space.forget(&nobody, id), "actor", "256", "257");
    check_refused(
        space.remember_all(&nobody, &["new".into()]),
        "actor",
        "256",
        "257",
    );
    check_refused(space.resolve("not an id"), "id", "UUID", "not an id");
    let many = |count: usize| {
        (0..count)
            .map(|number| format!("name {number}"))
            .collect::<Vec<_>>()
    };
    for (filter, field, limit) in [
        (
            Filter {
                threads: many(1001),
                ..Filter::default()
            },
            "thread",
            "1000",
        ),
        (
            Filter {
                tags: many(65),
                ..Filter::default()
            },
            "tag",
            "64",
        ),
        (
            Filter {
                min_trust: Some(2.0),
                ..Filter::default()
            },
            "min_trust",
            "0 to 1",
        ),
    ] {
        check_refused(
            space.list(&Listing {
                filter,
                limit: 10,
                ..Listing::default()
            }),
            field,
            limit,
            "",
        );
    }
    let fullest = Filter {
        threads: many(1000),
        authors: many(1000),
        sessions: many(1000),
        tags: many(64),
        ..Filter::default()
    };
    let mut beyond = Listing {
        filter: fullest,
        limit: usize::MAX,
        offset: usize::MAX,
        ..Listing::default()
    };
    check_refused(
        space.list(&beyond),
        "offset",
        "0 to 4294967295",
        "18446744073709551615",
    );
    beyond.offset = Limits::OFFSET;
    assert_eq!(space.list(&beyond).expect("a list"), []);
    assert_eq!(head(&space), before, "nothing was changed");
    assert_sound(&space);
}

#[test]
fn memories_can_not_supersede_one_another_in_a_circle() {
    let home = Home::new();
    let space = home.open();
    let told = |text: &str| {
        let stored = space.remember(&user(), &text.into());
        stored.expect("a write").id
    };
    let (first, second, third) = (told("first"), told("second"), told("third"));
    let follow = |of, by| {
        let edit = Edit {
            superseded_by: Some(by),
            ..Edit::default()
        };
        space.edit(&user(), of, &edit)
    };
    follow(first, second).expect("edited");
    follow(second, third).expect("edited");
    let before = head(&space);
    let accepts = "does not supersede itself";
    let given = first.to_string();
    check_refused(follow(third, first), "superseded_by", accepts, &given);
    let link = Link {
        from: first,
        to: third,
        link_type: LinkType::Supersedes,
        weight: 1.0,
        reason: String::new(),
        created_at: Timestamp::UNIX_EPOCH,
    };
    let linked = space.link(&user(), &link);
    check_refused(linked, "superseded_by", accepts, &given);
    assert_eq!(head(&space), before, "nothing was changed");
    follow(first, third).expect("a shorter chain");
    assert_sound(&space);
}

#[test]
fn content_comes_back_byte_for_byte_also_from_the_journal() {
    let home = Home::new();
    let space = home.open();
    let every_plane: String = (0..=0x10_FFFF_u32)
        .step_by(97)
        .filter_map(char::from_u32)
        .collect();
    let contents = [
        "x".to_owned(),
        "y".repeat(1_000_000),
        "\u{0}".repeat(200) + "after nothing",
        "\u{1}".repeat(1_000_000),
        every_plane,
        "e\u{301} \u{feff} \u{202e}abc \u{2028} \"quoted\" \\ \u{7f}".to_owned(),
        "水".repeat(Limits::CONTENT_BYTES / 3) + "x",
    ];
    let mut draft = Draft::new("depth");
    draft.metadata = [
        ("deep".to_owned(), nested(64)),
        (
            "number".to_owned(),
            json!([
                1e300,
                0.1,
                -0.0,
                5e-324,
                u64::MAX,
                i64::MIN,
                0.123_456_789_012_345_68
            ]),
        ),
    ]
    .into();
    let deep = space.remember(&user(), &draft).expect("a write").id;
    let ids = contents.clone().map(|content| {
        space
            .remember(&user(), &content.into())
            .expect("a write")
            .id
    });
    let check = |space: &anamne_store::SpaceSource| {
        for (id, content) in ids.iter().zip(&contents) {
            assert!(
                space.get(*id).expect("a memory").content == *content,
                "content of {} bytes",
                content.len()
            );
        }
        let metadata = space.get(deep).expect("a memory").metadata;
        assert_eq!(
            serde_json::to_string(&metadata).expect("JSON"),
            serde_json::to_string(&draft.metadata).expect("JSON")
        );
    };
    check(&space);
    drop(space);
    home.remove_database();
    let space = home.open();
    check(&space);
    drop(space);
    home.remove_journal();
    assert_sound(&home.open());
    assert!(
        crate::common::lines(&home)
            .iter()
            .all(|line| line.payload.is_some()),
        "no payload was lost"
    );
    home.remove_database();
    check(&home.open());
}

#[test]
fn the_last_position_of_a_thread_can_be_taken() {
    let home = Home::new();
    let space = home.open();
    let at = |position: Option<u32>, content: &str| {
        let draft = Draft {
            position,
            ..Draft::new(content).thread("t")
        };
        let id = space.remember(&user(), &draft).expect("a write").id;
        space.get(id).expect("a memory")
    };
    assert_eq!(at(Some(u32::MAX), "last").position, Some(u32::MAX));
    let behind = at(None, "behind it");
    assert_eq!(
        behind.position,
        Some(u32::MAX),
        "there is no place behind it, so it shares the last one"
    );
    let [before, after] = space.thread_neighbours(behind.row).expect("neighbours");
    assert_eq!((before.map(|row| row.0), after), (Some(1), None));
}

#[test]
fn a_clock_that_goes_back_does_no_harm() {
    use anamne_store::{SpaceName, SpaceSource};
    let home = Home::new();
    let clock = crate::common::clock();
    let space =
        SpaceSource::open(&home.space(), &SpaceName::core(), clock.clone(), true).expect("a space");
    let mut ids = Vec::new();
    for (content, milliseconds) in [
        ("now", 1_760_000_000_000),
        ("earlier", 1_600_000_000_000),
        ("before the epoch", -5_000_000),
        ("now again", 1_760_000_000_000),
    ] {
        clock
            .0
            .store(milliseconds, std::sync::atomic::Ordering::Relaxed);
        ids.push(
            space
                .remember(&user(), &content.into())
                .expect("a write")
                .id,
        );
    }
    let edit = Edit {
        importance: Some(7),
        ..Edit::default()
    };
    clock.0.store(1_000, std::sync::atomic::Ordering::Relaxed);
    space.edit(&user(), ids[0], &edit).expect("an edit");
    let all: Vec<_> = ids
        .iter()
        .map(|id| space.get(*id).expect("a memory"))
        .collect();
    assert_sound(&space);
    drop(space);
    home.remove_database();
    let space = home.open();
    assert_eq!(
        ids.iter()
            .map(|id| space.get(*id).expect("a memory"))
            .collect::<Vec<_>>(),
        all
    );
}

#[test]
fn short_ids_mean_one_memory_or_are_refused() {
    let home = Home::new();
    let space = home.open();
    let [first, second] = ["one", "two"].map(|content| {
        space
            .remember(&user(), &content.into())
            .expect("a write")
            .id
    });
    let text = first.to_string();
    assert_eq!(space.resolve(&text).expect("an id"), first);
    assert_eq!(space.resolve(&text.replace('-', "")).expect("an id"), first);
    let shared = text
        .bytes()
        .zip(second.to_string().bytes())
        .take_while(|(one, other)| one == other)
        .count();
    assert_eq!(space.resolve(&text[..=shared]).expect("an id"), first);
    assert_eq!(
        space
            .resolve(&format!(" {} ", text[..=shared].to_uppercase()))
            .expect("an id"),
        first
    );
    check_refused(space.resolve(&text[..4]), "id", "unique", &text[..4]);
    for text in ["", "-", "g", "日", &"0".repeat(33)] {
        check_refused(space.resolve(text), "id", "UUID", text);
    }
    assert!(matches!(
        space.resolve("ffffff"),
        Err(StoreError::NoMemory { .. })
    ));
    space.erase(&user(), second).expect("an erasure");
    assert_eq!(space.resolve(&text[..4]).expect("only one is left"), first);
}
