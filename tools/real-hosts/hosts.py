"""The hosts: how each is configured, asked and read."""

import contextlib
import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path

# The file of each kind that a person already has. The formatting is unusual on purpose: it has to survive.
OWN_HOOK = {"type": "command", "command": "true", "timeout": 5}
OWN_NOTES = "# My rules\n\n* Answer briefly.\t\n\n\n* No emoji"


@dataclass
class Request:
    """What a host sent to its model."""

    conversation: str
    """The texts of the conversation, without what tools returned."""
    tool_results: str
    """What tools returned."""
    offers_tools: bool


class Host:
    """A host in a site, with a scripted model."""

    servers = "mcpServers"
    """The table of servers in its JSON files."""

    def __init__(self, site, model, program):
        self.site = site
        self.model = model
        self.program = program

    @property
    def home(self):
        return self.site.home

    def write(self, path, text):
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())

    def start(self, *arguments, with_errors=False):
        """Runs the host and returns what it prints."""
        return self.site.run([self.program, *arguments], environment=self.environment(), with_errors=with_errors)

    def requests(self):
        """The requests for an answer since the last call, of those that offer tools."""
        requests = [self.request(taken["body"]) for taken in self.model.take_requests()]
        return [request for request in requests if request.offers_tools]

    def newest(self, pattern):
        """The newest file in the home that matches."""
        return max(self.home.glob(pattern), key=lambda file: file.stat().st_mtime)

    def end_of_session(self):
        """What the host sends to a hook when a session ends, once more."""
        session, transcript = self.recorded()
        return json.dumps({
            "session_id": session,
            "transcript_path": str(transcript),
            "cwd": str(self.site.project),
            "hook_event_name": "SessionEnd",
            "reason": "other",
        })


class ClaudeCode(Host):
    id = "claude-code"
    command = "claude"
    configuration = [".claude.json", ".claude/settings.json", ".claude/CLAUDE.md"]

    def environment(self):
        return {
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def prepare(self):
        hooks = json.dumps([{"hooks": [OWN_HOOK]}])
        settings = f'{{\n\t"includeCoAuthoredBy" :false,\n  "hooks": {{ "Stop":{hooks} }} }}'
        self.write(".claude/settings.json", settings)
        self.write(".claude/CLAUDE.md", OWN_NOTES)
        # Writes ~/.claude.json.
        self.start("mcp", "list")

    def is_connected(self):
        return _says_connected(self.start("mcp", "list"))

    def ask(self, prompt, resume=False):
        goes_on = ["--continue"] if resume else []
        return self.start("--print", "--allowedTools", "mcp__anamne", *goes_on, "--", prompt)

    def request(self, body):
        blocks = [
            block if isinstance(block, dict) else {"type": "text", "text": block}
            for message in body.get("messages", [])
            for block in _listed(message.get("content", []))
        ]
        results = [block for block in blocks if block.get("type") == "tool_result"]
        return Request(
            conversation="\n".join(block["text"] for block in blocks if block.get("type") == "text"),
            tool_results="\n".join(_texts(result.get("content", [])) for result in results),
            offers_tools=bool(body.get("tools")),
        )

    def recorded(self):
        transcript = self.newest(".claude/projects/*/*.jsonl")
        return transcript.stem, transcript


class Codex(Host):
    id = "codex"
    command = "codex"
    configuration = [".codex/config.toml", ".codex/hooks.json", ".codex/AGENTS.md"]

    def environment(self):
        return {"SCRIPTED_MODEL_KEY": "none"}

    def prepare(self):
        self.write(
            ".codex/config.toml",
            f"""# Mine
model_provider   = "scripted" # not the default
model = "scripted-model"

[model_providers.scripted]
name = 'scripted'
base_url = "{self.model.url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_MODEL_KEY"

[mcp_servers.other]   # off
command = "true"
enabled = false
""",
        )
        self.write(".codex/hooks.json", json.dumps({"hooks": {"Stop": [{"hooks": [OWN_HOOK]}]}}, indent=3))
        self.write(".codex/AGENTS.md", OWN_NOTES)

    def is_connected(self):
        """Codex lists servers without starting them; its model is offered the tools only if the server answers."""
        listed = json.loads(self.start("mcp", "list", "--json"))
        return any(server["name"] == "anamne" and server.get("enabled", True) for server in listed)

    def ask(self, prompt, resume=False):
        # Hooks wait until a person trusts them, which only the terminal interface can do.
        options = ["--dangerously-bypass-hook-trust", "--skip-git-repo-check"]
        goes_on = ["resume", "--last"] if resume else []
        return self.start("exec", *options, *goes_on, prompt)

    def request(self, body):
        items = body.get("input", [])
        results = [item for item in items if item.get("type") == "function_call_output"]
        messages = [item for item in items if item.get("type") == "message"]
        return Request(
            conversation="\n".join(_texts(message.get("content", [])) for message in messages),
            tool_results="\n".join(_texts(_listed(result.get("output", ""))) for result in results),
            offers_tools=bool(body.get("tools")),
        )

    def recorded(self):
        transcript = self.newest(".codex/sessions/*/*/*/rollout-*.jsonl")
        first = json.loads(_first_line(transcript))
        return first["payload"]["id"], transcript


class Gemini(Host):
    id = "gemini"
    command = "gemini"
    configuration = [".gemini/settings.json", ".gemini/GEMINI.md"]

    def environment(self):
        return {
            "GOOGLE_GEMINI_BASE_URL": self.model.url,
            "GEMINI_API_KEY": "none",
            # It starts neither servers nor hooks in a folder that nobody has trusted.
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def prepare(self):
        own_hook = json.dumps([{"hooks": [{**OWN_HOOK, "name": "mine", "timeout": 5000}]}])
        self.write(
            ".gemini/settings.json",
            f"""{{
  // Mine
  "security": {{ "auth": {{ "selectedType": "gemini-api-key" }} }},
    "privacy": {{"usageStatisticsEnabled": false}},
  "hooks": {{ "AfterAgent": {own_hook} }}
}}""",
        )
        self.write(".gemini/GEMINI.md", OWN_NOTES)

    def is_connected(self):
        return _says_connected(self.start("mcp", "list", with_errors=True))

    def ask(self, prompt, resume=False):
        goes_on = ["--resume", "latest"] if resume else []
        options = ["--yolo", "--model", "gemini-2.5-flash"]
        return self.start(*options, *goes_on, "--prompt", prompt)

    def request(self, body):
        parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
        results = [part["functionResponse"] for part in parts if "functionResponse" in part]
        return Request(
            conversation="\n".join(part["text"] for part in parts if "text" in part),
            tool_results="\n".join(json.dumps(result, ensure_ascii=False) for result in results),
            offers_tools=bool(body.get("tools")),
        )

    def recorded(self):
        transcript = self.newest(".gemini/tmp/*/chats/session-*.jsonl")
        return json.loads(_first_line(transcript))["sessionId"], transcript


class OpenCode(Host):
    id = "opencode"
    command = "opencode"
    servers = "mcp"
    configuration = [
        ".config/opencode/opencode.json",
        ".config/opencode/plugins/anamne.js",
        ".config/opencode/AGENTS.md",
    ]

    def environment(self):
        return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"}

    def prepare(self):
        # Set-up asks for its version.
        self.site.add_programs(self.program.parent)
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": {"baseURL": f"{self.model.url}/v1", "apiKey": "none"},
            "models": {"m": {"name": "M"}},
        }
        self.write(
            ".config/opencode/opencode.json",
            f"""{{
    // Mine
  "$schema" :"https://opencode.ai/config.json", "model": "scripted/m", "small_model": "scripted/m",
  "autoupdate": false, "share": "disabled",
  "provider": {{ "scripted":{json.dumps(provider)} }},
}}""",
        )
        self.write(".config/opencode/AGENTS.md", OWN_NOTES)

    def is_connected(self):
        return _says_connected(self.start("mcp", "list", with_errors=True))

    def ask(self, prompt, resume=False):
        goes_on = ["--continue"] if resume else []
        return self.start("run", *goes_on, prompt)

    def request(self, body):
        messages = body.get("messages", [])
        results = [message for message in messages if message.get("role") == "tool"]
        spoken = [message for message in messages if message.get("role") in ("user", "assistant")]
        return Request(
            conversation="\n".join(_texts(message.get("content") or []) for message in spoken),
            tool_results="\n".join(_texts(result.get("content") or []) for result in results),
            offers_tools=bool(body.get("tools")),
        )

    def end_of_session(self):
        """It doesn't tell its plugins where it records sessions."""
        with contextlib.closing(sqlite3.connect(self.newest(".local/share/opencode/opencode*.db"))) as database:
            [session] = database.execute("SELECT id FROM session ORDER BY time_updated DESC LIMIT 1").fetchone()
        return json.dumps({"session_id": session, "cwd": str(self.site.project), "hook_event_name": "SessionEnd"})


HOSTS = {host.id: host for host in (ClaudeCode, Codex, Gemini, OpenCode)}


def _says_connected(listed):
    lines = [line for line in listed.splitlines() if "anamne" in line]
    return any("connected" in line.lower() and "disconnected" not in line.lower() for line in lines)


def _listed(content):
    return content if isinstance(content, list) else [content]


def _texts(blocks):
    return "\n".join(
        block if isinstance(block, str) else block.get("text", "") for block in _listed(blocks)
    )


def _first_line(file: Path):
    with file.open(encoding="utf-8") as lines:
        return lines.readline()
