//! The export of a tenant as one file.

use std::fs::File;
use std::io::Read;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use anamne::{ExportExtra, Store};
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use tokio::sync::mpsc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::admin::known;
use crate::http::body::Path;
use crate::http::{App, Caller, Problem};
use crate::tenants::TenantName;

/// Bytes of one piece of the stream.
const PIECE: usize = 64 << 10;

/// Pieces that are read ahead of a slow client.
const AHEAD: usize = 4;

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(export_tenant))
}

/// Export a tenant: all spaces with history, and paid, observed and external data, as one file
///
/// `anamne import --trust FILE` gives back equal spaces.
#[utoipa::path(
    get, path = "/v1/admin/tenants/{name}/export", tag = "admin",
    params(("name" = String, Path, description = "The tenant's name")),
    responses(
        (status = 200, description = "An export file", content_type = "application/octet-stream"),
        (status = "default", body = Problem)
    )
)]
async fn export_tenant(caller: Caller, Path(name): Path<String>) -> Result<Response, Problem> {
    let exported = caller.with_admin(move |tenants| {
        known(tenants, &name)?;
        let store = tenants.store(&TenantName::of(&name))?;
        export(&store)
    });
    let body = FileBody::of(exported.await?);
    let media = HeaderValue::from_static("application/octet-stream");
    Ok(([(header::CONTENT_TYPE, media)], Body::new(body)).into_response())
}

/// The export as an open file that has no name any more, so that nothing is left of it.
fn export(store: &Store) -> Result<File, Problem> {
    let path = store
        .root()
        .join(format!("export-{}.anamne", Uuid::now_v7()));
    let exported = store.export_binary(&path, None, &ExportExtra::ALL);
    let file = exported.map_err(Problem::from).and_then(|report| {
        if !report.skipped.is_empty() {
            // An incomplete export must not look like a whole one.
            return Err(Problem::unexpected());
        }
        File::open(&path).map_err(|_| Problem::unexpected())
    });
    let _ = std::fs::remove_file(&path);
    file
}

/// The content of a file, read on a blocking thread no faster than it is sent.
struct FileBody(mpsc::Receiver<std::io::Result<Bytes>>);

impl FileBody {
    fn of(mut file: File) -> Self {
        let (sender, receiver) = mpsc::channel(AHEAD);
        tokio::task::spawn_blocking(move || {
            loop {
                let mut piece = vec![0; PIECE];
                let sent = match file.read(&mut piece) {
                    Ok(0) => return,
                    Ok(length) => {
                        piece.truncate(length);
                        sender.blocking_send(Ok(piece.into()))
                    }
                    Err(error) => {
                        let _ = sender.blocking_send(Err(error));
                        return;
                    }
                };
                // The client has gone.
                if sent.is_err() {
                    return;
                }
            }
        });
        Self(receiver)
    }
}

impl hyper::body::Body for FileBody {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        let received = self.0.poll_recv(context);
        received.map(|received| received.map(|piece| piece.map(Frame::data)))
    }
}
