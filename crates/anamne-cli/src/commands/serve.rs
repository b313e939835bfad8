//! `anamne serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anamne_server::http::{Address, HttpError, HttpSettings, TenantOptions, serve};
use clap::builder::TypedValueParser;

use crate::bridge;
use crate::failure::Failure;
use crate::output::{Output, report};
use crate::place::Place;

/// Serve the store over HTTP (REST)
#[derive(Debug, clap::Args)]
#[command(after_help = "\
GET /openapi.json describes every route.

Without a key (see `anamne keys`), the server answers programs of this machine
only; with one, every request needs a key, and it may listen elsewhere. Other
processes can use the store at the same time. SIGTERM ends the server after the
requests that have begun.

Examples:
  anamne serve
  anamne serve --listen 127.0.0.1:8080
  anamne serve --socket /run/anamne/anamne.sock")]
pub(crate) struct Serve {
    /// The address to listen at; port 0 is a free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7331")]
    listen: SocketAddr,
    /// Listen at a Unix socket instead
    #[arg(long, value_name = "PATH", conflicts_with = "listen")]
    socket: Option<PathBuf>,
    /// Tenants that are kept open beside the server's own store
    #[arg(long, value_name = "NUMBER", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=10_000).map(usize::from))]
    open_tenants: usize,
}

impl Serve {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let options = place.options_with_model(output)?.background(true);
        let mut settings = HttpSettings::default();
        settings.address = match self.socket {
            Some(path) => Address::Unix(path),
            None => Address::Tcp(self.listen),
        };
        settings.open_tenants = self.open_tenants;
        settings.tenant_options = Some(TenantOptions(Arc::new(bridge::tenant_options)));
        let ready = |address: Option<SocketAddr>| match address {
            Some(address) => report(format_args!("listening at http://{address}")),
            None => report("listening"),
        };
        serve(options, &settings, ready).map_err(|error| match error {
            HttpError::Engine(error) => error.into(),
            error => Failure::failed(error.to_string()),
        })
    }
}
