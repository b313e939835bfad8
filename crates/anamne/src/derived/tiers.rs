//! The tiers of a space: their views, and which of them are open.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use anamne_recall::RecallCache;
use anamne_store::view::{Fold, Health, View, ViewError};
use anamne_store::{Budget, Class, Damage, Degraded, Derived, Effort, Followers, SpaceSource};
use anamne_types::{Seq, Tier};

use super::Site;
use super::answering::{self, LastState, Note};
use super::batches::Batches;
use super::reembedding::{MigratingModel, RequestedModel, remove_vectors};
use super::views::{self, Views, label};
use crate::Error;
use crate::background_problems::BackgroundProblems;
use crate::models::{Model, Models};
use crate::query::observed::Observer;

/// Maximum number of open colder tiers, six years of archives; the least recently used one is closed first.
const MOST_OPEN: usize = 24;

/// The tiers of a space: which are open, and the model of their vectors.
pub(crate) struct Tiers {
    pub(super) source: Arc<SpaceSource>,
    pub(super) models: Arc<Models>,
    pub(super) problems: Arc<BackgroundProblems>,
    observer: Observer,
    /// The model in use, as last known, and the active tier with its vectors.
    pub(super) noticed: RwLock<LastState>,
    /// The requested model, as last looked up.
    pub(super) wanted: Mutex<Option<RequestedModel>>,
    /// Its vectors during a migration.
    pub(super) growing: Mutex<MigratingModel>,
    /// Its batches.
    pub(crate) batches: Arc<Batches>,
    /// Whether obsolete vectors were looked for.
    pub(super) tidied: AtomicBool,
    colder: ColderTiers,
    /// Number of database replacements that the views have followed.
    followed: Mutex<u64>,
}

/// The views of one tier, and what keeps them up to date.
pub(crate) struct OpenTier {
    pub(crate) views: Views,
    pub(crate) followers: Followers,
    /// The model of its vectors.
    pub(crate) model: Model,
}

/// An unavailable view, with its tier.
#[derive(Clone, Debug)]
pub(crate) struct UnavailableView {
    pub(crate) tier: Tier,
    pub(crate) degraded: Degraded,
}

impl UnavailableView {
    pub(crate) fn label(&self) -> String {
        label(self.degraded.view, self.tier)
    }

    pub(crate) fn is_of(&self, tier: Tier, view: &str) -> bool {
        self.tier == tier && self.degraded.view == view
    }
}

impl OpenTier {
    pub(crate) fn open(source: &SpaceSource, tier: Tier, model: &Model) -> Result<Self, Error> {
        let views = Views::open(source.folder(), tier, model)?;
        let followers = Followers::new(source, tier, views.all())?;
        Ok(Self {
            views,
            followers,
            model: model.clone(),
        })
    }

    pub(crate) fn tier(&self) -> Tier {
        self.views.tier
    }

    /// Updates its views to the last acknowledged write; returns the unavailable ones.
    pub(crate) fn catch_up(&self, source: &SpaceSource) -> Result<Vec<UnavailableView>, Error> {
        let degraded = self.followers.catch_up(source)?;
        let with_tier = |degraded| UnavailableView {
            tier: self.tier(),
            degraded,
        };
        Ok(degraded.into_iter().map(with_tier).collect())
    }

    /// Whether a view is broken that is not in `known`.
    pub(crate) fn is_newly_broken(&self, known: &[UnavailableView]) -> bool {
        self.followers.views().iter().any(|view| {
            view.health() != Health::Whole
                && !known
                    .iter()
                    .any(|problem| problem.is_of(self.tier(), view.name()))
        })
    }

    fn view(&self, name: &str) -> Option<&Arc<dyn View>> {
        self.followers
            .views()
            .iter()
            .find(|view| view.name() == name)
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.views.columns.snapshot().rows()
    }

    /// Rewrites its views without rows that are no longer in the tier.
    pub(crate) fn purge(&self, source: &SpaceSource) -> Result<(), Error> {
        for name in views::NAMES {
            self.followers.purge(source, name, &mut |_, _| {})?;
        }
        Ok(())
    }

    /// Folds all its views up to the last write.
    pub(crate) fn fold(
        &self,
        source: &SpaceSource,
        progress: &mut dyn FnMut(&'static str, Seq),
    ) -> Result<Vec<(&'static str, Fold)>, Error> {
        self.catch_up(source)?;
        let views = self.followers.views();
        Ok(self.followers.fold(source, views, progress)?)
    }

    /// Folds its views that are due, or only the view `only`.
    pub(crate) fn fold_due(
        &self,
        source: &SpaceSource,
        only: Option<&str>,
        progress: &mut dyn FnMut(&'static str, Seq),
    ) -> Result<(), Error> {
        self.catch_up(source)?;
        let mut due = self.followers.due();
        due.retain(|view| {
            only.is_none_or(|name| view.name() == name) && !self.is_left_to_embedding(view.name())
        });
        let broken: Vec<_> = due
            .iter()
            .filter_map(|view| match view.health() {
                Health::Broken(reason) => Some((view.clone(), reason)),
                Health::Whole => None,
            })
            .collect();
        self.followers.fold(source, &due, progress)?;
        let rebuilt = broken
            .iter()
            .filter(|(view, _)| view.health() == Health::Whole);
        let said = rebuilt.map(|(view, reason)| {
            let view = label(view.name(), self.tier());
            format!("the view {view} was damaged ({reason}) and has been rebuilt")
        });
        source.note_repairs(said.collect());
        Ok(())
    }
}

/// The open colder tiers of a space in this process.
#[derive(Default)]
struct ColderTiers {
    /// Least recently used first.
    open: Mutex<Vec<Arc<OpenTier>>>,
    /// The existing colder tiers, hottest first, and the event at which they were listed.
    known: Mutex<Option<(Seq, Vec<Tier>)>>,
}

impl ColderTiers {
    /// A tier, opened if necessary, and whether it was open.
    fn get(
        &self,
        source: &SpaceSource,
        tier: Tier,
        model: &Model,
    ) -> Result<(Arc<OpenTier>, bool), Error> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|tier| tier.model.questions.model() == model.questions.model());
        let known = open.iter().position(|known| known.tier() == tier);
        let opened = match known {
            Some(place) => open.remove(place),
            None => Arc::new(OpenTier::open(source, tier, model)?),
        };
        if open.len() >= MOST_OPEN {
            open.remove(0);
        }
        open.push(opened.clone());
        Ok((opened, known.is_some()))
    }

    /// Closes all of them.
    fn close(&self) {
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn open_now(&self) -> Vec<Arc<OpenTier>> {
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Tiers {
    pub(super) fn new(site: &Site) -> Result<Self, Error> {
        Ok(Self {
            noticed: LastState::first(&site.source, &site.models)?,
            source: site.source.clone(),
            models: site.models.clone(),
            problems: site.problems.clone(),
            observer: site.observer.clone(),
            wanted: Mutex::default(),
            growing: Mutex::default(),
            batches: Arc::new(Batches::new(site)),
            tidied: AtomicBool::new(false),
            colder: ColderTiers::default(),
            followed: Mutex::default(),
        })
    }

    /// The last event of the log, as last known.
    pub(crate) fn head(&self) -> Seq {
        self.active().followers.head()
    }

    /// Updates the views of the active tier to the last acknowledged write of the current database.
    pub(crate) fn caught_up(&self) -> Result<Vec<UnavailableView>, Error> {
        let answering = self.notice_answering()?;
        self.catch_up_active(&answering.active)
    }

    pub(crate) fn catch_up_active(&self, active: &OpenTier) -> Result<Vec<UnavailableView>, Error> {
        let problems = active.catch_up(&self.source)?;
        let replacements = self.source.replacements()?;
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if *followed == replacements {
            return Ok(problems);
        }
        // In a restored database, names may have other numbers, and all memories are in the active tier. Published
        // parts were removed with the old database; in-memory parts are rebuilt.
        self.colder.close();
        let in_memory: Vec<_> = active
            .followers
            .views()
            .iter()
            .filter(|view| view.watermark() == Seq(0) && view.position() > Seq(0))
            .cloned()
            .collect();
        active
            .followers
            .fold(&self.source, &in_memory, &mut |_, _| {})?;
        *followed = replacements;
        active.catch_up(&self.source)
    }

    /// Folds every view up to the last write; returns those being folded by another process.
    pub(crate) fn fold_all(&self) -> Result<Vec<&'static str>, Error> {
        self.caught_up()?;
        let mut busy = Vec::new();
        for tier in self.every_tier()? {
            let folds = tier.fold(&self.source, &mut |_, _| {})?;
            let folded_elsewhere = folds.into_iter().filter(|(_, fold)| *fold == Fold::Busy);
            busy.extend(folded_elsewhere.map(|(name, _)| name));
        }
        Ok(busy)
    }

    /// The open tiers, including the active one.
    pub(crate) fn open_now(&self) -> Vec<Arc<OpenTier>> {
        let mut open = self.colder.open_now();
        open.push(self.active());
        open
    }

    /// The colder tiers that contain memories, hottest first, for a recall. Cached until the next write.
    pub(crate) fn colder_tiers(&self) -> Result<Vec<Tier>, Error> {
        let head = self.active().followers.head();
        let mut known = self
            .colder
            .known
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let listed = known.as_ref().filter(|(seq, _)| *seq == head);
        self.observer.cache(RecallCache::TierList, listed.is_some());
        if let Some((_, tiers)) = listed {
            return Ok(tiers.clone());
        }
        let tiers = self.source.colder_tiers()?;
        *known = Some((head, tiers.clone()));
        Ok(tiers)
    }

    /// Opens a colder tier.
    pub(crate) fn colder_tier(&self, tier: Tier) -> Result<Arc<OpenTier>, Error> {
        self.colder_tier_of(tier, &self.answering().model)
    }

    /// Opens a colder tier with the vectors of this model.
    pub(crate) fn colder_tier_of(&self, tier: Tier, model: &Model) -> Result<Arc<OpenTier>, Error> {
        let (opened, _) = self.colder.get(&self.source, tier, model)?;
        Ok(opened)
    }

    /// The same for a recall, which is observed.
    pub(crate) fn recalled_tier(&self, tier: Tier, model: &Model) -> Result<Arc<OpenTier>, Error> {
        let (opened, was_open) = self.colder.get(&self.source, tier, model)?;
        self.observer.cache(RecallCache::Tiers, was_open);
        Ok(opened)
    }

    /// Opens every tier with memories or with views on disk, hottest first.
    pub(crate) fn every_tier(&self) -> Result<Vec<Arc<OpenTier>>, Error> {
        let mut colder = views::colder_on_disk(self.source.folder())?;
        colder.extend(self.source.colder_tiers()?);
        let answering = self.answering();
        let open = |tier| self.colder_tier_of(tier, &answering.model);
        let colder = colder
            .into_iter()
            .map(open)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(std::iter::once(answering.active.clone())
            .chain(colder)
            .collect())
    }
}

/// The views with one name in all tiers.
pub(super) struct TieredViews {
    name: &'static str,
    tiers: Arc<Tiers>,
}

impl TieredViews {
    pub(super) fn new(name: &'static str, tiers: Arc<Tiers>) -> Self {
        Self { name, tiers }
    }

    fn source(&self) -> &SpaceSource {
        &self.tiers.source
    }

    /// The views with their tiers' labels.
    fn of<'a>(
        &self,
        tiers: &'a [Arc<OpenTier>],
    ) -> impl Iterator<Item = (String, &'a Arc<dyn View>)> + use<'a> {
        let name = self.name;
        tiers.iter().filter_map(move |tier| {
            let view = tier.view(name)?;
            Some((label(name, tier.tier()), view))
        })
    }

    fn damage(&self, tiers: &[Arc<OpenTier>], health: impl Fn(&dyn View) -> Health) -> Vec<Damage> {
        let damage = |(part, view): (String, &Arc<dyn View>)| match health(view.as_ref()) {
            Health::Broken(reason) => Some(Damage { part, reason }),
            Health::Whole => None,
        };
        self.of(tiers).filter_map(damage).collect()
    }

    fn purge_all(&self, budget: &mut Budget<'_>) -> Result<(), Error> {
        for tier in self.tiers.every_tier()? {
            tier.catch_up(self.source())?;
            let mut progress = |name, seq| {
                (budget.go_on)(name, seq);
            };
            tier.followers
                .purge(self.source(), self.name, &mut progress)?;
        }
        Ok(())
    }

    /// Whether vectors could not be computed because their model is unreachable.
    fn lacks_model(&self, error: &Error) -> bool {
        matches!(error, Error::View(ViewError::Engine(_)))
            && self.name == views::VECTORS
            && self.tiers.answering().model.questions.is_costly()
    }

    /// Removes the vectors of models not in use, because erasures don't rewrite them.
    fn remove_other_vectors(&self) -> Result<(), Error> {
        let (space, model) = (self.source().folder(), self.tiers.answering().model.slug());
        if answering::noted_vectors(space) != model {
            // Their model is unavailable here; the built-in one answers.
            Note::remove(space)?;
        }
        answering::vector_folders(space)?
            .iter()
            .filter(|other| **other != model)
            .try_for_each(|other| remove_vectors(space, other))
    }
}

impl Derived<Error> for TieredViews {
    fn name(&self) -> &'static str {
        self.name
    }

    fn class(&self) -> Class {
        Class::Log
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![views::folder(self.source().folder(), self.name)]
    }

    fn position(&self) -> Result<Option<Seq>, Error> {
        let active = self.tiers.active();
        Ok(active.view(self.name).map(|view| view.position()))
    }

    fn watermark(&self) -> Result<Option<Seq>, Error> {
        let active = self.tiers.active();
        Ok(active.view(self.name).map(|view| view.watermark()))
    }

    fn tail_rows(&self) -> usize {
        let active = self.tiers.active();
        active.view(self.name).map_or(0, |view| view.tail_rows())
    }

    fn is_due(&self, effort: Effort) -> Result<bool, Error> {
        let open = self.tiers.open_now();
        let is_due = |tier: &Arc<OpenTier>| {
            let is_due = match effort {
                // Every writer looks, and waits for nobody.
                Effort::Due => tier.followers.may_be_due(self.name),
                _ => tier.followers.is_due(self.name),
            };
            is_due && !tier.is_left_to_embedding(self.name)
        };
        Ok(open.iter().any(is_due))
    }

    fn catch_up(&self, budget: &mut Budget<'_>) -> Result<(), Error> {
        self.tiers.caught_up()?;
        let (effort, go_on) = (budget.effort, &mut budget.go_on);
        let mut progress = |name, seq| {
            go_on(name, seq);
        };
        match effort {
            Effort::Due | Effort::Settled => {
                let tiers = match effort {
                    Effort::Due => self.tiers.open_now(),
                    _ => self.tiers.every_tier()?,
                };
                tiers.iter().try_for_each(|tier| {
                    tier.fold_due(self.source(), Some(self.name), &mut progress)
                })
            }
            Effort::Whole => {
                for tier in self.tiers.every_tier()? {
                    tier.catch_up(self.source())?;
                    let view: Vec<_> = tier.view(self.name).cloned().into_iter().collect();
                    tier.followers.fold(self.source(), &view, &mut progress)?;
                }
                Ok(())
            }
        }
    }

    fn health(&self) -> Vec<Damage> {
        self.damage(&self.tiers.open_now(), |view| view.health())
    }

    fn verify(&self) -> Result<Vec<Damage>, Error> {
        self.tiers.caught_up()?;
        Ok(self.damage(&self.tiers.every_tier()?, |view| view.verify()))
    }

    /// A damaged view is no longer used after verification, and the next fold quarantines it.
    fn quarantine(&self) -> Result<(), Error> {
        Ok(())
    }

    fn purge(&self, budget: &mut Budget<'_>) -> Result<(), Error> {
        match self.purge_all(budget) {
            // Vectors that can't be recomputed now must not keep erased text: they are deleted, and recomputed later.
            Err(error) if self.lacks_model(&error) => {
                Note::remove(self.source().folder())?;
                self.tiers.caught_up()?;
                self.purge_all(budget)?;
            }
            purged => purged?,
        }
        if self.name == views::VECTORS {
            self.remove_other_vectors()?;
        }
        Ok(())
    }
}
