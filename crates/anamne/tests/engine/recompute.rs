//! Current importance and link strength are computed from what was told, use, links and age; off shows what was told.

use std::cmp::Reverse;

use anamne::{
    Draft, EnrichedPart, ErrorKind, Filter, ImportanceSignals, Kind, Link, LinkStrength, LinkType,
    Listing, LogQuery, MemoryId, QualitySignals, QueryLogging, Recall, Space,
};

use crate::common::Home;

fn tell(space: &Space, draft: impl Into<Draft>) -> MemoryId {
    space.remember(draft.into()).expect("told").id
}

fn fact(text: &str, importance: u8) -> Draft {
    Draft::new(text).kind(Kind::Fact).importance(importance)
}

fn join(space: &Space, from: MemoryId, to: MemoryId, link_type: LinkType, weight: f32) {
    let link = Link {
        from,
        to,
        link_type,
        weight,
        reason: String::new(),
        created_at: space.now(),
    };
    space.link(&link).expect("linked");
}

fn signals(space: &Space, id: MemoryId) -> QualitySignals {
    space.quality_signals(id).expect("signals")
}

fn parts(space: &Space, id: MemoryId) -> ImportanceSignals {
    signals(space, id).parts.expect("recomputed")
}

/// The strength of the only link of a memory.
fn strength(space: &Space, id: MemoryId) -> LinkStrength {
    let links = space.links(id).expect("links");
    assert_eq!(links.len(), 1);
    space.link_strengths(&links).expect("strengths")[0]
}

#[track_caller]
fn near(found: impl Into<f64>, expected: f64) {
    let found = found.into();
    assert!((found - expected).abs() < 0.005, "{found}, not {expected}");
}

#[track_caller]
fn listed(space: &Space, listing: &Listing) -> Vec<MemoryId> {
    let memories = space.list_by_importance(listing).expect("a list");
    memories.into_iter().map(|memory| memory.id).collect()
}

fn page(limit: usize, offset: usize) -> Listing {
    Listing {
        limit,
        offset,
        ..Listing::default()
    }
}

#[test]
fn importance_comes_from_what_was_told_use_links_and_age() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T00:00:00Z");
    let space = store.space("tests").expect("a space");
    let id = tell(&space, fact("The crane is inspected in May", 6));
    let other = tell(&space, fact("The inspector is Mara", 6));
    let told = space.read(id).expect("a memory");
    let new = parts(&space, id);
    assert_eq!((new.told, new.enriched), (6, None));
    near(new.points.base, 4.0);
    near(new.points.uses, 0.0);
    near(new.points.links, 0.0);
    near(new.points.age, 0.45);
    near(signals(&space, id).importance, 4.45);
    for _ in 0..3 {
        space.get(id).expect("a memory");
    }
    near(
        parts(&space, id).points.uses,
        1.8 * (1.0 - (-1.0_f64).exp()),
    );
    join(&space, other, id, LinkType::Supports, 0.5);
    join(&space, id, other, LinkType::Related, 0.5);
    near(
        parts(&space, id).points.links,
        1.35 * (1.0 - (-0.25_f64).exp()),
    );
    // Two months later the three uses count for half, and so does youth.
    clock.set("2026-04-30T00:00:00Z");
    let later = parts(&space, id);
    near(later.points.base, 4.0);
    near(later.points.uses, 1.8 * (1.0 - (-0.5_f64).exp()));
    near(later.points.age, 0.225);
    let points = later.points;
    let sum = points.base + points.uses + points.links + points.age;
    near(signals(&space, id).importance, sum);
    assert_eq!(
        space.read(id).expect("a memory"),
        told,
        "nothing told changes"
    );
    // A shorter half-life: four of them have passed.
    space
        .configure(|config| config.recompute.half_life_days = 15.0)
        .expect("configured");
    near(parts(&space, id).points.age, 0.45 / 16.0);
    // A space that keeps nothing of queries has no use to count.
    space
        .configure(|config| config.meta.queries = QueryLogging::Off)
        .expect("configured");
    near(parts(&space, id).points.uses, 0.0);
}

#[test]
fn the_base_is_what_was_told_else_what_enrichment_says() {
    let home = Home::new();
    let space = home.space();
    let text = "We decided to use PostgreSQL 16 for the ledger, because of the licence costs";
    let [untold, told] = [
        tell(&space, text),
        tell(&space, fact(&format!("{text}."), 9)),
    ];
    let beside = |id| space.enrichment(id).expect("enriched").expect("noted");
    let enriched = beside(untold).importance.expect("an importance");
    assert_ne!(enriched, Draft::DEFAULT_IMPORTANCE);
    let found = parts(&space, untold);
    assert_eq!((found.told, found.enriched), (5, Some(enriched)));
    near(found.points.base, 1.0 + 0.6 * f64::from(enriched - 1));
    // Told by hand, which wins.
    assert_eq!(parts(&space, told).enriched, None);
    near(parts(&space, told).points.base, 5.8);
    space
        .remove_enrichment(untold, &[EnrichedPart::Importance])
        .expect("removed");
    assert_eq!(parts(&space, untold).enriched, None);
    near(parts(&space, untold).points.base, 3.4);
    space.restore_enrichment(untold).expect("restored");
    assert_eq!(parts(&space, untold).enriched, Some(enriched));
    space.set_enrichment(false, false).expect("off");
    assert_eq!(parts(&space, untold).enriched, None);
}

#[test]
fn a_link_decays_until_it_is_told_again_or_used_and_keeps_what_was_told() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-01-01T00:00:00Z");
    let space = store.space("tests").expect("a space");
    let [one, two] = ["The first", "The second"].map(|text| tell(&space, text));
    join(&space, one, two, LinkType::Extends, 0.8);
    let check = |day: &str, current: f64, since: &str| {
        clock.set(&format!("{day}T00:00:00Z"));
        let found = strength(&space, two);
        near(found.told, 0.8);
        near(found.current, current);
        assert_eq!(found.since.strftime("%F").to_string(), since);
        near(space.links(one).expect("links")[0].weight, 0.8);
    };
    check("2026-01-01", 0.8, "2026-01-01");
    check("2026-03-02", 0.4, "2026-01-01");
    // One end alone is not the link.
    space.get(one).expect("a memory");
    check("2026-03-02", 0.4, "2026-01-01");
    space.recall(&Recall::new("the second")).expect("an answer");
    check("2026-03-02", 0.4, "2026-01-01");
    clock.set("2026-03-12T00:00:00Z");
    space.get(two).expect("a memory");
    check("2026-03-12", 0.713, "2026-03-02");
    // Opening an end once more takes nothing away.
    space.get(two).expect("a memory");
    check("2026-03-12", 0.713, "2026-03-02");
    check("2026-05-01", 0.4, "2026-03-02");
    join(&space, one, two, LinkType::Extends, 0.8);
    check("2026-05-01", 0.8, "2026-05-01");
    check("2066-05-01", 0.08, "2026-05-01");
    // A clock that was set back.
    check("1999-05-01", 0.8, "2026-05-01");
    space
        .configure(|config| {
            config.recompute.link_half_life_days = 30.0;
            config.recompute.link_floor = 0.5;
        })
        .expect("configured");
    check("2026-05-16", 0.566, "2026-05-01");
    check("2026-09-01", 0.4, "2026-05-01");
}

#[test]
fn off_shows_what_was_told_at_once_and_on_shows_the_same_again() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-01-01T00:00:00Z");
    let space = store.space("tests").expect("a space");
    let [one, two] = [("The first", 8), ("The second", 5)]
        .map(|(text, importance)| tell(&space, fact(text, importance)));
    join(&space, one, two, LinkType::Requires, 0.7);
    space.get(one).expect("a memory");
    clock.set("2026-07-01T00:00:00Z");
    let before = (signals(&space, one), strength(&space, one));
    let events = || space.log(&LogQuery::default()).expect("a log").len();
    let known = events();
    let switch = |importance: bool, links: bool| {
        space
            .configure(|config| {
                config.recompute.importance = importance;
                config.recompute.links = links;
            })
            .expect("configured");
    };
    assert!(before.0.importance < 7.0 && before.1.current < 0.2);
    switch(true, false);
    near(strength(&space, one).current, 0.7);
    assert!(
        parts(&space, one).points.links > before.0.parts.expect("parts").points.links,
        "importance counts links as told"
    );
    switch(false, false);
    let off = signals(&space, one);
    assert_eq!((off.parts, off.utility), (None, before.0.utility));
    near(off.importance, 8.0);
    near(signals(&space, two).importance, 5.0);
    let found = strength(&space, one);
    assert_eq!(found.current.to_bits(), found.told.to_bits());
    assert_eq!(listed(&space, &page(10, 0)), [one, two]);
    switch(true, true);
    assert_eq!((signals(&space, one), strength(&space, one)), before);
    assert_eq!(events(), known, "nothing was written");
    let refused = space.configure(|config| config.recompute.half_life_days = 0.0);
    assert_eq!(refused.expect_err("refused").kind(), ErrorKind::Refused);
}

#[test]
fn times_far_in_the_future_and_the_past_keep_to_the_scale() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-01-01T00:00:00Z");
    let space = store.space("tests").expect("a space");
    let at = |text: &str, instant: &str| {
        let instant = instant.parse().expect("an instant");
        tell(&space, fact(text, 5).occurred_at(instant))
    };
    let ids = [
        at("Of old", "0001-01-01T00:00:00Z"),
        at("Now", "2026-01-01T00:00:00Z"),
        at("To come", "9999-01-01T00:00:00Z"),
    ];
    for now in [
        "2026-01-01T00:00:00Z",
        "1970-01-01T00:00:00Z",
        "9999-12-01T00:00:00Z",
    ] {
        clock.set(now);
        for id in ids {
            space.get(id).expect("a memory");
            let found = signals(&space, id).importance;
            assert!((1.0..=10.0).contains(&found), "{now}: {found}");
        }
    }
    clock.set("2026-01-01T00:00:00Z");
    near(parts(&space, ids[0]).points.age, 0.0);
    near(parts(&space, ids[2]).points.age, 0.45);
}

#[test]
fn lists_are_ordered_by_current_importance() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-01-01T00:00:00Z");
    let space = store.space("tests").expect("a space");
    let mut ids: Vec<MemoryId> = (1..=9_u8)
        .map(|number| {
            let text = format!("The pump {number} stands in hall {number}");
            tell(&space, fact(&text, number))
        })
        .collect();
    ids.push(tell(&space, "ok"));
    ids.push(tell(
        &space,
        "The crane must never be used in a storm, it is critical",
    ));
    for _ in 0..9 {
        space.get(ids[6]).expect("a memory");
    }
    join(&space, ids[8], ids[4], LinkType::Supports, 1.0);
    clock.set("2026-01-20T00:00:00Z");
    let mut expected = ids.clone();
    // Of equal ones the latest row.
    expected.reverse();
    expected.sort_by_key(|id| Reverse((signals(&space, *id).importance * 1e9) as u64));
    assert_eq!(listed(&space, &page(100, 0)), expected);
    assert_eq!(expected[0], ids[6], "used often");
    assert_eq!(listed(&space, &page(3, 2)), expected[2..5]);
    let important = Listing {
        filter: Filter {
            min_importance: Some(8),
            ..Filter::default()
        },
        ..page(10, 0)
    };
    assert_eq!(
        listed(&space, &important).len(),
        2,
        "filters see what was told"
    );
    let forgotten = Listing {
        forgotten: true,
        ..page(1, 0)
    };
    let error = space.list_by_importance(&forgotten).expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Refused);
}

#[test]
fn what_was_superseded_gains_nothing_by_the_link_that_says_so() {
    let home = Home::new();
    let space = home.space();
    let [new, old] = ["Port 8472", "Port 8471"].map(|text| tell(&space, fact(text, 5)));
    join(&space, new, old, LinkType::Supersedes, 1.0);
    assert!(parts(&space, new).points.links > 0.2);
    near(parts(&space, old).points.links, 0.0);
}

#[test]
fn retention_and_ranking_see_what_was_told() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-01-01T00:00:00Z");
    let space = store.space("tests").expect("a space");
    let kept = tell(&space, fact("The crane is inspected in May", 8));
    let used = tell(&space, fact("The crane is painted in May", 6));
    let others: Vec<MemoryId> = (0..20)
        .map(|number| tell(&space, format!("note {number}")))
        .collect();
    for other in &others {
        join(&space, used, *other, LinkType::Supports, 1.0);
    }
    clock.set("2026-12-01T00:00:00Z");
    space
        .configure(|config| config.recompute.links = false)
        .expect("configured");
    for _ in 0..20 {
        space.get(used).expect("a memory");
    }
    assert!(signals(&space, kept).importance < 7.0);
    assert!(signals(&space, used).importance > 7.0);
    assert_eq!(
        space.count_outdated(30).expect("counted"),
        21,
        "all but the one told 8"
    );
    let scores = || {
        let answer = space
            .recall(&Recall::new("when is the crane inspected?"))
            .expect("an answer");
        let results = answer.results.into_iter();
        results
            .map(|result| (result.memory.id, result.score.to_bits()))
            .collect::<Vec<_>>()
    };
    let before = scores();
    space
        .configure(|config| config.recompute.importance = false)
        .expect("configured");
    assert_eq!(scores(), before);
}
