//! One run over the files of a plan, with the record locked.

use std::fs;
use std::io;

use super::mend::{former, mend, remove_backup, roll_back, temporary_path};
use super::record::{Entry, Intent, Locked, State, state};
use super::target::{self, Target};
use super::write::Mode;
use super::{ChangeError, ChangeRecord, Observer, Outcome, Step, write};
use crate::plan::FileChange;

const BACKUP: &str = ".anamne-backup";

pub(super) struct Session<'a> {
    record: Locked,
    host: &'a str,
    observer: Observer<'a>,
}

impl<'a> Session<'a> {
    /// Locks the record and mends what an interrupted run left behind.
    pub(super) fn begin(
        record: &ChangeRecord,
        host: &'a str,
        observer: Observer<'a>,
    ) -> Result<Self, ChangeError> {
        let mut record = Locked::open(record)?;
        let before = record.entries.files.len();
        let has_intents = record
            .entries
            .files
            .iter()
            .any(|entry| entry.intent.is_some());
        record.entries.files.retain_mut(mend);
        if has_intents || record.entries.files.len() != before {
            record.save()?;
        }
        Ok(Self {
            record,
            host,
            observer,
        })
    }

    /// Writes one change.
    pub(super) fn apply(&mut self, change: &FileChange) -> Result<Outcome, ChangeError> {
        let target = match expected(change) {
            Ok(target) => target,
            Err(reason) => return Ok(Outcome::LeftAlone(reason)),
        };
        if target.text() == Ok(change.after.as_deref()) {
            return Ok(Outcome::Unchanged);
        }
        self.write(&target, change)
    }

    /// Takes one file back.
    pub(super) fn take_back(&mut self, change: &FileChange) -> Result<Outcome, ChangeError> {
        let target = match target::read(&change.path) {
            Ok(target) => target,
            Err(reason) => return Ok(Outcome::LeftAlone(reason)),
        };
        let own = self.record.find(self.host, &target.path);
        let Some(index) = own.or_else(|| self.shared(&target, change)) else {
            let outcome = self.apply(change)?;
            // There is nothing to take back later.
            if let Some(index) = self.record.find(self.host, &target.path) {
                self.record.entries.files.remove(index);
                self.save(Step::RecordDone)?;
            }
            return Ok(outcome);
        };
        let entry = &self.record.entries.files[index];
        if entry.wrote == state(target.bytes.as_deref())
            && let Some(former) = former(entry)
        {
            return self.restore(&target, index, former.bytes());
        }
        let target = match expected(change) {
            Ok(target) => target,
            Err(reason) => return Ok(Outcome::LeftAlone(reason)),
        };
        self.take_out(&target, index, change.after.as_deref())
    }

    fn save(&mut self, step: Step) -> Result<(), ChangeError> {
        (self.observer)(step);
        self.record.save()
    }

    /// Gives a file its new text, with a backup if it isn't ours already.
    fn write(&mut self, target: &Target, change: &FileChange) -> Result<Outcome, ChangeError> {
        let after = change.after.as_deref().map(str::as_bytes);
        let mode = match &target.metadata {
            None if change.executable => Mode::Executable,
            metadata => Mode::like(metadata.as_ref()),
        };
        let known = self.record.find(self.host, &target.path);
        let (mut entry, is_new) = match self.carrier(target).filter(|_| known.is_some()) {
            Some(index) => (self.record.entries.files[index].clone(), false),
            None => match self.new_entry(target, known.is_none()) {
                Ok(entry) => (entry, true),
                Err(error) => return Ok(Outcome::LeftAlone(error.to_string())),
            },
        };
        entry.intent = match intent(target, &entry, is_new) {
            Ok(intent) => Some(intent),
            Err(error) => return Ok(Outcome::LeftAlone(error.to_string())),
        };
        entry.wrote = state(after);
        let (index, replaced) = self.put(entry.clone());
        self.save(Step::RecordIntent)?;
        if let Err(error) = self.carry_out(target, &entry, after, mode) {
            roll_back(&entry, target.bytes.as_deref());
            match replaced {
                Some(replaced) => self.record.entries.files[index] = replaced,
                None => drop(self.record.entries.files.remove(index)),
            }
            self.save(Step::RecordDone)?;
            return Ok(Outcome::LeftAlone(error.to_string()));
        }
        self.record.entries.files[index].intent = None;
        self.save(Step::RecordDone)?;
        Ok(Outcome::Written(entry.backup_path()))
    }

    /// The entry of another host for a file that both share, if it leads back to what the change wants.
    fn shared(&self, target: &Target, change: &FileChange) -> Option<usize> {
        let index = self.carrier(target)?;
        let former = former(&self.record.entries.files[index])?;
        let wanted = change.after.as_deref().map(str::as_bytes);
        (former.bytes() == wanted).then_some(index)
    }

    /// The entry of the last change of a file, of whichever host, if nobody else changed the file since.
    fn carrier(&self, target: &Target) -> Option<usize> {
        let now = state(target.bytes.as_deref());
        let mut entries = self.record.entries.files.iter();
        entries.position(|entry| entry.path == target.path && entry.wrote == now)
    }

    /// Adds an entry, in place of the one of the same file; returns its index and what it replaced.
    fn put(&mut self, entry: Entry) -> (usize, Option<Entry>) {
        let known = self.record.find(&entry.host, &entry.path);
        let files = &mut self.record.entries.files;
        if let Some(index) = known {
            return (index, Some(std::mem::replace(&mut files[index], entry)));
        }
        files.push(entry);
        (files.len() - 1, None)
    }

    fn new_entry(&self, target: &Target, is_original: bool) -> io::Result<Entry> {
        let name = target.path.file_name().unwrap_or_default();
        let wanted = format!("{}{BACKUP}", name.to_string_lossy());
        let backup = match &target.bytes {
            Some(_) => Some(write::free_name(&target.path, &wanted)?),
            None => None,
        };
        Ok(Entry {
            host: self.host.to_owned(),
            path: target.path.clone(),
            former: state(target.bytes.as_deref()),
            wrote: None,
            backup,
            is_original,
            folders: write::missing_folders(&target.path)?,
            intent: None,
        })
    }

    /// The steps of a change whose intent is recorded.
    fn carry_out(
        &mut self,
        target: &Target,
        entry: &Entry,
        after: Option<&[u8]>,
        mode: Mode<'_>,
    ) -> io::Result<()> {
        if entry.intent.as_ref().is_some_and(|intent| intent.is_new) {
            (self.observer)(Step::MakeFolders);
            write::create_folders(&entry.folders)?;
            if let (Some(path), Some(bytes)) = (entry.backup_path(), &target.bytes) {
                (self.observer)(Step::WriteBackup);
                write::create(&path, bytes, Mode::like(target.metadata.as_ref()))?;
            }
        }
        self.replace(target, entry, after, mode)
    }

    /// Puts new bytes in the place of a file, or deletes it.
    fn replace(
        &mut self,
        target: &Target,
        entry: &Entry,
        after: Option<&[u8]>,
        mode: Mode<'_>,
    ) -> io::Result<()> {
        let Some(after) = after else {
            (self.observer)(Step::Delete);
            unchanged(target)?;
            fs::remove_file(&target.path)?;
            return write::sync_folder(&target.path);
        };
        let temporary = temporary_path(entry).ok_or(io::ErrorKind::InvalidInput)?;
        (self.observer)(Step::WriteTemporary);
        write::create(&temporary, after, mode)?;
        (self.observer)(Step::Replace);
        let replaced = unchanged(target).and_then(|()| fs::rename(&temporary, &target.path));
        if replaced.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        replaced.and_then(|()| write::sync_folder(&target.path))
    }

    /// Gives a file its former bytes, and removes what was made for it.
    fn restore(
        &mut self,
        target: &Target,
        index: usize,
        former: Option<&[u8]>,
    ) -> Result<Outcome, ChangeError> {
        if let Some(reason) = self.begin_taking(target, index, former)? {
            return Ok(Outcome::LeftAlone(reason));
        }
        let entry = self.record.entries.files[index].clone();
        (self.observer)(Step::RemoveBackup);
        remove_backup(&entry, former.unwrap_or_default());
        if former.is_none() {
            (self.observer)(Step::RemoveFolders);
            write::remove_empty_folders(&entry.folders);
        }
        self.record.entries.files.remove(index);
        self.save(Step::RecordDone)?;
        Ok(Outcome::Written(None))
    }

    /// Takes our entry out of a file that somebody else changed too. The backup stays.
    fn take_out(
        &mut self,
        target: &Target,
        index: usize,
        after: Option<&str>,
    ) -> Result<Outcome, ChangeError> {
        let current = state(target.bytes.as_deref());
        let is_changed = target.text() != Ok(after);
        if is_changed
            && let Some(reason) = self.begin_taking(target, index, after.map(str::as_bytes))?
        {
            return Ok(Outcome::LeftAlone(reason));
        }
        let entry = self.record.entries.files.remove(index);
        let backup = entry
            .backup_path()
            .filter(|path| target::bytes(path).is_some());
        self.hand_over(&entry, &current, &state(after.map(str::as_bytes)));
        self.save(Step::RecordDone)?;
        Ok(match (is_changed, backup) {
            (false, None) => Outcome::Unchanged,
            (_, backup) => Outcome::Written(backup),
        })
    }

    /// Records that a file is about to be taken back, and does it; the reason if it can't be.
    fn begin_taking(
        &mut self,
        target: &Target,
        index: usize,
        after: Option<&[u8]>,
    ) -> Result<Option<String>, ChangeError> {
        if let Err(reason) = target.check_writable() {
            return Ok(Some(reason));
        }
        let entry = &mut self.record.entries.files[index];
        match intent(target, entry, false) {
            Ok(intent) => entry.intent = Some(intent),
            Err(error) => return Ok(Some(error.to_string())),
        }
        let entry = entry.clone();
        self.save(Step::RecordIntent)?;
        let mode = Mode::like(target.metadata.as_ref());
        let Err(error) = self.replace(target, &entry, after, mode) else {
            return Ok(None);
        };
        self.record.entries.files[index].intent = None;
        self.save(Step::RecordDone)?;
        Ok(Some(error.to_string()))
    }

    /// Another host's change that was made on top of the one that was taken out now stands on what was below that.
    fn hand_over(&mut self, gone: &Entry, current: &State, after: &State) {
        let mut above = self.record.entries.files.iter_mut();
        let above = above.find(|above| above.path == gone.path && above.former == gone.wrote);
        let Some(above) = above.filter(|above| above.wrote == *current && gone.is_original) else {
            return;
        };
        let backup = above.backup_path().and_then(|path| target::bytes(&path));
        if let Some(bytes) = backup.filter(|bytes| state(Some(bytes)) == above.former) {
            remove_backup(above, &bytes);
        }
        above.former.clone_from(&gone.former);
        above.backup.clone_from(&gone.backup);
        above.folders.clone_from(&gone.folders);
        above.wrote.clone_from(after);
    }
}

/// The file of a change if it is as the plan expects it.
fn expected(change: &FileChange) -> Result<Target, String> {
    let target = target::read(&change.path)?;
    let text = target.text()?;
    if text == change.after.as_deref() {
        return Ok(target);
    }
    if text != change.before.as_deref() {
        return Err("it changed meanwhile; run the command again".to_owned());
    }
    if target.path.to_str().is_none() {
        return Err("its path is not UTF-8 text".to_owned());
    }
    target.check_writable()?;
    Ok(target)
}

/// Fails if the file isn't as it was read.
fn unchanged(target: &Target) -> io::Result<()> {
    let now = target::read(&target.path).map_err(io::Error::other)?;
    if now.bytes == target.bytes && now.path == target.path {
        return Ok(());
    }
    Err(io::Error::other(
        "it changed meanwhile; run the command again",
    ))
}

/// The intent to change a file; the entry is as it was before.
fn intent(target: &Target, entry: &Entry, is_new: bool) -> io::Result<Intent> {
    let name = target.path.file_name().unwrap_or_default();
    let wanted = format!(".{}.anamne-new", name.to_string_lossy());
    Ok(Intent {
        from: state(target.bytes.as_deref()),
        wrote: entry.wrote.clone(),
        is_new,
        temporary: write::free_name(&target.path, &wanted)?,
    })
}
