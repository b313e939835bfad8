//! How long does a question about an error that was never met take, beside many stored errors?

use std::process::ExitCode;

use anamne_experience::{ExperienceView, normal};
use anamne_types::ActionOutcome;
use jiff::Timestamp;

use crate::chance::Chance;
use crate::failure::Failure;
use crate::latencies::Latencies;
use crate::output;
use crate::store;
use crate::trajectories::Log;

/// Questions of each sort, and those before that aren't measured.
const QUESTIONS: usize = 200;
const WARM_UP: usize = 20;

/// When is asked.
const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// Outcomes that are told at once.
const TOLD: usize = 8_192;

/// The highest accepted 95th percentile, in milliseconds.
const MOST_MILLISECONDS: f64 = 5.0;

/// Words of a hostile error: nearly as many as are compared.
const HOSTILE_WORDS: usize = 60;

const PROGRAMS: [&str; 20] = [
    "linker",
    "parser",
    "router",
    "scheduler",
    "compiler",
    "backup",
    "mailer",
    "indexer",
    "resolver",
    "importer",
    "proxy",
    "formatter",
    "launcher",
    "exporter",
    "broker",
    "renderer",
    "watcher",
    "migrator",
    "sampler",
    "archiver",
];
const DEEDS: [&str; 20] = [
    "cannot open",
    "failed to read",
    "could not write",
    "refuses",
    "lost",
    "has no access to",
    "cannot find",
    "timed out waiting for",
    "failed to parse",
    "could not start",
    "rejected",
    "cannot lock",
    "failed to create",
    "ran out of",
    "cannot resolve",
    "did not expect",
    "failed to load",
    "could not reach",
    "cannot convert",
    "dropped",
];
const THINGS: [&str; 20] = [
    "the socket",
    "a certificate",
    "the manifest",
    "a column",
    "the schema",
    "an attribute",
    "the session",
    "a module",
    "the template",
    "an archive",
    "the queue",
    "a register",
    "the handshake",
    "a fragment",
    "the cursor",
    "an operand",
    "the pipeline",
    "a symbol",
    "the journal",
    "a checksum",
];
const REASONS: [&str; 20] = [
    "permission denied",
    "no such entry",
    "connection reset by peer",
    "quota exceeded",
    "unexpected token",
    "duplicate key",
    "already in use",
    "not a directory",
    "broken pipe",
    "out of memory",
    "version mismatch",
    "invalid signature",
    "deadline exceeded",
    "resource busy",
    "unknown encoding",
    "read only",
    "too many links",
    "bad request",
    "checksum differs",
    "unsupported format",
];

/// Which errors are stored and asked for.
#[derive(Clone, Copy)]
enum Sort {
    /// Messages of programs.
    Ordinary,
    /// Messages that all have the same 60 words in different orders.
    SameWords,
    /// Messages of 60 words, most of which all have.
    ManyWords,
}

impl Sort {
    fn name(self) -> &'static str {
        match self {
            Self::Ordinary => "ordinary",
            Self::SameWords => "the same 60 words",
            Self::ManyWords => "60 words, 53 of them in all",
        }
    }

    /// The error with a number, of those stored.
    fn error(self, number: usize) -> String {
        let mut chance = Chance::new(number as u64 + 1);
        match self {
            Self::Ordinary => {
                // A permutation, so that few errors have all kinds of words.
                let number = number * 7_919 % 20_usize.pow(4);
                let part =
                    |of: &[&'static str; 20], place: u32| of[number / 20_usize.pow(place) % 20];
                let (program, deed) = (part(&PROGRAMS, 0), part(&DEEDS, 1));
                format!(
                    "{program}: {deed} {}: {}",
                    part(&THINGS, 2),
                    part(&REASONS, 3)
                )
            }
            Self::SameWords => {
                let mut words: Vec<String> = (0..HOSTILE_WORDS).map(short_word).collect();
                for last in (1..words.len()).rev() {
                    words.swap(last, chance.below(last + 1));
                }
                words.join(" ")
            }
            Self::ManyWords => {
                let word = |place| {
                    let is_own = place % 8 == 7;
                    let own = HOSTILE_WORDS + chance.below(4_000);
                    short_word(if is_own { own } else { place })
                };
                (0..HOSTILE_WORDS).map(word).collect::<Vec<_>>().join(" ")
            }
        }
    }
}

/// A word of three letters.
fn short_word(number: usize) -> String {
    let letter = |place: u32| char::from(b'a' + (number / 26_usize.pow(place) % 26) as u8);
    [2, 1, 0].map(letter).iter().collect()
}

/// A question, and the stored error that it is another form of.
struct Question {
    asked: String,
    stored: Option<String>,
}

impl AsRef<str> for Question {
    fn as_ref(&self) -> &str {
        &self.asked
    }
}

/// Stores different errors, each with what was done after it, and asks for others.
pub(super) fn run(errors: usize) -> Result<ExitCode, Failure> {
    let mut slow = Vec::new();
    output::line("| stored errors | asked | found | p50 ms | p95 ms |\n|---|---|---:|---:|---:|");
    for sort in [Sort::Ordinary, Sort::SameWords, Sort::ManyWords] {
        let folder = store::temporary_folder(None)?;
        let view = ExperienceView::at(&folder.path().join("experience.db"));
        store_errors(&view, sort, errors)?;
        for (name, questions) in [
            ("another error", other_errors(sort, errors)),
            ("another form", other_forms(sort, errors)),
        ] {
            let taken = Latencies::warmed(&questions, WARM_UP, |error| {
                std::hint::black_box(view.recoveries(error, "", "", NOW)?);
                Ok(())
            })?;
            let (half, most) = (taken.p50(), taken.p95());
            let (stored, found) = (sort.name(), share_found(&view, &questions)?);
            output::line(&format!(
                "| {stored} | {name} | {found} | {half:.2} | {most:.2} |"
            ));
            if most > MOST_MILLISECONDS {
                slow.push(format!("{stored}, {name}: {most:.2} ms"));
            }
        }
    }
    Ok(output::judge(&slow))
}

fn store_errors(view: &ExperienceView, sort: Sort, errors: usize) -> Result<(), Failure> {
    let mut log = Log::default();
    for number in 0..errors {
        tell(&mut log, number, &sort.error(number));
        if number % TOLD == TOLD - 1 || number + 1 == errors {
            view.catch_up(&log, &mut |_| true)?;
            log.told();
        }
    }
    Ok(())
}

/// Errors that are not stored in any form.
fn other_errors(sort: Sort, errors: usize) -> Vec<Question> {
    let asked = (0..QUESTIONS).map(|number| sort.error(errors + number * 7));
    asked
        .map(|asked| Question {
            asked,
            stored: None,
        })
        .collect()
}

/// Other forms of stored errors.
fn other_forms(sort: Sort, errors: usize) -> Vec<Question> {
    let stored = (0..QUESTIONS).map(|number| sort.error(number * errors / QUESTIONS));
    stored
        .map(|stored| Question {
            asked: format!("2031-03-04 09:15:00 worker: {stored}"),
            stored: Some(normal::error(&stored)),
        })
        .collect()
}

/// The share of questions for which what was done after the stored error is found; empty if none is stored.
fn share_found(view: &ExperienceView, questions: &[Question]) -> Result<String, Failure> {
    let (mut found, mut all) = (0.0, 0.0);
    for question in questions {
        let Some(stored) = &question.stored else {
            continue;
        };
        let ways = view.recoveries(&question.asked, "", "", NOW)?;
        let mut cases = ways.iter().flat_map(|way| &way.cases);
        all += 1.0;
        found += f64::from(u8::from(cases.any(|case| case.error == *stored)));
    }
    Ok(if all > 0.0 {
        format!("{:.3}", found / all)
    } else {
        String::new()
    })
}

/// A run that met an error and went on.
fn tell(log: &mut Log, number: usize, error: &str) {
    let step = ActionOutcome {
        action: "shell".to_owned(),
        arguments: format!("make part-{}", number % 500),
        run: format!("run-{number}"),
        succeeded: true,
        ..ActionOutcome::default()
    };
    let failed = ActionOutcome {
        error: error.to_owned(),
        succeeded: false,
        ..step.clone()
    };
    let ended = ActionOutcome {
        action: ActionOutcome::TASK.to_owned(),
        arguments: String::new(),
        ends_run: true,
        ..step.clone()
    };
    for outcome in [failed, step, ended] {
        log.add("agent", outcome);
    }
}
