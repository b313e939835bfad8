//! The language model that a person may have set up, with what the engine never reads by itself.

use std::path::Path;
use std::sync::Arc;

use anamne::SystemClock;
use anamne::bridge::{
    Bridge, BridgeConfig, BridgeError, KEY_FILE, KeySources, MODEL_FILE, Surroundings, SystemPace,
    ToolKeychain,
};

/// A variable of this process's environment.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The bridge of a store; `None` where no model is set up.
pub(crate) fn of_store(root: &Path) -> Result<Option<Arc<Bridge>>, BridgeError> {
    if !root.join(MODEL_FILE).exists() {
        return Ok(None);
    }
    let surroundings = Surroundings {
        clock: Arc::new(SystemClock),
        pace: Arc::new(SystemPace::new()),
        environment: &variable,
        keychain: &ToolKeychain::of_system(),
    };
    Ok(Bridge::open(root, &surroundings)?.map(Arc::new))
}

/// Where the key of these settings is found, in words.
pub(crate) fn key_origin(
    root: &Path,
    config: &BridgeConfig,
) -> Result<Option<String>, BridgeError> {
    let sources = KeySources {
        environment: &variable,
        keychain: &ToolKeychain::of_system(),
        file: root.join(KEY_FILE),
    };
    Ok(config
        .find_key(&sources)?
        .map(|(_, origin)| origin.to_string()))
}
