// Anamne's plugin for OpenCode 1. `anamne setup` writes it, `anamne setup --remove` takes it out.
// It runs `anamne hook` as other hosts do: what a hook prints goes into the conversation. If anything
// fails, or takes longer than PATIENCE, the conversation goes on without it.
import { spawnSync } from "node:child_process"

const COMMAND = ["anamne"]
const PATIENCE = 300 // milliseconds

function hook(event, input) {
  try {
    const [program, ...options] = COMMAND
    const ran = spawnSync(program, [...options, "hook", event, "--host", "opencode"], {
      input: JSON.stringify(input),
      encoding: "utf8",
      stdio: ["pipe", "pipe", "ignore"],
      timeout: PATIENCE,
      windowsHide: true,
    })
    return ran.status === 0 && ran.stdout ? ran.stdout.trim() : ""
  } catch {
    return ""
  }
}

export const Anamne = async ({ client, directory }) => {
  const sessions = new Map() // by id: whether a person is in it, and why it has to be briefed

  // A session that another one started has a parent, and nobody to remember.
  async function known(id) {
    if (!sessions.has(id)) {
      const ask = client.session.get({ path: { id } }).then((found) => !found.data?.parentID)
      const wait = new Promise((resolve) => setTimeout(resolve, PATIENCE, true))
      const isPersons = await Promise.race([ask, wait]).catch(() => true)
      sessions.set(id, { isPersons, brief: "startup" })
    }
    return sessions.get(id)
  }

  const base = (id, name) => ({ session_id: id, cwd: directory, hook_event_name: name })

  async function capture(event, id, name) {
    const session = await known(id)
    if (session.isPersons) hook(event, base(id, name))
  }

  async function recall({ sessionID: id }, { message, parts }) {
    const session = await known(id)
    const last = parts.at(-1)
    if (!session.isPersons || !last) return
    const typed = parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
    const prompt = typed.map((part) => part.text).join("\n")
    const texts = []
    if (session.brief) {
      texts.push(hook("session-start", { ...base(id, "SessionStart"), source: session.brief }))
      session.brief = null
    }
    texts.push(hook("prompt", { ...base(id, "UserPromptSubmit"), turn_id: message.id, prompt }))
    const text = texts.filter(Boolean).join("\n")
    if (!text) return
    // Parts are read in the order of their ids.
    const place = { id: `${last.id}m`, sessionID: id, messageID: message.id }
    parts.push({ ...place, type: "text", synthetic: true, text })
  }

  return {
    "chat.message": async (input, output) => {
      await recall(input, output).catch(() => {})
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      await capture("before-compaction", sessionID, "PreCompact").catch(() => {})
    },
    event: async ({ event }) => {
      const id = event.properties?.sessionID
      if (event.type === "session.idle") await capture("turn-end", id, "Stop").catch(() => {})
      if (event.type === "session.compacted" && sessions.has(id)) sessions.get(id).brief = "compact"
    },
  }
}
