//! Errors of the bridge.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anamne_net::AddressError;
use anamne_store::StoreError;
use anamne_types::{InvalidValue, NextStep};
use jiff::Timestamp;

use super::BudgetKind;

/// An error of the bridge. After any of them the caller can continue without a model.
///
/// No variant ever contains a key; provider messages are cut to one short line and keys are redacted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BridgeError {
    /// An invalid value.
    #[error(transparent)]
    Refused(#[from] InvalidValue),
    /// `model.toml` is invalid.
    #[error("{path} is unusable: {reason}")]
    Config {
        /// The file.
        path: PathBuf,
        /// The problem.
        reason: String,
    },
    /// A file that decides where text and keys go may have been written by another user.
    #[error("{path} is not used: {reason}; {remedy}")]
    Unsafe {
        /// The file.
        path: PathBuf,
        /// Why the file isn't trusted.
        reason: String,
        /// What to do.
        remedy: String,
        /// The next step for the user.
        next_step: Option<NextStep>,
    },
    /// `model.toml` must be approved on this machine before a model is called.
    #[error("{path} is not approved on this machine: {reason}")]
    NotApproved {
        /// The settings file.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// `key_env` names a variable that isn't a known key variable.
    #[error(
        "the variable {variable} was not read: it isn't a known key variable and isn't approved for {origin} on this machine"
    )]
    VariableNotAllowed {
        /// The variable.
        variable: String,
        /// Scheme, host and port of the API.
        origin: String,
    },
    /// A key file of an earlier version that doesn't name its host.
    #[error("{path} does not say whether its key is for {account}")]
    KeyUnbound {
        /// The file.
        path: PathBuf,
        /// Provider, scheme, host and port that a key is needed for.
        account: String,
    },
    /// The keychain did not store a key.
    #[error("{tool} {reason}")]
    Keychain {
        /// The tool that was run.
        tool: String,
        /// What the tool did.
        reason: &'static str,
    },
    /// The file has a newer format than this version supports.
    #[error(
        "{path} has format {found}, but this version knows formats up to {known}; install a newer Anamne to use it"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        found: i64,
        /// The newest supported format.
        known: i64,
    },
    /// A file can't be read or written.
    #[error("can't {action} {path}: {source}")]
    Io {
        /// The failed operation.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// Requests may not be sent to this address.
    #[error("base_url {:?} {}", .0.address, .0.reason)]
    Address(#[from] AddressError),
    /// The provider requires a key, and none was found.
    #[error("no key for {host} (searched: {looked})")]
    NoKey {
        /// The host that the key is for.
        host: String,
        /// The places that were searched.
        looked: String,
    },
    /// A key file is readable by other users.
    #[error(
        "{path} contains a key that other users can read (mode {mode:o}); run `chmod 600` on it and replace the key"
    )]
    KeyFileOpen {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// A key source contains something that isn't a key.
    #[error("the key from {origin} is unusable: {reason}")]
    KeyUnusable {
        /// The source of the key.
        origin: String,
        /// The problem; never the key itself.
        reason: &'static str,
    },
    /// The provider or the settings don't support an operation.
    #[error("{provider} doesn't support {what} here; {hint}")]
    NotOffered {
        /// The provider.
        provider: &'static str,
        /// The operation.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// `model.toml` has no source of embeddings with this name.
    #[error("model.toml has no source of embeddings called {source_name}{}", known_sources(.known))]
    NoSource {
        /// The name.
        source_name: String,
        /// The names of the sources that there are.
        known: Vec<String>,
    },
    /// The vectors of a model have another length than asked for.
    #[error(
        "{model} gave vectors of {found} dimensions, not {wanted}, and is not known as a model whose vectors can be shortened; use {name}"
    )]
    WrongLength {
        /// The model.
        model: String,
        /// The length of its vectors.
        found: usize,
        /// The length that was asked for.
        wanted: usize,
        /// The name with the length that it has.
        name: String,
    },
    /// The input is too long for the task.
    #[error("{what} is {size} long; at most {most} can be sent to a model at once; split it")]
    TooLong {
        /// The name of the input, with the unit.
        what: &'static str,
        /// The actual size.
        size: usize,
        /// The maximum size.
        most: usize,
    },
    /// The caller cancelled the call.
    #[error("the call to the model was cancelled")]
    Cancelled,
    /// The whole call took longer than `timeouts.total_seconds`, including retries.
    #[error(
        "the model {model} gave no usable answer within {limit:?}; raise timeouts.total_seconds if it is slow"
    )]
    DeadlinePassed {
        /// The model.
        model: String,
        /// The time limit.
        limit: Duration,
    },
    /// A budget is exhausted; nothing was sent.
    #[error(
        "the {budget} budget{} of {limit} is exhausted ({spent} spent or reserved, {wanted} needed); {}",
        of_space(.space.as_deref()),
        when_open(.opens_at.as_ref(), .space.is_some())
    )]
    BudgetExceeded {
        /// Which budget.
        budget: BudgetKind,
        /// The space whose budget it is; `None` for the budgets of the store.
        space: Option<Box<str>>,
        /// The limit, with its unit.
        limit: String,
        /// Spent or reserved, with its unit.
        spent: String,
        /// Maximum of the call, with its unit.
        wanted: String,
        /// When the budget resets; `None` if the call alone exceeds the budget.
        opens_at: Option<Timestamp>,
    },
    /// The circuit breaker is open after consecutive failures; nothing was sent.
    #[error("{model} failed repeatedly; paused for {remaining:?}")]
    CircuitOpen {
        /// The model.
        model: String,
        /// How long the circuit stays open.
        remaining: Duration,
    },
    /// The connection failed or broke.
    #[error("the connection to {host} failed: {reason}")]
    Connection {
        /// The provider's host.
        host: String,
        /// The cause.
        reason: String,
        /// Whether the provider may have worked on the request, and may charge for it.
        sent: bool,
    },
    /// The provider timed out.
    #[error("{host} timed out: {stage}")]
    TimedOut {
        /// The provider's host.
        host: String,
        /// The stage that timed out.
        stage: String,
        /// Whether the provider may have worked on the request, and may charge for it.
        sent: bool,
    },
    /// The provider answered with an HTTP error.
    #[error("{host} answered {status}{}{message}", if .message.is_empty() { "" } else { ": " })]
    Status {
        /// The provider's host.
        host: String,
        /// The HTTP status.
        status: u16,
        /// The provider's message, one short line.
        message: String,
        /// The provider's retry-after, if given.
        retry_after: Option<Duration>,
    },
    /// The provider redirected; the redirect was not followed, so that neither key nor text goes elsewhere.
    #[error(
        "{host} redirected ({status}); redirects are not followed; set the final address in base_url"
    )]
    Redirected {
        /// The provider's host.
        host: String,
        /// The HTTP status.
        status: u16,
    },
    /// The answer is larger than any legitimate one.
    #[error("the response of {host} exceeds {most} bytes")]
    TooLarge {
        /// The provider's host.
        host: String,
        /// Maximum size of an answer.
        most: u64,
    },
    /// The answer is not in the provider's format.
    #[error("invalid response from {host}: {reason}")]
    Malformed {
        /// The provider's host.
        host: String,
        /// The problem.
        reason: &'static str,
    },
    /// The model refused to answer.
    #[error("the model {model} declined to answer ({reason})")]
    Declined {
        /// The model.
        model: String,
        /// The provider's reason.
        reason: String,
    },
    /// The model answered twice, and neither answer fits the schema.
    #[error("the model {model} gave no usable answer, even after a correction: {reason}")]
    Unusable {
        /// The model.
        model: String,
        /// The problem with the second answer.
        reason: String,
    },
    /// A schema uses an unsupported keyword or type.
    #[error("unsupported schema keyword {keyword:?}")]
    Schema {
        /// The keyword or type.
        keyword: String,
    },
    /// The ledger can't be read or written; nothing is sent without it.
    #[error("the cost ledger {path} is unusable: {source}; models are disabled without it")]
    Ledger {
        /// The database.
        path: PathBuf,
        /// The SQLite error.
        source: rusqlite::Error,
    },
    /// The ledger file is damaged, locked for too long, or not writable.
    #[error(transparent)]
    Store(StoreError),
}

fn known_sources(known: &[String]) -> String {
    match known {
        [] => String::new(),
        known => format!("; it has {}", known.join(", ")),
    }
}

fn of_space(space: Option<&str>) -> String {
    space.map_or_else(String::new, |space| format!(" of the space {space}"))
}

fn when_open(opens_at: Option<&Timestamp>, is_of_space: bool) -> String {
    if let Some(at) = opens_at {
        format!("it resets at {at}")
    } else {
        let file = if is_of_space {
            "space.toml"
        } else {
            "model.toml"
        };
        format!("the call alone is larger than the budget: raise it in {file}")
    }
}

impl BridgeError {
    pub(crate) fn io(
        action: &'static str,
        path: &Path,
    ) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }

    /// The next step for the user, if there is one.
    pub fn next_step(&self) -> Option<NextStep> {
        match self {
            Self::Config { .. } => Some(NextStep::SetModel),
            Self::NoSource { .. } => Some(NextStep::AddEmbeddings),
            Self::Unsafe { next_step, .. } => *next_step,
            Self::NotApproved { .. } => Some(NextStep::TrustModel),
            Self::VariableNotAllowed { .. } => Some(NextStep::AllowVariable),
            Self::KeyUnbound { .. } => Some(NextStep::BindKey),
            Self::Keychain { .. } => Some(NextStep::KeepKeyInFile),
            Self::Newer { .. } => Some(NextStep::InstallNewer),
            Self::BudgetExceeded {
                opens_at: Some(_), ..
            } => Some(NextStep::ShowCosts),
            _ => None,
        }
    }

    /// Whether a retry may succeed.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Connection { .. } | Self::TimedOut { .. } => true,
            Self::Status { status, .. } => matches!(status, 408 | 429 | 500..),
            _ => false,
        }
    }

    /// Whether the provider didn't answer at all.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Connection { .. } | Self::TimedOut { .. })
    }

    /// Whether the provider may charge for a request that failed like this.
    pub fn may_be_charged(&self) -> bool {
        match self {
            Self::Connection { sent, .. } | Self::TimedOut { sent, .. } => *sent,
            Self::TooLarge { .. } | Self::Malformed { .. } | Self::Declined { .. } => true,
            _ => false,
        }
    }

    /// Whether this is a failure of the provider and not of the request.
    pub fn is_provider_failure(&self) -> bool {
        match self {
            Self::Status { status, .. } => matches!(status, 401 | 403 | 404 | 408 | 429 | 500..),
            Self::Connection { .. }
            | Self::TimedOut { .. }
            | Self::Redirected { .. }
            | Self::TooLarge { .. }
            | Self::Malformed { .. } => true,
            _ => false,
        }
    }

    /// The provider's retry-after, if given.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
