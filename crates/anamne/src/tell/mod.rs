//! Telling: memories one by one, imports, and what a memory may claim for itself.

pub(crate) mod admission;
pub(crate) mod batch_size;
pub(crate) mod exchange;
pub(crate) mod feedback;
pub(crate) mod import;
pub(crate) mod telling;
pub(crate) mod transfer;
