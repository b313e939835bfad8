//! Notices of new events for those who follow spaces: one look per space, however many follow it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anamne::{Error, Seq, Space, SpaceWatch};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::problem::Problem;
use crate::tenants::TenantName;

/// Pause between two looks at spaces in which something happens, and where nothing does.
const SHORT_PAUSE: Duration = Duration::from_millis(100);
const LONG_PAUSE: Duration = Duration::from_millis(250);

/// Looks without a change after which the pause is long.
const QUIET_LOOKS: u32 = 50;

/// The followed spaces of a server.
pub(crate) struct Live {
    places: Arc<Semaphore>,
    feeds: Arc<Mutex<Feeds>>,
}

#[derive(Default)]
struct Feeds {
    by_space: HashMap<(TenantName, String), Feed>,
    has_thread: bool,
}

struct Feed {
    watch: SpaceWatch,
    head: watch::Sender<Seq>,
}

impl Feed {
    /// Looks once. `None` if the space is gone.
    fn look(&mut self) -> Option<bool> {
        match self.watch.changed() {
            Ok(None) => Some(false),
            Ok(Some(head)) => Some(self.head.send_if_modified(|known| {
                let is_new = *known != head;
                *known = head;
                is_new
            })),
            Err(_) => None,
        }
    }
}

impl Live {
    /// For at most `followers` at a time.
    pub(crate) fn new(followers: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(followers.min(Semaphore::MAX_PERMITS))),
            feeds: Arc::default(),
        }
    }

    /// A place for one follower, until it is dropped.
    pub(crate) fn enter(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let place = self.places.clone().try_acquire_owned();
        place.map_err(|_| Problem::overloaded())
    }

    /// The last event of a space's log, now and whenever any process adds one. Closed if the space can't be read any more.
    pub(crate) fn follow(
        &self,
        tenant: TenantName,
        space: &Space,
    ) -> Result<watch::Receiver<Seq>, Error> {
        let mut feeds = lock(&self.feeds);
        let key = (tenant, space.name().to_owned());
        if let Some(feed) = feeds.by_space.get_mut(&key)
            && feed.look().is_some()
        {
            return Ok(feed.head.subscribe());
        }
        let mut watch = space.watch()?;
        let (head, receiver) = watch::channel(watch.changed()?.unwrap_or(Seq(0)));
        feeds.by_space.insert(key, Feed { watch, head });
        if !feeds.has_thread {
            feeds.has_thread = true;
            let feeds = self.feeds.clone();
            std::thread::spawn(move || look_for_changes(&feeds));
        }
        Ok(receiver)
    }
}

fn lock(feeds: &Mutex<Feeds>) -> MutexGuard<'_, Feeds> {
    feeds.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks at every followed space until none is followed.
fn look_for_changes(feeds: &Mutex<Feeds>) {
    let mut quiet = 0;
    loop {
        std::thread::sleep(if quiet < QUIET_LOOKS {
            SHORT_PAUSE
        } else {
            LONG_PAUSE
        });
        let mut feeds = lock(feeds);
        quiet += 1;
        feeds.by_space.retain(|_, feed| {
            if feed.head.is_closed() {
                return false;
            }
            let looked = feed.look();
            if looked == Some(true) {
                quiet = 0;
            }
            looked.is_some()
        });
        if feeds.by_space.is_empty() {
            feeds.has_thread = false;
            return;
        }
    }
}
