//! The latent index finds related conversations, and is rebuilt when outdated or damaged.

use std::fs;
use std::path::PathBuf;

use anamne::{Answer, Draft, Hit, Recall, Space};

use crate::common::Home;

/// Words of two topics; each thread of a topic contains four of its words, and the next thread continues with the
/// following ones.
const MATTERS: [[&str; 8]; 2] = [
    [
        "trowel",
        "seedling",
        "compost",
        "greenhouse",
        "watering",
        "pruning",
        "mulch",
        "tulip",
    ],
    [
        "gearbox", "piston", "exhaust", "clutch", "radiator", "spanner", "chassis", "torque",
    ],
];

/// Stores `number` threads of six messages of every topic, from thread `first` on; the garden's thread 2 begins with
/// its third word.
fn write(space: &Space, first: usize, number: usize) {
    for (matter, words) in ["garden", "motor"].into_iter().zip(MATTERS) {
        for thread in first..first + number {
            let said = |position: usize| {
                let word = |step: usize| words[(thread + position + step) % words.len()];
                let (day, hour) = (thread % 28 + 1, position + 10);
                format!("On day {day} at {hour} we note {} and {}", word(0), word(1))
            };
            let draft = |position| Draft::new(said(position)).thread(format!("{matter}-{thread}"));
            let drafts: Vec<Draft> = (0..6).map(draft).collect();
            space.remember_all(&drafts).expect("told");
        }
    }
}

fn settle(space: &Space) {
    space.settle(&mut |_, _| {}).expect("settled");
}

fn ask(space: &Space, query: &str) -> Answer {
    let answer = space
        .recall(&Recall::new(query).limit(200))
        .expect("an answer");
    assert_eq!(answer.degraded, Vec::<String>::new());
    answer
}

fn together(hit: &Hit) -> f32 {
    let mut features = hit.explanation.features.iter();
    let found = features.find(|(name, _, _)| name == "lsi_similarity");
    found.expect("the feature").1
}

/// The mean of the feature over the memories of a topic without the word, and their number.
fn nearness(answer: &Answer, matter: &str, without: &str) -> (f32, usize) {
    let of_matter: Vec<f32> = answer
        .results
        .iter()
        .filter(|hit| {
            hit.memory
                .thread
                .as_deref()
                .is_some_and(|thread| thread.starts_with(matter))
        })
        .filter(|hit| !hit.memory.content.contains(without))
        .map(together)
        .collect();
    (
        of_matter.iter().sum::<f32>() / of_matter.len().max(1) as f32,
        of_matter.len(),
    )
}

fn file(home: &Home) -> PathBuf {
    home.folder().join("views/latent")
}

#[test]
fn a_question_is_near_what_is_told_in_its_matter_by_other_words() {
    let home = Home::new();
    let space = home.space();
    write(&space, 0, 24);
    let before = ask(&space, "on which day do we note the trowel?");
    assert!(before.results.iter().all(|hit| together(hit) == 0.0));
    settle(&space);
    let answer = ask(&space, "on which day do we note the trowel?");
    let (garden, many) = nearness(&answer, "garden", "trowel");
    let (motor, others) = nearness(&answer, "motor", "trowel");
    assert!(many > 3 && others > 3, "{many} and {others}");
    assert!(garden > motor + 0.1, "{garden} and {motor}");
    let said = |hit: &&Hit| hit.reasoning.contains("similar conversations contain it");
    let telling: Vec<&Hit> = answer.results.iter().filter(said).collect();
    let in_garden = |hit: &&Hit| {
        hit.memory
            .thread
            .as_deref()
            .is_some_and(|thread| thread.starts_with("garden"))
    };
    assert!(!telling.is_empty() && telling.iter().all(in_garden));
}

#[test]
fn what_was_told_since_lies_where_its_own_words_do() {
    let home = Home::new();
    let space = home.space();
    write(&space, 0, 24);
    settle(&space);
    let made = fs::read(file(&home)).expect("the file");
    let new = |content: &str| space.remember(Draft::new(content)).expect("told").id;
    let (garden, motor) = (
        new("On that day we note compost, greenhouse and watering"),
        new("On that day we note the exhaust, the clutch and the radiator"),
    );
    settle(&space);
    assert_eq!(
        fs::read(file(&home)).expect("the file"),
        made,
        "two memories change nothing"
    );
    let answer = ask(&space, "on which day do we note trowel and seedling?");
    let of = |id| {
        let hit = answer.results.iter().find(|hit| hit.memory.id == id);
        together(hit.expect("found"))
    };
    assert!(
        of(garden) > of(motor) + 0.1,
        "{} and {}",
        of(garden),
        of(motor)
    );
}

#[test]
fn it_is_found_out_anew_when_much_was_told_when_it_is_damaged_and_when_it_is_gone() {
    let home = Home::new();
    let space = home.space();
    write(&space, 0, 1);
    settle(&space);
    assert!(
        !file(&home).exists(),
        "a dozen memories tell nothing of what goes together"
    );
    write(&space, 1, 23);
    settle(&space);
    let first = fs::read(file(&home)).expect("the file");
    write(&space, 24, 4);
    settle(&space);
    let second = fs::read(file(&home)).expect("the file");
    assert_ne!(first, second);

    let mut damaged = second.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    for broken in [damaged, second[..20].to_vec(), Vec::new()] {
        fs::write(file(&home), broken).expect("damaged");
        let space = home.space();
        let recall = Recall::new("on which day do we note the trowel?");
        let answer = space.recall(&recall).expect("an answer");
        assert_eq!(answer.degraded, ["latent"]);
        assert!(answer.results.iter().all(|hit| together(hit) == 0.0));
        assert!(space.is_unsettled().expect("known"));
        settle(&space);
        assert_eq!(fs::read(file(&home)).expect("the file"), second);
        assert!(!space.is_unsettled().expect("known"));
        ask(&space, "trowel");
    }
    fs::write(file(&home), "nonsense").expect("damaged");
    let found = home.space().check_up().expect("checked");
    assert!(
        found
            .repaired
            .iter()
            .any(|said| said.starts_with("latent: damaged")),
        "{found:#?}"
    );
    assert_eq!(fs::read(file(&home)).expect("the file"), second);
    fs::remove_file(file(&home)).expect("removed");
    let space = home.space();
    settle(&space);
    assert_eq!(fs::read(file(&home)).expect("the file"), second);
}

#[test]
fn what_was_erased_teaches_nothing_any_more() {
    let home = Home::new();
    let space = home.space();
    write(&space, 0, 24);
    let secret: Vec<_> = (0..12)
        .map(|number| {
            let said = format!("The trowel number {number} lies beside the zeppelin");
            let draft = Draft::new(said).thread(format!("own-{number}"));
            space.remember(draft).expect("told").id
        })
        .collect();
    settle(&space);
    let near = |space: &Space| {
        let answer = ask(space, "zeppelin");
        answer.results.iter().map(together).fold(0.0, f32::max)
    };
    assert!(near(&space) > 0.3, "{}", near(&space));
    let before = fs::read(file(&home)).expect("the file");
    assert!(space.erase_all(&secret).expect("erased").is_complete());
    assert!(!file(&home).exists() || fs::read(file(&home)).expect("the file") != before);
    settle(&space);
    assert_ne!(fs::read(file(&home)).expect("the file"), before);
    assert!(near(&space) < 0.1, "{}", near(&space));
}

#[test]
fn another_process_sees_what_one_has_found_out() {
    let home = Home::new();
    let (one, other) = (home.space(), home.space());
    write(&one, 0, 24);
    settle(&one);
    let answer = ask(&other, "on which day do we note the trowel?");
    assert!(answer.results.iter().any(|hit| together(hit) > 0.5));
}
