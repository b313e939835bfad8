//! What a host would send to a hook, to try it.

use std::path::Path;

use serde_json::json;

use super::HookEvent;

/// An input with the fields that every host uses, for a session that doesn't exist. It names no transcript, so that
/// nothing is captured.
pub fn sample(host: &str, event: HookEvent, folder: &Path) -> String {
    let session = format!("anamne-setup-{host}");
    let prompt = "set-up check";
    let error = "set-up check";
    json!({
        "session_id": session,
        "sessionId": session,
        "conversation_id": session,
        "conversationId": session,
        "taskId": session,
        "cwd": folder,
        "working_dir": folder,
        "workspace_roots": [folder],
        "workspaceRoots": [folder],
        "workspacePaths": [folder],
        "hook_event_name": event.as_str(),
        "source": "startup",
        "prompt": prompt,
        "message": prompt,
        "userPromptSubmit": {"prompt": prompt},
        "tool_name": "Bash",
        "tool_input": {"command": "true"},
        "error": error,
    })
    .to_string()
}
