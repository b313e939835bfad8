//! The `anamne` binary: its path and size.

use std::path::PathBuf;

use super::budgets;
use super::figures::{Figure, Section};
use crate::failure::Failure;

/// The note if the binary is missing.
pub(crate) const NOT_BUILT: &str =
    "no `anamne` beside this program; build it with `cargo build --release`";

/// The `anamne` binary next to the running one, if it exists.
pub(crate) fn path() -> Result<Option<PathBuf>, Failure> {
    let name = format!("anamne{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::current_exe()?.with_file_name(name);
    Ok(path.is_file().then_some(path))
}

/// Measures the size of the binary.
pub(crate) fn measure() -> Result<Section, Failure> {
    let Some(path) = path()? else {
        return Ok(Section::skipped("binary", NOT_BUILT));
    };
    let bytes = std::fs::metadata(path)?.len() as f64;
    let figure = Figure::mb("size_mb", "size, model included", bytes).promised(budgets::BINARY);
    Ok(Section::new("binary", vec![figure]))
}
