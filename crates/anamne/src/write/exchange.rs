//! Exports and imports of a space.

use std::io::{BufRead, Write};
use std::path::Path;

use anamne_store::{BatchResult, ImportItem, StoreError, Visibility};
use anamne_types::{Actor, Draft, Edit, Link, Memory, MemoryId, Provenance, Remembered, Right};

use crate::Error;
use crate::maintenance::export;
use crate::maintenance::export::{CorpusReport, ExportReport, ExportSelection};
use crate::space::Space;
use crate::write::admission::authority_for;
use crate::write::import;
use crate::write::import::{ImportOptions, ImportReport, LineOutcome};

impl Space {
    /// Imports memories from JSON lines; an interrupted import can be repeated.
    ///
    /// Imported text is untrusted: unless [`ImportOptions::trusted`], claims that nothing verifies are ignored.
    pub fn import(
        &self,
        reader: impl BufRead,
        options: impl Into<ImportOptions>,
        progress: &mut dyn FnMut(&ImportReport),
    ) -> Result<ImportReport, Error> {
        let options = self.admit_import(options.into())?;
        import::import(self, reader, options, progress, None)
    }

    /// The same, and tells what comes of each line, in order but for links, which are created at the end. The report
    /// lists the first hundred bad lines, so that an import of any length has a bounded report.
    pub fn import_each(
        &self,
        reader: impl BufRead,
        options: impl Into<ImportOptions>,
        outcome: &mut dyn FnMut(LineOutcome),
    ) -> Result<ImportReport, Error> {
        let options = self.admit_import(options.into())?;
        import::import(self, reader, options, &mut |_| {}, Some(outcome))
    }

    fn admit_import(&self, options: ImportOptions) -> Result<ImportOptions, Error> {
        self.require_write()?;
        if options.trusted {
            self.store.require(Right::Trust)?;
        }
        Ok(options)
    }

    /// Gives a memory that was imported before the authority that a trusted import claims for it.
    pub(crate) fn apply_claims(&self, id: MemoryId, draft: &Draft) -> Result<(), Error> {
        let memory = self.inner.source.get(id)?;
        if let Some(edit) = authority_for(&memory, draft) {
            self.inner.source.edit(self.actor(), id, &edit)?;
            self.after_write();
        }
        Ok(())
    }

    /// Stores what another store exported; see [`ImportItem`].
    pub(crate) fn take_in(
        &self,
        arrivals: &[ImportItem],
    ) -> Result<BatchResult<Remembered>, Error> {
        let taken = self.inner.source.take_in(&self.importer(), arrivals)?;
        self.after_write();
        Ok(taken)
    }

    pub(crate) fn take_links(&self, links: &[Link]) -> Result<BatchResult<bool>, Error> {
        Ok(self.inner.source.import_links(&self.importer(), links)?)
    }

    /// Creates a link of a record that is new here: as a caller would, at the present time.
    pub(crate) fn draw_link(&self, link: &Link) -> Result<(), StoreError> {
        self.inner.source.link(&self.importer(), link).map(|_| ())
    }

    /// Edits a memory as its changed record says, if it has this version.
    pub(crate) fn edit_imported(
        &self,
        id: MemoryId,
        version: u32,
        edit: &Edit,
    ) -> Result<Memory, Error> {
        self.edited(id, edit, |edit| {
            let source = &self.inner.source;
            source.edit_if(&self.importer(), id, version, edit)
        })
    }

    /// The caller, named as an import if it has no name.
    fn importer(&self) -> Actor {
        let mut actor = self.actor().clone();
        if actor.name.is_empty() {
            Provenance::IMPORT.clone_into(&mut actor.name);
        }
        actor
    }

    /// Imports memories from a folder of Markdown notes, written by [`Space::export_notes`] or by a person.
    ///
    /// Files and folders whose names begin with a dot are skipped. A note without an id is stored with its path as
    /// external id, so that another import recognises it.
    pub fn import_notes(
        &self,
        folder: &Path,
        options: impl Into<ImportOptions>,
        progress: &mut dyn FnMut(&ImportReport),
    ) -> Result<ImportReport, Error> {
        let options = self.admit_import(options.into())?;
        import::import_notes(self, folder, options, progress)
    }

    /// Exports the live memories as JSON lines, oldest first, each with its outgoing links.
    ///
    /// Memories damaged in both copies are skipped: [`ExportReport::skipped`] lists them.
    pub fn export(&self, writer: impl Write) -> Result<ExportReport, Error> {
        self.export_visibility(writer, Visibility::Live)
    }

    /// Like [`Space::export`], with or without forgotten memories and facts about personal entities.
    ///
    /// The memories are selected in one snapshot; those erased meanwhile are omitted.
    pub fn export_visibility(
        &self,
        writer: impl Write,
        selection: impl Into<ExportSelection>,
    ) -> Result<ExportReport, Error> {
        export::lines(self, writer, selection.into())
    }

    /// Exports memories as a folder of Markdown notes with YAML front matter, one folder per thread, and links as
    /// wikilinks. `folder` must not exist, or must be empty; it appears when complete.
    pub fn export_notes(
        &self,
        folder: &Path,
        selection: impl Into<ExportSelection>,
    ) -> Result<ExportReport, Error> {
        export::notes(self, folder, selection.into())
    }

    /// Exports the live messages as a training corpus: one JSON line per thread, with its messages in order.
    /// A corpus goes to a model, so that private messages are in it only if `private` says so.
    pub fn export_corpus(&self, private: bool, writer: impl Write) -> Result<CorpusReport, Error> {
        export::corpus(self, private, writer)
    }
}
