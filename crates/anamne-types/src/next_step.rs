//! What a person can do next after something went wrong or was left undone.

use serde::{Deserialize, Serialize};

/// A step that a person can take next. The engine names it, and each door says in its own words how it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextStep {
    /// Let this user read and write the store's folder.
    FixPermissions,
    /// Wait for another process, and try again.
    WaitAndRetry,
    /// Install a newer version.
    InstallNewer,
    /// Repair what is damaged from the other copy.
    Repair,
    /// Look which memories there are.
    ListMemories,
    /// Look which memories were forgotten and can be restored.
    ListForgotten,
    /// Look which spaces there are.
    ListSpaces,
    /// Look which contradictions are known.
    ListContradictions,
    /// Look which tasks there are.
    ListTasks,
    /// Erase memories, or raise the space's quota.
    MakeRoom,
    /// Bring a backup up to date.
    BackUp,
    /// Say that a folder is no backup any more.
    ForgetBackup,
    /// Confirm what a retention defers.
    ConfirmRetention,
    /// Restore what a retention forgot.
    RestoreRetention,
    /// Mend the settings of the language model, or write them anew.
    SetModel,
    /// Look at the settings of the language model, and approve them.
    TrustModel,
    /// Allow a variable of the environment as a source of the model's key.
    AllowVariable,
    /// Say which host a key is for, or take another key.
    BindKey,
    /// Keep the model's key in a private file.
    KeepKeyInFile,
    /// Look what language models have cost.
    ShowCosts,
    /// Have memories read for what they name.
    Extract,
    /// Rebuild the store as it was at an instant.
    Rewind,
}
