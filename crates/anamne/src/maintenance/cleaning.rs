//! Purging erased content from derived data.

use anamne_types::Seq;

use crate::Error;
use crate::core::Inner;

impl Inner {
    /// Purges erased content from every derived file, if pending.
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
