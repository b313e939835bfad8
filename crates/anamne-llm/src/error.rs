//! What can go wrong between a task and its model.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anamne_net::AddressError;
use anamne_store::StoreError;
use anamne_types::{InvalidValue, NextStep};
use jiff::Timestamp;

use super::BudgetKind;

/// An error of the bridge. Whatever it is, the caller continues with what needs no model.
///
/// No variant ever holds a key; what a provider says is cut to one short line, with the key taken out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BridgeError {
    /// A value is outside what the bridge accepts.
    #[error(transparent)]
    Refused(#[from] InvalidValue),
    /// `model.toml` can't be understood.
    #[error("{path} is unusable: {reason}")]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file that decides where text and keys go, and that somebody else may have written.
    #[error("{path} is not used: {reason}; {remedy}")]
    Unsafe {
        /// The file.
        path: PathBuf,
        /// Why it is not trusted.
        reason: String,
        /// What to do.
        remedy: String,
        /// What can be done after that.
        next_step: Option<NextStep>,
    },
    /// A person has to approve `model.toml` on this machine before a model is asked.
    #[error("{path} is not approved on this machine: {reason}")]
    NotApproved {
        /// The settings.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// `key_env` names a variable that is not known to hold a model's key.
    #[error(
        "the variable {variable} was not read: it isn't a known key variable and isn't approved for {origin} on this machine"
    )]
    VariableNotAllowed {
        /// The variable.
        variable: String,
        /// Scheme, host and port of the API.
        origin: String,
    },
    /// A key file of an earlier version, which does not say which host the key is for.
    #[error("{path} does not say whether its key is for {account}")]
    KeyUnbound {
        /// The file.
        path: PathBuf,
        /// Provider, scheme, host and port for which a key is looked for.
        account: String,
    },
    /// The keychain did not keep a key.
    #[error("{tool} {reason}")]
    Keychain {
        /// The program that was asked.
        tool: String,
        /// What it did.
        reason: &'static str,
    },
    /// A file was written by a newer version of Anamne.
    #[error(
        "{path} has format {found}, but this version knows formats up to {known}; install a newer Anamne to use it"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format known here.
        known: i64,
    },
    /// A file can't be read or written.
    #[error("can't {action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// The address of a provider is not one that requests may go to.
    #[error("base_url {:?} {}", .0.address, .0.reason)]
    Address(#[from] AddressError),
    /// The provider wants a key, and there is none.
    #[error("no key for {host} (searched: {looked})")]
    NoKey {
        /// Whom the key would be for.
        host: String,
        /// The searched space.
        looked: String,
    },
    /// A key file that others than its owner can read.
    #[error(
        "{path} contains a key that other users can read (mode {mode:o}); run `chmod 600` on it and replace the key"
    )]
    KeyFileOpen {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// What stands where a key should be is not one.
    #[error("the key from {origin} is unusable: {reason}")]
    KeyUnusable {
        /// Where it came from.
        origin: String,
        /// What is wrong with it; never the key itself.
        reason: &'static str,
    },
    /// The provider or the settings don't offer this.
    #[error("{provider} doesn't support {what} here; {hint}")]
    NotOffered {
        /// The provider.
        provider: &'static str,
        /// What was asked of it.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// What was to be sent is larger than a task takes.
    #[error("{what} is {size} long; at most {most} can be sent to a model at once; split it")]
    TooLong {
        /// What it is, with the unit.
        what: &'static str,
        /// How long it is.
        size: usize,
        /// How long it may be.
        most: usize,
    },
    /// The caller took the call back.
    #[error("the call to the model was cancelled")]
    Cancelled,
    /// The whole call took longer than `timeouts.total_seconds`, its repetitions included.
    #[error(
        "the model {model} gave no usable answer within {limit:?}; raise timeouts.total_seconds if it is slow"
    )]
    DeadlinePassed {
        /// The model.
        model: String,
        /// How long a call may take.
        limit: Duration,
    },
    /// A budget leaves no room for the call; nothing was sent.
    #[error(
        "the {budget} budget of {limit} is exhausted ({spent} spent or reserved, {wanted} needed); {}",
        when_open(.opens_at.as_ref())
    )]
    BudgetExceeded {
        /// Which budget.
        budget: BudgetKind,
        /// What it allows, with its unit.
        limit: String,
        /// What is spent or reserved, with its unit.
        spent: String,
        /// What the call may take at most, with its unit.
        wanted: String,
        /// When it opens again; `None` where the call alone is larger than the budget.
        opens_at: Option<Timestamp>,
    },
    /// The provider failed so often in a row that it is left alone for a while; nothing was sent.
    #[error("{model} failed repeatedly; paused for {remaining:?}")]
    CircuitOpen {
        /// The model.
        model: String,
        /// How long it is still left alone.
        remaining: Duration,
    },
    /// The connection could not be made, or broke.
    #[error("the connection to {host} failed: {reason}")]
    Connection {
        /// The provider's host.
        host: String,
        /// What happened.
        reason: String,
        /// Whether the provider may have worked on the request, and may charge for it.
        sent: bool,
    },
    /// The provider took too long.
    #[error("{host} timed out: {stage}")]
    TimedOut {
        /// The provider's host.
        host: String,
        /// What was waited for.
        stage: String,
        /// Whether the provider may have worked on the request, and may charge for it.
        sent: bool,
    },
    /// The provider answered with an error.
    #[error("{host} answered {status}{}{message}", if .message.is_empty() { "" } else { ": " })]
    Status {
        /// The provider's host.
        host: String,
        /// The HTTP status.
        status: u16,
        /// What the provider says, in one short line.
        message: String,
        /// How long the provider wants to be left alone, where it says so.
        retry_after: Option<Duration>,
    },
    /// The provider sent the request elsewhere; it was not followed, so that neither key nor text goes there.
    #[error(
        "{host} redirected ({status}); redirects are not followed; set the final address in base_url"
    )]
    Redirected {
        /// The provider's host.
        host: String,
        /// The HTTP status.
        status: u16,
    },
    /// The answer is larger than any honest one.
    #[error("the response of {host} exceeds {most} bytes")]
    TooLarge {
        /// The provider's host.
        host: String,
        /// The largest answer that is read.
        most: u64,
    },
    /// The answer is not in the provider's form.
    #[error("invalid response from {host}: {reason}")]
    Malformed {
        /// The provider's host.
        host: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The model would not answer.
    #[error("the model {model} declined to answer ({reason})")]
    Declined {
        /// The model.
        model: String,
        /// The provider's word for why.
        reason: String,
    },
    /// The model answered twice, and neither answer has the form that was asked for.
    #[error("the model {model} gave no usable answer, even after a correction: {reason}")]
    Unusable {
        /// The model.
        model: String,
        /// What was wrong with the second answer.
        reason: String,
    },
    /// A schema uses words that are not checked here.
    #[error("unsupported schema keyword {keyword:?}")]
    Schema {
        /// The keyword or type.
        keyword: String,
    },
    /// The ledger can't be read or written; without it nothing is sent.
    #[error("the cost ledger {path} is unusable: {source}; models are disabled without it")]
    Ledger {
        /// The database.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The ledger's file is damaged, in use for too long, or can't be written.
    #[error(transparent)]
    Store(StoreError),
}

fn when_open(opens_at: Option<&Timestamp>) -> String {
    match opens_at {
        Some(at) => format!("it resets at {at}"),
        None => "the call alone is larger than the budget: raise it in model.toml".to_owned(),
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

    /// What a person can do next, where there is something.
    pub fn next_step(&self) -> Option<NextStep> {
        match self {
            Self::Config { .. } => Some(NextStep::SetModel),
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

    /// Whether the same request may succeed a little later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Connection { .. } | Self::TimedOut { .. } => true,
            Self::Status { status, .. } => matches!(status, 408 | 429 | 500..),
            _ => false,
        }
    }

    /// Whether the provider may charge for a request that ended like this.
    pub fn may_be_charged(&self) -> bool {
        match self {
            Self::Connection { sent, .. } | Self::TimedOut { sent, .. } => *sent,
            Self::TooLarge { .. } | Self::Malformed { .. } | Self::Declined { .. } => true,
            _ => false,
        }
    }

    /// Whether this says that the provider, and not the request, is in trouble.
    pub fn speaks_against_provider(&self) -> bool {
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

    /// How long the provider wants to be left alone, where it said so.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
