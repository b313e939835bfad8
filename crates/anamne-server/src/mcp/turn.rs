//! The order of calls: reads at the same time, a write alone.

use std::sync::Arc;

use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

use super::tools::Effect;

/// A call's lock; dropping it lets the next calls start.
pub(crate) enum Turn {
    Shared { _guard: OwnedRwLockReadGuard<()> },
    Alone { _guard: OwnedRwLockWriteGuard<()> },
}

impl Turn {
    pub(crate) async fn wait(turns: &Arc<RwLock<()>>, effect: Effect) -> Self {
        let turns = turns.clone();
        if effect == Effect::Reads {
            Self::Shared {
                _guard: turns.read_owned().await,
            }
        } else {
            Self::Alone {
                _guard: turns.write_owned().await,
            }
        }
    }
}
