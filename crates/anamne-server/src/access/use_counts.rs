//! Counts which keys and tenants are used, in memory, and writes it down from time to time.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use anamne::{Error, ServerRecords, Use};
use jiff::Timestamp;

use crate::http::Problem;

/// What is not written down yet, by tenant.
#[derive(Default)]
pub(super) struct UseCounts(Mutex<HashMap<String, Pending>>);

/// A request that is to be counted.
pub(super) struct Counted<'a> {
    /// The tenant that it is for.
    pub(super) tenant: &'a str,
    /// The id of its key; `None` for a token of an issuer.
    pub(super) key: Option<&'a str>,
    /// Requests that the tenant may send on a day; 0 for no limit.
    pub(super) most_per_day: u64,
    /// Requests of the tenant today, as last written down.
    pub(super) today: u64,
}

#[derive(Default)]
struct Pending {
    keys: HashSet<String>,
    requests: u64,
}

impl UseCounts {
    /// Counts a request; 429 if its tenant has used up the day.
    pub(super) fn add(&self, counted: &Counted<'_>) -> Result<(), Problem> {
        let mut pending = self.lock();
        let tenant = counted.tenant;
        if !pending.contains_key(tenant) {
            pending.insert(tenant.to_owned(), Pending::default());
        }
        let pending = pending.get_mut(tenant).expect("it was inserted");
        let most = counted.most_per_day;
        if most > 0 && counted.today + pending.requests >= most {
            let passed = Timestamp::now().as_second().rem_euclid(86_400);
            return Err(Problem::too_many((86_400 - passed) as u32));
        }
        pending.requests += 1;
        if let Some(key) = counted.key
            && !pending.keys.contains(key)
        {
            pending.keys.insert(key.to_owned());
        }
        Ok(())
    }

    /// Writes down everything, in one transaction. After a failure it is kept for the next time.
    pub(super) fn write_to(&self, records: &ServerRecords) -> Result<(), Error> {
        let taken = std::mem::take(&mut *self.lock());
        let used: Vec<Use> = taken
            .into_iter()
            .filter(|(_, pending)| pending.requests > 0)
            .map(|(tenant, pending)| Use {
                tenant,
                keys: pending.keys.into_iter().collect(),
                requests: pending.requests,
            })
            .collect();
        let noted = records.note_use(&used);
        if noted.is_err() {
            let mut pending = self.lock();
            for one in used {
                let kept = pending.entry(one.tenant).or_default();
                kept.requests += one.requests;
                kept.keys.extend(one.keys);
            }
        }
        noted
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Pending>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
