//! Counts, settings, tiers, retention and the health of a space in either place.

use anamne::{RetentionApplied, RetentionState, RetentionUndone, Space, SpaceReport, TierCount};
use anamne_client::{Method, Query};
use anamne_server::rest::SpaceSettings;
use serde_json::json;

use super::Reached;
use crate::failure::Failure;

impl Reached {
    /// Counts, sizes and the state of everything derived.
    pub(crate) fn report(&self) -> Result<SpaceReport, Failure> {
        self.ask(Space::report, |space| space.read(&["stats"], &Query::new()))
    }

    /// The settings.
    pub(crate) fn settings(&self) -> Result<SpaceSettings, Failure> {
        self.ask(
            |space| Ok(SpaceSettings::of(&space.config())),
            |space| space.read(&["settings"], &Query::new()),
        )
    }

    /// The storage tiers, hottest first.
    pub(crate) fn tiers(&self) -> Result<Vec<TierCount>, Failure> {
        self.ask(Space::tiers, |space| {
            space.read_field(&["tiers"], &Query::new(), "tiers")
        })
    }

    /// What retention would forget and erase.
    pub(crate) fn retention(&self) -> Result<RetentionState, Failure> {
        self.ask(Space::retention, |space| {
            space.read(&["retention"], &Query::new())
        })
    }

    /// Forgets and erases what is due; what is deferred only if `confirmed`.
    pub(crate) fn apply_retention(&self, confirmed: bool) -> Result<RetentionApplied, Failure> {
        self.ask(
            |space| space.apply_retention(confirmed),
            |space| {
                let application = json!({ "confirmed": confirmed });
                space.post(&["retention", "applications"], &application)
            },
        )
    }

    /// Restores everything that retention forgot and has not erased yet.
    pub(crate) fn undo_retention(&self) -> Result<RetentionUndone, Failure> {
        self.ask(Space::restore_forgotten_by_retention, |space| {
            let route = &["retention", "restorations"];
            space.call(Method::Post, route, None::<&()>)
        })
    }
}
