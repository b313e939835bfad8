//! Maintenance: backups, erasure, retention, checks, repair, history and exports.

pub(crate) mod backups;
pub(crate) mod cleaning;
pub(crate) mod doctor;
pub(crate) mod erasing;
pub(crate) mod erasing_spaces;
pub(crate) mod export;
pub(crate) mod following;
pub(crate) mod guarding;
pub(crate) mod retention;
pub(crate) mod travel;
pub(crate) mod upkeep;
