//! What a server does for its tenants between requests.

use anamne::{DEFAULT_TENANT, Error};

use super::{TenantName, Tenants};
use crate::http::Problem;

impl Tenants {
    /// Applies changed quotas to open stores, and closes those of tenants that another process erased, and those whose
    /// language model must be opened with another budget.
    pub(crate) fn apply_quotas(&self) -> Result<(), Error> {
        if let Some(own) = self.records.tenant(DEFAULT_TENANT)? {
            self.own_quota.set(own.quota.memories, own.quota.bytes);
        }
        let open: Vec<_> = self
            .lock()
            .iter()
            .map(|(name, slot)| (name.clone(), slot.clone()))
            .collect();
        for (name, slot) in open {
            let known = self.records.tenant(name.as_str())?;
            let known = known.filter(|known| !known.erasing);
            let mut opened = slot.lock();
            let Some(store) = opened.as_mut() else {
                continue;
            };
            let keeps_budget = known.as_ref().filter(|known| {
                let (old, new) = (&store.limits, &known.quota);
                old.model_dollars_per_month.to_bits() == new.model_dollars_per_month.to_bits()
            });
            if let Some(known) = keeps_budget {
                store.quota.set(known.quota.memories, known.quota.bytes);
                store.limits = known.quota;
            } else {
                drop(opened);
                drop(slot);
                // Requests that use it keep it open until they end.
                self.lock().remove(&name);
            }
        }
        Ok(())
    }

    /// Does a round of background work of the closed tenant that has waited longest for it; whether there was one.
    /// Open tenants have their own background.
    pub(crate) fn work_for_one(&self, go_on: &dyn Fn() -> bool) -> Result<bool, Problem> {
        let Some(due) = self.records.tenant_due()? else {
            return Ok(false);
        };
        // Before the work, so that a tenant whose work fails doesn't keep others waiting.
        self.records.note_round(&due)?;
        let name = TenantName::of(&due);
        if self.background && self.lock().contains_key(&name) {
            return Ok(true);
        }
        let opened = self.open_now(&name, false)?;
        opened.store.run_background_round(go_on)?;
        opened.store.flush_query_logs();
        Ok(true)
    }
}
