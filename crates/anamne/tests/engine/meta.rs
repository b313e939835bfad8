//! The query log: recorded, used for planning, and removed on request.

use std::collections::BTreeSet;
use std::sync::Arc;

use anamne::{
    Actor, ActorKind, Answer, AsOf, Door, Draft, Edit, EventKind, Feedback, Filter, Judgement,
    Memory, MemoryId, Options, QueryLogging, Recall, Space, Store, Temperature, Tier, TopicVerdict,
};
use jiff::{SignedDuration, Timestamp};
use rusqlite::Connection;

use crate::common::{Home, files_with};

const NOW: &str = "2026-03-10T12:00:00Z";

/// Pseudo-random numbers, the same in every run (SplitMix64).
struct Noise(u64);

impl Noise {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % end as u64) as usize
    }
}

fn word(number: usize) -> String {
    let letters = b"bdfgklmnprtv";
    let [first, second, third] =
        [number % 12, number / 12 % 12, number / 144 % 12].map(|at| char::from(letters[at]));
    format!("{first}a{second}o{third}u")
}

/// Two years of records of twelve words, about one every second day, moved to their tiers.
struct Years {
    home: Home,
    space: Space,
    ids: Vec<MemoryId>,
    texts: Vec<String>,
}

impl Years {
    fn new(records: usize) -> Self {
        let home = Home::new();
        let (store, _) = home.store_with_clock(NOW);
        let space = store.space("tests").expect("a space");
        let mut noise = Noise(7);
        let now: Timestamp = NOW.parse().expect("an instant");
        let texts: Vec<String> = (0..records)
            .map(|_| {
                let words: Vec<String> = (0..12).map(|_| word(noise.below(1_500))).collect();
                words.join(" ")
            })
            .collect();
        let hours = 730 * 24 / records as i64;
        let drafts: Vec<Draft> = texts
            .iter()
            .enumerate()
            .map(|(number, text)| {
                let age = SignedDuration::from_hours(hours * (records - number) as i64);
                Draft::new(text).occurred_at(now - age)
            })
            .collect();
        let stored = space.remember_all(&drafts).expect("told");
        space.age(&mut |_, _| {}).expect("moved");
        Self {
            home,
            space,
            ids: stored.into_iter().map(|stored| stored.id).collect(),
            texts,
        }
    }

    /// A query with six words of a record.
    fn about(&self, record: usize) -> Recall {
        let words: Vec<&str> = self.texts[record].split(' ').step_by(2).collect();
        Recall {
            explain_plan: true,
            ..Recall::new(words.join(" "))
        }
    }

    fn path(&self) -> std::path::PathBuf {
        self.home.folder().join("observed/meta.db")
    }

    /// Another process's handle of the space.
    fn opened_again(&self) -> Space {
        let (store, _) = self.home.store_with_clock(NOW);
        store.space("tests").expect("a space")
    }
}

fn ask(space: &Space, recall: &Recall) -> Answer {
    let answer = space.recall(recall).expect("an answer");
    assert_eq!(answer.degraded, Vec::<String>::new());
    answer
}

fn unplanned(recall: &Recall) -> Recall {
    Recall {
        planning: false,
        ..recall.clone()
    }
}

fn ids(answer: &Answer) -> Vec<MemoryId> {
    answer.results.iter().map(|hit| hit.memory.id).collect()
}

#[test]
fn a_planned_answer_begins_as_an_unplanned_one_and_costs_less() {
    let years = Years::new(720);
    let (mut planned_bytes, mut bytes) = (0, 0);
    for record in (0..720).step_by(9) {
        let recall = years.about(record);
        let planned = ask(&years.space, &recall);
        let whole = ask(&years.space, &unplanned(&recall));
        assert_eq!(ids(&planned)[0], years.ids[record], "{}", recall.query);
        assert_eq!(ids(&planned)[0], ids(&whole)[0], "{}", recall.query);
        let (plan, all) = (planned.plan.expect("a plan"), whole.plan.expect("a plan"));
        assert!(plan.planned && !all.planned && !plan.reasons.is_empty());
        assert!(plan.work.bytes <= all.work.bytes && plan.work.rows <= all.work.rows);
        assert_eq!(all.work.tiers as usize, all.tiers.len());
        planned_bytes += plan.work.bytes;
        bytes += all.work.bytes;
    }
    assert!(planned_bytes * 2 < bytes, "{planned_bytes} of {bytes}");
}

#[test]
fn a_question_that_nothing_answers_well_is_answered_as_without_a_plan() {
    let years = Years::new(720);
    let mut noise = Noise(99);
    for _ in 0..20 {
        let words: Vec<String> = (0..5).map(|_| word(noise.below(1_500))).collect();
        let recall = Recall {
            explain_plan: true,
            ..Recall::new(words.join(" "))
        };
        let (planned, whole) = (
            ask(&years.space, &recall),
            ask(&years.space, &unplanned(&recall)),
        );
        let plan = planned.plan.clone().expect("a plan");
        if plan.left_out.is_empty()
            && plan
                .reasons
                .last()
                .is_some_and(|said| said.starts_with("no "))
        {
            assert_eq!(ids(&planned), ids(&whole), "{}", recall.query);
        }
    }
}

#[test]
fn without_planning_everything_is_searched() {
    let years = Years::new(360);
    let tiers: BTreeSet<Tier> = years
        .space
        .tiers()
        .expect("tiers")
        .iter()
        .map(|count| count.tier)
        .collect();
    assert!(tiers.len() >= 9, "{tiers:?}");
    let recall = years.about(355);
    let all = |answer: Answer| {
        answer
            .plan
            .expect("a plan")
            .tiers
            .into_iter()
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(all(ask(&years.space, &unplanned(&recall))), tiers);
    years
        .space
        .configure(|config| config.meta.planning = false)
        .expect("configured");
    assert_eq!(all(ask(&years.space, &recall)), tiers);
}

#[test]
fn a_span_of_time_rules_tiers_out_and_no_memory() {
    let years = Years::new(720);
    let now: Timestamp = NOW.parse().expect("an instant");
    for (from, days) in [
        (700, 30),
        (400, 92),
        (365, 1),
        (200, 150),
        (95, 40),
        (40, 40),
    ] {
        let since = now - SignedDuration::from_hours(24 * from);
        let until = since + SignedDuration::from_hours(24 * days);
        let filter = Filter {
            since: Some(since),
            until: Some(until),
            ..Filter::default()
        };
        let recall = Recall {
            explain_plan: true,
            ..Recall::new(word(3)).filter(filter).limit(300)
        };
        let (planned, whole) = (
            ask(&years.space, &recall),
            ask(&years.space, &unplanned(&recall)),
        );
        let as_set = |answer: &Answer| ids(answer).into_iter().collect::<BTreeSet<_>>();
        assert_eq!(as_set(&planned), as_set(&whole), "{since} to {until}");
        let plan = planned.plan.expect("a plan");
        let archives = plan
            .tiers
            .iter()
            .filter(|tier| matches!(tier, Tier::Archive { .. }));
        assert!(archives.count() <= 3, "{:?}", plan.tiers);
    }
}

#[test]
fn a_temperature_is_widened_where_it_holds_no_answer_and_says_so() {
    let years = Years::new(360);
    let old = years.about(20).temperature(Temperature::Hot);
    let unheard = Recall {
        filter: Filter {
            until: Some("2025-01-01T00:00:00Z".parse().expect("an instant")),
            ..Filter::default()
        },
        explain_plan: false,
        ..old
    };
    let answer = ask(&years.space, &unheard);
    assert_eq!(ids(&answer)[0], years.ids[20]);
    let plan = answer.plan.expect("a plan, for more was searched");
    assert!(plan.widened && plan.reasons[0].contains("hot"), "{plan:?}");
    assert_eq!(ask(&years.space, &unplanned(&unheard)).results.len(), 0);
    let recent = years.about(358).temperature(Temperature::Hot);
    let plan = ask(&years.space, &recent).plan.expect("a plan");
    assert_eq!((plan.widened, plan.tiers), (false, vec![Tier::Active]));
}

#[test]
fn a_question_that_is_asked_again_costs_less() {
    let years = Years::new(720);
    let recall = years.about(100);
    let first = ask(&years.space, &recall);
    let again = ask(&years.space, &recall);
    assert_eq!(ids(&first)[0], ids(&again)[0]);
    let bytes = |answer: &Answer| answer.plan.as_ref().expect("a plan").work.bytes;
    assert!(bytes(&again) <= bytes(&first));
    years.space.settle(&mut |_, _| {}).expect("settled");
    // Other processes know what one process learned.
    let other = ask(&years.opened_again(), &recall);
    assert_eq!(bytes(&other), bytes(&again));
    // Without a clear best match, the results are the same, at a lower cost.
    let vague = Recall {
        explain_plan: true,
        ..Recall::new(word(5))
    };
    let first = ask(&years.space, &vague);
    let again = ask(&years.space, &vague);
    assert_eq!(ids(&first), ids(&again));
    assert!(bytes(&again) * 4 < bytes(&first), "{:?}", again.plan);
    let fresh = years.space.remember(word(5)).expect("told");
    assert!(ids(&ask(&years.space, &vague)).contains(&fresh.id));
}

#[test]
fn the_log_tells_of_questions_without_their_words() {
    let years = Years::new(360);
    let recall = years.about(10);
    let answer = ask(&years.space, &recall);
    ask(&years.space, &recall);
    let log = years.space.query_log(10).expect("a log");
    assert_eq!(log.len(), 2);
    assert_eq!(log[0].hash, log[1].hash);
    assert!(log[0].number > log[1].number);
    assert_eq!(log[1].words, None);
    assert_eq!(log[1].work, answer.plan.expect("a plan").work);
    assert_eq!(log[1].results, answer.results.len() as u64);
    let rows: Vec<_> = answer.results.iter().map(|hit| hit.memory.row).collect();
    assert_eq!(log[1].found, rows);
    let said = recall.query.split(' ').next().expect("a word").as_bytes();
    let meta = files_with(&years.home.folder(), said);
    assert!(
        !meta
            .iter()
            .any(|path| path.to_string_lossy().contains("meta.db")),
        "{meta:?}"
    );
    assert_eq!(years.space.query_log(1).expect("a log").len(), 1);
}

#[cfg(unix)]
#[test]
fn the_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let years = Years::new(100);
    ask(&years.space, &years.about(10));
    years.space.settle(&mut |_, _| {}).expect("settled");
    let mode = std::fs::metadata(years.path())
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn nothing_is_kept_where_nothing_is_to_be_kept() {
    let years = Years::new(100);
    years
        .space
        .configure(|config| config.meta.queries = QueryLogging::Off)
        .expect("configured");
    ask(&years.space, &years.about(10));
    years.space.settle(&mut |_, _| {}).expect("settled");
    assert!(!years.path().exists());
    assert!(years.space.query_log(10).expect("a log").is_empty());
}

#[test]
fn the_file_may_be_deleted_at_any_time() {
    let years = Years::new(360);
    let recall = years.about(10);
    let before = ids(&ask(&years.space, &recall));
    assert_eq!(years.space.query_log(10).expect("a log").len(), 1);
    for ending in ["", "-wal", "-shm"] {
        let mut path = years.path().into_os_string();
        path.push(ending);
        let _ = std::fs::remove_file(path);
    }
    assert_eq!(ids(&ask(&years.space, &recall))[0], before[0]);
    assert_eq!(years.space.query_log(10).expect("a log").len(), 1);
    years.space.forget_meta().expect("forgotten");
    assert!(!years.path().exists());
    assert_eq!(ids(&ask(&years.space, &recall)), before);
}

#[test]
fn a_damaged_file_is_set_aside() {
    let years = Years::new(360);
    let recall = years.about(10);
    let before = ids(&ask(&years.space, &recall));
    years.space.settle(&mut |_, _| {}).expect("settled");
    let Years { home, space, .. } = years;
    drop(space);
    let path = home.folder().join("observed/meta.db");
    // Its write-ahead log alone would restore it.
    let _ = std::fs::remove_file(path.with_file_name("meta.db-wal"));
    std::fs::write(&path, b"this is no database, and far from it".repeat(400)).expect("written");
    let (store, _) = home.store_with_clock(NOW);
    let space = store.space("tests").expect("a space");
    assert_eq!(ids(&ask(&space, &recall))[0], before[0]);
    assert_eq!(space.query_log(10).expect("a log").len(), 1);
    assert!(home.folder().join("observed/meta.db.damaged-1").exists());
    let problems = space.check_up().expect("a check-up").problems;
    assert_eq!(problems, Vec::<String>::new());
}

#[test]
fn several_processes_note_side_by_side() {
    let years = Years::new(100);
    let others: Vec<Space> = (0..3).map(|_| years.opened_again()).collect();
    std::thread::scope(|scope| {
        for (number, space) in others.iter().enumerate() {
            let years = &years;
            scope.spawn(move || {
                for record in 0..40 {
                    ask(space, &years.about(record * 2 + number % 2));
                    if record % 10 == 0 {
                        space.query_log(1).expect("a log");
                    }
                }
            });
        }
    });
    drop(others);
    let log = years.space.query_log(1_000).expect("a log");
    assert_eq!(log.len(), 120);
    let numbers: BTreeSet<u64> = log.iter().map(|query| query.number).collect();
    assert_eq!(numbers.len(), 120);
}

#[test]
fn erasing_reaches_the_openings() {
    let home = Home::new();
    let space = home.space();
    let stored = |text: &str| space.remember(text).expect("told").id;
    let [gone, kept] = ["The vault opens with xylophone", "The harbour freezes"].map(stored);
    for id in [gone, kept, kept] {
        space.get(id).expect("a memory");
    }
    // Writes the buffered accesses, then checks them.
    space.query_log(1).expect("a log");
    let opened = || {
        let file = home.folder().join("observed/meta.db");
        let connection = Connection::open(file).expect("the file");
        let sql = "SELECT times FROM openings";
        let mut openings = connection.prepare(sql).expect("a table");
        let openings = openings.query_map([], |row| row.get(0)).expect("rows");
        openings
            .map(|times| times.expect("a number"))
            .collect::<Vec<f64>>()
    };
    assert_eq!(opened().len(), 2);
    assert!(space.erase(gone).expect("erased").is_complete());
    let left = opened();
    assert!(
        matches!(left[..], [times] if (times - 2.0).abs() < 1e-3),
        "{left:?}"
    );
}

#[test]
fn erasing_reaches_the_log() {
    let home = Home::new();
    let space = home.space();
    space
        .configure(|config| config.meta.queries = QueryLogging::Text)
        .expect("configured");
    let secret = space
        .remember("The vault of Quillfeather opens with xylophone")
        .expect("told");
    space
        .remember("The harbour freezes in January")
        .expect("told");
    ask(&space, &Recall::new("what opens the vault, xylophone?"));
    ask(
        &space,
        &Recall::new("when does the harbour freeze").limit(1),
    );
    let log = space.query_log(10).expect("a log");
    assert_eq!(
        log[1].words.as_deref(),
        Some("what opens the vault, xylophone?")
    );
    let other = home.space();
    // Buffered by another process, and not written yet.
    ask(&other, &Recall::new("and who owns the xylophone").limit(1));
    assert!(space.erase(secret.id).expect("erased").is_complete());
    drop(other);
    let found = files_with(home.root(), b"xylophone");
    assert!(found.is_empty(), "{found:?}");
    let log = space.query_log(10).expect("a log");
    assert_eq!(log.len(), 1, "{log:?}");
    assert_eq!(log[0].words, None);
}

#[test]
fn feedback_is_kept_with_the_memory_and_moves_it_a_little() {
    let home = Home::new();
    let space = home.space();
    let stored = |text: &str| space.remember(text).expect("told").id;
    let [first, second] = ["The pump in hall one hums", "The pump in hall two hums"].map(stored);
    let recall = Recall::new("the pump that hums");
    let score = |id: MemoryId| {
        let answer = ask(&space, &recall);
        let hit = answer.results.into_iter().find(|hit| hit.memory.id == id);
        hit.expect("found").score
    };
    let before = [score(first), score(second)];
    let judged = |id, useful| {
        let note = "the other hall".to_owned();
        let feedback = Feedback {
            note,
            ..Feedback::new(id, useful)
        };
        Judgement::of(&space.feedback(&feedback).expect("judged").metadata)
    };
    assert_eq!(judged(first, false).useless, 1);
    let twice = judged(first, false);
    assert_eq!(
        (twice.useful, twice.useless, &*twice.note),
        (0, 2, "the other hall")
    );
    assert!((judged(second, true).quality() - 1.0 / 3.0).abs() < 1e-6);
    assert!(score(first) < before[0] && score(second) > before[1]);
    assert_eq!(space.history(first).expect("a history").len(), 3);
    // It is in the log, so a rebuild keeps it.
    space.rebuild(&mut |_, _| {}).expect("rebuilt");
    assert!(score(first) < before[0] && score(second) > before[1]);
    let log = space.query_log(1).expect("a log");
    let best = space
        .feedback_on_query(log[0].number, true, "")
        .expect("judged");
    assert_eq!(Judgement::of(&best.metadata).useful, 2);
    assert!(space.feedback_on_query(1_000_000, true, "").is_err());
}

#[test]
fn an_agents_feedback_leaves_a_persons_memory_the_persons() {
    let home = Home::new();
    let space = home.space();
    let told = space
        .remember("The pump in hall one hums")
        .expect("told")
        .id;
    let agent = space.acting_as(Actor::agent("editor")).expect("an agent");
    let origin = |memory: &Memory| space.provenance(&[memory]).expect("an origin")[0].actor;
    let judged = agent.feedback(&Feedback::new(told, true)).expect("judged");
    assert_eq!(origin(&judged), ActorKind::User);
    let changes: Vec<EventKind> = space
        .history(told)
        .expect("a history")
        .into_iter()
        .map(|version| version.change)
        .collect();
    assert_eq!(changes, [EventKind::Remembered, EventKind::Judged]);
    let edit = Edit {
        content: Some("The pump in hall one sings".to_owned()),
        ..Edit::default()
    };
    let edited = agent.edit(told, &edit).expect("edited");
    assert_eq!(origin(&edited), ActorKind::Agent);
}

#[test]
fn a_memory_that_is_opened_often_comes_a_little_sooner() {
    let home = Home::new();
    let space = home.space();
    let stored = |text: &str| space.remember(text).expect("told").id;
    let [one, other] = ["The pump in hall one hums", "The pump in hall two hums"].map(stored);
    let recall = Recall::new("the pump that hums");
    let access_in = |space: &Space, recall: &Recall, id: MemoryId| {
        let answer = ask(space, recall);
        let hit = answer.results.into_iter().find(|hit| hit.memory.id == id);
        let features = hit.expect("found").explanation.features;
        let access = features.into_iter().find(|(name, ..)| name == "access");
        access.expect("a feature of this name").1
    };
    let access = |id| access_in(&space, &recall, id);
    // Being a result doesn't count as an access.
    (0..3).for_each(|_| assert!(access(one) + access(other) < 1e-6));
    let last = *ids(&ask(&space, &recall)).last().expect("a result");
    for _ in 0..4 {
        space.get(last).expect("a memory");
    }
    assert_eq!(ids(&ask(&space, &recall))[0], last);
    let opened = access(last);
    assert!((opened - 4.0 / 6.0).abs() < 1e-3, "{opened}");
    let before = Recall {
        as_of: AsOf {
            known: Some(Timestamp::now()),
            ..AsOf::default()
        },
        ..recall.clone()
    };
    assert!(access_in(&space, &before, last) < 1e-6);
    // It is written when the space is closed, and another process adds to it.
    drop(space);
    let again = home.space();
    again.get(last).expect("a memory");
    let opened = access_in(&again, &recall, last);
    assert!((opened - 5.0 / 7.0).abs() < 1e-3, "{opened}");
    again
        .get(if last == one { other } else { one })
        .expect("a memory");
    let aside = home.folder().join("observed/meta.db.damaged-1");
    std::fs::write(&aside, "words of questions").expect("set aside");
    again.forget_meta().expect("forgotten");
    assert!(!aside.exists(), "a copy that was set aside goes too");
    assert!(access_in(&again, &recall, last) < 1e-6);
}

#[test]
fn a_space_says_what_it_knows_much_about_and_what_little() {
    let home = Home::new();
    let store = Store::open_with(Options {
        clock: Arc::new(anamne::SystemClock),
        ..Options::new(home.root()).background(false)
    })
    .expect("a store");
    let space = store.space("tests").expect("a space");
    assert!(store.clock().now() <= space.now());
    for number in 0..12 {
        space
            .remember(Draft::new(format!(
                "Runa Olsen repaired crane number {number} in Bergen"
            )))
            .expect("told");
    }
    space.remember("Ole Hansen was seen once").expect("told");
    space.extract(&mut |_| true).expect("extracted");
    ask(&space, &Recall::new("Where did Runa Olsen repair cranes?"));
    let topics = space.known_topics(20).expect("topics");
    let of = |name: &str| {
        let named = topics.iter().find(|topic| topic.topic == name);
        named.unwrap_or_else(|| panic!("{name} among {topics:?}"))
    };
    let runa = of("Runa Olsen");
    assert_eq!((runa.memories, runa.asked), (12, 1));
    assert!(
        runa.confidence.is_some() && runa.verdict <= TopicVerdict::Known,
        "{runa:?}"
    );
    assert!(space.known_topics(1).expect("topics").len() == 1);
}

#[test]
fn an_erasure_under_a_clock_years_ahead_does_not_end_the_log_of_questions() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T12:00:00Z");
    let space = store.space("tests").expect("a space");
    let erased = space
        .remember("the harbour master's secret")
        .expect("told")
        .id;
    space.remember("the harbour has two cranes").expect("told");
    let ask = |text: &str| space.recall(&Recall::new(text)).expect("an answer");
    ask("harbour");
    assert_eq!(space.query_log(10).expect("a log").len(), 1);
    clock.set("2036-03-01T12:00:00Z");
    ask("harbour master");
    let _ = space.erase(erased).expect("erased");
    clock.set("2026-03-02T12:00:00Z");
    let before = space.query_log(10).expect("a log").len();
    // Buffered entries may predate the erasure, and are dropped once.
    ask("cranes");
    space.query_log(10).expect("a log");
    clock.set("2026-03-03T12:00:00Z");
    ask("how many cranes");
    let log = space.query_log(10).expect("a log");
    assert!(log.len() > before, "{log:?}");
}

#[test]
fn performance_is_told_by_week_plan_tiers_and_door() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-04T12:00:00Z");
    let space = store.space("tests").expect("a space");
    assert_eq!(space.query_performance().expect("a report"), []);
    space.remember("The harbour has two cranes").expect("told");
    let ask = |words: &str| space.recall(&Recall::new(words)).expect("an answer");
    let sure = ask("how many cranes has the harbour?").results[0].confidence >= Recall::SURE;
    ask("zzyzx");
    clock.set("2026-03-11T12:00:00Z");
    ask("cranes");
    let weeks = space.query_performance().expect("a report");
    let begins: Vec<String> = weeks.iter().map(|week| week.week.to_string()).collect();
    assert_eq!(begins, ["2026-03-02T00:00:00Z", "2026-03-09T00:00:00Z"]);
    let first = &weeks[0];
    assert_eq!((first.all.queries, first.all.hits), (2, u64::from(sure)));
    assert!(first.all.median_ms > 0.0 && first.all.p95_ms >= first.all.median_ms);
    for (groups, name) in [
        (&first.plans, "not planned"),
        (&first.tiers, "active"),
        (&first.doors, "rust"),
    ] {
        let names: Vec<_> = groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, [name]);
        assert_eq!(groups[0].queries, 2);
    }
}

#[test]
fn each_door_is_recorded_and_older_logs_have_none() {
    let home = Home::new();
    let opened = |door| {
        let options = Options::new(home.root()).background(false).door(door);
        let store = Store::open_with(options).expect("a store");
        store.space("tests").expect("a space")
    };
    let space = opened(Door::Cli);
    space.remember("The harbour has two cranes").expect("told");
    let ask = |space: &Space| drop(space.recall(&Recall::new("cranes")).expect("an answer"));
    ask(&space);
    let log = space.query_log(10).expect("a log");
    assert_eq!(log[0].door, Some(Door::Cli));
    drop(space);
    // The file as format 2 wrote it.
    let file = Connection::open(home.folder().join("observed/meta.db")).expect("the file");
    file.execute_batch("ALTER TABLE asked DROP COLUMN door; ALTER TABLE openings DROP COLUMN total; PRAGMA user_version = 2;")
        .expect("changed");
    drop(file);
    let space = opened(Door::Mcp);
    ask(&space);
    let log = space.query_log(10).expect("a log");
    let doors: Vec<_> = log.iter().map(|query| query.door).collect();
    assert_eq!(doors, [Some(Door::Mcp), None]);
    let weeks = space.query_performance().expect("a report");
    let doors: BTreeSet<_> = weeks[0]
        .doors
        .iter()
        .map(|door| door.name.as_str())
        .collect();
    assert_eq!(doors, ["mcp", "unknown"].into());
}

#[test]
fn queries_reach_the_file_while_a_space_is_held() {
    let home = Home::new();
    let options = Options::new(home.root()).background(false);
    let store = Store::open_with(options).expect("a store");
    let space = store.space("tests").expect("a space");
    space.remember("The harbour has two cranes").expect("told");
    space.recall(&Recall::new("cranes")).expect("an answer");
    let path = home.folder().join("observed/meta.db");
    let logged = || -> i64 {
        if !path.exists() {
            return 0;
        }
        let file = Connection::open(&path).expect("the file");
        let count = file.query_row("SELECT count(*) FROM asked", [], |row| row.get(0));
        count.unwrap_or(0)
    };
    assert_eq!(logged(), 0, "it is only in memory");
    store.flush_query_logs();
    assert_eq!(logged(), 1);
}
