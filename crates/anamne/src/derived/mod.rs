//! The registry of everything derived in a space. Operations on all of it are loops here; each item has its own file.
//!
//! To add one: a file that implements [`Derived`], and a line in [`Registry::new`].

pub(crate) mod answering;
pub(crate) mod available_views;
pub(crate) mod batches;
pub(crate) mod cached_vectors;
pub(crate) mod connecting;
pub(crate) mod embedding_cache;
mod erased;
pub(crate) mod experience;
pub(crate) mod graph;
pub(crate) mod hook_log;
pub(crate) mod imports;
pub(crate) mod latent;
pub(crate) mod meta;
pub(crate) mod naming;
mod pending;
pub(crate) mod readings;
pub(crate) mod reembedding;
pub(crate) mod requests;
pub(crate) mod summaries;
pub(crate) mod tasks_file;
pub(crate) mod tiers;
pub(crate) mod tool_results;
pub(crate) mod unsent;
pub(crate) mod views;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use anamne_index::vectors::SimdLevel;
use anamne_llm::Bridge;
use anamne_store::view::MemoryFeed;
use anamne_store::{Budget, Class, Damage, Derived, Effort, Finding, SpaceSource, beside, entries};
use anamne_types::{Door, Row, Seq, Tier};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::background_problems::BackgroundProblems;
use crate::models::Models;
use crate::query::observed::Observer;
use crate::server_records::ServerRecordsOfSpace;
use cached_vectors::CachedVectors;
use experience::ExperienceFile;
use graph::KnowledgeFile;
use hook_log::HookLogOfSpace;
use imports::ImportsFile;
use latent::Latent;
use meta::QueryLog;
use readings::ReadingsFile;
use requests::RequestsFile;
use summaries::SummariesFile;
use tasks_file::TasksFile;
use tiers::{Tiers, UnavailableView};
use tool_results::ToolResultsFile;
use unsent::UnsentOfSpace;

/// The inputs of derived data.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) source: Arc<SpaceSource>,
    pub(crate) models: Arc<Models>,
    pub(crate) bridge: Option<Arc<Bridge>>,
    pub(crate) problems: Arc<BackgroundProblems>,
    /// Items provided by the program.
    pub(crate) brought: Arc<[DerivedFactory]>,
    /// The door through which the store was opened.
    pub(crate) door: Door,
    /// Who observes recalls.
    pub(crate) observer: Observer,
}

/// The inputs of an item provided by a program.
#[derive(Clone)]
pub struct DerivedSite {
    /// The folder of the space. Files of a class are in its folder [`Class::folder`].
    pub folder: PathBuf,
    /// The log.
    pub feed: Arc<dyn MemoryFeed + Send + Sync>,
}

/// Creates a program's item for one space.
pub type DerivedFactory = Arc<dyn Fn(&DerivedSite) -> Arc<dyn Derived<Error>> + Send + Sync>;

/// Everything derived in one space, by field for queries and as a list for operations on all.
pub(crate) struct Registry {
    folder: PathBuf,
    pub(crate) tiers: Arc<Tiers>,
    pub(crate) latent: Arc<Latent>,
    pub(crate) knowledge: Arc<KnowledgeFile>,
    pub(crate) readings: Arc<ReadingsFile>,
    pub(crate) summaries: Arc<SummariesFile>,
    pub(crate) experience: Arc<ExperienceFile>,
    pub(crate) meta: Arc<QueryLog>,
    pub(crate) cache: Arc<CachedVectors>,
    pub(crate) requests: Arc<RequestsFile>,
    pub(crate) imports: Arc<ImportsFile>,
    pub(crate) tasks: Arc<TasksFile>,
    pub(crate) tool_results: Arc<ToolResultsFile>,
    pub(crate) unsent: Arc<UnsentOfSpace>,
    all: Vec<Arc<dyn Derived<Error>>>,
}

/// The state of one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ViewState {
    /// Its name.
    pub name: String,
    /// Its class; only functions of the log are deleted by a rebuild.
    pub class: Class,
    /// Whether it is on disk.
    pub exists: bool,
    /// The event covered by its files; `None` if it doesn't follow the log.
    pub watermark: Option<u64>,
    /// The event up to which it answers; likewise.
    pub position: Option<u64>,
    /// Rows in its in-memory tail.
    pub tail_rows: usize,
    /// Bytes on disk.
    pub bytes: u64,
    /// Why it is unavailable; empty if it is available.
    pub problem: String,
}

impl Registry {
    pub(crate) fn new(site: &Site) -> Result<Self, Error> {
        let tiers = Arc::new(Tiers::new(site)?);
        let readings = Arc::new(ReadingsFile::new(site));
        let latent = Arc::new(Latent::new(site, tiers.clone()));
        let knowledge = Arc::new(KnowledgeFile::new(site, readings.clone()));
        let summaries = Arc::new(SummariesFile::new(site));
        let experience = Arc::new(ExperienceFile::new(site));
        let meta = Arc::new(QueryLog::new(site));
        let cache = Arc::new(CachedVectors::new(site));
        let requests = Arc::new(RequestsFile::new(site));
        let imports = Arc::new(ImportsFile::new(site));
        let tasks = Arc::new(TasksFile::new(site));
        let tool_results = Arc::new(ToolResultsFile::new(site));
        let unsent = Arc::new(UnsentOfSpace::new(site.source.clone()));
        let mut all: Vec<Arc<dyn Derived<Error>>> = Vec::new();
        for view in views::NAMES {
            all.push(Arc::new(tiers::TieredViews::new(view, tiers.clone())));
        }
        // Before the knowledge that is extracted from them.
        all.push(readings.clone());
        all.push(knowledge.clone());
        all.push(summaries.clone());
        all.push(experience.clone());
        all.push(latent.clone());
        all.push(meta.clone());
        all.push(cache.clone());
        all.push(tiers.batches.clone());
        all.push(requests.clone());
        all.push(imports.clone());
        all.push(tasks.clone());
        all.push(tool_results.clone());
        all.push(unsent.clone());
        all.push(Arc::new(HookLogOfSpace::new(site.source.clone())));
        all.push(Arc::new(ServerRecordsOfSpace::new(&site.source)));
        let brought = DerivedSite {
            folder: site.source.folder().to_owned(),
            feed: site.source.clone(),
        };
        all.extend(site.brought.iter().map(|bring| bring(&brought)));
        Ok(Self {
            folder: site.source.folder().to_owned(),
            tiers,
            latent,
            knowledge,
            readings,
            summaries,
            experience,
            meta,
            cache,
            requests,
            imports,
            tasks,
            tool_results,
            unsent,
            all,
        })
    }

    fn of(&self, wanted: impl Fn(Class) -> bool) -> impl Iterator<Item = &Arc<dyn Derived<Error>>> {
        self.all.iter().filter(move |one| wanted(one.class()))
    }

    /// Whether there is work for this effort.
    pub(crate) fn is_due(&self, effort: Effort) -> Result<bool, Error> {
        for one in &self.all {
            if one.is_due(effort)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Does the work of this effort. Continues after failures and returns the first one.
    pub(crate) fn catch_up(
        &self,
        effort: Effort,
        progress: &mut dyn FnMut(&'static str, Seq),
    ) -> Result<(), Error> {
        let mut budget = Budget {
            effort,
            go_on: &mut |name, seq| {
                progress(name, seq);
                true
            },
        };
        let caught_up = self.all.iter().map(|one| one.catch_up(&mut budget));
        caught_up.fold(Ok(()), Result::and)
    }

    /// Purges erased content from everything and deletes unmanaged files. The model in use doesn't change meanwhile.
    ///
    /// Returns the event up to which this is done.
    pub(crate) fn purge(&self, progress: &mut dyn FnMut(&'static str, Seq)) -> Result<Seq, Error> {
        let _guard = answering::change(&self.folder)?;
        self.tiers.drop_migration();
        self.tiers.caught_up()?;
        let through = self.tiers.head();
        self.purge_class(|_| true, progress)?;
        self.remove_strays()?;
        Ok(through)
    }

    /// Removes everything of this space from files of the store, before the space is erased.
    pub(crate) fn leave_store(&self) -> Result<(), Error> {
        self.all.iter().try_for_each(|one| one.leave_store())
    }

    /// Deletes quarantined and incomplete files in the folders of all classes.
    fn remove_strays(&self) -> Result<(), Error> {
        let folders = Class::ALL.map(|class| self.folder.join(class.folder()));
        folders.iter().try_for_each(|folder| remove_strays(folder))
    }

    /// The same for data that is not derived from the log, after everything else was deleted.
    pub(crate) fn purge_kept(&self) -> Result<(), Error> {
        self.purge_class(|class| !class.is_rebuilt(), &mut |_, _| {})?;
        self.remove_strays()
    }

    fn purge_class(
        &self,
        wanted: impl Fn(Class) -> bool,
        progress: &mut dyn FnMut(&'static str, Seq),
    ) -> Result<(), Error> {
        let mut budget = Budget {
            effort: Effort::Whole,
            go_on: &mut |name, seq| {
                progress(name, seq);
                true
            },
        };
        self.of(wanted).try_for_each(|one| one.purge(&mut budget))
    }

    /// Deletes and rebuilds every function of the log.
    pub(crate) fn rebuild(&self, progress: &mut dyn FnMut(&'static str, Seq)) -> Result<(), Error> {
        self.of(Class::is_rebuilt)
            .try_for_each(|one| one.remove())?;
        beside::remove_views(&self.folder)?;
        self.tiers.caught_up()?;
        let mut budget = Budget {
            effort: Effort::Whole,
            go_on: &mut |name, seq| {
                progress(name, seq);
                true
            },
        };
        self.of(Class::is_rebuilt)
            .try_for_each(|one| one.catch_up(&mut budget))?;
        self.tiers.reembed(progress)
    }

    /// Deletes data extracted from whole memories, which may lack memories restored by a repair.
    pub(crate) fn skip_nothing(&self) -> Result<(), Error> {
        self.knowledge.remove()?;
        self.summaries.remove()
    }

    /// Verifies everything and rebuilds what is damaged.
    pub(crate) fn repair(&self) -> Result<RepairedDerived, Error> {
        let mut repaired = RepairedDerived::default();
        let mut damaged = Vec::new();
        for one in &self.all {
            let found = one.verify()?;
            if !found.is_empty() {
                one.quarantine()?;
                damaged.push((one, found));
            }
        }
        self.catch_up(Effort::Settled, &mut |_, _| {})?;
        for (one, found) in damaged {
            if one.class().is_rebuilt() {
                let mut budget = Budget {
                    effort: Effort::Whole,
                    go_on: &mut |_, _| true,
                };
                one.catch_up(&mut budget)?;
            }
            let left = one.health();
            for Damage { part, reason } in found {
                if left.iter().any(|still| still.part == part) {
                    continue;
                }
                repaired.rebuilt.push(if one.class().is_rebuilt() {
                    format!("{part}: damaged ({reason}); rebuilt")
                } else {
                    format!("{part}: damaged ({reason}); quarantined and recreated empty")
                });
            }
        }
        for one in &self.all {
            let left = one.health();
            let problems = left.iter();
            repaired
                .problems
                .extend(problems.map(|Damage { part, reason }| format!("{part}: {reason}")));
            let position = one.position()?;
            if left.is_empty() && (one.exists() || position > Some(Seq(0))) {
                repaired.well.push(match position {
                    Some(covered) => {
                        format!("{}: covers the log up to event {covered}", one.name())
                    }
                    None => format!("{}: is whole", one.name()),
                });
            }
        }
        Ok(repaired)
    }

    /// The state of everything.
    pub(crate) fn states(&self, problems: &[UnavailableView]) -> Vec<ViewState> {
        let state = |one: &Arc<dyn Derived<Error>>| {
            // An item that isn't built yet is unavailable too.
            let behind = problems
                .iter()
                .filter(|problem| problem.is_of(Tier::Active, one.name()))
                .map(|problem| problem.degraded.reason.clone());
            let mut problems: Vec<_> = one
                .health()
                .into_iter()
                .map(|damage| damage.reason)
                .collect();
            if problems.is_empty() {
                problems.extend(behind);
            }
            // An item that can't be opened, as in a read-only store, doesn't block the report of the others.
            let mut asked = |position: Result<Option<Seq>, Error>| match position {
                Ok(position) => position.map(|seq| seq.0),
                Err(error) => {
                    let said = error.to_string();
                    if !problems.contains(&said) {
                        problems.push(said);
                    }
                    None
                }
            };
            let (watermark, position) = (asked(one.watermark()), asked(one.position()));
            ViewState {
                name: one.name().to_owned(),
                class: one.class(),
                exists: one.exists(),
                watermark,
                position,
                tail_rows: one.tail_rows(),
                bytes: one.bytes(),
                problem: problems.join("; "),
            }
        };
        self.all.iter().map(state).collect()
    }
}

/// The result of verifying everything derived.
#[derive(Default)]
pub(crate) struct RepairedDerived {
    pub(crate) well: Vec<String>,
    pub(crate) rebuilt: Vec<String>,
    pub(crate) problems: Vec<String>,
}

/// Verifies what can be read in the space in this folder without opening it; `head` is the last event of its log.
pub(crate) fn examine(space: &Path, models: &Models, head: Seq) -> Result<Vec<Finding>, Error> {
    let mut findings = views::examine(space, models, head)?;
    findings.extend(latent::examine(space));
    Ok(findings)
}

/// Deletes every function of the log in this space's folder, which other processes may have open.
pub(crate) fn remove_rebuilt(space: &Path) -> Result<(), Error> {
    beside::move_non_views(space)?;
    let views = space.join(beside::VIEWS);
    if views.exists() {
        // Renamed first, so that a concurrent writer finds it missing and rebuilds it from the log.
        anamne_store::remove_path(&anamne_store::set_aside(&views)?)?;
    }
    Ok(())
}

/// The same after it was erased, when other processes may have added something: `name` is its name, `folder` that of its
/// folder.
pub(crate) fn left_store(
    root: &Path,
    models: &Models,
    name: &str,
    folder: &str,
) -> Result<(), Error> {
    hook_log::HookLog::of_store(root).forget_space(name)?;
    Ok(models.cache.finish_erasing(folder)?)
}

/// Deletes quarantined files and remains of interrupted writes.
fn remove_strays(folder: &Path) -> Result<(), Error> {
    for path in entries(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Symbolic links are not followed.
        let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
        if name.contains(".damaged") || name.contains(".tmp-") {
            anamne_store::remove_path(&path)?;
        } else if is_folder {
            remove_strays(&path)?;
        }
    }
    Ok(())
}

/// Rows that the log no longer has. If unreadable, all count as gone.
pub(crate) fn gone(source: &SpaceSource, rows: &[Row]) -> Vec<Row> {
    let there = source.get_rows(rows).unwrap_or_default();
    let is_there = |row: &Row| there.iter().any(|(found, _)| found == row);
    let gone = rows.iter().filter(|row| !is_there(row));
    gone.copied().collect()
}
