//! The server that commands work against, if there is one: its address, and the key for it.

use std::io::Read;
use std::path::{Path, PathBuf};

use anamne::llm::{KEYCHAIN_SERVICE, Key, key_in_file, write_key_file};
use anamne_client::{Authorities, CertificateFault, Client, ClientError, NetError, Problem};
use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};

use crate::arguments::Global;
use crate::bridge;
use crate::failure::Failure;
use crate::whole_file::write_whole;
use crate::wording::file_name;

/// The variable with the key, for scripts.
const KEY: &str = "ANAMNE_KEY";

/// The variable with the file of the authorities, for scripts.
const CA: &str = "ANAMNE_CA";

/// The most bytes that are read of a file of authorities.
const MOST_OF_CA: u64 = 2 << 20;

/// What `anamne login` keeps, in the person's settings.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Login {
    /// The address of the server.
    address: String,
    /// The certificates of its own authorities, in PEM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ca: Option<String>,
}

impl Login {
    fn authorities(&self) -> Result<Authorities, Failure> {
        let Some(pem) = &self.ca else {
            return Ok(Authorities::public());
        };
        Authorities::of_pem(pem.as_bytes()).map_err(|error| {
            Failure::failed(format!(
                "the CA certificate of the login can't be read: {error}"
            ))
            .hint("run `anamne login URL --ca FILE` again")
        })
    }
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
    let origin = keyless.address().origin();
    let key = kept_key(origin)?;
    let authorities = kept_authorities(origin)?;
    Ok(Client::connect_trusting(
        authorities,
        address,
        key.as_deref(),
    )?)
}

/// The authorities for a server: from the file that the environment names, else those of the login if it is there.
fn kept_authorities(origin: &str) -> Result<Authorities, Failure> {
    if let Some(path) = ca_of_environment() {
        return read_authorities(&path);
    }
    let Some(login) = read_login()?.filter(|login| login.ca.is_some()) else {
        return Ok(Authorities::public());
    };
    let client = Client::connect(&login.address, None)?;
    if client.address().origin() == origin {
        login.authorities()
    } else {
        Ok(Authorities::public())
    }
}

fn ca_of_environment() -> Option<PathBuf> {
    let named = std::env::var_os(CA).filter(|path| !path.is_empty());
    named.map(PathBuf::from)
}

/// The authorities whose certificates a file has.
fn read_authorities(path: &Path) -> Result<Authorities, Failure> {
    let read = || {
        let mut bytes = Vec::new();
        let mut file = std::fs::File::open(path)?.take(MOST_OF_CA);
        file.read_to_end(&mut bytes).map(|_| bytes)
    };
    let name = file_name(path);
    let bytes = read().map_err(|error| {
        let message = format!("can't read the CA file {name}: {error}");
        Failure::refused("ca", message)
    })?;
    Authorities::of_pem(&bytes)
        .map_err(|error| Failure::refused("ca", format!("{name} is no CA file: {error}")))
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
    ca: Option<&Path>,
    in_file: bool,
) -> Result<Option<String>, Failure> {
    let authorities = authorities_of_login(address, ca)?;
    let client = Client::connect_trusting(authorities.clone(), address, key)?;
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
        ca: authorities.pem().map(str::to_owned),
    };
    let text = toml::to_string(&login).map_err(|error| Failure::failed(error.to_string()))?;
    std::fs::create_dir_all(settings()?).map_err(|error| unwritable(&error))?;
    write_whole(&login_file()?, |file| Ok(file.write_all(text.as_bytes())?))?;
    Ok(kept)
}

/// The authorities of a file that was given, else of the one that the environment names.
fn authorities_of_login(address: &str, ca: Option<&Path>) -> Result<Authorities, Failure> {
    if Client::connect(address, None)?.address().is_tls() {
        let path = ca.map(Path::to_owned).or_else(ca_of_environment);
        return path.map_or_else(|| Ok(Authorities::public()), |path| read_authorities(&path));
    }
    if ca.is_some() {
        let message = format!("--ca is for an address with https://, and {address} has none");
        return Err(Failure::refused("ca", message));
    }
    Ok(Authorities::public())
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
            ClientError::Net(NetError::Certificate { fault }) => untrusted(&fault),
            other => {
                Self::failed(other.to_string()).hint("check the server's address, and that it runs")
            }
        }
    }
}

/// The certificate of the server is not accepted.
fn untrusted(fault: &CertificateFault) -> Failure {
    let failure = Failure::failed(format!(
        "the certificate of the server is not accepted: {fault}"
    ));
    failure.hint(match fault {
        CertificateFault::UnknownAuthority => {
            "if a private CA signed it, give the certificate of that CA: `anamne login URL --ca FILE`, or the variable ANAMNE_CA"
        }
        CertificateFault::OfAuthority => {
            "let the server use a certificate that is not that of a CA (CA:FALSE)"
        }
        _ => "ask who runs the server; the address (--server) must be a name that the certificate has",
    })
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
            return Failure::denied("the server wants a valid key")
                .hint("give one: `anamne login URL < FILE`, or the variable ANAMNE_KEY");
        }
        ("denied", _) => {
            return Failure::denied(detail).hint(
                "use a key that may do it; who runs the server makes one: `anamne keys create --help`",
            );
        }
        (_, Some(field)) => return Failure::refused(field, detail),
        ("refused", None) => Failure::usage(detail),
        ("not_found", None) => Failure::not_found(detail),
        ("busy" | "overloaded", None) => Failure::busy(detail),
        _ => Failure::failed(detail),
    };
    failure.step_of_server(problem.next_step)
}
