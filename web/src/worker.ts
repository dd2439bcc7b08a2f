// The service worker: keeps the files of the page, so that it opens without a connection. It never touches requests for
// data and stores nothing about agents.

const worker = self as unknown as ServiceWorkerGlobalScope;
// All applications below a host share its caches; a name without a path is that of an older version.
const PATH = new URL("./", worker.location.href).pathname;
const CACHE = `symposium-shell-2 ${PATH}`;
const isOutdated = (name: string) => name === "symposium-shell-1" || (name.startsWith("symposium-shell-") && name.endsWith(` ${PATH}`) && name !== CACHE);
const FILES = ["./", "app.js", "app.css", "icon.svg", "manifest.webmanifest"];

worker.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => {
  const outdated = caches.keys().then((names) => Promise.all(names.filter(isOutdated).map((name) => caches.delete(name))));
  event.waitUntil(outdated.then(() => worker.clients.claim()));
});

worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  const base = new URL("./", worker.location.href);
  const file = url.pathname.slice(base.pathname.length) || "./";
  if (event.request.method !== "GET" || url.origin !== base.origin || !FILES.includes(file)) return;
  event.respondWith(fresh(event.request));
});

/** Returns a file from the server, or the stored one if the server cannot be reached. */
async function fresh(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch {
    return (await cache.match(request, { ignoreSearch: true })) ?? Response.error();
  }
}
