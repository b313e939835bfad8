//! The fuzz targets: every reader of bytes that someone else may have written.
//!
//! Each target is a function of bytes that must return on any input: a panic is a defect. The same functions serve
//! `cargo fuzz` (the folder `fuzz/`) and a bounded run on the stable toolchain (`tests/bounded.rs`), which mutates the
//! files of `corpus/<target>` in a fixed order.

mod export_file;
mod journal;
mod memory;
mod models;
mod text;
mod views;
mod wire;

/// Maximum input length; the rest is cut.
pub const MAX_INPUT_BYTES: usize = 64 * 1024;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the target, of its corpus folder and of its file in `fuzz/fuzz_targets`.
    pub name: &'static str,
    /// Number of inputs in the bounded run; lower if each one opens a store.
    pub runs: usize,
    run: fn(&[u8]) -> bool,
}

impl Target {
    /// The target with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// Runs the target on these bytes; panics only on a defect. Returns whether the input was accepted, to verify that
    /// the corpus gets past the first check.
    pub fn run(&self, bytes: &[u8]) -> bool {
        (self.run)(&bytes[..bytes.len().min(MAX_INPUT_BYTES)])
    }
}

const fn target(name: &'static str, runs: usize, run: fn(&[u8]) -> bool) -> Target {
    Target { name, runs, run }
}

/// All targets.
pub const TARGETS: &[Target] = &[
    target("analyser", 300, text::analyser),
    target("cross_encoder", 500, models::cross_encoder),
    target("export_file", 60, export_file::file),
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
