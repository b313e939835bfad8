//! What hosts call the fields of their input.
//!
//! Names are looked up in the order given, whatever the host: hosts read each other's configuration, and a hook that was
//! set up for one may be fired by another.

/// The session's id.
pub(super) const SESSION: &[&str] = &[
    "session_id",
    "sessionId",
    "conversation_id",
    "conversationId",
    "taskId",
    "trajectory_id",
];
/// An object of Cline's that names the person's session, where the event may be that of another one.
pub(super) const SESSION_CONTEXT: &[&str] = &["sessionContext"];
/// The person's session in it.
pub(super) const ROOT_SESSION: &[&str] = &["rootSessionId"];
/// The event, as the host calls it.
pub(super) const EVENT: &[&str] = &[
    "hook_event_name",
    "hookEventName",
    "hookName",
    "agent_action_name",
    "event",
];
/// The project's folder, in a list of folders.
pub(super) const FOLDERS: &[&str] = &["workspace_roots", "workspaceRoots", "workspacePaths"];
/// The project's folder, or one in it.
pub(super) const FOLDER: &[&str] = &["cwd", "working_dir", "working_directory"];
/// The session's transcript.
pub(super) const TRANSCRIPT: &[&str] = &["transcript_path", "transcriptPath"];
/// What a person typed. Qwen Code sends what goes to the model as `prompt`, which is also sent when no one typed.
pub(super) const PROMPT: &[&str] = &["submitted_prompt", "prompt", "user_prompt"];
/// What a person typed, at the event of a prompt only.
pub(super) const MESSAGE: &[&str] = &["message"];
/// The turn's id.
pub(super) const TURN: &[&str] = &[
    "prompt_id",
    "turn_id",
    "generation_id",
    "execution_id",
    "turnId",
];
/// What the agent said last.
pub(super) const LAST_MESSAGE: &[&str] = &[
    "last_assistant_message",
    "lastAssistantMessage",
    "prompt_response",
    "response",
];
/// Why a session starts.
pub(super) const REASON: &[&str] = &["source"];
/// The subagent that caused the event.
pub(super) const SUBAGENT: &[&str] = &["agent_id", "agentId"];
/// The agent that a subagent works for. Where a host has this field, it names every agent, also the person's own.
pub(super) const PARENT_AGENT: &str = "parent_agent_id";
/// Whether the turn goes on because a hook asked for it.
pub(super) const CONTINUED: &[&str] = &["stop_hook_active", "stopHookActive"];
/// How often a turn went on because a hook asked for it.
pub(super) const CONTINUATIONS: &[&str] = &["loop_count", "loopCount"];
/// Objects that hold the fields of an event: Cline names them after the event, Windsurf has one for all.
pub(super) const NESTED: &[&str] = &[
    "userPromptSubmit",
    "postToolUse",
    "preToolUse",
    "taskStart",
    "taskResume",
    "taskComplete",
    "preCompact",
    "tool_info",
];

/// The tool's name.
pub(super) const TOOL: &[&str] = &["tool_name", "toolName", "mcp_tool_name"];
/// Events of one tool that don't name it.
pub(super) const TOOL_EVENTS: &[(&str, &str)] = &[
    ("afterShellExecution", "shell"),
    ("afterFileEdit", "edit"),
    ("post_run_command", "shell"),
    ("post_write_code", "edit"),
];
/// The call's id.
pub(super) const CALL: &[&str] = &["tool_use_id", "toolUseId", "tool_call_id", "toolCallId"];
/// The tool's arguments: an object, or JSON in a text.
pub(super) const ARGUMENTS: &[&str] = &[
    "tool_input",
    "toolInput",
    "toolArgs",
    "parameters",
    "mcp_tool_arguments",
];
/// What a tool acts on, the most telling first. None of them holds contents.
pub(super) const TARGET: &[&str] = &[
    "file_path",
    "filePath",
    "notebook_path",
    "absolute_path",
    "target_file",
    "command",
    "command_line",
    "cmd",
    "query",
    "pattern",
    "regex",
    "url",
    "uri",
    "path",
    "dir_path",
    "skill",
    "description",
    "id",
    "name",
];
/// The tool's answer.
pub(super) const RESPONSE: &[&str] = &[
    "tool_response",
    "toolResponse",
    "toolResult",
    "tool_output",
    "result_json",
    "result",
];
/// Flags that are true if the tool failed.
pub(super) const FAILED: &[&str] = &["is_error", "isError", "interrupted", "is_interrupt"];
/// Flags that are true if it succeeded.
pub(super) const SUCCEEDED: &[&str] = &["success", "succeeded", "ok"];
/// A command's exit status.
pub(super) const EXIT: &[&str] = &["exit_code", "exitCode"];
/// The outcome in a word.
pub(super) const OUTCOME: &[&str] = &["status", "resultType"];
/// Words for success.
pub(super) const GOOD: &[&str] = &["success", "succeeded", "completed", "ok"];
/// Words for failure.
pub(super) const BAD: &[&str] = &[
    "error",
    "failure",
    "failed",
    "denied",
    "rejected",
    "timeout",
    "cancelled",
];
/// What went wrong.
pub(super) const ERROR: &[&str] = &["error", "error_message", "errorMessage"];
/// What went wrong, in a failed tool's answer.
pub(super) const COMPLAINT: &[&str] = &[
    "stderr",
    "message",
    "text",
    "textResultForLlm",
    "returnDisplay",
];
/// How long it took, in milliseconds.
pub(super) const DURATION: &[&str] = &["duration_ms", "durationMs", "executionTimeMs", "duration"];

/// Fields that only one host sends.
pub(super) const MARKS: &[(&str, &str)] = &[
    ("cursor_version", "cursor"),
    ("clineVersion", "cline"),
    ("agent_action_name", "windsurf"),
    ("workspacePaths", "antigravity"),
    ("hookEventName", "vscode"),
];

/// Variables that a host sets for its hooks.
pub(super) struct Variables {
    pub(super) host: &'static str,
    pub(super) folder: &'static [&'static str],
    pub(super) session: &'static [&'static str],
    pub(super) prompt: &'static [&'static str],
}

/// The variables of each host that has some.
pub(super) const VARIABLES: &[Variables] = &[
    Variables {
        host: "claude-code",
        folder: &["CLAUDE_PROJECT_DIR"],
        session: &["CLAUDE_CODE_SESSION_ID"],
        prompt: &[],
    },
    Variables {
        host: "gemini",
        folder: &["GEMINI_PROJECT_DIR"],
        session: &["GEMINI_SESSION_ID"],
        prompt: &[],
    },
    Variables {
        host: "qwen",
        folder: &["QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR"],
        session: &[],
        prompt: &[],
    },
    Variables {
        host: "cursor",
        folder: &["CURSOR_PROJECT_DIR"],
        session: &[],
        prompt: &[],
    },
    Variables {
        host: "devin",
        folder: &["DEVIN_PROJECT_DIR"],
        session: &[],
        prompt: &[],
    },
    Variables {
        host: "kiro",
        folder: &[],
        session: &[],
        prompt: &["USER_PROMPT"],
    },
];

/// Hosts that fire an event of their own when a tool fails, or put an error into every answer of a failed tool: where
/// nothing tells otherwise, their tools succeeded.
pub(super) const TELL_FAILURE: &[&str] = &[
    "claude-code",
    "gemini",
    "qwen",
    "cursor",
    "copilot",
    "goose",
];
