//! By which id a note that states none is known: by its path, as long as no other folder has a note there.

use std::collections::{HashMap, HashSet};

use anamne_text::normal::content_hash;
use anamne_types::MemoryId;

use crate::Error;
use crate::derived::imports::{NotedNote, NotesFolder};
use crate::space::Space;

/// The ids of the notes of a folder.
pub(super) struct NoteIds<'a> {
    space: &'a Space,
    folder: NotesFolder,
    /// The external ids of the memories that this folder's notes became, by path.
    own: HashMap<String, String>,
    /// The memories of notes of other folders.
    foreign: HashSet<MemoryId>,
}

impl<'a> NoteIds<'a> {
    /// Of a folder whose notes have texts with these hashes, by path. O(notes that were imported, from every folder).
    ///
    /// A folder that was never imported counts as one that was, moved or copied, if at least half of the notes that both have still
    /// say the same.
    pub(super) fn of(
        space: &'a Space,
        folder: NotesFolder,
        texts: &HashMap<String, [u8; 16]>,
    ) -> Result<Self, Error> {
        let mut noted: HashMap<NotesFolder, Vec<NotedNote>> = HashMap::new();
        for note in space.inner.derived.imports.all()? {
            noted.entry(note.folder).or_default().push(note);
        }
        let own = match noted.remove(&folder) {
            Some(own) => own,
            None => match former(space, &noted, texts)? {
                Some(former) => noted.remove(&former).unwrap_or_default(),
                None => Vec::new(),
            },
        };
        let mut foreign: HashSet<_> = noted
            .into_values()
            .flatten()
            .map(|note| note.memory)
            .collect();
        let mut ids = HashMap::new();
        for NotedNote { memory, note, .. } in own {
            foreign.remove(&memory);
            for memory in space.source().get_each(&[memory])? {
                if let Some(id) = memory.external_id.filter(|id| is_of_path(id, &note)) {
                    ids.insert(note.clone(), id);
                }
            }
        }
        Ok(Self {
            space,
            folder,
            own: ids,
            foreign,
        })
    }

    /// The id of the note at a path of the folder.
    pub(super) fn id_of(&self, note: &str) -> Result<String, Error> {
        if let Some(own) = self.own.get(note) {
            return Ok(own.clone());
        }
        let own = format!("{}/{note}", self.folder);
        let source = self.space.source();
        if source.find_imported(&own)?.is_some() || source.was_erased(&own)? {
            return Ok(own);
        }
        let known = source.find_imported(note)?;
        Ok(match known {
            Some(known) if self.foreign.contains(&known) => own,
            _ => note.to_owned(),
        })
    }
}

/// Whether an id was made of a note's path.
fn is_of_path(id: &str, note: &str) -> bool {
    let folder = id.strip_suffix(note);
    folder.is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

/// The folder that was imported before and has the same notes.
fn former(
    space: &Space,
    noted: &HashMap<NotesFolder, Vec<NotedNote>>,
    texts: &HashMap<String, [u8; 16]>,
) -> Result<Option<NotesFolder>, Error> {
    let mut best = None;
    for (folder, notes) in noted {
        let (mut shared, mut same) = (0, 0);
        for NotedNote { memory, note, .. } in notes {
            let Some(text) = texts.get(note.as_str()) else {
                continue;
            };
            for memory in space.source().get_each(&[*memory])? {
                shared += 1;
                same += usize::from(content_hash(&memory.content) == *text);
            }
        }
        let candidate = (same, *folder);
        if same > 0 && 2 * same >= shared && best.is_none_or(|best| candidate > best) {
            best = Some(candidate);
        }
    }
    Ok(best.map(|(_, folder)| folder))
}
