// A sealed environment for the tests in the browser: its own HOME, tmux server, demo agents and web server.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const BINARY = process.env.SYMPOSIUM_BINARY ?? resolve(import.meta.dirname, "../../target/debug/symposium");

export class Rig {
  constructor() {
    this.root = mkdtempSync("/tmp/sy-web-");
    for (const name of ["home", "home/shop", "sockets"]) mkdirSync(join(this.root, name));
    this.env = {
      HOME: join(this.root, "home"),
      PATH: process.env.PATH,
      TMUX_TMPDIR: join(this.root, "sockets"),
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      SHELL: "/bin/sh",
      SYMPOSIUM_SUPERVISOR: "off",
    };
  }

  run(...args) {
    return execFileSync(BINARY, args, { env: this.env, cwd: join(this.root, "home/shop"), encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  }

  /** Writes a file into the directory of the agents, which becomes a repository. */
  write(name, text) {
    const directory = join(this.root, "home/shop");
    const git = (...args) => execFileSync("git", args, { env: this.env, cwd: directory, stdio: "ignore" });
    if (!existsSync(join(directory, ".git"))) {
      git("init", "-q");
      git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "begin");
    }
    writeFileSync(join(directory, name), text);
  }

  spawnAgent(name, task, status) {
    this.run("agent", "spawn", "demo", "--name", name, ...(task ? ["--task", task] : []));
    this.waitFor(name, status);
  }

  waitFor(name, status) {
    this.run("agent", "wait", name, "--for", status, "--timeout", "20s");
  }

  async serve(listen = "127.0.0.1:0", options = []) {
    this.server = spawn(BINARY, ["web", "--json", "--listen", listen, ...options], { env: this.env, cwd: this.root, stdio: ["ignore", "pipe", "inherit"] });
    const line = await new Promise((done) => this.server.stdout.once("data", (data) => done(String(data))));
    this.url = JSON.parse(line).url;
  }

  async stopServer() {
    const ended = new Promise((done) => this.server.once("exit", done));
    this.server.kill("SIGTERM");
    await ended;
  }

  /** Returns the JSON of a command that needs a terminal. */
  inTerminal(command) {
    const options = { env: this.env, cwd: this.root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
    return JSON.parse(execFileSync("script", ["-q", "-e", "-c", `${BINARY} ${command} --json`, "/dev/null"], options));
  }

  /** Returns a link of `web pair`. */
  pairingLink() {
    return this.inTerminal("web pair").url;
  }

  async close() {
    await this.stopServer();
    for (const { name } of JSON.parse(this.run("agent", "list", "--json"))) this.run("agent", "kill", name);
    // The server of tmux stays without sessions, and cannot be reached any more once its socket is removed.
    const socket = join(this.root, "sockets", `tmux-${process.getuid()}`, "symposium");
    if (existsSync(socket)) execFileSync("tmux", ["-S", socket, "kill-server"], { env: this.env, stdio: "ignore" });
    rmSync(this.root, { recursive: true, force: true });
  }
}
