//! A space, open: what can be told to it and asked of it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use anamne_embed::Reranker;
use anamne_jobs::{Activity, Queue};
use anamne_knowledge::graph::Graph;
use anamne_knowledge::summaries::Summaries;
use anamne_llm::Bridge;
use anamne_recall::Facts;
use anamne_store::view::{Fold, Health, View};
use anamne_store::{
    Aging, Examination, JournalReport, Listing, Order, Part, SpaceConfig, SpaceSource, Standing,
    Statistics, StoreError, TierCount,
};
use anamne_types::{
    Actor, Draft, Edit, Filter, Link, LinkType, Memory, MemoryId, Remembered, Right, Scope, Seq,
    Tier, Version,
};
use serde::Serialize;

use crate::Error;
use crate::answering::Noticed;
use crate::due::Due;
use crate::error::Denied;
use crate::latent::{self, KnownLatent};
use crate::meta::MetaMemory;
use crate::models::Models;
use crate::past::KnownPast;
use crate::reembedding::{EmbeddingState, Growing, Portion, Wanted};
use crate::store::Store;
use crate::tiers::{ColderTiers, OpenTier, Trouble};
use crate::views::label;
use crate::worker::Worker;

/// A handle on a space; clones share it. Every method may be called from several threads.
#[derive(Clone)]
pub struct Space {
    pub(crate) inner: Arc<Inner>,
    /// The store that it belongs to, with the scope of whoever uses this handle.
    pub(crate) store: Store,
}

pub(crate) struct Inner {
    pub(crate) source: SpaceSource,
    pub(crate) models: Arc<Models>,
    /// The model that answers, as last noticed, and the active tier with its vectors.
    pub(crate) noticed: RwLock<Noticed>,
    /// The model that the settings ask for, as last looked for.
    pub(crate) wanted: Mutex<Option<Wanted>>,
    /// Vectors of it while they are being made.
    pub(crate) growing: Mutex<Growing>,
    /// When the background goes on with them after trouble.
    pub(crate) next_reembedding: Due,
    /// Whether vectors that nobody needs were looked for.
    pub(crate) tidied: AtomicBool,
    pub(crate) colder: ColderTiers,
    pub(crate) bridge: Option<Arc<Bridge>>,
    /// What looks at the first results of a question again, if anything does.
    pub(crate) reranker: Option<Arc<dyn Reranker>>,
    background: Option<Worker>,
    /// The summaries, once they were asked for.
    pub(crate) summaries: Mutex<Option<Arc<Summaries>>>,
    /// The queue of background work, once it was used.
    pub(crate) queue: Mutex<Option<Queue>>,
    /// What goes on in this process, for the queue.
    pub(crate) activity: Arc<Activity>,
    /// When the background next looks for tasks.
    pub(crate) next_tasks: Due,
    /// How many questions were asked of it in this process.
    pub(crate) asked: AtomicU64,
    /// The knowledge graph, once it was asked for.
    pub(crate) graph: Mutex<Option<Arc<Graph>>>,
    /// What recall knows of the space, and the event as of which it knows it.
    pub(crate) facts: Mutex<Option<(Seq, Arc<Facts>)>>,
    /// What differed at the instant as of which was last asked.
    pub(crate) past: Mutex<Option<KnownPast>>,
    /// How many replacements of the database the views have followed.
    pub(crate) followed: Mutex<u64>,
    /// What went wrong in the background, for `doctor`.
    troubles: Mutex<Vec<String>>,
    /// Whether something was told or changed here since the retention was last looked at.
    pub(crate) written: AtomicBool,
    /// When the background next looks for memories that are no longer kept.
    pub(crate) next_retention: Due,
    /// What was handed out and when, until it is noted in the source.
    pub(crate) uses: Mutex<HashMap<MemoryId, jiff::Timestamp>>,
    /// What is told together.
    pub(crate) latent: KnownLatent,
    /// What is known of its own recall.
    pub(crate) meta: MetaMemory,
    /// Whether an erasure is still to reach a backup, and when the background next tries.
    pub(crate) backups_pending: AtomicBool,
    pub(crate) next_backups: Due,
    /// When it next looks for memories that have aged.
    pub(crate) next_aging: Due,
    /// When the background next sees whether everything is to be read back.
    pub(crate) next_examination: Due,
}

/// A check-up tells of what was mended within so many days.
const EARLIER_DAYS: i64 = 30;

/// The state of one view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ViewState {
    /// Its name.
    pub name: String,
    /// The log's event up to which it covers the log on disk.
    pub watermark: u64,
    /// The event up to which it answers.
    pub position: u64,
    /// Rows that it holds in memory until they are folded.
    pub tail_rows: usize,
    /// Bytes on disk.
    pub bytes: u64,
    /// Why it can't take part; empty when it can.
    pub trouble: String,
}

/// What a space holds, and how its views do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpaceReport {
    /// The space's name.
    pub space: String,
    /// What it is about.
    pub description: String,
    /// Counts over the source.
    #[serde(flatten)]
    pub statistics: Statistics,
    /// The views of its active tier.
    pub views: Vec<ViewState>,
    /// Its tiers, hottest first.
    pub tiers: Vec<TierCount>,
    /// Which embedding model answers.
    pub embedding: EmbeddingState,
    /// Bytes of source databases.
    pub source_bytes: u64,
    /// Bytes of the journal.
    pub journal_bytes: u64,
}

/// What a check-up of a space found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckUp {
    /// The space's name.
    pub space: String,
    /// What was looked at and is well.
    pub well: Vec<String>,
    /// What is not done without a person's confirmation, and how it is confirmed.
    pub deferred: Vec<String>,
    /// What was wrong and has been mended.
    pub mended: Vec<String>,
    /// What any process mended within the last thirty days, each with its time.
    pub earlier: Vec<String>,
    /// What is wrong and needs a person.
    pub problems: Vec<String>,
}

impl CheckUp {
    /// Adds what an examination of both copies found.
    fn take(&mut self, examined: Examination) {
        let is_sound = |part| examined.findings.iter().all(|finding| finding.part != part);
        if is_sound(Part::Journal) {
            self.well.push(format!(
                "journal: {} events in {} segments verify",
                examined.events, examined.segments
            ));
        }
        if is_sound(Part::Database) {
            self.well.push(format!(
                "database: {} rows are as they were told, and SQLite's integrity check passes",
                examined.rows
            ));
        }
        self.well.extend(examined.notes);
        let findings = examined.findings.iter().map(ToString::to_string);
        self.problems.extend(findings);
        if !examined.findings.is_empty() {
            let hint = "`anamne repair` mends either copy from the other";
            self.problems.push(hint.to_owned());
        }
    }
}

impl Inner {
    /// Opens a space, and wakes the background where something is waiting.
    pub(crate) fn open(
        source: SpaceSource,
        models: Arc<Models>,
        bridge: Option<Arc<Bridge>>,
        reranker: Option<Arc<dyn Reranker>>,
        background: bool,
    ) -> Result<Arc<Self>, Error> {
        let noticed = Noticed::first(&source, &models)?;
        let activity = Arc::new(Activity::new(source.clock()));
        let meta = MetaMemory::of(source.folder());
        let inner = Arc::new(Self {
            meta,
            source,
            models,
            noticed,
            wanted: Mutex::default(),
            growing: Mutex::default(),
            next_reembedding: Due::at_once(),
            tidied: AtomicBool::new(false),
            colder: ColderTiers::default(),
            bridge,
            reranker,
            background: background.then(Worker::default),
            summaries: Mutex::default(),
            queue: Mutex::default(),
            activity,
            next_tasks: Due::at_once(),
            asked: AtomicU64::new(0),
            graph: Mutex::default(),
            facts: Mutex::default(),
            past: Mutex::default(),
            followed: Mutex::default(),
            troubles: Mutex::default(),
            written: AtomicBool::new(false),
            next_retention: Due::at_once(),
            backups_pending: AtomicBool::new(false),
            next_backups: Due::at_once(),
            next_aging: Due::at_once(),
            uses: Mutex::default(),
            latent: KnownLatent::default(),
            next_examination: Due::at_once(),
        });
        inner.look_for_pending_backups();
        if let Some(worker) = &inner.background
            && (inner.source.unclean_views()?.is_some()
                || inner.is_reembedding()
                || inner.are_backups_due())
        {
            worker.wake(&Arc::downgrade(&inner));
        }
        Ok(inner)
    }
}

impl Space {
    pub(crate) fn new(inner: Arc<Inner>, store: Store) -> Self {
        Self { inner, store }
    }

    /// The same space, with everything told in the name of `actor`, who can't be trusted more than the present
    /// one without [`Right::Trust`].
    pub fn acting_as(&self, actor: Actor) -> Result<Self, Error> {
        actor.check()?;
        if actor.default_trust() > self.scope().highest_trust() {
            return Err(Denied::Actor(actor.kind).into());
        }
        Ok(Self {
            inner: self.inner.clone(),
            store: self.store.acting_as(actor),
        })
    }

    /// Who uses this handle, and what they may do.
    pub fn scope(&self) -> &Scope {
        self.store.scope()
    }

    pub(crate) fn actor(&self) -> &Actor {
        self.scope().actor()
    }

    /// Refuses a caller who may not write to this space.
    pub(crate) fn require_write(&self) -> Result<(), Error> {
        if self.scope().may_write(self.name()) {
            return Ok(());
        }
        Err(Denied::Write(self.name().to_owned()).into())
    }

    /// Refuses a caller who may not write to this space, or lacks this right.
    pub(crate) fn require(&self, right: Right) -> Result<(), Error> {
        self.require_write()?;
        self.store.require(right)
    }

    /// The space's name.
    pub fn name(&self) -> &str {
        self.inner.source.name().as_str()
    }

    /// The space's folder.
    pub fn folder(&self) -> &Path {
        self.inner.source.folder()
    }

    /// The space's settings, as they were last read: at opening, and before the last write.
    pub fn config(&self) -> Arc<SpaceConfig> {
        self.inner.source.config()
    }

    /// Changes the space's settings; a value that is not accepted changes nothing.
    ///
    /// Another embedding model begins to answer when the vectors of every memory are made with it, by the background or
    /// [`Space::settle`]; until then the one before does. [`Error::UnknownModel`] and [`Error::Model`] where it can't be had.
    pub fn configure(
        &self,
        change: impl FnOnce(&mut SpaceConfig),
    ) -> Result<Arc<SpaceConfig>, Error> {
        self.require(Right::Configure)?;
        let mut refused = None;
        let checked = |config: &mut SpaceConfig| {
            let before = config.clone();
            change(config);
            // A value that is no name at all is refused with the others.
            if config.embedding != before.embedding
                && config.check().is_ok()
                && let Err(error) = self.inner.models.get(&config.embedding.model)
            {
                refused = Some(error);
                *config = before;
            } else if let Err(refusal) = anamne_recall::check_settings(&config.recall) {
                refused = Some(refusal.into());
                *config = before;
            }
        };
        let config = self.inner.source.configure(checked)?;
        if let Some(refused) = refused {
            return Err(refused);
        }
        self.inner.hasten_reembedding();
        self.wake_worker();
        Ok(config)
    }

    /// The present instant by the store's clock.
    pub fn now(&self) -> jiff::Timestamp {
        self.inner.source.now()
    }

    /// Tells one memory. When this returns it is durable in both copies and every process finds it.
    pub fn remember(&self, draft: impl Into<Draft>) -> Result<Remembered, Error> {
        let draft = draft.into();
        self.require_write()?;
        self.admit(&draft)?;
        self.tell(&draft)
    }

    /// Tells what the engine itself words, reserved metadata included.
    pub(crate) fn tell(&self, draft: &Draft) -> Result<Remembered, Error> {
        let remembered = self.inner.source.remember(self.actor(), draft)?;
        self.after_write();
        Ok(remembered)
    }

    /// Tells many memories in one transaction: all or none.
    pub fn remember_all(&self, drafts: &[Draft]) -> Result<Vec<Remembered>, Error> {
        self.require_write()?;
        drafts.iter().try_for_each(|draft| self.admit(draft))?;
        let remembered = self.inner.source.remember_all(self.actor(), drafts)?;
        self.after_write();
        Ok(remembered)
    }

    /// Tells many memories in one transaction; those that are refused don't keep the others back.
    pub fn remember_each(
        &self,
        drafts: &[Draft],
    ) -> Result<Vec<Result<Remembered, StoreError>>, Error> {
        self.require_write()?;
        let admit = |draft: &Draft| self.admit(draft);
        let remembered = self
            .inner
            .source
            .remember_each(self.actor(), drafts, &admit)?;
        self.after_write();
        Ok(remembered)
    }

    /// The ids of all memories that pass a filter, as of one instant.
    pub fn select(
        &self,
        filter: &Filter,
        standing: Standing,
        order: Order,
    ) -> Result<Vec<MemoryId>, Error> {
        Ok(self.inner.source.select(filter, standing, order)?)
    }

    /// The memories with these ids, in their order; those that are not there, or were erased, are passed over.
    pub fn get_each(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, Error> {
        Ok(self.inner.source.get_each(ids)?)
    }

    /// The memory with this id, forgotten ones included.
    pub fn get(&self, id: MemoryId) -> Result<Memory, Error> {
        let memory = self.inner.source.get(id)?;
        self.inner.used([(id, memory.body.kind())]);
        self.inner.note_opening(memory.row);
        Ok(memory)
    }

    /// The id that `text` names: a whole id, or its first digits where only one memory has them.
    pub fn resolve(&self, text: &str) -> Result<MemoryId, Error> {
        Ok(self.inner.source.resolve(text)?)
    }

    /// The memory that was imported under this id, or has it.
    pub fn find_imported(&self, id: &str) -> Result<Option<MemoryId>, Error> {
        Ok(self.inner.source.find_imported(id)?)
    }

    /// Memories that pass a filter, in a chosen order.
    pub fn list(&self, listing: &Listing) -> Result<Vec<Memory>, Error> {
        Ok(self.inner.source.list(listing)?)
    }

    /// Changes a memory and returns its new state.
    pub fn edit(&self, id: MemoryId, edit: &Edit) -> Result<Memory, Error> {
        self.require_write()?;
        self.admit_edit(edit)?;
        let memory = self.inner.source.edit(self.actor(), id, edit)?;
        self.after_write();
        Ok(memory)
    }

    /// Puts a memory away; [`Space::restore`] brings it back.
    pub fn forget(&self, id: MemoryId) -> Result<Memory, Error> {
        self.require_write()?;
        Ok(self.inner.source.forget(self.actor(), id)?)
    }

    /// Puts many memories away in one transaction: all or none of them.
    pub fn forget_all(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, Error> {
        self.require_write()?;
        Ok(self.inner.source.forget_all(self.actor(), ids)?)
    }

    /// Brings a forgotten memory back.
    pub fn restore(&self, id: MemoryId) -> Result<Memory, Error> {
        self.require_write()?;
        Ok(self.inner.source.restore(self.actor(), id)?)
    }

    /// Draws a link; its `created_at` is set to now.
    pub fn link(&self, link: &Link) -> Result<Seq, Error> {
        self.require_write()?;
        Ok(self.inner.source.link(self.actor(), link)?)
    }

    /// Takes a link away; says whether it was there.
    pub fn unlink(&self, from: MemoryId, to: MemoryId, link_type: LinkType) -> Result<bool, Error> {
        self.require_write()?;
        Ok(self
            .inner
            .source
            .unlink(self.actor(), from, to, link_type)?)
    }

    /// The links that start or end at a memory.
    pub fn links(&self, id: MemoryId) -> Result<Vec<Link>, Error> {
        Ok(self.inner.source.links(id)?)
    }

    /// Every link of the space.
    pub fn all_links(&self) -> Result<Vec<Link>, Error> {
        Ok(self.inner.source.all_links()?)
    }

    /// Every state that a memory has had, the present one last.
    pub fn history(&self, id: MemoryId) -> Result<Vec<Version>, Error> {
        Ok(self.inner.source.history(id)?)
    }

    /// Counts, sizes and the state of the views. O(memories).
    pub fn report(&self) -> Result<SpaceReport, Error> {
        let troubles = self.caught_up()?;
        let folder = self.folder();
        Ok(SpaceReport {
            space: self.name().to_owned(),
            description: self.config().description.clone(),
            statistics: self.inner.source.statistics()?,
            views: self
                .inner
                .active()
                .followers
                .views()
                .iter()
                .map(|view| view_state(view.as_ref(), folder, &troubles))
                .collect(),
            tiers: self.tiers()?,
            embedding: self.inner.embedding_state()?,
            source_bytes: bytes_under(&folder.join("memories")),
            journal_bytes: bytes_under(&folder.join("journal")),
        })
    }

    /// Whether [`Space::settle`] has something to do.
    pub fn is_unsettled(&self) -> Result<bool, Error> {
        self.caught_up()?;
        self.inner.look_for_wanted()?;
        Ok(!self.inner.active().followers.due().is_empty()
            || self.inner.is_reembedding()
            || self.inner.is_latent_outdated()
            || self.inner.source.unclean_views()?.is_some()
            || self.inner.is_retention_waiting()?)
    }

    /// Does now, in this thread, what the background does otherwise: folds long tails, rebuilds broken views, seals full
    /// segments of the journal, and makes the vectors of a model that was chosen. After something was told or changed in this
    /// process it also applies the space's retention. Only [`Space::age`] moves memories to colder tiers.
    pub fn settle(&self, progress: &mut dyn FnMut(&'static str, Seq)) -> Result<(), Error> {
        self.require_write()?;
        self.settle_retention()?;
        self.settle_views(progress)?;
        self.inner.reembed(progress)
    }

    fn settle_views(&self, progress: &mut dyn FnMut(&'static str, Seq)) -> Result<(), Error> {
        self.inner.source.finish_erasures()?;
        self.inner.clean_views(progress)?;
        if self.inner.are_backups_due() {
            self.inner.finish_in_backups();
        }
        self.caught_up()?;
        self.inner.fold_due(&self.inner.every_tier()?, progress)?;
        self.inner.source.seal_journal()?;
        self.inner.write_meta();
        if self.inner.is_latent_outdated() {
            self.inner.learn_latent()?;
        }
        Ok(())
    }

    /// Folds every view up to the last write, whatever its tail; says which another process was folding.
    pub fn fold(&self) -> Result<Vec<&'static str>, Error> {
        self.require_write()?;
        self.caught_up()?;
        let mut busy = Vec::new();
        for tier in self.inner.every_tier()? {
            let folds = tier.fold(&self.inner.source, &mut |_, _| {})?;
            let folded_elsewhere = folds.into_iter().filter(|(_, fold)| *fold == Fold::Busy);
            busy.extend(folded_elsewhere.map(|(name, _)| name));
        }
        Ok(busy)
    }

    /// Reads back journal, database and views, mends what can be mended from the log, and says what it found.
    pub fn check_up(&self) -> Result<CheckUp, Error> {
        self.require(Right::Configure)?;
        let mut found = CheckUp {
            space: self.name().to_owned(),
            mended: self.inner.source.mended(),
            earlier: self.earlier_incidents(),
            ..CheckUp::default()
        };
        found.take(anamne_store::examine(self.folder())?);
        self.mend_backups(&mut found);
        self.mend_views(&mut found)?;
        found.problems.append(&mut self.inner.troubles());
        self.inner.tell_of_models(&mut found)?;
        self.inner.tell_of_retention(&mut found)?;
        Ok(found)
    }

    fn earlier_incidents(&self) -> Vec<String> {
        let since = self.now() - jiff::SignedDuration::from_hours(24 * EARLIER_DAYS);
        let incidents = self.inner.source.incidents(since).into_iter();
        incidents
            .map(|incident| format!("{}: {}", incident.at, incident.what))
            .collect()
    }

    /// Reads every view back, and builds those again that are damaged or behind.
    pub(crate) fn mend_views(&self, found: &mut CheckUp) -> Result<(), Error> {
        let tiers = self.inner.every_tier()?;
        let views = || {
            tiers.iter().flat_map(|tier| {
                let named = |view: &Arc<dyn View>| (label(view.name(), tier.tier()), view.clone());
                tier.followers.views().iter().map(named).collect::<Vec<_>>()
            })
        };
        let damaged: Vec<_> = views()
            .filter(|(_, view)| view.verify() != Health::Whole)
            .map(|(name, _)| name)
            .collect();
        let latent_was_damaged = latent::examine(self.folder()).is_some();
        self.settle_views(&mut |_, _| {})?;
        for (name, view) in views() {
            match view.health() {
                Health::Broken(reason) => found.problems.push(format!("{name}: {reason}")),
                Health::Whole if damaged.contains(&name) => {
                    let said = format!("{name}: was damaged and has been rebuilt");
                    found.mended.push(said);
                }
                Health::Whole => {}
            }
        }
        for tier in &tiers {
            found.well.extend(well_views(tier, &damaged));
        }
        self.inner.tell_of_latent(found, latent_was_damaged);
        self.inner.mend_graph(found)?;
        self.inner.mend_summaries(found)?;
        self.inner.mend_meta(found)?;
        Ok(())
    }

    pub(crate) fn source(&self) -> &SpaceSource {
        &self.inner.source
    }

    /// Reads the whole journal and checks its chain. O(bytes of the journal).
    pub fn verify_journal(&self) -> Result<JournalReport, Error> {
        Ok(self.inner.source.verify_journal()?)
    }

    /// Throws every view away and builds it again from the source.
    pub fn rebuild(&self, progress: &mut dyn FnMut(&'static str, Seq)) -> Result<(), Error> {
        self.require(Right::Configure)?;
        self.inner.drop_graph()?;
        let views = self.folder().join("views");
        if views.exists() {
            std::fs::remove_dir_all(&views).map_err(|source| Error::Stream {
                action: "remove the views",
                source,
            })?;
        }
        self.caught_up()?;
        for tier in self.inner.every_tier()? {
            tier.fold(&self.inner.source, progress)?;
        }
        self.weave(&mut |reached| {
            progress("knowledge", reached);
            true
        })?;
        self.summarise(&mut |_| {})?;
        self.inner.reembed(progress)
    }

    fn caught_up(&self) -> Result<Vec<Trouble>, Error> {
        let troubles = self.inner.caught_up()?;
        self.wake_worker();
        Ok(troubles)
    }

    pub(crate) fn after_write(&self) {
        self.inner.activity.note_write();
        self.inner.note_write();
        self.wake_worker();
    }

    pub(crate) fn wake_worker(&self) {
        if let Some(worker) = &self.inner.background
            && self.inner.is_work_due()
        {
            worker.wake(&Arc::downgrade(&self.inner));
        }
    }
}

impl Inner {
    fn is_work_due(&self) -> bool {
        let is_due = |tier: &Arc<OpenTier>| !tier.followers.due().is_empty();
        is_due(&self.active())
            || self.colder.open_now().iter().any(is_due)
            || self.is_retention_due()
            || self.are_backups_due()
            || self.is_aging_due()
            || self.has_many_uses()
            || self.meta.has_many_notes()
            || self.is_examination_due()
            || self.are_tasks_due()
            || self.is_reembedding_due()
            || self.is_latent_due()
    }

    /// One round of background work. What goes wrong is kept for `check_up`; the next round tries again.
    pub(crate) fn look_after(self: &Arc<Self>) {
        let round = || -> Result<(), Error> {
            if self.is_retention_due() && self.apply_retention_after_writes()?.erased > 0 {
                self.source.finish_erasures()?;
            }
            self.clean_views(&mut |_, _| {})?;
            if self.are_backups_due() {
                self.finish_in_backups();
            }
            // A model that can't be reached keeps nothing else back.
            let folded = self.fold_open();
            self.source.seal_journal()?;
            self.note_uses();
            self.write_meta();
            if self.is_aging_due() {
                match self.age(Aging::Settled, &mut |_, _| {}) {
                    // What may only be read stays where it is.
                    Err(Error::Store(error)) if error.is_read_only() => {}
                    aged => aged.map(|_| ())?,
                }
            }
            self.examine_if_due()?;
            if self.are_tasks_due() {
                self.tend_tasks()?;
            }
            // Last: without it everything else is as it should be.
            if self.is_latent_due() {
                self.learn_latent()?;
            }
            folded
        };
        let rounds = [round(), self.reembed_meanwhile()];
        self.note_troubles(
            rounds
                .into_iter()
                .filter_map(Result::err)
                .map(|error| error.to_string()),
        );
    }

    /// Folds what is due in the tiers that are open.
    fn fold_open(&self) -> Result<(), Error> {
        self.caught_up()?;
        let mut open = self.colder.open_now();
        open.push(self.active());
        self.fold_due(&open, &mut |_, _| {})
    }

    /// Makes vectors of a model that was chosen, for as long as somebody but the background holds the space; what the former
    /// vectors and other views want is done in between.
    fn reembed_meanwhile(self: &Arc<Self>) -> Result<(), Error> {
        while self.tend_reembedding()? == Portion::More {
            if Arc::strong_count(self) == 1 {
                return Ok(());
            }
            self.clean_views(&mut |_, _| {})?;
            self.fold_open()?;
        }
        Ok(())
    }

    /// Keeps what a person should know until the next check-up.
    pub(crate) fn note_troubles(&self, said: impl IntoIterator<Item = String>) {
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        for trouble in said {
            troubles.truncate(99);
            troubles.push(trouble);
        }
    }

    pub(crate) fn troubles(&self) -> Vec<String> {
        std::mem::take(&mut *self.troubles.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What there is to say of the views of a tier that are and were whole: each by itself in the active tier, else one line.
fn well_views(tier: &OpenTier, damaged: &[String]) -> Vec<String> {
    let is_well = |view: &&Arc<dyn View>| {
        view.health() == Health::Whole && !damaged.contains(&label(view.name(), tier.tier()))
    };
    let well: Vec<_> = tier.followers.views().iter().filter(is_well).collect();
    let covers =
        |names: &str, covered: Seq| format!("{names}: covers the log up to event {covered}");
    match (tier.tier(), well.iter().map(|view| view.position()).min()) {
        (_, None) => Vec::new(),
        (Tier::Active, Some(_)) => well
            .iter()
            .map(|view| covers(view.name(), view.position()))
            .collect(),
        (colder, Some(covered)) => {
            let names: Vec<_> = well.iter().map(|view| view.name()).collect();
            vec![covers(&format!("{colder} ({})", names.join(", ")), covered)]
        }
    }
}

fn view_state(view: &dyn View, folder: &Path, troubles: &[Trouble]) -> ViewState {
    let trouble = troubles
        .iter()
        .find(|trouble| trouble.is_of(Tier::Active, view.name()));
    ViewState {
        name: view.name().to_owned(),
        watermark: view.watermark().0,
        position: view.position().0,
        tail_rows: view.tail_rows(),
        bytes: bytes_under(&folder.join("views").join(view.name())),
        trouble: trouble
            .map(|trouble| trouble.degraded.reason.clone())
            .unwrap_or_default(),
    }
}

/// The bytes of all files under a folder; what can't be read counts as nothing.
fn bytes_under(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => bytes_under(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}
