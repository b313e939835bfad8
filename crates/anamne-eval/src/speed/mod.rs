//! Speed and size: every budget, each figure next to a peer or a physical limit of the same run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;

use crate::failure::Failure;
use crate::output;

mod binary;
mod budgets;
mod depth;
mod disk;
mod extract;
mod figures;
mod import;
mod long_messages;
mod machine;
mod mcp;
mod opening;
mod peers;
pub(crate) mod probe;
mod processes;
mod quiet;
mod rare;
mod recall;
mod remember;
mod report;
mod simd;
mod site;
mod tiers;
mod vectors;
mod writers;

use figures::Section;
use peers::Peers;
use report::Report;
use site::Site;

/// What to measure, and at which sizes.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Number of records in the store; may be given several times. 10000 and 100000 if not given.
    #[arg(long = "size", value_name = "N", value_delimiter = ',', default_values_t = [10_000, 100_000],
          value_parser = clap::value_parser!(u64).range(100..=100_000_000))]
    sizes: Vec<u64>,
    /// Number of questions, and of records written individually.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u64).range(10..=100_000))]
    queries: u64,
    /// Print {size: {measurement: {figure: value}}} instead of tables.
    #[arg(long)]
    json: bool,
    /// Only these measurements.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<Measurement>,
    /// The folder in which the stores are created, and removed again; the system's temporary folder if not given.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// For `vectors`: a file whose lines are the records, instead of random points.
    #[arg(long, value_name = "FILE")]
    lines: Option<PathBuf>,
    /// For `processes`: the command to measure, instead of the one beside this program.
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
}

/// The available measurements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Measurement {
    /// Recall, next to tantivy, FTS5, sqlite-vec and memory bandwidth.
    Recall,
    /// Recall with each set of vector instructions that the processor has, next to tantivy; only if named.
    Simd,
    /// Whether rare words rank the memories that contain them first.
    Rare,
    /// Durable writes, next to a bare SQLite commit with one fdatasync.
    Remember,
    /// Bulk import, next to bare SQLite inserts.
    Import,
    /// Opening a store in a new process and answering the first question.
    Open,
    /// Anonymous resident memory of a process that uses a store.
    Memory,
    /// Bytes on disk by folder.
    Disk,
    /// The size of the `anamne` binary.
    Binary,
    /// A store of three years, mostly archives, next to one of its last month; only if named.
    Tiers,
    /// Two-hop and deep queries, next to shallow ones; only if named.
    Depth,
    /// Knowledge extraction from a conversation during queries; only if named.
    Extract,
    /// Context blocks from messages of 350 words, next to recall; only if named.
    LongMessages,
    /// Durable writes of many threads at once, next to one thread; only if named.
    Writers,
    /// The vector scan alone: its accuracy, and the cost of filters; only if named.
    Vectors,
    /// Whole processes of the command from fork to exit, hooks of agent hosts among them; only if named.
    Processes,
    /// `anamne mcp` from exec to its first reply, its memory and its tool list.
    Mcp,
}

impl Measurement {
    /// Whether it depends on the number of records.
    fn has_a_size(self) -> bool {
        !matches!(self, Self::Binary | Self::Mcp)
    }

    /// Whether it runs only if named.
    fn must_be_named(self) -> bool {
        self.has_own_store() || self == Self::Simd
    }

    /// Whether it creates its own store.
    fn has_own_store(self) -> bool {
        matches!(
            self,
            Self::Tiers
                | Self::Depth
                | Self::Extract
                | Self::LongMessages
                | Self::Writers
                | Self::Vectors
                | Self::Processes
        )
    }
}

/// Measures and prints. A missed budget is not a failure; a failed measurement is, after all results are printed.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let chosen: BTreeSet<Measurement> = if arguments.only.is_empty() {
        let all = Measurement::value_variants().iter().copied();
        all.filter(|measurement| !measurement.must_be_named())
            .collect()
    } else {
        arguments.only.iter().copied().collect()
    };
    let mut report = Report::default();
    if chosen.iter().any(|measurement| measurement.has_a_size()) {
        let sizes: BTreeSet<u64> = arguments.sizes.iter().copied().collect();
        for records in sizes {
            let mut run = Run::new(arguments, &chosen);
            output::print_error(&format!("{records} records"));
            run.measure_size(records)?;
            report.add(&records.to_string(), run.sections);
        }
    }
    let mut run = Run::new(arguments, &chosen);
    if run.wants(Measurement::Binary) {
        run.sections.push(binary::measure()?);
    }
    let parent = run.parent();
    run.time(Measurement::Mcp, "mcp", || mcp::measure(parent));
    if !run.sections.is_empty() {
        report.add(report::ANY_SIZE, run.sections);
    }
    output::print_error(&machine::line());
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

/// The measurements at one size, or independent of size.
struct Run<'run> {
    arguments: &'run Arguments,
    chosen: &'run BTreeSet<Measurement>,
    sections: Vec<Section>,
}

impl<'run> Run<'run> {
    fn new(arguments: &'run Arguments, chosen: &'run BTreeSet<Measurement>) -> Self {
        Self {
            arguments,
            chosen,
            sections: Vec::new(),
        }
    }

    fn wants(&self, measurement: Measurement) -> bool {
        self.chosen.contains(&measurement)
    }

    fn parent(&self) -> Option<&'run Path> {
        self.arguments.folder.as_deref()
    }

    /// Runs a measurement if it is chosen, and adds how disturbed the machine was.
    fn time(
        &mut self,
        measurement: Measurement,
        name: &'static str,
        measure: impl FnOnce() -> Result<Section, Failure>,
    ) {
        if self.wants(measurement) {
            output::print_error(name);
            self.sections.push(quiet::watched(name, measure));
        }
    }

    /// All measurements of a store of one size. Those that change the store come last.
    fn measure_size(&mut self, records: u64) -> Result<(), Failure> {
        let (queries, parent) = (self.arguments.queries, self.parent());
        let lines = self.arguments.lines.as_deref();
        self.time(Measurement::Tiers, "tiers", || {
            tiers::measure(records, queries, parent)
        });
        self.time(Measurement::Depth, "depth", || {
            depth::measure(records, queries, parent)
        });
        self.time(Measurement::Extract, "extract", || {
            extract::measure(records, parent)
        });
        self.time(Measurement::LongMessages, "long_messages", || {
            long_messages::measure(records, queries, parent)
        });
        self.time(Measurement::Writers, "writers", || {
            writers::measure(records, queries, parent)
        });
        self.time(Measurement::Vectors, "vectors", || {
            vectors::measure(records, queries, parent, lines)
        });
        let program = self.arguments.binary.as_deref();
        self.time(Measurement::Processes, "processes", || {
            processes::measure(records, queries, parent, program)
        });
        let looks_at_the_site =
            |measurement: &Measurement| measurement.has_a_size() && !measurement.has_own_store();
        if !self.chosen.iter().any(looks_at_the_site) {
            return Ok(());
        }
        let site = Site::new(records, parent)?;
        if self.wants(Measurement::Import) {
            self.time(Measurement::Import, "import", || import::measure(&site));
            // The rest needs the store, so a failure here ends the size.
            if self.sections.last().is_some_and(|import| import.failed) {
                return Ok(());
            }
        } else {
            output::print_error("import");
            import::fill(&site)?;
        }
        if self.wants(Measurement::Disk) {
            let disk = Section::or_failed("disk", disk::measure(&site));
            self.sections.push(disk);
        }
        self.measure_beside_peers(&site)?;
        self.time(Measurement::Remember, "remember", || {
            remember::measure(&site, queries)
        });
        if self.wants(Measurement::Rare) {
            output::print_error("rare words");
            let rare = Section::or_failed("rare", rare::measure(&site, queries));
            self.sections.push(rare);
        }
        Ok(())
    }

    fn measure_beside_peers(&mut self, site: &Site) -> Result<(), Failure> {
        let opens = self.wants(Measurement::Open) || self.wants(Measurement::Memory);
        if !opens && !self.wants(Measurement::Recall) && !self.wants(Measurement::Simd) {
            return Ok(());
        }
        output::print_error("build the peers");
        let peers = Peers::build(site, self.wants(Measurement::Recall))?;
        let queries = self.arguments.queries;
        self.time(Measurement::Recall, "recall", || {
            recall::measure(site, &peers, queries)
        });
        self.time(Measurement::Simd, "simd", || {
            simd::measure(site, &peers, queries)
        });
        if opens {
            output::print_error("open");
            match opening::measure(site, &peers) {
                Ok(opened) => {
                    let (open, memory) = (Measurement::Open, Measurement::Memory);
                    self.sections
                        .extend(self.wants(open).then_some(opened.open));
                    self.sections
                        .extend(self.wants(memory).then_some(opened.memory));
                }
                Err(failure) => self.sections.push(Section::or_failed("open", Err(failure))),
            }
        }
        Ok(())
    }
}
