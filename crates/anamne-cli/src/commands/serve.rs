//! `anamne serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anamne::BackupSchedule;
use anamne_server::http::{
    Address, HttpError, HttpLimits, HttpSettings, IssuerSettings, LogLevel, LogLine, TenantOptions,
    TlsFiles, log_panics, serve, start_log,
};
use clap::builder::TypedValueParser;

use super::backup;
use crate::bridge;
use crate::failure::Failure;
use crate::output::{Output, report, report_json};
use crate::place::Place;

/// Serve the store over HTTP (REST and MCP)
#[derive(Debug, clap::Args)]
#[command(after_help = "\
GET /openapi.json describes every route, /metrics has numbers for Prometheus,
/healthz and /readyz say whether the server lives and can serve.

Without a key (see `anamne keys`), the server answers programs of this machine
only; with one, every request needs a key, and it may listen elsewhere. Other
processes can use the store at the same time. SIGTERM ends the server after the
requests that have begun; a second signal ends it at once. SIGHUP reads the
certificate again.

Requests under a name other than the server's address, localhost and --host,
requests of pages of other origins, and requests with a key in their address
are refused.

With --backup-to, the server backs itself up while it runs, as `anamne backup
--tenants` does: in DIR, one folder for each backup. After a new one is verified,
the oldest beyond --backup-keep are removed. `anamne doctor` and /metrics show
the age of the last one. `anamne --store NEW backup DIR --restore` makes a server
of the newest.

The log on standard error has a line for each request, never with content,
query parts or keys.

A space that was used stays open, with about 30 files. The server raises its
limit of open files to the highest that the system allows (ulimit -Hn).

Examples:
  anamne serve
  anamne serve --listen 127.0.0.1:8080 --log-format json
  anamne serve --backup-to /mnt/disk/anamne --backup-every 12h --backup-keep 14
  anamne serve --socket /run/anamne/anamne.sock
  anamne serve --host memory.example.org --tls-cert cert.pem --tls-key key.pem")]
pub(crate) struct Serve {
    /// The address to listen at; port 0 is a free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7331")]
    listen: SocketAddr,
    /// Listen at a Unix socket instead, which only this user can use
    #[arg(long, value_name = "PATH", conflicts_with = "listen")]
    socket: Option<PathBuf>,
    /// Tenants that are kept open beside the server's own store
    #[arg(long, value_name = "NUMBER", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=10_000).map(usize::from))]
    open_tenants: usize,
    /// Another name of the server, as in the header Host; may be repeated
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// An origin whose pages may send requests, such as `https://notes.example.org`; may be repeated
    #[arg(long = "origin", value_name = "ORIGIN")]
    origins: Vec<String>,
    /// The certificate for TLS, with those above it, in PEM; read again when it changes
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// The issuer of access tokens (OAuth 2) that count beside keys; its keys are read at the start
    #[arg(long, value_name = "URL", requires = "audience")]
    issuer: Option<String>,
    /// The URL of this server for which tokens must be issued, such as `https://memory.example.org/mcp`
    #[arg(long, value_name = "URL", requires = "issuer")]
    audience: Option<String>,
    /// Make backups of the whole server in this folder, which must exist
    #[arg(long, value_name = "DIR")]
    backup_to: Option<PathBuf>,
    /// The interval of these backups: `hour`, `day`, `week`, or a number of hours such as `12h`
    #[arg(long, value_name = "TIME", default_value = "day", value_parser = backup::interval, requires = "backup_to")]
    backup_every: u32,
    /// The number of complete backups to keep
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=10_000), requires = "backup_to")]
    backup_keep: u32,
    /// What to log
    #[arg(long, value_enum, default_value = "info", value_name = "LEVEL")]
    log: Level,
    /// How to log
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    log_format: Format,
    /// Most open connections; more are closed at once [default: 10240, fewer if the system allows fewer open files]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    connections: Option<u32>,
    /// Most clients that follow events [default: 1024]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    followers: Option<u32>,
    /// Seconds until a request without a response is given up [default: 120]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    request_time: Option<u64>,
    /// Seconds that running requests have to end after SIGTERM [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    end_time: Option<u64>,
}

/// How much is logged.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Level {
    /// Nothing
    Off,
    /// Failed requests
    Error,
    /// And what may need attention
    Warn,
    /// And every request
    Info,
}

/// How lines of the log look.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    /// Time, level, message, and name=value
    Text,
    /// One JSON object per line
    Json,
}

/// Reads where spans go from the environment, and says so.
#[cfg(feature = "opentelemetry")]
fn set_traces(settings: &mut HttpSettings) -> Result<(), Failure> {
    let traces = anamne_server::http::TraceSettings::from_variables(|name| std::env::var_os(name));
    settings.traces = traces.map_err(|error| Failure::usage(error.to_string()))?;
    if let Some(traces) = &settings.traces {
        report(format_args!("exporting traces to {}", traces.origin()));
    }
    Ok(())
}

/// Raises the number of files that this process may open as far as the system allows: each open space takes about 30, and
/// the usual limit is for programs that open few.
#[cfg(unix)]
fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    // A system that refuses this lets the server open as many as before.
    let _ = setrlimit(Resource::Nofile, raised);
}

impl Serve {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let options = place.options_with_model(output)?.background(true);
        #[cfg(unix)]
        raise_open_files();
        self.begin_log();
        let mut settings = self.settings()?;
        #[cfg(feature = "opentelemetry")]
        set_traces(&mut settings)?;
        let scheme = if settings.tls.is_some() {
            "https"
        } else {
            "http"
        };
        settings.tenant_options = Some(TenantOptions(Arc::new(bridge::tenant_options)));
        let ready = |address: Option<SocketAddr>| match address {
            Some(address) => report(format_args!("listening at {scheme}://{address}")),
            None => report("listening"),
        };
        serve(options, &settings, ready).map_err(|error| match error {
            HttpError::Engine(error) => error.into(),
            error => Failure::failed(error.to_string()),
        })
    }

    fn begin_log(&self) {
        let level = match self.log {
            Level::Off => return,
            Level::Error => LogLevel::Error,
            Level::Warn => LogLevel::Warn,
            Level::Info => LogLevel::Info,
        };
        let write: fn(LogLine) = match self.log_format {
            Format::Text => |line| report(line.to_text()),
            Format::Json => |line| report_json(&line.into_json()),
        };
        if start_log(level, write) {
            log_panics();
        }
    }

    fn settings(self) -> Result<HttpSettings, Failure> {
        let mut limits = HttpLimits::default();
        if let Some(connections) = self.connections {
            limits.connections = connections as usize;
        }
        if let Some(followers) = self.followers {
            limits.followers = followers as usize;
        }
        if let Some(seconds) = self.request_time {
            limits.request_time = Duration::from_secs(seconds);
        }
        if let Some(seconds) = self.end_time {
            limits.end_time = Duration::from_secs(seconds);
        }
        let mut settings = HttpSettings::default();
        settings.limits = limits;
        settings.open_tenants = self.open_tenants;
        settings.address = match self.socket {
            Some(path) => Address::Unix(path),
            None => Address::Tcp(self.listen),
        };
        (settings.hosts, settings.origins) = (self.hosts, self.origins);
        let tokens = self.issuer.zip(self.audience);
        settings.issuer = tokens.map(|(issuer, audience)| IssuerSettings { issuer, audience });
        let files = self.tls_cert.zip(self.tls_key);
        settings.tls = files.map(|(certificate, key)| TlsFiles { certificate, key });
        if let Some(folder) = self.backup_to {
            settings.backups = Some(BackupSchedule {
                folder: std::path::absolute(folder)?,
                every: Duration::from_hours(self.backup_every.into()),
                keep: self.backup_keep,
            });
        }
        Ok(settings)
    }
}
