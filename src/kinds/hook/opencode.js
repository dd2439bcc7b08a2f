// Reports the agent's activity to Symposium. Written again at every start; never blocks OpenCode and never makes it
// fail.
import { spawn } from "node:child_process"

const DOOR = ["DOOR"]
const OWNER = "OWNER"

// All child processes of the agent inherit the configuration that names this file: another OpenCode in its shell has
// its own conversation and must not report for the agent.
const isNested = () => {
  const own = `${OWNER} ${process.pid}`
  const { SYMPOSIUM_AGENT_ID: agent, SYMPOSIUM_HOOKED: hooked } = process.env
  if (agent !== OWNER || (hooked !== undefined && hooked !== own)) return true
  process.env.SYMPOSIUM_HOOKED = own
  return false
}

// Events are sent one at a time, because parallel calls could arrive in the wrong order.
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

// A retry that is further away, in milliseconds, is reported as a pause: limits per minute end sooner.
const LONG_WAIT = 120_000

// Returns when the endpoint accepts requests again, based on the headers that the AI SDK passes on.
const resetOf = (headers) => {
  const [ms, wait] = [headers?.["retry-after-ms"], headers?.["retry-after"]]
  const seconds = ms ? Number(ms) / 1000 : Number(wait ?? NaN)
  const at = Number.isNaN(seconds) ? Date.parse(wait) : Date.now() + seconds * 1000
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}

export const Symposium = async () => {
  if (isNested()) return {}
  const children = new Set() // sessions of subagents: their turns are part of their parent's
  const prompts = new Set() // messages that the user wrote
  let words = null
  let failure = null // the error of this turn, in the form of a `StopFailure`
  let pause = null // the same while OpenCode waits for a limit to go on with the turn
  let isRunning = false // OpenCode 1.18.33 reports the end of a failed turn twice
  let isAborted = false
  tell({ hook_event_name: "SessionStart" })
  const heard = {
    "session.created": ({ info }) => info.parentID && children.add(info.id),
    "message.updated": ({ info }) => info.role === "user" && prompts.add(info.id),
    "message.part.updated": ({ part }) => {
      if (part.type === "text" && !prompts.has(part.messageID) && !children.has(part.sessionID)) words = part.text
    },
    "session.status": ({ sessionID, status }) => {
      if (children.has(sessionID)) return
      if (status.type === "busy") {
        if (pause) tell({ hook_event_name: "PostToolUse" })
        isRunning = true
        pause = null
      } else if (status.type === "retry" && status.next - Date.now() >= LONG_WAIT) {
        pause = { error: { message: status.message }, resets_at: new Date(status.next).toISOString() }
        tell({ hook_event_name: "StopFailure", session_id: sessionID, paused: true, ...pause })
      }
    },
    "session.error": ({ sessionID, error }) => {
      if (children.has(sessionID)) return
      if (error?.name === "MessageAbortedError") return (isAborted = true)
      const { message, statusCode, responseHeaders } = error?.data ?? {}
      failure = { error: { name: error?.name, message, status: statusCode }, resets_at: resetOf(responseHeaders) }
    },
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
      if (children.has(sessionID) || !isRunning) return
      // OpenCode reports no error for a pause that the user ended, and the limit still holds.
      const error = failure ?? pause
      if (error) tell({ hook_event_name: "StopFailure", session_id: sessionID, ...error })
      else if (isAborted) tell({ hook_event_name: "Notification", notification_type: "idle_prompt" })
      else tell({ hook_event_name: "Stop", session_id: sessionID, last_assistant_message: words })
      words = failure = pause = null
      isRunning = isAborted = false
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
      if (!isRunning) failure = pause = null
      isRunning = true
      const prompt = (parts ?? []).filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      tell({ hook_event_name: "UserPromptSubmit", session_id: sessionID, prompt: prompt.join("\n") })
    },
  }
}
