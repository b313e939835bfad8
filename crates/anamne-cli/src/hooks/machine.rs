//! The account that this process runs in.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anamne_hosts::{Machine, Platform};
use etcetera::BaseStrategy;

use crate::programs;

/// The folders and variables of the account. Without a home folder, paths are relative to the current folder.
pub(crate) fn of_environment() -> Machine {
    let variables: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let Ok(base) = etcetera::base_strategy::choose_base_strategy() else {
        return Machine {
            variables,
            ..Machine::at(PathBuf::new())
        };
    };
    Machine {
        platform: Platform::current(),
        home: base.home_dir().to_owned(),
        config: base.config_dir(),
        data: base.data_dir(),
        variables,
        version_of: programs::version_of,
    }
}
