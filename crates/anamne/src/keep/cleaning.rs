//! Taking what was erased out of everything that is derived.

use anamne_types::Seq;

use crate::Error;
use crate::core::Inner;

impl Inner {
    /// Takes what was erased out of every derived file, where that is still to be done.
    pub(crate) fn clean_derived(
        &self,
        progress: &mut dyn FnMut(&'static str, Seq),
    ) -> Result<(), Error> {
        if self.source.unclean_views()?.is_none() {
            return Ok(());
        }
        let through = self.derived.purge(progress)?;
        Ok(self.source.views_are_clean(through)?)
    }
}
