//! What is extracted from texts, and the views of it.

mod log_twin;

mod conflicts;
mod conflicts_any_text;
mod conflicts_asserted;
mod conflicts_states;
mod enrichment_quality;
mod graph;
mod reading_names;
mod reading_quality;
mod reading_statements;
mod summaries;
mod told;
