// Tells symposium what this agent does. Written anew at every start; never blocks and never fails OpenCode.
import { spawn } from "node:child_process"

const DOOR = ["DOOR"]
const OWNER = "OWNER"

// Whatever the agent starts inherits the configuration that names this file: another OpenCode in its shell has its own
// conversation and must not speak for the agent.
const isNested = () => {
  const own = `${OWNER} ${process.pid}`
  const { SYMPOSIUM_AGENT_ID: agent, SYMPOSIUM_HOOKED: hooked } = process.env
  if (agent !== OWNER || (hooked !== undefined && hooked !== own)) return true
  process.env.SYMPOSIUM_HOOKED = own
  return false
}

// One at a time, or what happened first could be told last.
let last = Promise.resolve()
const tell = (message) => {
  last = last.then(
    () =>
      new Promise((done) => {
        try {
          const child = spawn(DOOR[0], DOOR.slice(1), { stdio: ["pipe", "ignore", "ignore"] })
          const bound = setTimeout(done, 5000)
          child.on("error", done)
          child.on("exit", () => (clearTimeout(bound), done()))
          child.stdin.on("error", () => {})
          child.stdin.end(JSON.stringify(message))
        } catch {
          done()
        }
      }),
  )
}

export const Symposium = async () => {
  if (isNested()) return {}
  const children = new Set() // sessions of subagents: their turns are part of their parent's
  const prompts = new Set() // messages that a person wrote
  let words = null
  tell({ hook_event_name: "SessionStart" })
  const heard = {
    "session.created": ({ info }) => info.parentID && children.add(info.id),
    "message.updated": ({ info }) => info.role === "user" && prompts.add(info.id),
    "message.part.updated": ({ part }) => {
      if (part.type === "text" && !prompts.has(part.messageID) && !children.has(part.sessionID)) words = part.text
    },
    "session.error": ({ error }) => (words = error?.data?.message ?? error?.name ?? words),
    "permission.asked": ({ permission, patterns, metadata }) =>
      tell({
        hook_event_name: "PermissionRequest",
        tool_name: permission,
        tool_input: metadata?.command ? metadata : { command: (patterns ?? []).join(" ") },
      }),
    "question.asked": ({ questions }) =>
      tell({ hook_event_name: "PermissionRequest", tool_name: "AskUserQuestion", tool_input: { questions } }),
    "permission.replied": () => tell({ hook_event_name: "PostToolUse" }),
    "question.replied": () => tell({ hook_event_name: "PostToolUse" }),
    "session.idle": ({ sessionID }) => {
      if (children.has(sessionID)) return
      tell({ hook_event_name: "Stop", session_id: sessionID, last_assistant_message: words })
      words = null
    },
  }
  return {
    event: async ({ event }) => {
      try {
        heard[event.type]?.(event.properties)
      } catch {}
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      if (children.has(sessionID)) return
      const prompt = (parts ?? []).filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      tell({ hook_event_name: "UserPromptSubmit", session_id: sessionID, prompt: prompt.join("\n") })
    },
  }
}
