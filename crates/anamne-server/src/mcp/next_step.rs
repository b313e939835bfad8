//! Next steps for an agent: the tool that helps, or what the user can run.

use anamne::NextStep;

/// The text for a step; `None` if the error is sufficient, or no tool helps.
pub(crate) fn words(step: NextStep) -> Option<&'static str> {
    Some(match step {
        NextStep::FixPermissions => {
            "give this user read and write permission there (see `ls -ld`), or use another store with --store DIR"
        }
        NextStep::WaitAndRetry => {
            "wait, or stop the other process; `lsof` lists the processes that use the store"
        }
        NextStep::InstallNewer => "install a newer version of anamne; this version changed nothing",
        NextStep::Repair => {
            "repair it from the other copy with `anamne repair`; check only with `anamne verify`"
        }
        NextStep::ListSpaces => "list them with `anamne spaces`",
        NextStep::ForgetBackup => {
            "remove a folder from the known backups with `anamne backup --forget DIR`"
        }
        NextStep::Extract => "extract knowledge first with memory_knowledge or `anamne extract`",
        NextStep::Rewind => "the user can rebuild the store as of that time with `anamne rewind`",
        NextStep::SetModel
        | NextStep::TrustModel
        | NextStep::AllowVariable
        | NextStep::BindKey
        | NextStep::KeepKeyInFile => "see the language model's settings with `anamne model`",
        NextStep::ImportModel | NextStep::AddEmbeddings | NextStep::ChooseModel => {
            "the user can list models with `anamne model list`, and import one with `anamne model import`"
        }
        NextStep::ShowCosts => "see `anamne costs`",
        NextStep::ListMemories
        | NextStep::ListForgotten
        | NextStep::ListContradictions
        | NextStep::MakeRoom
        | NextStep::ListTasks
        | NextStep::RunTasks
        | NextStep::ImportAsAnother
        | NextStep::ImportUpdates
        | NextStep::BackUp
        | NextStep::ConfirmRetention
        | NextStep::RestoreRetention => return None,
    })
}
