//! Paid readings and judgements of a language model.

use std::path::PathBuf;
use std::sync::Arc;

use anamne_knowledge::readings::Readings;
use anamne_store::beside::PAID;
use anamne_store::view::MemoryFeed;
use anamne_store::{Budget, Class, Damage, Derived, SpaceSource, StoreError};
use anamne_types::Seq;

use super::{Site, gone};
use crate::Error;

/// Its name in reports.
const NAME: &str = "readings";

/// The readings, open.
pub(crate) type OpenReadings = Readings;

/// The file of readings of a space.
pub(crate) struct ReadingsFile {
    source: Arc<SpaceSource>,
    /// Whether there is a model that can add readings.
    has_model: bool,
}

impl ReadingsFile {
    pub(super) fn new(site: &Site) -> Self {
        Self {
            source: site.source.clone(),
            has_model: site.bridge.is_some(),
        }
    }

    fn path(&self) -> PathBuf {
        self.source.folder().join(PAID).join("readings.db")
    }

    /// The readings, if there is or was a model.
    pub(crate) fn open(&self) -> Result<Option<Arc<Readings>>, Error> {
        let path = self.path();
        if !self.has_model && !path.exists() {
            return Ok(None);
        }
        let readings = Readings::open(&path)?;
        // In this order: whoever writes readings has read the log before.
        let (position, head) = (readings.position()?, MemoryFeed::head(&*self.source)?);
        if position > head || readings.enriched_position()? > head {
            readings.cut_beyond(head)?;
        }
        Ok(Some(Arc::new(readings)))
    }

    fn open_existing(&self) -> Result<Option<Readings>, StoreError> {
        let path = self.path();
        path.exists().then(|| Readings::open(&path)).transpose()
    }
}

impl Derived<Error> for ReadingsFile {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self) -> Class {
        Class::Paid
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.path()]
    }

    fn position(&self) -> Result<Option<Seq>, Error> {
        let readings = self.open_existing()?;
        Ok(readings.map(|readings| readings.position()).transpose()?)
    }

    fn verify(&self) -> Result<Vec<Damage>, Error> {
        let Some(readings) = self.open_existing()? else {
            return Ok(Vec::new());
        };
        let damage = readings.examine()?.map(|reason| Damage {
            part: NAME.to_owned(),
            reason,
        });
        Ok(damage.into_iter().collect())
    }

    fn quarantine(&self) -> Result<(), Error> {
        Ok(anamne_store::quarantine_derived(&self.path())?)
    }

    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        if let Some(readings) = self.open_existing()? {
            let live = |row| gone(&self.source, &[row]).is_empty();
            readings.purge(&live)?;
        }
        Ok(())
    }

    fn remove(&self) -> Result<(), Error> {
        Ok(Readings::remove(&self.path())?)
    }
}
