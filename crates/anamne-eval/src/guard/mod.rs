//! The guard: what it finds in labelled texts, what it finds wrongly, how two other scanners do on the same texts, and
//! how fast it is.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anamne::guard::{Action, Guard, Policy};

use crate::failure::Failure;
use crate::output::{line, print_error};

mod clean_folder;
mod fixtures;
mod inputs;
mod peers;
mod report;
mod score;
mod set;
mod speed;

use peers::Peer;
use report::Report;
use score::{Found, Scores};
use set::{Half, Record, Subject};

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    measurement: Measurement,
}

#[derive(clap::Subcommand)]
enum Measurement {
    /// Secrets in labelled texts: code, settings, logs, commands, chats.
    Secrets(Labelled),
    /// Personal data in labelled texts.
    Personal(Labelled),
    /// Prints the texts of the development half with their labels, one JSON object per line.
    Texts {
        /// Texts about personal data instead of secrets.
        #[arg(long)]
        personal: bool,
    },
    /// Secrets in the test data of detect-secrets and secretlint, from checkouts of their repositories.
    Fixtures(fixtures::Arguments),
    /// Findings in files that contain no secrets, such as the sources of a project.
    Clean(clean_folder::Arguments),
    /// Prints what the trees that estimate secrets are fitted on; for `fitting/guard_secrets.py`.
    Inputs(inputs::Arguments),
    /// Speed on mixed texts and on ordinary memories, next to reading the same bytes.
    Speed(speed::Arguments),
}

/// Which texts, and what to print.
#[derive(clap::Args)]
struct Labelled {
    /// Which half of the templates.
    #[arg(long, value_enum, default_value_t = Half::Development)]
    half: Half,
    /// The seed of the texts.
    #[arg(long, value_name = "N", default_value_t = set::SEED)]
    seed: u64,
    /// Also run detect-secrets and secretlint; they are installed from PyPI and npm.
    #[arg(long)]
    peers: bool,
    /// The folder into which they are installed, to be used again; a temporary one if not given.
    #[arg(long, value_name = "DIR", requires = "peers")]
    tools: Option<PathBuf>,
    /// Also print this many texts that were missed, and as many false alarms; not for the held-out half.
    #[arg(long, value_name = "N", default_value_t = 0)]
    show: usize,
    /// Print JSON instead of tables.
    #[arg(long)]
    json: bool,
}

/// Measures and prints.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.measurement {
        Measurement::Secrets(labelled) => measure(Subject::Secrets, labelled)?,
        Measurement::Personal(labelled) => measure(Subject::Personal, labelled)?,
        Measurement::Texts { personal: false } => print_texts(Subject::Secrets)?,
        Measurement::Texts { personal: true } => print_texts(Subject::Personal)?,
        Measurement::Fixtures(arguments) => fixtures::run(arguments)?,
        Measurement::Clean(arguments) => clean_folder::run(arguments)?,
        Measurement::Inputs(arguments) => inputs::run(arguments)?,
        Measurement::Speed(arguments) => speed::run(arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A guard that marks what a set is about, and looks for nothing else.
fn guard_for(subject: Subject) -> Result<Guard, Failure> {
    let (secret, personal) = match subject {
        Subject::Secrets => (Action::Mark, Action::Off),
        Subject::Personal => (Action::Off, Action::Mark),
    };
    let actions = BTreeMap::from([
        ("secret".to_owned(), secret),
        ("personal".to_owned(), personal),
    ]);
    Ok(Guard::new(Policy::new(actions)?))
}

fn measure(subject: Subject, arguments: &Labelled) -> Result<(), Failure> {
    if arguments.show > 0 && arguments.half == Half::HeldOut {
        return Err(
            "texts of the held-out half are not shown: detectors must not be fitted to them".into(),
        );
    }
    let mut records = set::records(subject, arguments.seed)?;
    records.retain(|record| record.half == arguments.half);
    let guard = guard_for(subject)?;
    let found: Vec<Found> = records
        .iter()
        .map(|record| {
            let findings = guard.findings(&record.text);
            Found::Spans(findings.into_iter().map(|finding| finding.span).collect())
        })
        .collect();
    let by_line: Vec<Found> = found.iter().map(Found::by_line).collect();
    let mut scores = vec![
        Scores::new("anamne", &records, &found),
        Scores::new("anamne, by line", &records, &by_line),
    ];
    if arguments.peers {
        scores.extend(peer_scores(&records, arguments)?);
    }
    let report = Report::new(subject, arguments.half, &records, scores);
    line(&if arguments.json {
        report.json()
    } else {
        report.tables()
    });
    if arguments.show > 0 {
        show(&records, &found, arguments.show);
    }
    Ok(())
}

fn print_texts(subject: Subject) -> Result<(), Failure> {
    let records = set::records(subject, set::SEED)?;
    let development = records
        .iter()
        .filter(|record| record.half == Half::Development);
    for record in development {
        let values = record
            .expected
            .iter()
            .map(|expected| &record.text[expected.span.clone()]);
        line(&serde_json::to_string(&serde_json::json!({
            "group": record.group,
            "hard": record.is_hard,
            "text": record.text,
            "values": values.collect::<Vec<_>>(),
        }))?);
    }
    Ok(())
}

/// The scores of the scanners that can be installed and run.
fn peer_scores(records: &[Record], arguments: &Labelled) -> Result<Vec<Scores>, Failure> {
    let temporary = tempfile::tempdir()?;
    let tools = arguments.tools.as_deref().unwrap_or(temporary.path());
    let mut scores = Vec::new();
    for peer in Peer::ALL {
        match peer.scan(records, tools) {
            Ok((version, found)) => {
                scores.push(Scores::new(
                    &format!("{} {version}", peer.name()),
                    records,
                    &found,
                ));
            }
            Err(error) => print_error(&format!("{} is left out: {error}", peer.name())),
        }
    }
    Ok(scores)
}

fn show(records: &[Record], found: &[Found], count: usize) {
    let judged = || records.iter().zip(found);
    line("\nmissed");
    let missed = judged().filter(|(record, found)| !record.is_clean() && !found.is_hit(record));
    for (record, found) in missed.take(count) {
        line(&format!(
            "  {} {} {:?} {found:?}",
            record.group, record.extension, record.text
        ));
        for expected in &record.expected {
            line(&format!(
                "      expected {}",
                &record.text[expected.span.clone()]
            ));
        }
    }
    line("\nfalse alarms");
    let alarms = judged().filter(|(record, found)| found.is_wrong(record));
    for (record, found) in alarms.take(count) {
        line(&format!(
            "  {} {} {:?}",
            record.group, record.extension, record.text
        ));
        if let Found::Spans(spans) = found {
            for span in spans {
                line(&format!("      found {}", &record.text[span.clone()]));
            }
        }
    }
}
