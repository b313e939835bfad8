//! A folder with a store and its backups, filled with content to erase and used in every way.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne::embed::{EmbedError, Embedder, ModelIdentity};
use anamne::queue::NewTask;
use anamne::{
    Assertion, Body, Draft, Edit, EntityType, Feedback, Link, LinkType, MemoryId, Options,
    QueryLogging, Recall, Space, Store, ToldEntity,
};
use anamne_knowledge::reading::{Mention, Reading};
use anamne_knowledge::readings::{ConflictReading, Readings};
use anamne_types::{Row, Seq};
use jiff::{Timestamp, ToSpan};
use tempfile::TempDir;

use super::traces::{Trace, traces_in};
use super::{SetClock, link};

pub(crate) const NOW: &str = "2026-03-01T12:00:00Z";

/// Sentences of the memories to erase, by their state at that time.
pub(crate) const LIVE: &str =
    "The azyxlive quellfruit lies under the seventh lighthouse of Vorpalstad";
pub(crate) const FORMER: &str =
    "The bzyxformer quellfruit lies under the eighth lighthouse of Vorpalstad";
pub(crate) const FORGOTTEN: &str =
    "The czyxforgotten quellfruit lies under the ninth lighthouse of Vorpalstad";
pub(crate) const COLD: &str =
    "The dzyxcold quellfruit lies under the tenth lighthouse of Vorpalstad";
pub(crate) const SEALED: &str =
    "The ezyxsealed quellfruit lies under the eleventh lighthouse of Vorpalstad";

/// Words that occur only in the memories to erase, each in another place.
pub(crate) const WORDS: [&str; 17] = [
    "zyxlive",
    "zyxformer",
    "zyxforgotten",
    "zyxcold",
    "zyxsealed",
    "zyxtag",
    "zyxthread",
    "zyxauthor",
    "zyxsession",
    "zyxkey",
    "zyxvalue",
    "zyxtitle",
    "zyxoutside",
    "zyxreason",
    "zyxnote",
    "zyxname",
    "zyxasked",
];

pub(crate) fn all_traces() -> Vec<Trace> {
    let sentences = [LIVE, FORMER, FORGOTTEN, COLD];
    let words = WORDS.iter().map(|word| Trace::word(word));
    words
        .chain(sentences.iter().map(|sentence| Trace::tokens(sentence)))
        .chain(sentences.iter().map(|sentence| Trace::digest(sentence)))
        .collect()
}

/// A costly model, so that its vectors are cached.
#[derive(Debug)]
struct Costly(ModelIdentity);

impl Embedder for Costly {
    fn model(&self) -> &ModelIdentity {
        &self.0
    }

    fn dimensions(&self) -> usize {
        16
    }

    fn embed_into(&self, text: &str, vector: &mut [f32]) -> Result<(), EmbedError> {
        let hash = blake3::hash(text.as_bytes());
        for (place, byte) in vector.iter_mut().zip(hash.as_bytes()) {
            *place = f32::from(*byte) / 1_020.0;
        }
        Ok(())
    }

    fn is_costly(&self) -> bool {
        true
    }
}

/// A folder with a store and its backups.
pub(crate) struct Site {
    pub(crate) folder: TempDir,
    pub(crate) clock: Arc<SetClock>,
}

impl Site {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            clock: Arc::new(SetClock::at(NOW)),
        }
    }

    pub(crate) fn root(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// One of the stores, opened as another process would open it.
    pub(crate) fn store(&self, name: &str) -> Store {
        let costly = Costly(ModelIdentity::new("costly", "1"));
        let options = Options {
            clock: self.clock.clone(),
            embedders: vec![Arc::new(costly)],
            ..Options::new(self.root(name)).background(false)
        };
        Store::open_with(options).expect("a store")
    }

    pub(crate) fn space(&self, name: &str) -> Space {
        self.store(name).space("tests").expect("a space")
    }

    /// The folder of the space in one of the stores.
    pub(crate) fn space_folder(&self, name: &str) -> PathBuf {
        self.root(name).join("spaces/tests")
    }

    pub(crate) fn back_up(&self, from: &str, to: &str) {
        self.store(from)
            .backup(&self.root(to), None)
            .expect("a backup");
    }

    /// Everything that is left of the erased content in any of the stores.
    pub(crate) fn traces(&self) -> Vec<(PathBuf, BTreeSet<String>)> {
        traces_in(self.folder.path(), &all_traces())
    }

    #[track_caller]
    pub(crate) fn assert_nothing_left(&self) {
        assert_eq!(self.traces(), []);
    }
}

/// Uses every feature, so that each kind of view, queue, log and cache exists afterwards.
pub(crate) fn use_everything(space: &Space) {
    for question in [
        "zyxasked where does the quellfruit lie?",
        "lighthouse Vorpalstad",
    ] {
        space.recall(&Recall::new(question)).expect("an answer");
    }
    space.settle(&mut |_, _| {}).expect("settled");
    let call = anamne::ExperienceQuery {
        action: "zyxcalled".to_owned(),
        ..anamne::ExperienceQuery::default()
    };
    space.experience(&call).expect("advice");
    space.fold().expect("folded");
    space.extract(&mut |_| true).expect("extracted");
    space.summarise(&mut |_| {}).expect("summarised");
    space.run_tasks(&mut |_| {}).expect("run");
    let queue = space.task_queue().expect("a queue");
    queue
        .enqueue(&NewTask::new("nobody", "does it"))
        .expect("queued");
    write_readings(space.folder());
    space.settle(&mut |_, _| {}).expect("settled");
}

/// The readings and verdicts of a language model about the first memories.
pub(crate) fn write_readings(folder: &Path) {
    let readings = Readings::open(&folder.join("paid/readings.db")).expect("readings");
    let mention = Mention {
        span: 0..4,
        name: "zyxlive".to_owned(),
        entity_type: EntityType::Person,
        confidence: 0.9,
    };
    let reading = Reading {
        mentions: vec![mention],
        statements: Vec::new(),
    };
    readings
        .put(Row(1), Seq(1), "scripted", Some((&reading, LIVE)))
        .expect("put");
    let verdict = ConflictReading {
        kind: None,
        reason: "the zyxlive says so".to_owned(),
    };
    readings
        .judge("0123456789ab", "scripted", &verdict)
        .expect("judged");
}

/// Stores the content to erase, in every state and place, among other memories; returns the ids to erase.
pub(crate) fn fill(site: &Site, name: &str) -> Vec<MemoryId> {
    let space = site.space(name);
    space
        .configure(|config| {
            config.meta.queries = QueryLogging::Text;
            "costly".clone_into(&mut config.embedding.model);
        })
        .expect("configured");
    let write = |draft: Draft| space.remember(draft).expect("told").id;
    let live = write(full(Draft::new(LIVE)));
    let kept = write(Draft::new(
        "The harbour master counts the boats of Vorpalstad",
    ));
    let edited = write(Draft::new(FORMER));
    let forgotten = write(Draft::new(FORGOTTEN));
    let sealed = write(Draft::new(SEALED));
    let now: Timestamp = NOW.parse().expect("an instant");
    let cold = write(Draft::new(COLD).occurred_at(now - (24 * 300).hours()));
    for number in 0..12 {
        // Ten of these fill a journal segment.
        write(Draft::new(format!("{number} {}", "x".repeat(230_000))));
    }
    let named = Assertion::Entity(ToldEntity {
        name: "zyxname".to_owned(),
        entity_type: EntityType::Person,
        ..ToldEntity::default()
    });
    let named = space.assert(&named, None).expect("asserted").id;
    let edit = Edit {
        content: Some("Nobody knows where it lies".to_owned()),
        ..Edit::default()
    };
    space.edit(edited, &edit).expect("edited");
    space.forget(forgotten).expect("forgotten");
    space.link(&link(live, kept, "zyxreason")).expect("linked");
    let taken_away = Link {
        link_type: LinkType::Supersedes,
        ..link(kept, live, "zyxreason, taken away")
    };
    space.link(&taken_away).expect("linked");
    space
        .unlink(kept, live, LinkType::Supersedes)
        .expect("unlinked");
    let feedback = Feedback {
        note: "zyxnote".to_owned(),
        ..Feedback::new(live, true)
    };
    space.feedback(&feedback).expect("judged");
    space.age(&mut |_, _| {}).expect("aged");
    use_everything(&space);
    vec![live, edited, forgotten, sealed, cold, named]
}

/// Fills the text fields besides the content.
pub(crate) fn full(draft: Draft) -> Draft {
    let mut draft = draft
        .body(Body::Document {
            title: "zyxtitle".to_owned(),
            source: String::new(),
        })
        .thread("zyxthread")
        .author("zyxauthor")
        .tag("zyxtag");
    draft.session = Some("zyxsession".to_owned());
    draft
        .metadata
        .insert("zyxkey".to_owned(), "zyxvalue".into());
    draft.external_id = Some("zyxoutside".to_owned());
    draft
}

/// Overwrites a part of a file, or truncates it if it is short.
pub(crate) fn damage(file: &Path) {
    let mut bytes = fs::read(file).expect("a file");
    let middle = bytes.len() / 2..(bytes.len() / 2 + 4_096).min(bytes.len());
    bytes[middle].fill(0x5A);
    bytes[..16].fill(0x5A);
    fs::write(file, bytes).expect("damaged");
}

/// Damages both copies and some views of a store, and repairs them, so that the damaged files are quarantined.
pub(crate) fn damage_and_repair(site: &Site, name: &str) {
    let space = site.space_folder(name);
    for file in ["memories/active.db", "journal/000002.jsonl"] {
        damage(&space.join(file));
        let report = &site.store(name).repair(None).expect("a repair")[0];
        assert_eq!(report.lost, Vec::<String>::new());
    }
    use_everything(&site.space(name));
    for file in [
        "views/knowledge.db",
        "views/summaries.db",
        "observed/meta.db",
        "tasks.db",
    ] {
        damage(&space.join(file));
    }
    use_everything(&site.space(name));
}
