//! Work that goes on after its answer: whether it runs, and what came of it.
//!
//! Outcomes are in memory only. After a restart nothing is known of earlier work, and its place says so.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::TenantName;
use crate::http::Problem;

/// Ended pieces of work that are kept for each tenant.
const MOST_ENDED: usize = 100;

/// How far a piece of work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WorkState {
    /// It has not ended.
    Running,
    /// It has ended, with the result.
    Done,
    /// It has failed, with the problem.
    Failed,
    /// It began before the server's last start: it may have ended, or was cut off. What it wrote is whole.
    Unknown,
}

/// A piece of work that goes on after its answer.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct Work {
    /// Its id.
    pub(crate) id: Uuid,
    /// What is done: `tasks`, `tiers` or `backup`; absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) what: Option<String>,
    /// How far it is.
    pub(crate) state: WorkState,
    /// When it began.
    pub(crate) began_at: Timestamp,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<Timestamp>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<Value>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<Problem>,
}

/// Where a piece of work belongs, and who began it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkOwner {
    pub(crate) space: String,
    pub(crate) identity: String,
}

/// The work of each tenant, oldest first.
pub(crate) struct WorkList {
    started_at: Timestamp,
    known: Mutex<HashMap<TenantName, VecDeque<(WorkOwner, Work)>>>,
}

impl WorkList {
    pub(super) fn new() -> Self {
        Self {
            started_at: Timestamp::now(),
            known: Mutex::default(),
        }
    }

    /// Notes that a piece of work began.
    pub(crate) fn begin(&self, tenant: &TenantName, owner: WorkOwner, id: Uuid, what: &str) {
        let work = Work {
            id,
            what: Some(what.to_owned()),
            state: WorkState::Running,
            began_at: Timestamp::now(),
            ended_at: None,
            result: None,
            problem: None,
        };
        let mut known = self.lock();
        let of_tenant = known.entry(tenant.clone()).or_default();
        of_tenant.push_back((owner, work));
    }

    /// Notes what came of it, and drops the oldest outcome beyond the limit. Nothing of an erased tenant is kept.
    pub(crate) fn end(&self, tenant: &TenantName, id: Uuid, outcome: Result<Value, Problem>) {
        let mut known = self.lock();
        let Some(of_tenant) = known.get_mut(tenant) else {
            return;
        };
        let Some((_, work)) = of_tenant.iter_mut().find(|(_, work)| work.id == id) else {
            return;
        };
        work.ended_at = Some(Timestamp::now());
        match outcome {
            Ok(result) => (work.state, work.result) = (WorkState::Done, Some(result)),
            Err(problem) => (work.state, work.problem) = (WorkState::Failed, Some(problem)),
        }
        let has_ended = |(_, work): &(WorkOwner, Work)| work.state != WorkState::Running;
        if of_tenant.iter().filter(|work| has_ended(work)).count() > MOST_ENDED
            && let Some(oldest) = of_tenant.iter().position(has_ended)
        {
            of_tenant.remove(oldest);
        }
    }

    /// The piece of work with this id, if `may_see` allows it; one that is unknown because the server started again since.
    pub(crate) fn find(
        &self,
        tenant: &TenantName,
        id: Uuid,
        may_see: impl Fn(&WorkOwner) -> bool,
    ) -> Option<Work> {
        let known = self.lock();
        let mut of_tenant = known.get(tenant).into_iter().flatten();
        match of_tenant.find(|(_, work)| work.id == id) {
            Some((owner, work)) => may_see(owner).then(|| work.clone()),
            None => self.before_the_start(id),
        }
    }

    /// The latest pieces of work that `may_see` allows, latest first.
    pub(crate) fn latest(
        &self,
        tenant: &TenantName,
        limit: usize,
        may_see: impl Fn(&WorkOwner) -> bool,
    ) -> Vec<Work> {
        let known = self.lock();
        let of_tenant = known.get(tenant).into_iter().flatten().rev();
        let seen = of_tenant.filter(|(owner, _)| may_see(owner));
        seen.map(|(_, work)| work.clone()).take(limit).collect()
    }

    /// Forgets everything of a tenant.
    pub(crate) fn forget(&self, tenant: &TenantName) {
        self.lock().remove(tenant);
    }

    /// The work with an id from before the start; ids contain their time.
    fn before_the_start(&self, id: Uuid) -> Option<Work> {
        let (seconds, nanoseconds) = id.get_timestamp()?.to_unix();
        let seconds = i64::try_from(seconds).ok()?;
        let began_at = Timestamp::new(seconds, i32::try_from(nanoseconds).ok()?).ok()?;
        // Ids have milliseconds.
        (began_at.as_millisecond() < self.started_at.as_millisecond()).then_some(Work {
            id,
            what: None,
            state: WorkState::Unknown,
            began_at,
            ended_at: None,
            result: None,
            problem: None,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TenantName, VecDeque<(WorkOwner, Work)>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn owner(identity: &str) -> WorkOwner {
        WorkOwner {
            space: "core".to_owned(),
            identity: identity.to_owned(),
        }
    }

    #[test]
    fn the_last_outcomes_of_a_tenant_are_kept_and_what_runs_is_never_dropped() {
        let list = WorkList::new();
        let (one, other) = (TenantName::of("one"), TenantName::of("other"));
        let running = Uuid::now_v7();
        list.begin(&one, owner("a"), running, "tasks");
        let ids: Vec<Uuid> = (0..MOST_ENDED + 3).map(|_| Uuid::now_v7()).collect();
        for (number, id) in ids.iter().enumerate() {
            list.begin(&one, owner("a"), *id, "tiers");
            list.end(&one, *id, Ok(json!(number)));
        }
        let find = |tenant: &TenantName, id| list.find(tenant, id, |_| true);
        let state = |id| find(&one, id).map(|work| work.state);
        assert_eq!(state(running), Some(WorkState::Running));
        assert_eq!(
            (state(ids[2]), state(ids[3])),
            (None, Some(WorkState::Done))
        );
        let last = find(&one, ids[MOST_ENDED + 2]).expect("the last");
        assert_eq!(last.result, Some(json!(MOST_ENDED + 2)));
        assert!(find(&other, running).is_none(), "of another tenant");
        assert!(
            list.find(&one, running, |owner| owner.identity == "b")
                .is_none()
        );
        let latest = list.latest(&one, 2, |_| true);
        assert_eq!(latest[0].id, ids[MOST_ENDED + 2]);
        assert_eq!(list.latest(&one, 1_000, |_| true).len(), MOST_ENDED + 1);
        list.forget(&one);
        list.end(&one, running, Ok(json!(1)));
        assert!(list.latest(&one, 1_000, |_| true).is_empty());
    }

    #[test]
    fn work_from_before_a_restart_is_unknown_and_other_ids_are_not_there() {
        let earlier = Uuid::now_v7();
        std::thread::sleep(std::time::Duration::from_millis(2));
        let list = WorkList::new();
        let tenant = TenantName::of("one");
        let found = list.find(&tenant, earlier, |_| true).expect("known before");
        assert_eq!((found.state, found.what), (WorkState::Unknown, None));
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(list.find(&tenant, Uuid::now_v7(), |_| true).is_none());
        assert!(list.find(&tenant, Uuid::nil(), |_| true).is_none());
        assert!(list.find(&tenant, Uuid::max(), |_| true).is_none());
    }
}
