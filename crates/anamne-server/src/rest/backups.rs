//! Backups: which there are, and make one.
//!
//! Where backups lie is decided on the server's machine: a request never names a folder.

use anamne::{KnownBackup, Right, Seq, Space};
use axum::http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, Routes, conceal};
use super::tasks::{TasksRun, run_all};
use super::work::{Begun, WorkKind, begin};
use crate::http::body::{Json, Path};
use crate::http::{Caller, Problem};

/// The kind of the tasks that make scheduled backups.
const TASK: &str = "backup";

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(make))
}

/// A backup of a space.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct Backup {
    /// The folder on the server's machine, for callers with the right to configure.
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    /// The last event in it; 0 if the first copy is not finished.
    last_seq: Seq,
    /// When it was last updated.
    at: Timestamp,
    /// The last event of an erasure that may not have reached it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<Seq>,
}

impl Backup {
    fn shown_to(space: &Space, backup: &KnownBackup) -> Self {
        let may_know = space.scope().allows(Right::Configure);
        Self {
            folder: may_know.then(|| backup.folder.display().to_string()),
            last_seq: backup.last_seq,
            at: backup.at,
            pending: backup.pending,
        }
    }
}

/// The backups of a space.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct BackupList {
    /// The backups.
    backups: Vec<Backup>,
}

/// List the backups of a space and how far each reaches
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/backups",
    tag = "upkeep",
    operation_id = "list_backups",
    params(InSpace),
    responses((status = 200, body = BackupList), (status = "default", body = Problem))
)]
async fn list(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<BackupList>, Problem> {
    let listed = caller.with_space(space, |space| {
        let known = space.backups()?;
        let backups = known.iter().map(|backup| Backup::shown_to(space, backup));
        Ok(BackupList {
            backups: backups.collect(),
        })
    });
    listed.await.map(Json)
}

/// Make the next scheduled backup now; needs the right to configure
///
/// The answer comes as it begins, and names the route that has its outcome. Refused if no backups are scheduled: `anamne backup DIR --every day` on the server's
/// machine schedules them.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/backups",
    tag = "upkeep",
    operation_id = "back_up_space",
    params(InSpace),
    responses((status = 202, body = Begun), (status = "default", body = Problem))
)]
async fn make(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<(StatusCode, Json<Begun>), Problem> {
    let kind = WorkKind {
        what: "backup",
        progress: "backups",
    };
    begin(caller, space, kind, Space::queue_backup, back_up).await
}

/// What came of a backup that was asked for.
#[derive(Debug, Serialize)]
struct Made {
    /// The tasks that ran.
    #[serde(flatten)]
    ran: TasksRun,
    /// The latest backup; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<Backup>,
}

/// Runs what is due, the backup included; its failure is that of the work.
fn back_up(space: &Space) -> Result<Made, Problem> {
    let mut failure = None;
    let ran = run_all(space, &mut |run| {
        if run.task.kind == TASK {
            failure = (!run.error.is_empty()).then(|| run.error.clone());
        }
    })?;
    if let Some(mut reason) = failure {
        conceal(space, [&mut reason]);
        return Err(Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "backup_failed",
            "The backup failed",
            reason,
        ));
    }
    let known = space.backups()?;
    let latest = known
        .iter()
        .max_by_key(|backup| (backup.at, backup.last_seq));
    Ok(Made {
        ran,
        backup: latest.map(|backup| Backup::shown_to(space, backup)),
    })
}

#[cfg(test)]
mod tests {
    use anamne::{Actor, Options, Scope, SpaceSet, Store};

    use super::*;

    #[test]
    fn the_folder_is_shown_only_with_the_right_to_configure() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options::new(folder.path().join("store")).background(false);
        let store = Store::open_with(options).expect("a store");
        store.space("core").expect("a space");
        store
            .backup(&folder.path().join("copy"), None)
            .expect("a backup");
        let reader = Scope::of(Actor::agent("a")).reading(SpaceSet::All);
        for (scope, is_shown) in [(Scope::owner(), true), (reader, false)] {
            let space = store.narrowed(&scope).existing_space("core");
            let space = space.expect("the space");
            let known = space.backups().expect("backups").remove(0);
            let shown = Backup::shown_to(&space, &known);
            assert_eq!(shown.folder.is_some(), is_shown);
        }
    }
}
