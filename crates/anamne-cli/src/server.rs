//! The server that commands work against, if there is one: its address, and the key for it.

use std::path::PathBuf;

use anamne::llm::{KEYCHAIN_SERVICE, Key, key_in_file, write_key_file};
use anamne_client::{Client, ClientError, Problem};
use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};

use crate::arguments::Global;
use crate::bridge;
use crate::failure::Failure;
use crate::whole_file::write_whole;

/// The variable with the key, for scripts.
const KEY: &str = "ANAMNE_KEY";

/// What `anamne login` keeps, in the person's settings.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Login {
    /// The address of the server.
    address: String,
}

/// The folder of the person's settings.
fn settings() -> Result<PathBuf, Failure> {
    let folders = etcetera::base_strategy::choose_native_strategy().map_err(|error| {
        Failure::failed(format!("can't find the folder for your settings: {error}"))
    })?;
    Ok(folders.config_dir().join("anamne"))
}

fn login_file() -> Result<PathBuf, Failure> {
    Ok(settings()?.join("server.toml"))
}

/// Holds the key where there is no keychain.
fn key_file() -> Result<PathBuf, Failure> {
    Ok(settings()?.join("server.key"))
}

/// The server to work against: as given, else that of `anamne login`. `--store` chooses a store of this machine.
pub(crate) fn chosen(global: &Global) -> Result<Option<Client>, Failure> {
    match given_address(global)? {
        Some(address) => connect(&address).map(Some),
        None => Ok(None),
    }
}

/// The address of the server to work against, normalised, without reading its key.
pub(crate) fn chosen_address(global: &Global) -> Result<Option<String>, Failure> {
    let Some(address) = given_address(global)? else {
        return Ok(None);
    };
    let client = Client::connect(&address, None)?;
    let (origin, base) = (client.address().origin(), client.address().join(""));
    let path = base.split_once("://").and_then(|(_, rest)| {
        let at = rest.find('/')?;
        Some(rest[at..].to_owned())
    });
    Ok(Some(format!("{origin}{}", path.unwrap_or_default())))
}

fn given_address(global: &Global) -> Result<Option<String>, Failure> {
    let given = global.server.clone().filter(|address| !address.is_empty());
    match given {
        Some(address) => Ok(Some(address)),
        None if global.store.is_some() => Ok(None),
        None => Ok(read_login()?.map(|login| login.address)),
    }
}

/// A client of the server at `address`, with the key that is kept for it.
pub(crate) fn connect(address: &str) -> Result<Client, Failure> {
    let keyless = Client::connect(address, None)?;
    let key = kept_key(keyless.address().origin())?;
    Ok(Client::connect(address, key.as_deref())?)
}

/// The key for a server: from the environment, the keychain, or the private file.
fn kept_key(account: &str) -> Result<Option<String>, Failure> {
    if let Some(key) = std::env::var(KEY).ok().filter(|key| !key.is_empty()) {
        return Ok(Some(key));
    }
    if let Some(key) = key_in_file(&key_file()?, account)? {
        return Ok(Some(key));
    }
    let keychain = bridge::keychain();
    if read_login()?.is_some() && keychain.is_there() {
        return Ok(keychain.password(KEYCHAIN_SERVICE, account)?);
    }
    Ok(None)
}

fn read_login() -> Result<Option<Login>, Failure> {
    let path = login_file()?;
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(Failure::failed(format!(
                "can't read {}: {error}",
                path.display()
            )));
        }
    };
    toml::from_str(&text).map(Some).map_err(|error| {
        Failure::failed(format!("{} is unreadable: {error}", path.display()))
            .hint("run `anamne login URL` again, or `anamne login --end`")
    })
}

/// Keeps the address, and the key if there is one, after the server has accepted them. Returns where the key is.
pub(crate) fn log_in(
    address: &str,
    key: Option<&str>,
    in_file: bool,
) -> Result<Option<String>, Failure> {
    let client = Client::connect(address, key)?;
    let spaces = client.read::<serde_json::Value>(&["v1", "spaces"], &anamne_client::Query::new());
    spaces?;
    let account = client.address().origin();
    let kept = match key {
        None => None,
        Some(key) => {
            let key = Key::new(key, "standard input")?;
            let keychain = bridge::keychain();
            if in_file || !keychain.is_there() {
                let path = key_file()?;
                std::fs::create_dir_all(settings()?).map_err(|error| unwritable(&error))?;
                write_key_file(&path, account, &key)?;
                Some(path.display().to_string())
            } else {
                keychain.keep(KEYCHAIN_SERVICE, account, &key)?;
                Some("the keychain".to_owned())
            }
        }
    };
    let login = Login {
        address: address.to_owned(),
    };
    let text = toml::to_string(&login).map_err(|error| Failure::failed(error.to_string()))?;
    std::fs::create_dir_all(settings()?).map_err(|error| unwritable(&error))?;
    write_whole(&login_file()?, |file| Ok(file.write_all(text.as_bytes())?))?;
    Ok(kept)
}

/// Forgets the server and a key in a file; commands work on stores of this machine again.
pub(crate) fn log_out() -> Result<bool, Failure> {
    let mut removed = false;
    for path in [login_file()?, key_file()?] {
        match std::fs::remove_file(&path) {
            Ok(()) => removed = true,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(unwritable(&error)),
        }
    }
    Ok(removed)
}

fn unwritable(error: &std::io::Error) -> Failure {
    Failure::failed(format!("can't change your settings: {error}"))
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Problem(problem) => of_problem(&problem),
            ClientError::Address(refused) => Self::refused("server", refused.to_string()),
            ClientError::MissingRoute { route, server, .. } => {
                older_server(&route, server.as_deref())
            }
            ClientError::Key => Self::refused("key", "the key is malformed"),
            other => Self::failed(other.to_string())
                .hint("check the address (--server), and that the server runs"),
        }
    }
}

/// The server doesn't know a route that this version of the command uses.
fn older_server(route: &str, server: Option<&str>) -> Failure {
    let command = env!("CARGO_PKG_VERSION");
    let server = server.unwrap_or("of an unknown version");
    Failure::failed(format!(
        "the server is older than this command: it has no route {route} (server {server}, command {command})"
    ))
    .hint("update the server, or use the command in the server's version")
}

/// The failure that the same error of a store on this machine would be.
fn of_problem(problem: &Problem) -> Failure {
    let detail = problem.detail.clone();
    let failure = match (problem.kind(), &problem.field) {
        ("unauthenticated", _) => {
            return Failure::denied(detail)
                .hint("give a valid key: `anamne login URL < FILE`, or the variable ANAMNE_KEY");
        }
        ("denied", _) => Failure::denied(detail),
        (_, Some(field)) => return Failure::refused(field, detail),
        ("refused", None) => Failure::usage(detail),
        ("not_found", None) => Failure::not_found(detail),
        ("busy" | "overloaded", None) => Failure::busy(detail),
        _ => Failure::failed(detail),
    };
    failure.step(problem.next_step)
}
