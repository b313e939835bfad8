//! Is it quick and small? Every budget, each figure beside a peer or a physical limit of the same run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;

use crate::failure::Failure;
use crate::output;

mod binary;
mod budgets;
mod depth;
mod disk;
mod figures;
mod import;
mod machine;
mod mcp;
mod opening;
mod peers;
pub(crate) mod probe;
mod quiet;
mod rare;
mod recall;
mod remember;
mod report;
mod site;
mod tiers;
mod vectors;
mod weave;

use figures::Section;
use peers::Peers;
use report::Report;
use site::Site;

/// What to measure, and at which sizes.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many records the store holds; may be given several times. 10000 and 100000 when not given.
    #[arg(long = "size", value_name = "N", value_delimiter = ',', default_values_t = [10_000, 100_000],
          value_parser = clap::value_parser!(u64).range(100..=100_000_000))]
    sizes: Vec<u64>,
    /// How many questions are asked and how many records are told one by one.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u64).range(10..=100_000))]
    queries: u64,
    /// Print {size: {measurement: {figure: value}}} instead of tables.
    #[arg(long)]
    json: bool,
    /// Only these measurements.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<Measurement>,
    /// The folder in which the stores are made, and removed again; the system's temporary folder when not given.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// For `vectors`: a file whose lines are the records, in place of random points.
    #[arg(long, value_name = "FILE")]
    lines: Option<PathBuf>,
}

/// What can be measured.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Measurement {
    /// Questions, beside tantivy, FTS5, sqlite-vec and the memory's bandwidth.
    Recall,
    /// Whether rare words bring the memories that hold them first.
    Rare,
    /// Durable writes, beside a bare SQLite commit with one fdatasync.
    Remember,
    /// Bulk import, beside bare SQLite inserts.
    Import,
    /// Opening a store in a new process and answering the first question.
    Open,
    /// Anonymous resident memory of a process that uses a store.
    Memory,
    /// Bytes on disk by folder.
    Disk,
    /// The size of the `anamne` binary.
    Binary,
    /// A store of three years, most of it in archives, beside one of its last month; only when it is named.
    Tiers,
    /// Questions over two hops, and deep ones, beside shallow ones; only when it is named.
    Depth,
    /// Turning a conversation into knowledge while questions are asked; only when it is named.
    Weave,
    /// The vector scan alone: how exact it is, what a filter costs it; only when it is named.
    Vectors,
    /// `anamne mcp` from exec to its first reply, its memory and its tool list.
    Mcp,
}

impl Measurement {
    /// Whether it looks at something of some size.
    fn has_a_size(self) -> bool {
        !matches!(self, Self::Binary | Self::Mcp)
    }

    /// Whether it makes a store of its own; then it is made only when it is named.
    fn is_apart(self) -> bool {
        matches!(
            self,
            Self::Tiers | Self::Depth | Self::Weave | Self::Vectors
        )
    }
}

/// Measures and prints. A budget that is missed is no failure; a measurement that went wrong is, once all are printed.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let chosen: BTreeSet<Measurement> = if arguments.only.is_empty() {
        let all = Measurement::value_variants().iter().copied();
        all.filter(|measurement| !measurement.is_apart()).collect()
    } else {
        arguments.only.iter().copied().collect()
    };
    let mut report = Report::default();
    if chosen.iter().any(|measurement| measurement.has_a_size()) {
        let sizes: BTreeSet<u64> = arguments.sizes.iter().copied().collect();
        for records in sizes {
            report.add(
                &records.to_string(),
                measure_size(records, arguments, &chosen)?,
            );
        }
    }
    let sections = measure_binary(&chosen, arguments)?;
    if !sections.is_empty() {
        report.add(report::ANY_SIZE, sections);
    }
    output::complain(&machine::line());
    output::line(&if arguments.json {
        report.json()
    } else {
        report.tables()
    });
    Ok(if report.has_failures() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Everything about a store of one size. What changes the store comes last.
fn measure_size(
    records: u64,
    arguments: &Arguments,
    chosen: &BTreeSet<Measurement>,
) -> Result<Vec<Section>, Failure> {
    let wants = |measurement| chosen.contains(&measurement);
    let say = |what: &str| output::complain(&format!("{records} records: {what}"));
    let (queries, parent) = (arguments.queries, arguments.folder.as_deref());
    let mut sections = Vec::new();
    for &measurement in chosen {
        let (name, measure): (_, &dyn Fn() -> Result<Section, Failure>) = match measurement {
            Measurement::Tiers => ("tiers", &|| tiers::measure(records, queries, parent)),
            Measurement::Depth => ("depth", &|| depth::measure(records, queries, parent)),
            Measurement::Weave => ("weave", &|| weave::measure(records, parent)),
            Measurement::Vectors => ("vectors", &|| {
                vectors::measure(records, queries, parent, arguments.lines.as_deref())
            }),
            _ => continue,
        };
        say(name);
        sections.push(quiet::watched(name, measure));
    }
    if !chosen
        .iter()
        .any(|measurement| measurement.has_a_size() && !measurement.is_apart())
    {
        return Ok(sections);
    }
    let site = Site::new(records, arguments.folder.as_deref())?;
    say("import");
    // What follows needs the store, so a failure here ends the size.
    if wants(Measurement::Import) {
        let import = quiet::watched("import", || import::measure(&site));
        let failed = import.failed;
        sections.push(import);
        if failed {
            return Ok(sections);
        }
    } else {
        import::fill(&site)?;
    }
    if wants(Measurement::Disk) {
        sections.push(Section::or_failed("disk", disk::measure(&site)));
    }
    let opens = wants(Measurement::Open) || wants(Measurement::Memory);
    if wants(Measurement::Recall) || opens {
        say("build the peers");
        let peers = Peers::build(&site, wants(Measurement::Recall))?;
        if wants(Measurement::Recall) {
            say("recall");
            let recall = || recall::measure(&site, &peers, arguments.queries);
            sections.push(quiet::watched("recall", recall));
        }
        if opens {
            say("open");
            match opening::measure(&site, &peers) {
                Ok(opened) => {
                    sections.extend(wants(Measurement::Open).then_some(opened.open));
                    sections.extend(wants(Measurement::Memory).then_some(opened.memory));
                }
                failed => {
                    let failed = failed.map(|opened| opened.open);
                    sections.push(Section::or_failed("open", failed));
                }
            }
        }
    }
    if wants(Measurement::Remember) {
        say("remember");
        let remember = || remember::measure(&site, arguments.queries);
        sections.push(quiet::watched("remember", remember));
    }
    if wants(Measurement::Rare) {
        say("rare words");
        sections.push(Section::or_failed(
            "rare",
            rare::measure(&site, arguments.queries),
        ));
    }
    Ok(sections)
}

/// What does not depend on a store's size.
fn measure_binary(
    chosen: &BTreeSet<Measurement>,
    arguments: &Arguments,
) -> Result<Vec<Section>, Failure> {
    let mut sections = Vec::new();
    if chosen.contains(&Measurement::Binary) {
        sections.push(binary::measure()?);
    }
    if chosen.contains(&Measurement::Mcp) {
        output::complain("mcp");
        let mcp = || mcp::measure(arguments.folder.as_deref());
        sections.push(quiet::watched("mcp", mcp));
    }
    Ok(sections)
}
