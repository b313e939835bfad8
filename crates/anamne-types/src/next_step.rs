//! The next step after an error or incomplete work.

use serde::{Deserialize, Serialize};

/// A next step for the user. Each door words it for its users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum NextStep {
    /// Let this user read and write the store's folder.
    FixPermissions,
    /// Wait for another process, and try again.
    WaitAndRetry,
    /// Install a newer version.
    InstallNewer,
    /// Repair damage from the other copy.
    Repair,
    /// List memories.
    ListMemories,
    /// List forgotten memories.
    ListForgotten,
    /// List spaces.
    ListSpaces,
    /// List contradictions.
    ListContradictions,
    /// List tasks.
    ListTasks,
    /// Erase memories, or raise the space's quota.
    MakeRoom,
    /// Update a backup.
    BackUp,
    /// Remove a folder from the known backups.
    ForgetBackup,
    /// Confirm deferred retention.
    ConfirmRetention,
    /// Restore memories forgotten by retention.
    RestoreRetention,
    /// Fix or recreate the language model settings.
    SetModel,
    /// Review and approve the language model settings.
    TrustModel,
    /// Allow an environment variable as the key source.
    AllowVariable,
    /// Bind a key to a host, or use another key.
    BindKey,
    /// Store the key in a private file.
    KeepKeyInFile,
    /// Import a model, or import it again.
    ImportModel,
    /// Add a source of embeddings.
    AddEmbeddings,
    /// Choose another model for a space.
    ChooseModel,
    /// Show language model costs.
    ShowCosts,
    /// Extract knowledge.
    #[serde(alias = "weave")]
    Extract,
    /// Rebuild the store as of an earlier time.
    Rewind,
    /// Import the file into a space of another name.
    ImportAsAnother,
    /// Import again, so that memories take what the file says now.
    ImportUpdates,
    /// Run the background work that is due.
    RunTasks,
}
