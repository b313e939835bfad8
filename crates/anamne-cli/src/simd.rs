//! The vector instructions that `ANAMNE_SIMD` selects.

use anamne::SimdLevel;

use crate::failure::Failure;

/// The variable that names the level; unset or empty for the best of the processor.
const VARIABLE: &str = "ANAMNE_SIMD";

/// Selects the level for this process. Refuses an unknown one and one that this processor does not support.
pub(crate) fn select() -> Result<(), Failure> {
    let Some(level) = std::env::var_os(VARIABLE).filter(|level| !level.is_empty()) else {
        return Ok(());
    };
    let selected = level.to_string_lossy().parse().and_then(SimdLevel::select);
    selected.map_err(|refusal| Failure::refused(VARIABLE, format!("{VARIABLE}: {refusal}")))
}
