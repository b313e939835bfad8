//! Old memories are in colder tiers, and are found as if they had never moved.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use anamne::{
    BinaryImport, Clock, Draft, ImportOptions, MemoryId, Options, Recall, Space, Store,
    Temperature, Tier,
};
use jiff::{Timestamp, ToSpan};
use tempfile::TempDir;

#[derive(Debug)]
struct SetClock(Mutex<Timestamp>);

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().expect("no panic before")
    }
}

fn start() -> Timestamp {
    "2026-03-10T12:00:00Z".parse().expect("an instant")
}

fn opened(folder: &Path, background: bool) -> (Space, Arc<SetClock>) {
    let clock = Arc::new(SetClock(Mutex::new(start())));
    let options = Options {
        clock: clock.clone(),
        ..Options::new(folder).background(background)
    };
    let store = Store::open_with(options).expect("a store");
    (store.space("tests").expect("a space"), clock)
}

const SUBJECTS: [&str; 8] = [
    "crane", "dredger", "ferry", "gauge", "lantern", "mooring", "pilot", "winch",
];

const DEEDS: [&str; 7] = [
    "was painted",
    "broke down",
    "was repaired",
    "was sold",
    "came late",
    "was inspected",
    "ran aground",
];

/// A logbook of two years, stored at once: an entry every second day, in threads by month.
fn logbook(folder: &Path) -> (Space, Vec<MemoryId>) {
    let (space, _) = opened(folder, false);
    let drafts: Vec<_> = (0..360)
        .map(|number: i64| {
            let (subject, deed) = (SUBJECTS[number as usize % 8], DEEDS[number as usize % 7]);
            Draft::new(format!("The {subject} {deed} at berth {}", number % 11))
                .occurred_at(start() - (48 * (360 - number)).hours())
                .thread(format!("month {}", number / 15))
                .author(["Runa", "Ole"][number as usize % 2])
        })
        .collect();
    let stored = space.remember_all(&drafts).expect("told");
    (space, stored.into_iter().map(|stored| stored.id).collect())
}

fn found(space: &Space, recall: &Recall) -> Vec<(MemoryId, f32)> {
    let answer = space.recall(recall).expect("an answer");
    assert_eq!(answer.degraded, Vec::<String>::new());
    answer
        .results
        .into_iter()
        .map(|hit| (hit.memory.id, hit.score))
        .collect()
}

fn questions() -> impl Iterator<Item = Recall> {
    SUBJECTS
        .iter()
        .zip(DEEDS.iter().cycle())
        .map(|(subject, deed)| {
            Recall::new(format!("when was it that the {subject} {deed}, says Runa?")).limit(20)
        })
}

#[test]
fn an_imported_space_is_in_the_same_tiers_once_it_has_aged() {
    let folder = TempDir::new().expect("a folder");
    let (space, ids) = logbook(&folder.path().join("one"));
    let aged = space.age(&mut |_, _| {}).expect("moved");
    let tiers = |space: &Space| {
        let counts = space.tiers().expect("tiers").into_iter();
        counts
            .map(|count| (count.tier, count.memories))
            .collect::<Vec<_>>()
    };
    let file = folder.path().join("memories.anamne");
    let options = |name: &str| Options {
        clock: Arc::new(SetClock(Mutex::new(start()))),
        ..Options::new(folder.path().join(name)).background(false)
    };
    let one = Store::open_with(options("one")).expect("a store");
    one.export_binary(&file, None, &[]).expect("exported");
    let other = Store::open_with(options("other")).expect("a store");
    let how = BinaryImport {
        options: ImportOptions::default().trusted(),
        ..BinaryImport::default()
    };
    let exported = fs::File::open(&file).expect("a file");
    other
        .import_binary(&file, exported, &how)
        .expect("imported");
    let copy = other.space("tests").expect("a space");
    assert_eq!(tiers(&copy), [(Tier::Active, ids.len() as u64)]);
    let moved = copy.age(&mut |_, _| {}).expect("moved");
    assert_eq!(moved.memories, aged.memories);
    assert_eq!(tiers(&copy), tiers(&space));
}

#[test]
fn what_has_moved_is_found_as_before() {
    let folder = TempDir::new().expect("a folder");
    let (space, ids) = logbook(folder.path());
    let before: Vec<_> = questions()
        .map(|question| found(&space, &question))
        .collect();
    let moved = space.age(&mut |_, _| {}).expect("moved");
    assert_eq!(moved.memories, 345);
    let tiers = space.tiers().expect("tiers");
    assert!(tiers.len() >= 9, "{tiers:?}");
    assert_eq!(tiers.iter().map(|tier| tier.memories).sum::<u64>(), 360);
    for (question, before) in questions().zip(before) {
        let after = found(&space, &question);
        let ids = |found: &[(MemoryId, f32)]| found.iter().map(|(id, _)| *id).collect::<Vec<_>>();
        assert_eq!(ids(&after), ids(&before), "{}", question.query);
        for ((_, after), (_, before)) in after.iter().zip(&before) {
            assert!((after - before).abs() < 1e-3, "{after} {before}");
        }
    }
    let check_up = space.check_up().expect("a check-up");
    assert_eq!(check_up.problems, Vec::<String>::new());
    assert_eq!(ids.len(), 360);
}

#[test]
fn a_temperature_picks_tiers() {
    let folder = TempDir::new().expect("a folder");
    let (space, _) = logbook(folder.path());
    space.age(&mut |_, _| {}).expect("moved");
    let found = |temperature, tier_alone| {
        let mut tiers = BTreeSet::new();
        for question in questions() {
            let question = Recall {
                tier_alone,
                planning: false,
                ..question.temperature(temperature)
            };
            let answer = space.recall(&question).expect("an answer");
            for hit in answer.results {
                let age = start().duration_since(hit.memory.occurred_at).as_hours() / 24;
                tiers.insert(match age {
                    0..=30 => Tier::Active,
                    31..=90 => Tier::Recent,
                    _ => Tier::archive_of(hit.memory.occurred_at),
                });
            }
        }
        tiers
    };
    assert_eq!(found(Temperature::Hot, false), [Tier::Active].into());
    let warm = [Tier::Active, Tier::Recent];
    assert_eq!(found(Temperature::Warm, false), warm.into());
    let everything = found(Temperature::All, false);
    assert_eq!(found(Temperature::Cold, false), everything);
    assert_eq!(found(Temperature::Hot, true), [Tier::Active].into());
    assert_eq!(found(Temperature::Warm, true), [Tier::Recent].into());
    let archives = found(Temperature::Cold, true);
    assert!(archives.len() > 4 && archives.is_disjoint(&warm.into()));
    assert!(everything.is_superset(&archives) && everything.is_superset(&warm.into()));
    let refused = space.recall(&Recall {
        tier_alone: true,
        ..Recall::new("anything")
    });
    let refused = refused
        .expect_err("all tiers are no single tier")
        .to_string();
    assert!(refused.contains("hot, warm or cold"), "{refused}");
}

#[test]
fn a_tier_that_is_searched_alone_is_not_widened() {
    let folder = TempDir::new().expect("a folder");
    let (space, _) = logbook(folder.path());
    space.age(&mut |_, _| {}).expect("moved");
    let alone = Recall {
        tier_alone: true,
        ..Recall::new("zzyzx qwertz").temperature(Temperature::Warm)
    };
    let answer = space.recall(&alone).expect("an answer");
    assert!(answer.plan.is_none(), "{:?}", answer.plan);
    let ages = answer.results.iter();
    let days = ages.map(|hit| start().duration_since(hit.memory.occurred_at).as_hours() / 24);
    assert!(days.clone().all(|days| (31..=90).contains(&days)));
}

#[test]
fn no_answer_misses_what_is_moving() {
    let folder = TempDir::new().expect("a folder");
    let (space, _) = logbook(folder.path());
    let treasure = space
        .remember(
            Draft::new("The sextant of captain Quillfeather lies in the red chest")
                .occurred_at(start() - (24 * 400).hours()),
        )
        .expect("told")
        .id;
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let (other, _) = opened(folder.path(), false);
            let mut asked = 0;
            while !done.load(Ordering::Acquire) || asked < 3 {
                let answer = other
                    .recall(&Recall::new("Where is the sextant of Quillfeather?").limit(3))
                    .expect("an answer");
                let first = answer.results.first().map(|hit| hit.memory.id);
                assert_eq!(first, Some(treasure), "{:?}", answer.degraded);
                asked += 1;
            }
        });
        let moved = space.age(&mut |_, _| {}).expect("moved");
        done.store(true, Ordering::Release);
        assert_eq!(moved.memories, 346);
        asking.join().expect("no panic");
    });
}

#[test]
fn views_of_an_archive_are_disposable() {
    let folder = TempDir::new().expect("a folder");
    let (space, _) = logbook(folder.path());
    space.age(&mut |_, _| {}).expect("moved");
    space.fold().expect("folded");
    space.settle(&mut |_, _| {}).expect("settled");
    let question = Recall::new("the ferry came late to berth 4").limit(10);
    let before = found(&space, &question);
    drop(space);
    for view in ["lexical", "columns"] {
        let (space, _) = opened(folder.path(), false);
        fs::remove_dir_all(
            space
                .folder()
                .join("views")
                .join(view)
                .join("archive-2025Q2"),
        )
        .expect("a folder of a view");
        drop(space);
        let (space, _) = opened(folder.path(), false);
        assert_eq!(found(&space, &question), before);
    }
    let (space, _) = opened(folder.path(), false);
    space.rebuild(&mut |_, _| {}).expect("rebuilt");
    assert_eq!(found(&space, &question), before);
}

#[test]
fn what_is_erased_leaves_every_file_of_every_tier() {
    let folder = TempDir::new().expect("a folder");
    let (space, _) = logbook(folder.path());
    let secret = Draft::new("The word of the night watch is Xylographica")
        .occurred_at(start() - (24 * 200).hours());
    let id = space.remember(secret).expect("told").id;
    space.age(&mut |_, _| {}).expect("moved");
    space.fold().expect("folded");
    assert!(space.erase(id).expect("erased").is_complete());
    let answer = space
        .recall(&Recall::new("Xylographica"))
        .expect("an answer");
    assert!(answer.results.iter().all(|hit| hit.memory.id != id));
    drop(space);
    let mut folders = vec![folder.path().to_owned()];
    while let Some(next) = folders.pop() {
        for path in fs::read_dir(next)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
        {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path).expect("a file").to_ascii_lowercase();
            let holds = bytes.windows(8).any(|window| window == b"xylograp");
            assert!(!holds, "{}", path.display());
        }
    }
}

#[test]
fn the_background_moves_what_was_told_a_day_ago() {
    let folder = TempDir::new().expect("a folder");
    let (space, _) = logbook(folder.path());
    drop(space);
    let (space, clock) = opened(folder.path(), true);
    let active = || space.tiers().expect("tiers")[0].memories;
    assert_eq!(active(), 360);
    *clock.0.lock().expect("no panic before") = start() + 25.hours();
    // Queries wake the background, so they are repeated until it has finished.
    while active() == 360 || space.tiers().expect("tiers").len() < 9 {
        space.recall(&Recall::new("the ferry")).expect("an answer");
        std::thread::yield_now();
    }
}

#[test]
fn facts_that_are_used_stay_active() {
    let folder = TempDir::new().expect("a folder");
    let at = |days: i64| {
        let (space, clock) = opened(folder.path(), false);
        *clock.0.lock().expect("no panic before") = start() + (24 * days).hours();
        space
    };
    let space = at(0);
    let fact = |text: &str| {
        let draft = Draft::new(text).kind(anamne::Kind::Fact).importance(4);
        space.remember(draft).expect("told").id
    };
    let used = fact("The pilot boat is called Halcyon");
    let unused = fact("The crane was built in Gdansk");
    drop(space);
    let answer = at(60)
        .recall(&Recall::new("Halcyon pilot").limit(1))
        .expect("an answer");
    assert_eq!(answer.results[0].memory.id, used);
    let active = |space: &Space| space.tiers().expect("tiers")[0].memories;
    let space = at(70);
    assert_eq!(space.age(&mut |_, _| {}).expect("moved").memories, 1);
    assert_eq!(active(&space), 1);
    drop(space);
    let space = at(95);
    assert_eq!(
        space.age(&mut |_, _| {}).expect("moved").memories,
        2,
        "one of them to its archive"
    );
    assert_eq!(active(&space), 0);
    assert_eq!(space.tiers().expect("tiers").len(), 3);
    assert!(space.get(unused).is_ok());
}
