//! The cost of following connections: two-hop and deep queries, next to shallow ones on the same store.

use std::path::Path;

use anamne::{Depth, Draft, Link, LinkType, Recall, Space, Temperature};
use jiff::Timestamp;

use super::budgets;
use super::figures::{Figure, Section, Timed, Unit};
use super::quiet::processor_ms;
use super::site::RESULTS;
use crate::failure::Failure;
use crate::generator::Generator;
use crate::latencies::Latencies;
use crate::store::{self, THREE_YEARS, open_at_the_end, temporary_folder, time_of};

/// From this many records on the store spans three years, so that most of it is in archives; a smaller one spans the
/// active and the recent tier.
const LARGE: u64 = 200_000;

/// Time span of a small and of a large store, in days.
const SPAN_DAYS: [f64; 2] = [90.0, THREE_YEARS];

/// Average number of memories that name a person; the distribution is skewed.
const MEMORIES_PER_PERSON: u64 = 12;

/// Maximum number of links; each is a separate write.
const LINKS: u64 = 20_000;

/// Number of warm-up questions.
const WARM_UP: usize = 50;

/// A store whose records name people and places and link to one another.
struct Connected {
    generator: Generator,
    records: u64,
}

impl Connected {
    fn draft(&self, number: u64) -> Draft {
        let span = SPAN_DAYS[usize::from(self.records >= LARGE)];
        let record = self.generator.record(number);
        let (one, other) = (self.person(number, 1), self.person(number, 2));
        let place = self.place(number);
        let text = format!(
            "{} {one} works at {place}. {other} met {one} there.",
            record.text
        );
        Draft {
            content: text,
            ..record.draft()
        }
        .occurred_at(time_of(number, self.records, span))
    }

    /// A person named by the record; low numbers are more frequent.
    fn person(&self, number: u64, which: u64) -> String {
        let persons = (self.records / MEMORIES_PER_PERSON).max(1);
        let drawn = mixed(number * 4 + which);
        let share = (drawn % 10_000) as f64 / 10_000.0;
        let person = (share.powf(1.5) * persons as f64) as u64;
        format!("{} {}", name(person), name(person / 7 + 900))
    }

    fn place(&self, number: u64) -> String {
        let places = (self.records / MEMORIES_PER_PERSON / 4).max(1);
        format!("{} Institute", name(mixed(number * 4 + 3) % places + 40))
    }

    fn fill(&self, space: &Space) -> Result<u64, Failure> {
        let ids = store::write(space, (0..self.records).map(|number| self.draft(number)))?;
        let links = (self.records / 3).min(LINKS);
        for number in 0..links {
            let from = (number * (self.records / links)) as usize;
            let to = mixed(number) as usize % ids.len();
            if ids[from] != ids[to] {
                space.link(&Link {
                    from: ids[from],
                    to: ids[to],
                    link_type: LinkType::References,
                    weight: 0.8,
                    reason: String::new(),
                    created_at: Timestamp::UNIX_EPOCH,
                })?;
            }
        }
        space.fold()?;
        space.settle(&mut |_, _| {})?;
        space.age(&mut |_, _| {})?;
        space.fold()?;
        space.extract(&mut |_| true)?;
        Ok(links)
    }
}

/// A hash of the number.
fn mixed(number: u64) -> u64 {
    let mixed = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 27)
}

/// A name of three syllables, unique below 27 000.
fn name(number: u64) -> String {
    const FIRST: [&str; 30] = [
        "Bar", "Cor", "Dal", "Fen", "Gor", "Hal", "Jor", "Kel", "Lor", "Mar", "Nor", "Ost", "Pel",
        "Quin", "Ros", "Sel", "Tor", "Ulm", "Var", "Wil", "Yor", "Zan", "Bel", "Cas", "Dor", "Fal",
        "Gil", "Hol", "Kor", "Lan",
    ];
    let at = |power: u32| (number / 30_u64.pow(power) % 30) as usize;
    let [second, third] = [1, 2].map(|power| FIRST[at(power)].to_lowercase());
    format!("{}{second}{third}", FIRST[at(0)])
}

/// Measures a store of this many records; each question has words of a record and one of its names.
pub(crate) fn measure(
    records: u64,
    queries: u64,
    parent: Option<&Path>,
) -> Result<Section, Failure> {
    let folder = temporary_folder(parent)?;
    let store = Connected {
        generator: Generator::new(records),
        records,
    };
    let space = open_at_the_end(&folder.path().join("store"))?;
    let links = store.fill(&space)?;
    let questions: Vec<String> = (0..queries)
        .map(|number| {
            let about = number * records / queries;
            let question = store.generator.question_about(about, number);
            format!("{question} {}", store.person(about, 1))
        })
        .collect();
    let asked = |depth| ask_all(&space, &questions, depth);
    let shallow = asked(Depth::Shallow)?;
    let hops = asked(Depth::Hops(2))?;
    let deep = asked(Depth::Deep)?;
    let beside = Timed::new("shallow", "shallow", &shallow.took);
    let hops2 = Timed::new("hops2", "2 hops", &hops.took);
    let deeply = Timed::new("deep", "deep", &deep.took);
    let count = |key: &str, label: &str, value| Figure::new(key, label, value, Unit::Count);
    Ok(Section::new(
        "depth",
        vec![
            hops2
                .p95_beside(beside)
                .promised(budgets::two_hops(records)),
            hops2.p50_beside(beside),
            Timed::new("hops2_processor", "2 hops, on the processor", &hops.ran)
                .p95_beside(Timed::new("shallow_processor", "shallow", &shallow.ran)),
            Timed::new("deep_processor", "deep, on the processor", &deep.ran).p95(),
            deeply.p95_beside(beside).promised(budgets::DEEP),
            deeply.p50_beside(beside),
            count("hops2_edges", "edges that 2 hops follow", hops.edges),
            count(
                "deep_edges",
                "edges that a deep question follows",
                deep.edges,
            ),
            count("hops2_paths", "results reached over 2 hops", hops.paths),
            count("links", "links of the store", links as f64),
        ],
    ))
}

/// The figures of one depth.
struct DepthQuestion {
    took: Latencies,
    /// The same without waiting for a core.
    ran: Latencies,
    /// Average edges followed and results with a path, per question.
    edges: f64,
    paths: f64,
}

fn ask_all(space: &Space, questions: &[String], depth: Depth) -> Result<DepthQuestion, Failure> {
    let recall = |question: &String| {
        Recall::new(question)
            .limit(RESULTS)
            .depth(depth)
            .temperature(Temperature::All)
    };
    for question in questions.iter().take(WARM_UP) {
        space.recall(&recall(question))?;
    }
    let (mut took, mut ran, mut paths) = (Latencies::default(), Latencies::default(), 0);
    for question in questions {
        let before = processor_ms();
        let answer = took.time(|| store::ask(space, &recall(question)))?;
        if let (Some(before), Some(after)) = (before, processor_ms()) {
            ran.note(after - before);
        }
        let hits = answer.results.iter();
        paths += hits.filter(|hit| !hit.path.is_empty()).count();
    }
    let mut edges = 0;
    for question in questions {
        let explained = Recall {
            explain_plan: true,
            ..recall(question)
        };
        let plan = space.recall(&explained)?.plan;
        edges += plan.map_or(0, |plan| plan.work.edges);
    }
    let mean = |sum: f64| sum / questions.len() as f64;
    Ok(DepthQuestion {
        took,
        ran,
        edges: mean(edges as f64),
        paths: mean(paths as f64),
    })
}
