//! The guard in front of the log: every text that is written passes it.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use anamne_guard::{DataKind, Guard};
use anamne_store::GuardConfig;
use anamne_types::{Assertion, Draft, Edit, GuardNote, InvalidValue, Link, Metadata, TextField};

use crate::Error;
use crate::space::Space;

/// The most notes stored with one memory, and returned for it.
const MAX_NOTES: usize = 64;

/// The guard of a space, rebuilt when its settings change.
#[derive(Debug, Default)]
pub(crate) struct CurrentGuard(Mutex<Option<(GuardConfig, Arc<Guard>)>>);

impl CurrentGuard {
    /// The guard with these settings.
    pub(crate) fn get(&self, config: &GuardConfig) -> Result<Arc<Guard>, InvalidValue> {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, guard)) = &*current
            && known == config
        {
            return Ok(guard.clone());
        }
        let guard = Arc::new(config.guard()?);
        *current = Some((config.clone(), guard.clone()));
        Ok(guard)
    }
}

impl Space {
    /// The guard with the space's current settings; `None` if this handle writes without it.
    pub(crate) fn guard(&self) -> Result<Option<Arc<Guard>>, InvalidValue> {
        if self.is_unguarded {
            return Ok(None);
        }
        let guard = self.inner.guard.get(&self.config().guard)?;
        Ok(Some(guard).filter(|guard| guard.is_on()))
    }

    /// Checks every text of a draft; redacts and marks them, or refuses the draft. O(bytes).
    pub(crate) fn guarded<'a>(
        &self,
        draft: &'a Draft,
    ) -> Result<(Cow<'a, Draft>, Vec<GuardNote>), InvalidValue> {
        let Some(guard) = self.guard()? else {
            return Ok((Cow::Borrowed(draft), Vec::new()));
        };
        if !draft.metadata.contains_key(GuardNote::KEY) && !has_findings(&guard, draft) {
            return Ok((Cow::Borrowed(draft), Vec::new()));
        }
        let mut checked = draft.clone();
        checked.metadata.remove(GuardNote::KEY);
        let notes = check_draft(&guard, &mut checked)?;
        record(&mut checked.metadata, &notes);
        Ok((Cow::Owned(checked), notes))
    }

    /// Checks every text of an edit, like [`Space::guarded`]. The notes about fields that it doesn't change stay.
    pub(crate) fn guarded_edit(
        &self,
        edit: &Edit,
        before: impl FnOnce() -> Result<Metadata, Error>,
    ) -> Result<Edit, Error> {
        let mut checked = edit.clone();
        let Some(guard) = self.guard()? else {
            return Ok(checked);
        };
        let mut fields = Vec::new();
        let found = check(&guard, |visit| {
            checked.visit_texts(&mut |place, text| {
                fields.push(place.field.to_owned());
                visit(place, text);
            });
        });
        let mut notes = found?;
        let changed = edit.metadata.keys();
        fields.extend(changed.map(|name| GuardNote::field_of_metadata(name)));
        if fields.is_empty() {
            return Ok(checked);
        }
        let known = GuardNote::of(&before()?);
        if notes.is_empty() && known.is_empty() {
            return Ok(checked);
        }
        // An edit adds tags and metadata beside the known ones, which keep their notes.
        let is_added = |field: &str| field == "tags" || field == "metadata";
        let is_kept = |note: &GuardNote| is_added(&note.field) || !fields.contains(&note.field);
        notes.extend(known.into_iter().filter(is_kept));
        record(&mut checked.metadata, &notes);
        if notes.is_empty() {
            // A null removes the name.
            let removed = serde_json::Value::Null;
            checked.metadata.insert(GuardNote::KEY.to_owned(), removed);
        }
        Ok(checked)
    }

    /// Checks the reason of a link.
    pub(crate) fn guarded_link(&self, link: &Link) -> Result<Link, InvalidValue> {
        let mut checked = link.clone();
        if let Some(guard) = self.guard()? {
            check(&guard, |visit| checked.visit_texts(visit))?;
        }
        Ok(checked)
    }

    /// What would be stored of a text, and what the guard finds in it. Writes nothing.
    pub fn guard_test(&self, text: &str) -> Result<(String, Vec<GuardNote>), Error> {
        let guard = self.inner.guard.get(&self.config().guard)?;
        Ok(tested(&guard, text)?)
    }

    /// Checks every text that `each` visits: redacts it in place, or fails.
    pub(crate) fn guard_texts(&self, each: impl FnOnce(Visitor<'_>)) -> Result<(), Error> {
        if let Some(guard) = self.guard()? {
            check(&guard, each)?;
        }
        Ok(())
    }

    /// Redacts what the policy doesn't allow in a text that is shown or kept beside the log, such as an error message.
    pub(crate) fn guarded_text(&self, text: &str) -> String {
        match self.guard() {
            Ok(Some(guard)) => match guard.check(text) {
                Ok(checked) => checked.text.into_owned(),
                Err(refused) => refused.to_string(),
            },
            _ => text.to_owned(),
        }
    }
}

/// What a space with these settings would store of a text, and what the guard finds in it; [`Space::guard_test`] without a
/// space.
pub fn guard_test(config: &GuardConfig, text: &str) -> Result<(String, Vec<GuardNote>), Error> {
    Ok(tested(&config.guard()?, text)?)
}

fn tested(guard: &Guard, text: &str) -> Result<(String, Vec<GuardNote>), InvalidValue> {
    let mut stored = text.to_owned();
    let notes = check(guard, |visit| visit("text".into(), &mut stored))?;
    Ok((stored, notes))
}

pub(crate) type Visitor<'a> = &'a mut dyn FnMut(TextField<'_>, &mut String);

/// Applies the guard to every text that `each` visits; fails if one is refused, and names its field and kinds only.
pub(crate) fn check(
    guard: &Guard,
    each: impl FnOnce(Visitor<'_>),
) -> Result<Vec<GuardNote>, InvalidValue> {
    let (mut notes, mut refused) = (Vec::new(), None);
    each(&mut |place, text| {
        let checked = match guard.check_in(place.label, text) {
            Ok(checked) => checked,
            Err(error) => {
                refused.get_or_insert_with(|| refusal(place.field, &error.kinds));
                return;
            }
        };
        notes.extend(checked.findings.into_iter().map(|found| GuardNote {
            field: place.field.to_owned(),
            kind: found.kind.name().to_owned(),
            action: found.action.name().to_owned(),
            start: found.span.start,
            end: found.span.end,
        }));
        if let Cow::Owned(redacted) = checked.text {
            *text = redacted;
        }
    });
    refused.map_or(Ok(notes), Err)
}

/// Applies the guard to every text of a draft. A redacted external id is removed: ids that differ in a secret only would
/// be the same. A redacted assertion gets a new sentence, in which its value has no name of its own.
pub(crate) fn check_draft(
    guard: &Guard,
    draft: &mut Draft,
) -> Result<Vec<GuardNote>, InvalidValue> {
    let (id, told) = (
        draft.external_id.clone(),
        Assertion::in_metadata(&draft.metadata),
    );
    let mut notes = check(guard, |visit| draft.visit_texts(visit))?;
    if draft.external_id != id {
        draft.external_id = None;
    }
    let stored = Assertion::in_metadata(&draft.metadata);
    if let Some(stored) = stored.filter(|stored| told.as_ref() != Some(stored)) {
        draft.content = stored.sentence();
        notes.retain(|note| note.field != "content");
        let again = check(guard, |visit| visit("content".into(), &mut draft.content))?;
        notes.extend(again);
    }
    Ok(notes)
}

/// Whether the guard finds anything in a draft.
fn has_findings(guard: &Guard, draft: &Draft) -> bool {
    let mut has = false;
    draft.read_texts(&mut |label, text| has = has || !guard.findings_in(label, text).is_empty());
    has
}

/// What the guard finds in every text that `each` visits.
pub(crate) fn notes_of(guard: &Guard, each: impl FnOnce(Visitor<'_>)) -> Vec<GuardNote> {
    let mut notes = Vec::new();
    each(&mut |place, text| {
        let found = guard.findings_in(place.label, text).into_iter();
        notes.extend(found.map(|finding| GuardNote {
            field: place.field.to_owned(),
            kind: finding.kind.name().to_owned(),
            action: guard.action(finding.kind).name().to_owned(),
            start: finding.span.start,
            end: finding.span.end,
        }));
    });
    notes
}

fn refusal(field: &str, kinds: &[DataKind]) -> InvalidValue {
    let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
    let accepts = "text without what the space's guard refuses";
    InvalidValue::new(field, accepts, names.join(", "))
}

/// The notes that are kept with a memory. Of too many, those come first that make it private.
pub(crate) fn kept(mut notes: Vec<GuardNote>) -> Vec<GuardNote> {
    if notes.len() > MAX_NOTES {
        notes.sort_by_key(|note| !note.makes_private());
        notes.truncate(MAX_NOTES);
    }
    notes
}

/// Stores the notes in a memory's metadata.
pub(crate) fn record(metadata: &mut Metadata, notes: &[GuardNote]) {
    let kept = kept(notes.to_vec());
    if kept.is_empty() {
        return;
    }
    if let Ok(value) = serde_json::to_value(kept) {
        metadata.insert(GuardNote::KEY.to_owned(), value);
    }
}
