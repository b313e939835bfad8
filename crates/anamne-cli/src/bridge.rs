//! Sets up the configured language model with environment, keychain and approvals.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anamne::llm::{
    Approvals, Bridge, BridgeConfig, BridgeContext, BridgeError, EmbeddingName, EmbeddingSources,
    KEY_FILE, KeySources, Keychain, MODEL_FILE, NoKeychain, SystemPace, ToolKeychain,
};
use anamne::{Door, Options, SystemClock, TenantQuota};
use etcetera::BaseStrategy;

use crate::next_step;
use crate::output::report;

/// The variable that selects another keychain than the system's.
const KEYCHAIN: &str = "ANAMNE_KEYCHAIN";

/// Time limit for unlocking another keychain than the system's.
const LONGEST_UNLOCKING: Duration = Duration::from_mins(1);

/// A variable of this process's environment.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The approvals file of this machine, in this user's configuration folder.
pub(crate) fn approvals_path() -> Result<PathBuf, BridgeError> {
    let folders = etcetera::base_strategy::choose_native_strategy();
    let folders = folders.map_err(|error| BridgeError::Io {
        action: "find",
        path: PathBuf::from("the folder for this user's settings"),
        source: std::io::Error::other(error),
    })?;
    Ok(folders.config_dir().join("anamne").join("allowed.toml"))
}

/// The approvals given on this machine.
pub(crate) fn approvals() -> Result<Approvals, BridgeError> {
    Approvals::open(&approvals_path()?)
}

/// The system keychain, or the program that `ANAMNE_KEYCHAIN` names, which must have the syntax of `secret-tool`. No
/// keychain if the variable is `none` or not an absolute path: programs are never looked up on the search path or in
/// the current folder.
pub(crate) fn keychain() -> Box<dyn Keychain> {
    match std::env::var_os(KEYCHAIN).filter(|program| !program.is_empty()) {
        None => Box::new(ToolKeychain::of_system()),
        Some(program) if Path::new(&program).is_absolute() => {
            Box::new(ToolKeychain::behind(Path::new(&program), LONGEST_UNLOCKING))
        }
        Some(_) => Box::new(NoKeychain),
    }
}

/// The settings of a store if a model may be used; `None` if none is configured.
pub(crate) fn usable(root: &Path) -> Result<Option<BridgeConfig>, BridgeError> {
    let config = BridgeConfig::load(&root.join(MODEL_FILE))?;
    if !config.enabled {
        return Ok(None);
    }
    approvals()?.require(root, &config)?;
    Ok(Some(config))
}

/// The bridge of a store; `None` if no model is configured.
pub(crate) fn of_store(root: &Path) -> Result<Option<Arc<Bridge>>, BridgeError> {
    // Also detects a dangling symbolic link.
    if std::fs::symlink_metadata(root.join(MODEL_FILE)).is_err() {
        return Ok(None);
    }
    with_surroundings(|surroundings| Ok(Bridge::open(root, surroundings)?.map(Arc::new)))
}

/// The options of a tenant's store: its own models, within its quota for them.
pub(crate) fn tenant_options(root: &Path, quota: &TenantQuota) -> Options {
    let monthly = quota.model_dollars_per_month;
    let opened = with_surroundings(|surroundings| {
        let bridge = Bridge::open(root, surroundings)?;
        Ok(bridge.map(|bridge| Arc::new(bridge.spending_at_most(monthly))))
    });
    let language_model = opened.unwrap_or_else(|error| {
        // Everything works without a model.
        let problem = next_step::on_one_line(&error, error.next_step());
        report(format_args!(
            "language model of a tenant disabled: {problem}"
        ));
        None
    });
    Options {
        embedding_sources: Some(Arc::new(SourcesOfStore(root.to_owned()))),
        language_model,
        ..Options::new(root).door(Door::Http)
    }
}

fn with_surroundings<T>(
    open: impl FnOnce(&BridgeContext<'_>) -> Result<T, BridgeError>,
) -> Result<T, BridgeError> {
    let (keychain, approvals) = (keychain(), approvals_path()?);
    open(&BridgeContext {
        clock: Arc::new(SystemClock),
        pace: Arc::new(SystemPace::new()),
        environment: &variable,
        keychain: keychain.as_ref(),
        approvals: &approvals,
    })
}

/// The sources of embeddings in `model.toml` of a store. Nothing is read before a space uses one.
pub(crate) struct SourcesOfStore(pub(crate) PathBuf);

impl EmbeddingSources for SourcesOfStore {
    fn settings(&self, name: &EmbeddingName) -> Result<BridgeConfig, BridgeError> {
        BridgeConfig::load(&self.0.join(MODEL_FILE))?.for_embeddings(name)
    }

    fn open(&self, name: &EmbeddingName) -> Result<Bridge, BridgeError> {
        with_surroundings(|surroundings| Bridge::open_for_embedding(&self.0, surroundings, name))
    }
}

/// Where the key of these settings was found, as text. The settings must be approved.
pub(crate) fn key_origin(
    root: &Path,
    config: &BridgeConfig,
    approvals: &Approvals,
) -> Result<Option<String>, BridgeError> {
    let keychain = keychain();
    let sources = KeySources {
        environment: &variable,
        keychain: keychain.as_ref(),
        file: root.join(KEY_FILE),
        approvals,
    };
    Ok(config
        .find_key(&sources)?
        .map(|(_, origin)| origin.to_string()))
}
