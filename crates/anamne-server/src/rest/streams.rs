//! Import and export as streams: lines, or an export file.

use std::io::{BufReader, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anamne::{
    BadLines, Error, ExportSelection, ImportOptions, ImportReport, InvalidValue, LineOutcome,
    Store, Visibility,
};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::export_files::{FILE, export_space, extras, import_file};
use super::shared::conceal_skipped;
use crate::http::body::{Json, Path, Query, check_media, media_of};
use crate::http::streaming::{RequestReader, ResponseWriter, written};
use crate::http::{App, Caller, Problem};

/// The media type of lines of JSON.
const LINES: &str = "application/x-ndjson";

/// Bytes that are read of a body at a time.
const BUFFER: usize = 64 << 10;

/// How long the outcome of a line may wait for more of them.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(export))
        .routes(routes!(import))
}

/// What is exported.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exporting {
    #[serde(default)]
    format: ExportForm,
    #[serde(default)]
    forgotten: bool,
    #[serde(default)]
    personal: bool,
    #[serde(default)]
    report: bool,
    with: Option<String>,
}

/// The form of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ExportForm {
    /// A memory per line.
    #[default]
    Jsonl,
    /// One compressed, checksummed file with history and settings.
    Binary,
}

/// Export a space: lines of JSON, oldest first, each memory with its outgoing links, or one file with everything
///
/// The lines are sent as fast as the client reads them. The response ends with the trailers `anamne-exported`,
/// `anamne-personal` (facts about personal entities that were left out) and `anamne-skipped` (memories that are damaged
/// in both copies). With `report`, the last line is `{"report": …}` with the same counts, for clients that don't read
/// trailers. A response without an end was cut off, and is not the whole.
///
/// With `format=binary`, or `Accept: application/octet-stream`, it is one compressed file that ends with a digest of the
/// whole: history, forgotten memories, what was told about personal entities, and settings, so it needs the right to
/// configure. `anamne import`, or a request with that body, imports it.
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/export",
    tag = "streams",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("forgotten" = Option<bool>, Query, description = "Forgotten memories too"),
        ("personal" = Option<bool>, Query, description = "What was told about personal entities too"),
        ("report" = Option<bool>, Query, description = "End with a line that says what was exported"),
        ("format" = Option<ExportForm>, Query, description = "Lines by default"),
        ("with" = Option<String>, Query, description = "In a file also what can't be computed again: paid, observed, external, with commas between them")
    ),
    responses(
        (
            status = 200,
            description = "One memory per line, or an export file",
            content((String = "application/x-ndjson"), (String = "application/octet-stream"))
        ),
        (status = "default", body = Problem)
    )
)]
async fn export(
    caller: Caller,
    Path(space): Path<String>,
    Query(exporting): Query<Exporting>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if exporting.format == ExportForm::Binary || accepts(&headers, FILE) {
        let extras = exporting.with.as_deref().map(extras).transpose()?;
        return export_space(caller, space, extras.unwrap_or_default()).await;
    }
    if let Some(with) = exporting.with {
        return Err(InvalidValue::new("with", "an export with format=binary", with).into());
    }
    let selection = ExportSelection {
        visibility: if exporting.forgotten {
            Visibility::Both
        } else {
            Visibility::Live
        },
        personal: exporting.personal,
        experience: true,
    };
    let trailers = "anamne-exported, anamne-personal, anamne-skipped";
    written(caller, trailers, move |store, writer| {
        let space = store.existing_space(&space)?;
        let mut exported = space.export_visibility(&mut *writer, selection)?;
        if exporting.report {
            conceal_skipped(&space, &mut exported.skipped);
            let report = serde_json::json!({ "report": exported });
            write_line(writer, &report).map_err(|source| Error::Stream {
                action: "write the report",
                source,
            })?;
        }
        let mut trailers = HeaderMap::new();
        for (name, count) in [
            ("anamne-exported", exported.exported),
            ("anamne-personal", exported.personal),
            ("anamne-skipped", exported.skipped.count),
        ] {
            let name = HeaderName::from_static(name);
            trailers.insert(name, HeaderValue::from(count));
        }
        Ok(trailers)
    })
    .await
}

/// What happens to a line that can't be read.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum BadLinePolicy {
    /// The import ends; the lines before it stay.
    #[default]
    Stop,
    /// It is reported and skipped.
    Skip,
}

/// How lines or a file are imported.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Importing {
    #[serde(default)]
    bad_lines: BadLinePolicy,
    #[serde(default)]
    trusted: bool,
    #[serde(default)]
    updates: bool,
    from: Option<String>,
}

impl From<&Importing> for ImportOptions {
    fn from(importing: &Importing) -> Self {
        let bad_lines = match importing.bad_lines {
            BadLinePolicy::Stop => BadLines::Stop,
            BadLinePolicy::Skip => BadLines::Skip,
        };
        Self {
            bad_lines,
            trusted: importing.trusted,
            updates: importing.updates,
        }
    }
}

/// What came of an import.
#[derive(Debug, Serialize, ToSchema)]
struct Imported {
    /// Counts: `lines`, `bytes`, `imported`, `known`, `updated`, `newer` and `erased` (of the known ones), `links`, `unproven`, `guard`, and the first hundred `bad` lines.
    #[schema(value_type = Object)]
    report: ImportReport,
    /// Lines, and links of lines, that were refused.
    refused: u64,
}

/// Import memories as lines of JSON; the space is created if it is missing
///
/// A memory that is known already changes nothing, so that an import that was cut off can be sent again: what was
/// stored before counts as known. A line that is cut off is not imported. With `Accept: application/x-ndjson` the
/// outcome of each line is sent meanwhile, and the report or the problem last; such a client must read while it sends.
/// Text is imported without the trust, importance and assertions that it claims, unless `trusted` is set.
///
/// With `Content-Type: application/octet-stream` the body is an export file of at most 1 GiB. It is read and verified whole
/// before anything is visible, and the space must have been written by nobody, or contain the file's history already. With
/// `trusted`, which then needs the right to configure as well, the space equals the exported one, with its history;
/// otherwise its memories are imported as lines are. The answer is a report of the space.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/import",
    tag = "streams",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("bad_lines" = Option<BadLinePolicy>, Query, description = "What happens to a line that can't be read; stop by default"),
        ("trusted" = Option<bool>, Query, description = "Accept what the lines claim; needs the right to vouch for content"),
        ("updates" = Option<bool>, Query, description = "Edit a memory whose line says something else now; otherwise such a line is refused"),
        ("from" = Option<String>, Query, description = "The space of an export file, if it has several")
    ),
    request_body(
        content((String = "application/x-ndjson"), (String = "application/octet-stream")),
        description = "One memory per line, as an export writes them, or an export file"
    ),
    responses(
        (status = 200, body = Imported),
        (status = "default", body = Problem)
    )
)]
async fn import(
    caller: Caller,
    Path(space): Path<String>,
    Query(importing): Query<Importing>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    check_media(&parts.headers, &[LINES, "application/jsonl", FILE])?;
    if media_of(&parts.headers).eq_ignore_ascii_case(FILE) {
        let (options, headers) = ((&importing).into(), &parts.headers);
        let imported = import_file(caller, space, importing.from, options, headers, body);
        return imported.await.map(|report| Json(report).into_response());
    }
    if let Some(from) = importing.from {
        return Err(InvalidValue::new("from", "an import of an export file", from).into());
    }
    let reader = RequestReader::of(body);
    let import = Import {
        space,
        options: (&importing).into(),
        reader,
    };
    if accepts(&parts.headers, LINES) {
        return written(caller, "", move |store, writer| {
            import.tell_each(store, writer)
        })
        .await;
    }
    let imported = caller.with_store_streaming(move |store| Ok(import.count(store)?));
    imported
        .await
        .map(|imported| Json(imported).into_response())
}

/// Whether the client asks for exactly this media type.
fn accepts(headers: &HeaderMap, media: &str) -> bool {
    let accepts = headers.get(header::ACCEPT);
    accepts.is_some_and(|accepts| accepts.as_bytes() == media.as_bytes())
}

struct Import {
    space: String,
    options: ImportOptions,
    reader: RequestReader,
}

/// A line of the response.
#[derive(Serialize)]
#[serde(untagged)]
enum Told {
    Outcome(LineOutcome),
    End(Imported),
    Problem { problem: Problem },
}

impl Import {
    fn count(self, store: &Store) -> Result<Imported, Error> {
        let mut refused = 0;
        let report = self.run(store, &mut |outcome| {
            refused += u64::from(outcome.problem.is_some());
        })?;
        Ok(Imported { report, refused })
    }

    /// Writes the outcome of each line, and the end. A client that has gone ends the import.
    fn tell_each(self, store: &Store, writer: &mut ResponseWriter) -> Result<HeaderMap, Problem> {
        let stop = self.reader.stopper();
        let (mut refused, mut lines, mut flushed) = (0, 0_u64, Instant::now());
        let mut tell = |told: Told| {
            let written = write_line(writer, &told).and_then(|()| {
                if flushed.elapsed() < LONGEST_WAIT {
                    return Ok(());
                }
                flushed = Instant::now();
                writer.flush()
            });
            if written.is_err() {
                stop.stop();
            }
        };
        let imported = self.run(store, &mut |outcome| {
            refused += u64::from(outcome.problem.is_some());
            lines += 1;
            tell(Told::Outcome(outcome));
        });
        match imported {
            Ok(report) => tell(Told::End(Imported { report, refused })),
            // Before the first line of the response it is the response.
            Err(error) if lines == 0 => return Err(error.into()),
            Err(error) => tell(Told::Problem {
                problem: error.into(),
            }),
        }
        Ok(HeaderMap::new())
    }

    fn run(self, store: &Store, tell: &mut dyn FnMut(LineOutcome)) -> Result<ImportReport, Error> {
        let space = store.space(&self.space)?;
        let reader = BufReader::with_capacity(BUFFER, self.reader);
        space.import_each(reader, self.options, tell)
    }
}

fn write_line(writer: &mut ResponseWriter, told: &impl Serialize) -> std::io::Result<()> {
    serde_json::to_writer(&mut *writer, told)?;
    writer.write_all(b"\n")
}
