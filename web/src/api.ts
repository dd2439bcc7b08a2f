// Requests to the server. The half of the secret that the page keeps is sent in a header; the browser adds the other
// half as a cookie that scripts cannot read.

/** The path of the page. Pages below other paths of a host have the same storage, and belong to other servers. */
const BASE_PATH = new URL("./", location.href).pathname;
const KEY = storageKey("symposium-key");
/** Time without a byte after which a stream counts as lost. The server pings every 15 seconds. */
const SILENCE_MS = 45_000;

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: string[],
  ) {
    super(message);
  }
}

/** Returns the key of a value that only this page uses. */
export function storageKey(name: string): string {
  return BASE_PATH === "/" ? name : `${name} ${BASE_PATH}`;
}

export function hasKey(): boolean {
  return localStorage.getItem(KEY) !== null;
}

export function forgetKey(): void {
  localStorage.removeItem(KEY);
}

function headers(): Record<string, string> {
  return { "x-symposium-key": localStorage.getItem(KEY) ?? "" };
}

async function failure(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; saw: string[]; hints: string[] } };
    return new ApiError(response.status, error.code, error.message, [...error.saw, ...error.hints]);
  } catch {
    return new ApiError(response.status, "http", text || `the server answered ${response.status}`, []);
  }
}

async function request<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, cache: "no-store", redirect: "error" });
  } catch {
    throw new ApiError(0, "offline", "the server cannot be reached", []);
  }
  if (!response.ok) throw await failure(response);
  return (await response.json()) as T;
}

export function get<T>(path: string): Promise<T> {
  return request<T>(path, { headers: headers() });
}

export function post<T>(path: string, body: unknown = {}): Promise<T> {
  const all = { ...headers(), "content-type": "application/json" };
  return request<T>(path, { method: "POST", headers: all, body: JSON.stringify(body) });
}

/** Exchanges a pairing code for a secret. */
export async function pair(code: string, name: string): Promise<void> {
  const device = await post<{ key: string }>("api/pair", { code, name });
  localStorage.setItem(KEY, device.key);
}

export interface StreamHandlers {
  event(name: string, data: string): void;
  /** Called with `true` when events arrive, and with `false` when the connection is lost. */
  live(isLive: boolean): void;
  /** Called when this device has no access any more. */
  refused(): void;
}

/** Waits until the page is visible. */
function visible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (!document.hidden || signal.aborted) return resolve();
    const check = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", check);
      resolve();
    };
    document.addEventListener("visibilitychange", check);
    signal.addEventListener("abort", check, { once: true });
  });
}

/**
 * Reads an event stream until it is aborted, and connects again with growing pauses. A hidden page reads none: browsers
 * open six connections to a host, and the streams of several tabs would leave none for answers.
 */
export function follow(path: string, handlers: StreamHandlers, signal: AbortSignal): void {
  let pause = 300;
  let wake: (() => void) | undefined;
  const retry = () => wake?.();
  addEventListener("online", retry, { signal });
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && retry(), { signal });
  void (async () => {
    while (!signal.aborted) {
      await visible(signal);
      if (signal.aborted) return;
      try {
        await readStream(path, handlers, signal, () => (pause = 300));
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return handlers.refused();
        if (error instanceof ApiError && error.status === 404) return handlers.event("gone", error.message);
      }
      if (signal.aborted) return;
      if (document.hidden) continue;
      handlers.live(false);
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, pause * (0.8 + Math.random() * 0.4));
      });
      pause = Math.min(pause * 1.8, 10_000);
    }
  })();
}

async function readStream(path: string, handlers: StreamHandlers, signal: AbortSignal, alive: () => void): Promise<void> {
  const lost = new AbortController();
  const end = () => lost.abort();
  const endIfHidden = () => document.hidden && end();
  signal.addEventListener("abort", end);
  document.addEventListener("visibilitychange", endIfHidden);
  let timer = setTimeout(end, SILENCE_MS);
  try {
    const response = await fetch(path, { headers: headers(), signal: lost.signal, cache: "no-store", redirect: "error" });
    if (!response.ok || !response.body) throw await failure(response);
    handlers.live(true);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let held = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      alive();
      clearTimeout(timer);
      timer = setTimeout(end, SILENCE_MS);
      const events = (held + value).split("\n\n");
      held = events.pop() ?? "";
      for (const event of events) deliver(event, handlers);
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    document.removeEventListener("visibilitychange", endIfHidden);
    lost.abort();
  }
}

function deliver(event: string, handlers: StreamHandlers): void {
  let name = "message";
  const data: string[] = [];
  for (const line of event.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    else if (line.startsWith("data: ")) data.push(line.slice(6));
  }
  if (data.length > 0) handlers.event(name, data.join("\n"));
}
