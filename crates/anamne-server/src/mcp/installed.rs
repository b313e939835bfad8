//! What a server offers and what runs beside it, for `memory_help`.

use anamne::{Error, HookActivity, Store};

use super::tools::ToolSet;

/// What the server was started with.
pub(crate) struct Installed {
    /// The chosen sets of tools.
    pub(crate) chosen: Vec<ToolSet>,
    /// The store with its owner's rights, which only [`Installed::hooks`] uses: the record of hooks covers all spaces.
    /// None for a client on another machine, whose hooks this store has no record of.
    owned: Option<Store>,
}

impl Installed {
    pub(crate) fn new(chosen: Vec<ToolSet>, owned: Option<Store>) -> Self {
        Self { chosen, owned }
    }

    /// Which hooks ran, and when; counts and times only, without sessions, spaces or content.
    pub(crate) fn hooks(&self) -> Result<Vec<HookActivity>, Error> {
        match &self.owned {
            Some(owned) => Ok(owned.hook_log()?.activity(None)?),
            None => Ok(Vec::new()),
        }
    }
}
