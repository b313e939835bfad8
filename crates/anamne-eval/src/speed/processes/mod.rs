//! Whole processes of the command, from fork to exit, as people and agent hosts start them.
//!
//! Every round runs each command once, so that all of them meet the same disturbances.

mod commands;
mod hooks;
mod resident;

use std::path::Path;

use anamne::{Body, Category, Draft, Kind};

use self::commands::{Runner, Work};
use self::hooks::Session;
use self::resident::Resident;
use super::figures::{Figure, Section, Timed};
use super::site::Site;
use super::{binary, import, opening};
use crate::failure::Failure;
use crate::latencies::Latencies;

/// Most rounds: a round of ten processes costs about half a second at 100 000 records.
const MOST_ROUNDS: u64 = 200;

/// Rounds before the measurement.
const WARM_UP: u64 = 3;

/// Rounds in which memory is read; the highest value counts.
const MEMORY_ROUNDS: u64 = 3;

/// Number of decisions, of important facts, and of episodes, which a briefing selects from.
const NOTABLE: u64 = 100;

const START: &str = "--version + open and answer";

/// Runs the commands on a store of this many records, each once per round. `program` is the command; the one beside
/// this program if not given.
pub(crate) fn measure(
    records: u64,
    rounds: u64,
    parent: Option<&Path>,
    program: Option<&Path>,
) -> Result<Section, Failure> {
    let program = match program {
        Some(program) => program.to_owned(),
        None => match binary::path()? {
            Some(program) => program,
            None => return Ok(Section::skipped("processes", binary::NOT_BUILT)),
        },
    };
    let site = Site::new(records, parent)?;
    import::fill(&site)?;
    add_notable(&site)?;
    let runner = Runner::new(&program, &site, Session::begin(&site)?)?;
    let mut times = Times::default();
    let rounds = rounds.min(MOST_ROUNDS);
    for round in 0..WARM_UP + rounds {
        let question = site.generator.question(round);
        let answered = opening::start(&site.store(), false, &question, &[])?;
        let mut taken = Vec::new();
        for work in Work::ALL {
            taken.push((work, runner.run(work, round)?));
        }
        if round >= WARM_UP {
            times.note(answered.first.answered_ms, &taken);
        }
    }
    let first = WARM_UP + rounds;
    let resident = Resident::read(&runner, first..first + MEMORY_ROUNDS)?;
    let mut figures = times.figures();
    figures.extend(resident.figures());
    Ok(Section {
        note: runner.note(),
        ..Section::new("processes", figures)
    })
}

/// Writes what a briefing lists besides recent messages: rare, as in real stores, and spread over its time.
fn add_notable(site: &Site) -> Result<(), Failure> {
    let space = site.open()?;
    let mut drafts = Vec::new();
    for number in 0..NOTABLE {
        let record = site.generator.record(number * site.records / NOTABLE);
        let told = |what: &str| {
            let text: String = record.text.chars().take(200).collect();
            Draft::new(format!("{what} {number}: {text}")).occurred_at(record.occurred_at)
        };
        drafts.push(told("Decision").category(Category::ArchitectureDecision));
        drafts.push(told("Important").importance(9));
        drafts.push(told("Work").kind(Kind::Episode).body(Body::Episode {
            goal: format!("finish part {number}"),
            plan: Vec::new(),
            steps: Vec::new(),
            outcome: String::new(),
            tool_log: Vec::new(),
            salience: None,
        }));
    }
    for outcome in space.remember_each(&drafts)? {
        outcome?;
    }
    space.fold()?;
    Ok(space.settle(&mut |_, _| {})?)
}

/// The times of all rounds.
#[derive(Default)]
struct Times {
    /// Opening a store in a process and answering, without starting the process.
    answer: Latencies,
    /// The same and `--version`: the least that a process which answers can cost.
    start: Latencies,
    works: [Latencies; Work::ALL.len()],
}

impl Times {
    /// Adds a round; work that the command doesn't know took no time.
    fn note(&mut self, answered_ms: f64, taken: &[(Work, Option<f64>)]) {
        for (work, milliseconds) in taken {
            if let Some(milliseconds) = milliseconds {
                self.works[*work as usize].note(*milliseconds);
                if *work == Work::Version {
                    self.start.note(milliseconds + answered_ms);
                }
            }
        }
        self.answer.note(answered_ms);
    }

    fn of(&self, work: Work) -> &Latencies {
        &self.works[work as usize]
    }

    /// Ratios first: hooks beside the work that they can't do without, then commands, then their parts.
    fn figures(&self) -> Vec<Figure> {
        let start = Timed::new("start", START, &self.start);
        let told = self.timed(Work::Remember);
        let beside = |work: Work| match work {
            Work::TurnEndHook => Some(told),
            Work::Version | Work::Remember => None,
            _ => Some(start),
        };
        let mut figures = Vec::new();
        for work in Work::ALL {
            if self.of(work).is_empty() {
                continue;
            }
            let timed = self.timed(work);
            match beside(work) {
                Some(reference) => {
                    let p95 = timed.p95_beside(reference);
                    figures.push(p95.promised(work.budget()));
                    figures.push(timed.p50_beside(reference));
                }
                None => figures.extend([timed.p95(), timed.p50()]),
            }
        }
        let answer = Timed::new("answer", "open and answer", &self.answer);
        figures.extend([answer.p95(), answer.p50()]);
        figures
    }

    fn timed(&self, work: Work) -> Timed<'_> {
        Timed::new(work.key(), work.label(), self.of(work))
    }
}
