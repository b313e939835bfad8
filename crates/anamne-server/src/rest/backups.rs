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

use super::shared::{Begun, InSpace, Routes, begin};
use super::tasks::run_all;
use crate::http::body::{Json, Path};
use crate::http::{Caller, Problem};

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
/// The answer comes as it begins. Refused if no backups are scheduled: `anamne backup DIR --every day` on the server's
/// machine schedules them.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/backups",
    tag = "upkeep",
    params(InSpace),
    responses((status = 202, body = Begun), (status = "default", body = Problem))
)]
async fn make(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<(StatusCode, Json<Begun>), Problem> {
    begin(caller, space, "tasks", Space::queue_backup, run_all).await
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
