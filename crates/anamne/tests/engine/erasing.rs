//! Erased content is in no file of the space, however it is erased; other content stays intact.

use std::fs;
use std::sync::Arc;

use anamne::embed::StaticModel;
use anamne::{
    Body, Draft, Edit, ErrorKind, Filter, Link, LinkType, MemoryId, Order, Recall, Space,
    Visibility,
};
use anamne_store::{SpaceName, SpaceSource, SystemClock};

use crate::common::{Home, files_with, link};

const SECRET: &str = "The zyxomatic quellfruit is buried under the seventh lighthouse";

/// Words of the secret and its metadata; no other memory contains them.
const WORDS: [&str; 9] = [
    "zyxomatic",
    "quellfruit",
    "vorpaltag",
    "vorpalthread",
    "vorpalauthor",
    "vorpalkey",
    "vorpaltitle",
    "vorpaloutside",
    "vorpalreason",
];

/// A space with published views, which contains the secret among other memories.
fn filled(home: &Home) -> (Space, MemoryId, MemoryId) {
    let space = home.space();
    let drafts: Vec<_> = (0..1_200)
        .map(|number| Draft::new(format!("note {number}: berth {} is free", number / 3)))
        .collect();
    let other = space.remember_all(&drafts).expect("told")[0].id;
    let mut draft = Draft::new(SECRET)
        .body(Body::Document {
            title: "vorpaltitle".to_owned(),
            source: String::new(),
        })
        .thread("vorpalthread")
        .author("vorpalauthor")
        .tag("vorpaltag");
    draft.metadata.insert("vorpalkey".to_owned(), 1.into());
    draft.external_id = Some("vorpaloutside".to_owned());
    let id = space.remember(draft).expect("told").id;
    space.fold().expect("folded");
    let edit = Edit {
        content: Some(format!("{SECRET}, and nobody knows")),
        ..Edit::default()
    };
    space.edit(id, &edit).expect("edited");
    space
        .link(&link(id, other, "vorpalreason"))
        .expect("linked");
    space
        .link(&link(other, id, "vorpalreason"))
        .expect("linked");
    space.fold().expect("folded");
    (space, id, other)
}

/// The secret as stored in the columns: two bytes per wordpiece.
fn token_bytes() -> Vec<u8> {
    let mut tokens = Vec::new();
    StaticModel::builtin_tokens().tokens(SECRET, &mut tokens);
    tokens
        .iter()
        .flat_map(|token| token.to_le_bytes())
        .collect()
}

#[track_caller]
fn assert_gone(home: &Home, space: &Space) {
    for word in WORDS {
        assert_eq!(
            files_with(&home.folder(), word.as_bytes()),
            Vec::<std::path::PathBuf>::new(),
            "{word}"
        );
    }
    assert_eq!(
        files_with(&home.folder(), &token_bytes()),
        Vec::<std::path::PathBuf>::new()
    );
    assert!(!home.folder().join("views.unclean").exists());
    let journal = space.verify_journal().expect("a report");
    assert_eq!(journal.problems, Vec::<String>::new());
    let check_up = space.check_up().expect("a check-up");
    assert_eq!(check_up.problems, Vec::<String>::new());
    let answer = space
        .recall(&Recall::new("which berth is free? 399"))
        .expect("an answer");
    assert!(
        !answer.results.is_empty() && answer.degraded.is_empty(),
        "{answer:?}"
    );
}

#[test]
fn nothing_of_an_erased_memory_is_left_in_source_journal_or_views() {
    let home = Home::new();
    let (space, id, other) = filled(&home);
    for word in WORDS {
        assert!(
            !files_with(&home.folder(), word.as_bytes()).is_empty(),
            "{word} was told"
        );
    }
    assert!(
        !files_with(&home.folder(), &token_bytes()).is_empty(),
        "the columns hold it"
    );
    let views = home.folder().join("views");
    for stray in ["lexical/active.damaged", "vectors/some-other-model/active"] {
        fs::create_dir_all(views.join(stray)).expect("a folder");
        fs::write(views.join(stray).join("segment"), "zyxomatic").expect("a file");
    }
    assert!(space.erase(id).expect("erased").is_complete());
    assert_gone(&home, &space);
    assert!(!views.join("vectors/some-other-model").exists());
    assert_eq!(space.links(other).expect("links"), []);
    assert_eq!(
        space.erase(id).expect_err("twice").kind(),
        ErrorKind::NotFound
    );
}

#[test]
fn an_erasure_that_a_crash_cut_short_is_finished_by_the_next_process() {
    let home = Home::new();
    let (space, id, _) = filled(&home);
    let actor = anamne::Actor::user();
    let name: SpaceName = "tests".parse().expect("a name");
    let source = || {
        SpaceSource::open(&home.folder(), &name, Arc::new(SystemClock), false).expect("the source")
    };
    // Only the transaction; then the source, which doesn't know the views' contents.
    source().begin_erasure(&actor, &[id]).expect("begun");
    assert!(
        !files_with(&home.folder(), b"zyxomatic").is_empty(),
        "nothing else was done yet"
    );
    drop(source());
    assert!(
        !files_with(&home.folder(), &token_bytes()).is_empty(),
        "the views still hold it"
    );
    assert!(home.folder().join("views.unclean").exists());
    drop(space);
    let space = home.space();
    assert!(space.is_unsettled().expect("a look"));
    space.settle(&mut |_, _| {}).expect("settled");
    assert_gone(&home, &space);
    assert!(!space.is_unsettled().expect("a look"));
}

#[test]
fn another_process_that_has_the_space_open_answers_without_what_was_erased() {
    let home = Home::new();
    let (space, id, _) = filled(&home);
    let beside = home.space();
    let question = Recall::new("where is the quellfruit buried?");
    assert_eq!(
        beside.recall(&question).expect("an answer").results[0]
            .memory
            .id,
        id
    );
    assert!(space.erase(id).expect("erased").is_complete());
    let answer = beside.recall(&question).expect("an answer");
    assert!(answer.results.iter().all(|hit| hit.memory.id != id));
    assert!(answer.degraded.is_empty());
    beside.fold().expect("folded");
    assert_gone(&home, &beside);
}

#[test]
fn many_are_erased_together_or_not_at_all() {
    let home = Home::new();
    let (space, id, _) = filled(&home);
    let unknown = MemoryId::at(0);
    let before = space.report().expect("a report").statistics;
    assert!(space.erase_all(&[id, unknown]).is_err());
    assert_eq!(space.report().expect("a report").statistics, before);
    let all = space
        .select(&Filter::default(), Visibility::Live, Order::OldestFirst)
        .expect("ids");
    let most: Vec<_> = all
        .iter()
        .copied()
        .filter(|other| *other == id || all[..1_000].contains(other))
        .collect();
    assert!(space.erase_all(&most).expect("erased").is_complete());
    let after = space.report().expect("a report").statistics;
    assert_eq!(
        (after.memories, after.erased),
        (1_201 - most.len() as u64, most.len() as u64)
    );
    assert_gone(&home, &space);
}

#[test]
fn a_whole_space_is_emptied_forgotten_memories_included() {
    let home = Home::new();
    let (space, id, _) = filled(&home);
    space.forget(id).expect("forgotten");
    let all = space
        .select(&Filter::default(), Visibility::Both, Order::OldestFirst)
        .expect("ids");
    assert_eq!(all.len(), 1_201);
    assert!(space.erase_all(&all).expect("erased").is_complete());
    for word in WORDS.iter().chain(&["berth"]) {
        assert_eq!(
            files_with(&home.folder(), word.as_bytes()),
            Vec::<std::path::PathBuf>::new(),
            "{word}"
        );
    }
    let left = space.report().expect("a report").statistics;
    assert_eq!(
        (left.memories, left.forgotten, left.links, left.erased),
        (0, 0, 0, 1_201)
    );
    assert_eq!(
        space.verify_journal().expect("a report").problems,
        Vec::<String>::new()
    );
    space.remember("Something new").expect("told");
    let answer = space
        .recall(&Recall::new("something new"))
        .expect("an answer");
    assert_eq!(answer.results.len(), 1);
}

#[test]
fn links_of_others_with_the_erased_memory_go_with_their_reasons() {
    let home = Home::new();
    let space = home.space();
    let [one, two] = ["one", "two"].map(|text| space.remember(text).expect("told").id);
    let drawn = Link {
        link_type: LinkType::Supersedes,
        ..link(one, two, "vorpalreason")
    };
    space.link(&drawn).expect("linked");
    space
        .unlink(one, two, LinkType::Supersedes)
        .expect("unlinked");
    assert!(space.erase(two).expect("erased").is_complete());
    assert_eq!(
        files_with(&home.folder(), b"vorpalreason"),
        Vec::<std::path::PathBuf>::new()
    );
    assert!(space.get(one).is_ok());
}
