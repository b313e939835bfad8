//! What can be done next, as an agent is told: the tool that helps, or what the user can run.

use anamne::NextStep;

/// How a step is taken; `None` where the error says it all, or no tool meets it.
pub(crate) fn words(step: NextStep) -> Option<&'static str> {
    Some(match step {
        NextStep::FixPermissions => {
            "give this user read and write permission for the store's folder (`ls -ld` shows its owner and mode), or choose another store with --store DIR"
        }
        NextStep::WaitAndRetry => {
            "wait until it is done, or stop it; `lsof` names the processes that have the store's files open"
        }
        NextStep::InstallNewer => "install a newer version of anamne; this version changed nothing",
        NextStep::Repair => {
            "`anamne repair` restores what is damaged from the other copy; `anamne verify` only looks"
        }
        NextStep::ListSpaces => "`anamne spaces` lists those that are there",
        NextStep::ForgetBackup => {
            "if a folder is no longer a backup, `anamne backup --forget DIR` says so"
        }
        NextStep::Extract => "extract it first with memory_knowledge, or by `anamne extract`",
        NextStep::Rewind => "the user can rebuild the store as it was then by `anamne rewind`",
        NextStep::SetModel
        | NextStep::TrustModel
        | NextStep::AllowVariable
        | NextStep::BindKey
        | NextStep::KeepKeyInFile => "`anamne model` shows how the language model is set up",
        NextStep::ShowCosts => "`anamne costs` shows what was spent",
        NextStep::ListMemories
        | NextStep::ListForgotten
        | NextStep::ListContradictions
        | NextStep::MakeRoom
        | NextStep::ListTasks
        | NextStep::BackUp
        | NextStep::ConfirmRetention
        | NextStep::RestoreRetention => return None,
    })
}
