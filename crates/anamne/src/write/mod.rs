//! Writing: single memories, imports, and the authority that a memory may claim.

pub(crate) mod admission;
pub(crate) mod batch_size;
mod capture;
pub(crate) mod exchange;
pub(crate) mod feedback;
pub(crate) mod guarding;
pub(crate) mod import;
pub(crate) mod members;
pub(crate) mod once;
pub(crate) mod quality;
pub(crate) mod remember;
pub(crate) mod rewording;
mod told_again;
pub(crate) mod transfer;
