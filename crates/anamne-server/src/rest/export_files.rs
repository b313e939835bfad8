//! Export files: whole spaces with their history, compressed and checksummed, as a stream in either direction.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use anamne::{
    BinaryImport, BinaryImportReport, Denied, ExportExtra, ImportOptions, InvalidValue, Right,
    Store,
};
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::http::body::check_declared;
use crate::http::streaming::RequestReader;
use crate::http::{Caller, Problem};

/// The media type of export files.
pub(super) const FILE: &str = "application/octet-stream";

/// Largest file that is imported over HTTP, in bytes. Larger ones are imported on the server's machine.
pub(super) const MOST_BYTES: usize = 1 << 30;

/// Bytes of one piece of the stream.
const PIECE: usize = 64 << 10;

/// Pieces that are read ahead of a slow client.
const AHEAD: usize = 4;

/// The export of a space as a file. It has the settings, which name folders of the server's machine, so it needs the
/// right to configure.
pub(super) async fn export_space(
    caller: Caller,
    space: String,
    extras: Vec<ExportExtra>,
) -> Result<Response, Problem> {
    let exported = caller.with_store(move |store| {
        // First whether it is there for this caller.
        store.existing_space(&space)?;
        if !store.scope().allows(Right::Configure) {
            return Err(anamne::Error::from(Denied::Right(Right::Configure)).into());
        }
        export(store, Some(&space), &extras)
    });
    Ok(response(exported.await?))
}

/// A response with the content of a file.
pub(super) fn response(file: File) -> Response {
    let media = HeaderValue::from_static(FILE);
    let body = Body::new(FileBody::of(file));
    ([(header::CONTENT_TYPE, media)], body).into_response()
}

/// The export as an open file that has no name any more, so that nothing is left of it.
pub(super) fn export(
    store: &Store,
    space: Option<&str>,
    extras: &[ExportExtra],
) -> Result<File, Problem> {
    let path = store
        .root()
        .join(format!("export-{}.anamne", Uuid::now_v7()));
    let exported = store.export_binary(&path, space, extras);
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

/// What is exported beside the memories: names with commas between them.
pub(super) fn extras(names: &str) -> Result<Vec<ExportExtra>, InvalidValue> {
    let named = names.split(',').map(|name| {
        let found = ExportExtra::ALL
            .into_iter()
            .find(|extra| extra.as_str() == name);
        found.ok_or_else(|| InvalidValue::new("with", "paid, observed, external", name))
    });
    let mut extras = named.collect::<Result<Vec<_>, _>>()?;
    extras.sort_unstable();
    extras.dedup();
    Ok(extras)
}

/// Imports a file into a space. The whole is read and verified before anything of it is visible.
pub(super) async fn import_file(
    caller: Caller,
    space: String,
    from: Option<String>,
    options: ImportOptions,
    headers: &HeaderMap,
    body: Body,
) -> Result<BinaryImportReport, Problem> {
    check_declared(headers, MOST_BYTES)?;
    let import = BinaryImport {
        space: from,
        into: Some(space),
        options,
    };
    let reader = RequestReader::of(body);
    let imported = caller.with_store_streaming(move |store| {
        let problem = Arc::new(Mutex::new(None));
        let input = UploadedFile {
            reader,
            left: MOST_BYTES as u64,
            problem: problem.clone(),
        };
        let imported = store.import_binary(Path::new("the file"), input, &import);
        imported.map_err(|error| {
            let mut problem = problem.lock().unwrap_or_else(PoisonError::into_inner);
            problem.take().unwrap_or_else(|| error.into())
        })
    });
    imported.await
}

/// A file that is being received. Why it could not be received is the client's to know.
struct UploadedFile {
    reader: RequestReader,
    left: u64,
    problem: Arc<Mutex<Option<Problem>>>,
}

impl Read for UploadedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer);
        let problem = match &read {
            Ok(read) => match self.left.checked_sub(*read as u64) {
                Some(left) => {
                    self.left = left;
                    return Ok(*read);
                }
                None => Problem::too_large(MOST_BYTES),
            },
            Err(error) => Problem::unreadable(error.to_string()),
        };
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
        Err(read
            .err()
            .unwrap_or_else(|| io::ErrorKind::FileTooLarge.into()))
    }
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
