//! The language model that a person may have set up, with what the engine never reads by itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anamne::SystemClock;
use anamne::llm::{
    Approvals, Bridge, BridgeConfig, BridgeError, KEY_FILE, KeySources, Keychain, MODEL_FILE,
    NoKeychain, Surroundings, SystemPace, ToolKeychain,
};
use etcetera::BaseStrategy;

/// The variable that names another keychain than the system's.
const KEYCHAIN: &str = "ANAMNE_KEYCHAIN";

/// How long a person has to unlock another keychain than the system's.
const LONGEST_UNLOCKING: Duration = Duration::from_mins(1);

/// A variable of this process's environment.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The file with what was approved on this machine: in the folder where this user's programs keep their settings.
pub(crate) fn approvals_path() -> Result<PathBuf, BridgeError> {
    let folders = etcetera::base_strategy::choose_native_strategy();
    let folders = folders.map_err(|error| BridgeError::Io {
        action: "find",
        path: PathBuf::from("the folder for this user's settings"),
        source: std::io::Error::other(error),
    })?;
    Ok(folders.config_dir().join("anamne").join("allowed.toml"))
}

/// What was approved on this machine.
pub(crate) fn approvals() -> Result<Approvals, BridgeError> {
    Approvals::open(&approvals_path()?)
}

/// The keychain: that of the system, or behind the program that `ANAMNE_KEYCHAIN` names, which takes the words of
/// `secret-tool`. None where it says `none`, or something else than a whole path: a program is never looked for along
/// the search path, nor in the current folder.
pub(crate) fn keychain() -> Box<dyn Keychain> {
    match std::env::var_os(KEYCHAIN).filter(|program| !program.is_empty()) {
        None => Box::new(ToolKeychain::of_system()),
        Some(program) if Path::new(&program).is_absolute() => {
            Box::new(ToolKeychain::behind(Path::new(&program), LONGEST_UNLOCKING))
        }
        Some(_) => Box::new(NoKeychain),
    }
}

/// The settings of a store where a model may be asked; `None` where none is set up.
pub(crate) fn usable(root: &Path) -> Result<Option<BridgeConfig>, BridgeError> {
    let config = BridgeConfig::load(&root.join(MODEL_FILE))?;
    if !config.enabled {
        return Ok(None);
    }
    approvals()?.require(root, &config)?;
    Ok(Some(config))
}

/// The bridge of a store; `None` where no model configured.
pub(crate) fn of_store(root: &Path) -> Result<Option<Arc<Bridge>>, BridgeError> {
    // Also where it is a symbolic link that leads nowhere.
    if std::fs::symlink_metadata(root.join(MODEL_FILE)).is_err() {
        return Ok(None);
    }
    let (keychain, approvals) = (keychain(), approvals_path()?);
    let surroundings = Surroundings {
        clock: Arc::new(SystemClock),
        pace: Arc::new(SystemPace::new()),
        environment: &variable,
        keychain: keychain.as_ref(),
        approvals: &approvals,
    };
    Ok(Bridge::open(root, &surroundings)?.map(Arc::new))
}

/// Where the key of these settings is found, in words. The settings must have been approved.
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
