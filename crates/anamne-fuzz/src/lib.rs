//! The fuzz targets: everything that reads bytes which somebody else may have written.
//!
//! Each target is a function of bytes that must return, whatever they are: a panic is a defect. The same functions
//! serve `cargo fuzz` (the folder `fuzz/`) and a bounded run on the stable toolchain (`tests/bounded.rs`), which changes
//! the files of `corpus/<target>` in a fixed order.

mod journal;
mod memory;
mod models;
mod text;
mod views;
mod wire;

/// The longest input that a target looks at; what is longer is cut.
pub const LONGEST: usize = 64 * 1024;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: that of its corpus folder and of its file in `fuzz/fuzz_targets`.
    pub name: &'static str,
    /// How many inputs the bounded run gives it; fewer where each opens a store.
    pub runs: usize,
    run: fn(&[u8]) -> bool,
}

impl Target {
    /// The target with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// Gives it these bytes; returns unless there is a defect. Says whether they were taken, so that a corpus can be
    /// seen to reach behind the first check.
    pub fn run(&self, bytes: &[u8]) -> bool {
        (self.run)(&bytes[..bytes.len().min(LONGEST)])
    }
}

const fn target(name: &'static str, runs: usize, run: fn(&[u8]) -> bool) -> Target {
    Target { name, runs, run }
}

/// Every target.
pub const TARGETS: &[Target] = &[
    target("analyser", 300, text::analyser),
    target("front_matter", 60, memory::front_matter),
    target("import_line", 60, memory::import_line),
    target("journal_line", 2_000, journal::line),
    target("journal_payload", 30, journal::payload),
    target("mcp_wire", 60, wire::mcp),
    target("model_files", 200, models::folder),
    target("query", 150, text::query),
    target("recall", 60, memory::recall),
    target("segment", 60, journal::segment),
    target("settings", 500, models::settings),
    target("view_files", 90, views::files),
];
