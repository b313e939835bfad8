//! What rules note beside memories: what was told holds, what was removed stays removed, and all of it is a function of the log.

use std::fs;
use std::path::Path;

use anamne::{
    Body, Category, Draft, Edit, EnrichedPart, Enrichment, Kind, Link, LinkType, Listing, MemoryId,
    Options, Recall, Role, Space, Store,
};

fn space(root: &Path) -> Space {
    let store = Store::open_with(Options::new(root).background(false)).expect("a store");
    store.space("tests").expect("a space")
}

fn told(space: &Space, draft: impl Into<Draft>) -> MemoryId {
    space.remember(draft).expect("told").id
}

fn enriched(space: &Space, id: MemoryId) -> Enrichment {
    let enrichment = space.enrichment(id).expect("read");
    enrichment.expect("something is noted")
}

fn enrich(space: &Space) {
    space.enrich(&mut |_| {}).expect("enriched");
}

/// Everything that is noted in a space, as text without ids.
fn everything(space: &Space) -> String {
    let listing = Listing {
        limit: 1_000,
        ..Listing::default()
    };
    let mut memories = space.list(&listing).expect("listed");
    memories.sort_by_key(|memory| memory.row);
    let all: Vec<_> = memories.iter().collect();
    let enriched = space.enrichments(&all).expect("read");
    let mut said = Vec::new();
    for (memory, noted) in memories.iter().zip(enriched) {
        let mut noted = noted.expect("something is noted");
        let links = std::mem::take(&mut noted.links).into_iter();
        let links: Vec<_> = links
            .map(|link| (link.citation, link.link_type, link.reason))
            .collect();
        said.push(format!("{}: {noted:?} {links:?}", memory.citation()));
    }
    let state = space.enrichment_state().expect("read").expect("on");
    said.push(format!(
        "{} {} {:?}",
        state.memories, state.links, state.categories
    ));
    said.join("\n")
}

const TOLD: [&str; 8] = [
    "The staging API listens on port 8443.",
    "HAL-2291: the importer should skip empty rows.",
    "All public endpoints require an API key.",
    "The staging API listens on port 9443 now, the old one was taken.",
    "Fixed in commit 8fd31c: the importer skips empty rows (HAL-2291).",
    "Also, the public endpoints reject an API key that is older than a year.",
    "Grandma's apple cake needs six apples.",
    "We decided to store sessions in Redis instead of Postgres.",
];

#[test]
fn a_told_text_gets_a_category_importance_keywords_tags_and_a_language() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let id = told(&space, TOLD[7]);
    let noted = enriched(&space, id);
    assert_eq!(noted.by, "rules 2");
    assert_eq!(noted.category, Some(Category::ArchitectureDecision));
    assert_eq!(noted.importance, Some(7));
    assert_eq!(noted.language.as_deref(), Some("en"));
    assert!(noted.keywords.iter().any(|word| word == "Redis"));
    assert!(noted.tags.contains(&"database".to_owned()));
    assert_eq!(noted.summary, None);
    // Nothing told changes.
    let memory = space.get(id).expect("there");
    assert_eq!((memory.importance, memory.kind()), (5, Kind::Message));
    assert!(memory.tags.is_empty());
}

#[test]
fn a_long_text_gets_a_summary_of_its_own_sentences() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let text = "The migration to the new storage format began on Monday. ".to_owned()
        + &"It went on slowly for a while, as expected of such work. ".repeat(8)
        + "On Thursday the replica in Oslo lost its journal because the disk was full. "
        + "Marta restored it from the snapshot of Wednesday within forty minutes.";
    let noted = enriched(&space, told(&space, text.as_str()));
    let summary = noted.summary.expect("a summary");
    assert!(summary.chars().count() <= 300, "{summary}");
    assert!(
        summary.contains("Oslo") || summary.contains("Marta"),
        "{summary}"
    );
}

#[test]
fn links_lead_to_earlier_memories_with_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let ids = TOLD.map(|text| told(&space, text));
    enrich(&space);
    for (from, to, link_type) in [
        (3, 0, LinkType::Supersedes),
        (4, 1, LinkType::Implements),
        (5, 2, LinkType::Extends),
    ] {
        let links = enriched(&space, ids[from]).links;
        assert_eq!(links.len(), 1, "{links:?}");
        assert_eq!((links[0].memory, links[0].link_type), (ids[to], link_type));
        assert!(links[0].strength > 0.5 && !links[0].reason.is_empty());
    }
    assert!(enriched(&space, ids[6]).links.is_empty());
}

#[test]
fn what_was_told_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let first = told(&space, TOLD[0]);
    let draft = Draft::new(TOLD[3])
        .category(Category::Reference)
        .importance(2)
        .tag("mine");
    let id = told(&space, draft);
    enrich(&space);
    let noted = enriched(&space, id);
    assert_eq!((noted.category, noted.importance), (None, None));
    assert!(noted.tags.is_empty());
    assert_eq!(noted.links.len(), 1);
    assert!(
        space
            .enriched(Category::ArchitectureDecision, 10)
            .expect("read")
            .is_empty()
    );
    let link = Link {
        from: id,
        to: first,
        link_type: LinkType::Related,
        weight: 1.0,
        reason: String::new(),
        created_at: space.now(),
    };
    space.link(&link).expect("linked");
    assert!(enriched(&space, id).links.is_empty());
}

#[test]
fn what_a_person_removed_stays_removed_until_it_is_restored() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let ids = TOLD.map(|text| told(&space, text));
    enrich(&space);
    let keyword = enriched(&space, ids[3]).keywords[0].clone();
    let parts = [
        EnrichedPart::Category,
        EnrichedPart::Keyword(keyword.to_uppercase()),
        EnrichedPart::Link(ids[0]),
    ];
    space.remove_enrichment(ids[3], &parts).expect("removed");
    let gone = |space: &Space| {
        let noted = enriched(space, ids[3]);
        assert_eq!(noted.category, None);
        assert!(!noted.keywords.contains(&keyword));
        assert!(noted.links.is_empty());
        assert!(noted.importance.is_some());
    };
    gone(&space);
    enrich(&space);
    gone(&space);
    space.rebuild(&mut |_, _| {}).expect("rebuilt");
    gone(&space);
    // A change of the text doesn't bring it back either.
    let edit = Edit {
        content: Some("The staging API listens on port 9500 now.".to_owned()),
        ..Edit::default()
    };
    space.edit(ids[3], &edit).expect("edited");
    enrich(&space);
    gone(&space);
    space.restore_enrichment(ids[3]).expect("restored");
    enrich(&space);
    assert_eq!(enriched(&space, ids[3]).links.len(), 1);
    let many: Vec<_> = (0..65)
        .map(|number| EnrichedPart::Tag(number.to_string()))
        .collect();
    let refused = space.remove_enrichment(ids[3], &many).unwrap_err();
    assert!(refused.to_string().contains("at most 64"), "{refused}");
}

#[test]
fn nobody_can_write_the_removal_as_metadata() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let mut draft = Draft::new("x");
    draft
        .metadata
        .insert(Enrichment::KEY.to_owned(), serde_json::json!(["all"]));
    assert!(space.remember(draft).is_err());
}

#[test]
fn any_order_of_events_and_a_rebuild_give_the_same() {
    let (one, other) = (tempfile::tempdir(), tempfile::tempdir());
    let (one, other) = (one.expect("a folder"), other.expect("a folder"));
    let (step, whole) = (space(one.path()), space(other.path()));
    for (space, at_once) in [(&step, false), (&whole, true)] {
        let follow = || {
            if !at_once {
                enrich(space);
            }
        };
        let texts = TOLD.iter().cycle().take(40).enumerate();
        let ids: Vec<_> = texts
            .map(|(number, text)| {
                let id = told(space, format!("{text} Round {}.", number / TOLD.len()));
                follow();
                id
            })
            .collect();
        for (place, id) in ids.iter().enumerate() {
            if place % 5 < 2 {
                space.forget(*id).expect("forgotten");
                follow();
            }
            if place % 5 == 1 {
                space.restore(*id).expect("restored");
                follow();
            }
        }
    }
    enrich(&whole);
    assert_eq!(everything(&step), everything(&whole));
    let before = everything(&step);
    step.rebuild(&mut |_, _| {}).expect("rebuilt");
    assert_eq!(everything(&step), before);
    assert!(before.contains("Supersedes"));
}

#[test]
fn enrichment_is_undone_by_one_call_and_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let ids = TOLD.map(|text| told(&space, text));
    enrich(&space);
    let before = everything(&space);
    space.set_enrichment(false, false).expect("off");
    assert_eq!(space.enrichment(ids[3]).expect("read"), None);
    assert_eq!(space.enrichment_state().expect("read"), None);
    assert!(
        space
            .enriched(Category::BugFix, 10)
            .expect("read")
            .is_empty()
    );
    space.settle(&mut |_, _| {}).expect("settled");
    space.run_tasks(&mut |_| {}).expect("run");
    assert_eq!(space.enrichment(ids[3]).expect("read"), None);
    assert!(space.get(ids[3]).is_ok());
    space.set_enrichment(true, false).expect("on");
    enrich(&space);
    assert_eq!(everything(&space), before);
}

#[test]
fn forgotten_and_erased_memories_leave_links_and_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let first = told(&space, "The quellfruit orchard uses Jenkins for builds.");
    let second = told(
        &space,
        "The quellfruit orchard no longer uses Jenkins for builds.",
    );
    enrich(&space);
    assert_eq!(enriched(&space, second).links.len(), 1);
    space.forget(first).expect("forgotten");
    assert!(enriched(&space, second).links.is_empty());
    assert_eq!(space.enrichment(first).expect("read"), None);
    let erased = space.erase_all(&[first, second]).expect("erased");
    assert!(erased.is_complete());
    space.settle(&mut |_, _| {}).expect("settled");
    let state = space.enrichment_state().expect("read").expect("on");
    assert_eq!((state.memories, state.links), (0, 0));
    for entry in fs::read_dir(space.folder().join("views")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let bytes = fs::read(&path).expect("read");
            let has = bytes.windows(10).any(|window| window == b"quellfruit");
            assert!(!has, "{}", path.display());
        }
    }
}

#[test]
fn system_messages_tool_results_and_summaries_are_not_enriched() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    for body in [
        Body::Message {
            role: Some(Role::Tool),
        },
        Body::Message {
            role: Some(Role::System),
        },
        Body::Summary {
            sources: Vec::new(),
        },
    ] {
        let id = told(&space, Draft::new(TOLD[7]).body(body));
        assert_eq!(space.enrichment(id).expect("read"), None);
    }
    enrich(&space);
    assert_eq!(
        space
            .enrichment_state()
            .expect("read")
            .expect("on")
            .memories,
        0
    );
}

#[test]
fn hostile_texts_give_bounded_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let texts = [
        "x".repeat(1_000_000),
        "a\n".repeat(400_000),
        "also never (((((".repeat(50_000),
        "HAL-1 ".repeat(150_000),
        "\u{202e}'’`<b>\u{202e} ".repeat(1_000),
        "...!?;:,".repeat(100_000),
        "no longer Redis Postgres ".repeat(30_000),
    ];
    for text in &texts {
        let noted = enriched(&space, told(&space, text.as_str()));
        assert!(noted.keywords.len() <= 5 && noted.tags.len() <= 3);
        assert!(
            noted.keywords.iter().all(|word| word.len() <= 400),
            "{:?}",
            noted.keywords
        );
        assert!(
            noted
                .summary
                .is_none_or(|summary| summary.chars().count() <= 400)
        );
    }
    enrich(&space);
    let state = space.enrichment_state().expect("read").expect("on");
    assert!(state.links <= 3 * texts.len() as u64);
}

#[test]
fn two_handles_of_a_store_see_each_others_enrichment() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, other) = (space(folder.path()), space(folder.path()));
    let first = told(&one, TOLD[0]);
    enrich(&other);
    let second = told(&other, TOLD[3]);
    enrich(&one);
    enrich(&other);
    for space in [&one, &other] {
        assert_eq!(enriched(space, second).links[0].memory, first);
    }
    assert_eq!(one.enrich(&mut |_| {}).expect("enriched").0.memories, 0);
}

#[test]
fn ranking_and_filters_see_only_what_was_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    for text in TOLD {
        told(&space, text);
    }
    let asked = |space: &Space| {
        let answer = space
            .recall(&Recall::new("where do we store sessions?"))
            .expect("answered");
        let results = answer.results.into_iter();
        results
            .map(|hit| (hit.memory.id, hit.score.to_bits()))
            .collect::<Vec<_>>()
    };
    let before = asked(&space);
    enrich(&space);
    assert_eq!(asked(&space), before);
    let mut listing = Listing {
        limit: 10,
        ..Listing::default()
    };
    listing.filter.categories = vec![Category::ArchitectureDecision];
    assert!(space.list(&listing).expect("listed").is_empty());
    let found = space
        .enriched(Category::ArchitectureDecision, 10)
        .expect("read");
    assert!(found.iter().any(|memory| memory.content == TOLD[7]));
}
