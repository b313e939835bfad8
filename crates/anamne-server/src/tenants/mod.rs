//! Tenants: one store each, of which a bounded number is open.

mod upkeep;
mod work;

use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anamne::{
    DEFAULT_TENANT, Error, Options, RecallObserver, ServerRecords, Store, StoreQuota, TenantQuota,
};

use crate::http::Problem;
pub(crate) use work::{Work, WorkList, WorkOwner};

/// How long an erasure waits for requests that use the tenant.
const LONGEST_USE: Duration = Duration::from_secs(30);

/// The name of a tenant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TenantName(Arc<str>);

impl TenantName {
    pub(crate) fn of(name: &str) -> Self {
        Self(name.into())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for TenantName {
    fn default() -> Self {
        Self::of(DEFAULT_TENANT)
    }
}

/// Makes the options of a tenant's store, such as its language model, from its folder and quota. The server sets quota,
/// background and observer.
#[derive(Clone)]
pub struct TenantOptions(pub Arc<MakeOptions>);

/// See [`TenantOptions`].
pub type MakeOptions = dyn Fn(&Path, &TenantQuota) -> Options + Send + Sync;

impl fmt::Debug for TenantOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TenantOptions")
    }
}

/// The tenants of a server and their open stores.
pub(crate) struct Tenants {
    own: Store,
    own_quota: Arc<StoreQuota>,
    records: Arc<ServerRecords>,
    options: TenantOptions,
    background: bool,
    observer: Option<Arc<dyn RecallObserver>>,
    most: usize,
    /// Work that goes on after its answer.
    pub(crate) work: WorkList,
    open: Mutex<HashMap<TenantName, Arc<Slot>>>,
    /// Counts uses, to find the least recent one.
    uses: AtomicU64,
}

/// The place of one tenant among the open ones.
#[derive(Default)]
struct Slot {
    /// Locked while it is opened, so that it is opened once.
    opened: Mutex<Option<Opened>>,
    last_use: AtomicU64,
}

#[derive(Clone)]
struct Opened {
    store: Store,
    quota: Arc<StoreQuota>,
    limits: TenantQuota,
}

/// A tenant's store. It stays open while this exists.
pub(crate) struct TenantStore {
    store: Store,
    _slot: Option<Arc<Slot>>,
}

impl Deref for TenantStore {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

impl Tenants {
    /// Opens the server's own store, which is the tenant `default`, with room for `most` others. Completes erasures that
    /// were interrupted.
    pub(crate) fn open(
        options: Options,
        tenants: Option<TenantOptions>,
        most: usize,
    ) -> Result<Self, Error> {
        let own_quota = Arc::new(StoreQuota::new(&options.root, 0, 0));
        let (background, clock, door) = (options.background, options.clock.clone(), options.door);
        let observer = options.observer.clone();
        let own = Store::open_with(Options {
            quota: Some(own_quota.clone()),
            ..options
        })?;
        let records = Arc::new(own.server_records()?);
        records.check_not_copied()?;
        records.finish_erasures()?;
        let usual = move |root: &Path, _: &TenantQuota| Options {
            clock: clock.clone(),
            ..Options::new(root).door(door)
        };
        let opened = Self {
            own,
            own_quota,
            records,
            options: tenants.unwrap_or_else(|| TenantOptions(Arc::new(usual))),
            background,
            observer,
            most: most.max(1),
            work: WorkList::new(),
            open: Mutex::default(),
            uses: AtomicU64::new(0),
        };
        opened.apply_quotas()?;
        Ok(opened)
    }

    /// The server's own store.
    pub(crate) fn own(&self) -> &Store {
        &self.own
    }

    /// The keys and tenants.
    pub(crate) fn records(&self) -> &Arc<ServerRecords> {
        &self.records
    }

    /// The number of open stores, the server's own included.
    #[allow(dead_code, reason = "for metrics")]
    pub(crate) fn open_count(&self) -> usize {
        self.lock().len() + 1
    }

    /// The store of a tenant, opened if necessary. Others are not kept waiting by an opening; requests for the same
    /// tenant wait for it.
    pub(crate) fn store(&self, tenant: &TenantName) -> Result<TenantStore, Problem> {
        if tenant.as_str() == DEFAULT_TENANT {
            return Ok(TenantStore {
                store: self.own.clone(),
                _slot: None,
            });
        }
        let (slot, closing) = self.slot(tenant);
        for closed in closing {
            closed.close();
        }
        let opened = self.opened(tenant, &slot);
        if opened.is_err() {
            self.forget(tenant, &slot);
        }
        Ok(TenantStore {
            store: opened?,
            _slot: Some(slot),
        })
    }

    /// The place of a tenant, and those that give way to it. Only idle ones do, so there may be more for a while.
    fn slot(&self, tenant: &TenantName) -> (Arc<Slot>, Vec<Arc<Slot>>) {
        let present = self.uses.fetch_add(1, Ordering::Relaxed);
        let mut open = self.lock();
        let slot = open.entry(tenant.clone()).or_default().clone();
        slot.last_use.store(present, Ordering::Relaxed);
        let mut closing = Vec::new();
        while open.len() > self.most {
            let idle = open
                .iter()
                .filter(|(_, slot)| Arc::strong_count(slot) == 1)
                .min_by_key(|(_, slot)| slot.last_use.load(Ordering::Relaxed))
                .map(|(name, _)| name.clone());
            match idle.and_then(|name| open.remove(&name)) {
                Some(idle) => closing.push(idle),
                None => break,
            }
        }
        (slot, closing)
    }

    fn opened(&self, tenant: &TenantName, slot: &Slot) -> Result<Store, Problem> {
        let mut opened = slot.lock();
        if let Some(opened) = &*opened {
            return Ok(opened.store.clone());
        }
        let now = self.open_now(tenant, self.background)?;
        Ok(opened.insert(now).store.clone())
    }

    /// Gives up the place of a tenant that could not be opened, unless another request has opened it since.
    fn forget(&self, tenant: &TenantName, slot: &Arc<Slot>) {
        let mut open = self.lock();
        let is_same = open
            .get(tenant)
            .is_some_and(|found| Arc::ptr_eq(found, slot));
        if is_same && slot.opened.try_lock().is_ok_and(|opened| opened.is_none()) {
            open.remove(tenant);
        }
    }

    /// Opens the store of a tenant that exists.
    fn open_now(&self, tenant: &TenantName, background: bool) -> Result<Opened, Problem> {
        let known = self.records.tenant(tenant.as_str())?;
        let known = known.filter(|known| !known.erasing);
        let limits = known.ok_or_else(Problem::unauthenticated)?.quota;
        let root = self.records.tenant_root(tenant.as_str())?;
        let quota = Arc::new(StoreQuota::new(&root, limits.memories, limits.bytes));
        let options = (self.options.0)(&root, &limits);
        let store = Store::open_with(Options {
            root,
            quota: Some(quota.clone()),
            background,
            observer: self.observer.clone(),
            ..options
        })?;
        Ok(Opened {
            store,
            quota,
            limits,
        })
    }

    /// Closes a tenant once no request uses it. Whether that was so within a while.
    pub(crate) fn close(&self, tenant: &TenantName) -> bool {
        let Some(slot) = self.lock().remove(tenant) else {
            return true;
        };
        let end = Instant::now() + LONGEST_USE;
        while Arc::strong_count(&slot) > 1 {
            if Instant::now() > end {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        slot.close();
        true
    }

    /// Writes down what the open stores hold in memory.
    pub(crate) fn flush(&self) {
        for store in self.opened_stores() {
            store.flush_query_logs();
        }
    }

    /// The open stores.
    pub(crate) fn opened_stores(&self) -> Vec<Store> {
        let slots: Vec<_> = self.lock().values().cloned().collect();
        let mut stores = vec![self.own.clone()];
        for slot in slots {
            let opened = slot.lock().clone();
            stores.extend(opened.map(|opened| opened.store));
        }
        stores
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TenantName, Arc<Slot>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Option<Opened>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes down what is in memory, and closes the store.
    fn close(&self) {
        let opened = self.lock().take();
        if let Some(opened) = opened {
            opened.store.flush_query_logs();
        }
    }
}
