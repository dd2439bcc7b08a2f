// A separate environment for one test file, in one short directory: a home, a tmux server, a project, a VS Code server
// and a browser. Ending it ends only the processes that it started.

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
/** The versions of VS Code that scripts/vscode-rig installs: the newest one, and the oldest one that is tested. */
export const NEWEST = '1.139';
export const OLDEST = '1.100';
export const rigs = process.env.SYMPOSIUM_VSCODE_RIG ?? join(root, 'target/vscode-rig');
export const version = process.env.SYMPOSIUM_VSCODE_VERSION ?? NEWEST;
const rig = join(rigs, version);
const binary = process.env.SYMPOSIUM_BINARY ?? join(root, 'target/release/symposium');
const vsix = join(root, 'vscode-extension/dist/symposium.vsix');
const codeServer = join(rig, 'node_modules/code-server/out/node/entry.js');
const probe = join(root, 'vscode-extension/e2e/support/probe');

/** Waits for a condition. Fails with its description and the last value. */
export async function until(what, condition, within = 30_000) {
  const end = Date.now() + within;
  let last;
  // Most conditions start a process, so the pauses grow.
  for (let pause = 50; ; pause = Math.min(pause * 1.5, 250)) {
    try {
      last = await condition();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`never: ${what}; last saw ${last instanceof Error ? last.message : JSON.stringify(last)}`);
    await new Promise((done) => setTimeout(done, pause));
  }
}

/** Settings that differ from the defaults of VS Code. Trust and AI features have their defaults. */
const settings = {
  // Steps begin with an empty editor area.
  'workbench.startupEditor': 'none',
  // There is no network.
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'remote.autoForwardPorts': false,
  // The DOM renderer makes the text of terminals readable.
  'terminal.integrated.gpuAcceleration': 'off',
  // Screenshots of all versions look alike.
  'workbench.colorTheme': 'Default Dark Modern',
};

export class TestEnvironment {
  constructor(name) {
    this.dir = mkdtempSync('/tmp/sv-');
    this.name = name;
    this.home = join(this.dir, 'h');
    this.project = join(this.dir, 'shop');
    this.bin = join(this.dir, 'bin');
    for (const each of [this.home, this.project, this.bin, join(this.dir, 't')]) mkdirSync(each);
    // Tests take the binary away and put it back, so it has no other location.
    this.binary = join(this.bin, 'symposium');
    cpSync(binary, this.binary);
    this.variables = {
      PATH: `${this.bin}:${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: this.home,
      TMUX_TMPDIR: join(this.dir, 't'),
      LANG: 'C.UTF-8',
      USER: process.env.USER ?? 'root',
      SHELL: '/bin/bash',
      GIT_CONFIG_GLOBAL: '/dev/null',
      SYMPOSIUM_CLOCK: join(this.dir, 'clock'),
    };
    const git = (...args) => execFileSync('git', ['-C', this.project, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { env: this.variables });
    git('init', '-q', '-b', 'main');
    writeFileSync(join(this.project, 'README.md'), '# shop\n');
    git('add', '.');
    git('commit', '-qm', 'a beginning');
  }

  get socket() {
    return join(this.variables.TMUX_TMPDIR, `tmux-${process.getuid()}`, 'symposium');
  }

  symposium(...args) {
    const said = execFileSync(this.binary, ['--json', ...args], { env: this.variables, cwd: this.project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    return said.trim() === '' ? null : JSON.parse(said);
  }

  agent(name) {
    return this.symposium('agent', 'list').find((agent) => agent.name === name);
  }

  spawn(name, ...args) {
    this.symposium('agent', 'spawn', 'demo', '--name', name, ...args);
    return this.is(name, 'idle');
  }

  /** Adds many agents without a process to the registry. The view draws them like others. */
  many(count) {
    const registry = join(this.home, '.symposium/agent-sessions.json');
    const known = JSON.parse(readFileSync(registry, 'utf8'));
    const [[, one]] = Object.entries(known.sessions);
    for (let at = 0; at < count; at++) {
      const name = `many-${String(at).padStart(3, '0')}`;
      known.sessions[name] = { ...one, name, id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}` };
    }
    this.writeRegistry(JSON.stringify(known));
  }

  /** Writes the registry under its lock, so that no other process overwrites it. */
  writeRegistry(text) {
    const registry = join(this.home, '.symposium/agent-sessions.json');
    writeFileSync(`${registry}.new`, text, { mode: 0o600 });
    execFileSync('flock', [`${registry}.lock`, 'mv', `${registry}.new`, registry]);
  }

  /** Waits until an agent has a status. */
  is(name, status) {
    return until(`${name} is ${status}`, () => {
      const agent = this.agent(name);
      return agent?.status === status && agent;
    });
  }

  /** Returns the tmux clients as `pid session`. */
  clients() {
    const said = execFileSync('tmux', ['-S', this.socket, 'list-clients', '-F', '#{client_pid} #{client_session}'], { env: this.variables, encoding: 'utf8' });
    return said.trim().split('\n').filter(Boolean);
  }

  /** Starts a terminal outside of VS Code that is attached to an agent. */
  terminal(name) {
    const command = `stty cols 100 rows 30; exec ${this.binary} agent attach ${name}`;
    return spawn('script', ['-qec', command, '/dev/null'], { env: { ...this.variables, TERM: 'xterm-256color' }, cwd: this.project, stdio: ['pipe', 'ignore', 'ignore'] });
  }

  /** Writes the settings. `symposium.path` is a setting of the machine, because VS Code reads PATH from a login shell. */
  set(differing) {
    const data = join(this.home, '.local/share/code-server');
    for (const [folder, values] of Object.entries({ User: settings, Machine: { 'symposium.path': this.binary, ...differing } })) {
      mkdirSync(join(data, folder), { recursive: true });
      writeFileSync(join(data, folder, 'settings.json'), JSON.stringify(values));
    }
  }

  async startServer() {
    this.set({});
    if (!this.installed) {
      execFileSync(process.execPath, [codeServer, '--install-extension', vsix, '--force'], { env: this.variables, stdio: 'pipe' });
      this.addExtension(probe);
      this.installed = true;
    }
    const args = [codeServer, '--bind-addr', `127.0.0.1:${this.port ?? 0}`, '--auth', 'none', '--disable-telemetry', '--disable-update-check',
      '--disable-getting-started-override', '--disable-proxy', '--ignore-last-opened', this.project];
    // Chromium starts in the meantime.
    this.launching ??= this.launchBrowser();
    this.launching.catch(() => undefined);
    // The server gets its own process group, so that all its processes can be ended.
    this.server = spawn(process.execPath, args, { env: this.variables, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    this.log = '';
    for (const stream of [this.server.stdout, this.server.stderr]) stream.on('data', (text) => { this.log = (this.log + text).slice(-20_000); });
    // The system chooses a free port. A later server takes the same one, because the browser stores data by address.
    this.port = await until('the server tells its port', () => Number(/listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(this.log)?.[1]), 60_000);
    await until('the server answers', async () => (await fetch(`http://127.0.0.1:${this.port}/healthz`)).ok, 60_000);
  }

  async stopServer() {
    if (this.server === undefined) return;
    const { pid } = this.server;
    this.server = undefined;
    try {
      process.kill(-pid, 'SIGTERM');
    } catch {
      return;
    }
    await until('the server has gone', () => !inGroup(pid).length, 20_000).catch(() => process.kill(-pid, 'SIGKILL'));
  }

  /** Returns the folder of the installed extension. */
  extension() {
    return join(this.extensions, readdirSync(this.extensions).find((name) => name.startsWith('symposium.symposium-')));
  }

  get extensions() {
    return join(this.home, '.local/share/code-server/extensions');
  }

  /** Installs another extension from its folder. */
  addExtension(folder) {
    const { publisher, name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const relativeLocation = `${publisher}.${name}-${version}`;
    const path = join(this.extensions, relativeLocation);
    cpSync(folder, path, { recursive: true });
    const list = join(this.extensions, 'extensions.json');
    const entry = { identifier: { id: `${publisher}.${name}` }, version, location: { $mid: 1, path, scheme: 'file' }, relativeLocation, metadata: {} };
    writeFileSync(list, JSON.stringify([...JSON.parse(readFileSync(list, 'utf8')), entry]));
  }

  launchBrowser() {
    const { chromium } = createRequire(`${rig}/`)('playwright-core');
    return chromium.launchPersistentContext(join(this.dir, 'chrome'), {
      executablePath: process.env.SYMPOSIUM_CHROMIUM ?? '/usr/bin/chromium',
      headless: true,
      viewport: { width: 1500, height: 860 },
      // VS Code follows it and leaves out animations, which cost a software renderer much.
      reducedMotion: 'reduce',
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
  }

  async openBrowser({ payload, before, trust = 'granted' } = {}) {
    this.launching ??= this.launchBrowser();
    this.browser = await this.launching;
    await this.browser.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: `http://127.0.0.1:${this.port}` });
    this.page = this.browser.pages()[0] ?? (await this.browser.newPage());
    this.page.setDefaultTimeout(30_000);
    await before?.(this.page);
    if (payload !== undefined) await this.page.addInitScript(heedPayload);
    const more = payload === undefined ? '' : `&payload=${encodeURIComponent(JSON.stringify(payload))}`;
    await this.page.goto(`http://127.0.0.1:${this.port}/?folder=${this.project}${more}`, { waitUntil: 'domcontentloaded' });
    if (trust !== 'not asked') await this.decideTrust(this.page, trust);
    return this.page;
  }

  /** Grants or refuses trust in the project like a user, and waits until it takes effect. */
  async decideTrust(page, trust) {
    // VS Code stores the decision in the browser profile.
    if (this.hasDecided) return;
    this.hasDecided = true;
    const restricted = page.locator('[id="status.workspaceTrust"]');
    // 1.100 asks when a folder is opened for the first time. 1.139 opens it in Restricted Mode.
    if (version === OLDEST) {
      const question = page.locator('.monaco-dialog-box').filter({ hasText: 'trust the authors' });
      await question.locator('.monaco-button', { hasText: trust === 'granted' ? 'Yes, I trust' : 'No, I don' }).click({ timeout: 90_000 });
      await question.waitFor({ state: 'detached' });
    } else {
      await restricted.waitFor({ timeout: 90_000 });
      if (trust !== 'granted') return;
      await restricted.locator('a').click();
      const editor = page.locator('.workspace-trust-editor');
      await editor.locator('.monaco-button', { hasText: /^Trust$/ }).click();
      await editor.filter({ hasText: 'You trust this' }).waitFor();
      await closeModal(page);
    }
    await restricted.waitFor({ state: trust === 'granted' ? 'detached' : 'visible' });
  }

  /** Opens another window on the same server and folder. It is in the background: without a display, each page would
   *  believe that it has the focus. */
  async openWindow() {
    const page = await this.browser.newPage();
    await page.addInitScript(() => { document.hasFocus = () => false; });
    page.setDefaultTimeout(30_000);
    await page.goto(`http://127.0.0.1:${this.port}/?folder=${this.project}`, { waitUntil: 'domcontentloaded' });
    return page;
  }

  /** Waits until the folders of a workspace file are shown. If VS Code reads the file before it listens for changes of the
   *  workspace, it shows no folder until the file is saved. The window must not be trusted: for a folder that is added to
   *  a trusted window, VS Code opens a dialog. */
  async foldersShown(page, file) {
    const workspace = readFileSync(file, 'utf8');
    const { name, path } = JSON.parse(workspace).folders.at(-1);
    const last = name ?? basename(path);
    const explorer = page.locator('.explorer-viewlet');
    await explorer.waitFor({ timeout: 90_000 });
    await until(`the explorer shows ${last}`, async () => {
      const text = await explorer.innerText();
      if (/no folder opened/i.test(text)) {
        // VS Code never sees an incomplete file.
        writeFileSync(`${file}.new`, workspace);
        renameSync(`${file}.new`, file);
      }
      return text.toLowerCase().includes(last);
    }, 60_000);
  }

  async closeBrowser() {
    await (await this.launching)?.close();
    this.launching = undefined;
    this.browser = undefined;
  }

  async end(last) {
    last?.();
    await this.closeBrowser().catch(() => undefined);
    await this.stopServer().catch(() => undefined);
    if (existsSync(this.socket)) {
      try {
        execFileSync('tmux', ['-S', this.socket, 'kill-server'], { env: this.variables, stdio: 'ignore' });
      } catch {
        // The server had already ended.
      }
    }
    // Remaining processes would write into the home.
    await until('nothing lives in the home', () => livesIn(this.dir).length === 0, 20_000).catch(() => livesIn(this.dir).forEach((pid) => process.kill(pid, 'SIGKILL')));
    if (process.env.KEEP !== undefined) {
      console.log(`kept: ${this.dir}`);
      return;
    }
    // Chromium may still write its profile. Then node 24 leaves files behind without an error.
    await until('the directory is removed', () => {
      rmSync(this.dir, { recursive: true, force: true });
      return !existsSync(this.dir);
    });
  }
}

/** VS Code 1.139 accepts a payload only with the smoke test driver enabled. */
function heedPayload() {
  const read = Element.prototype.getAttribute;
  Element.prototype.getAttribute = function (name) {
    const value = read.call(this, name);
    if (name !== 'data-settings' || this.id !== 'vscode-workbench-web-configuration') return value;
    const settings = JSON.parse(value);
    return JSON.stringify({ ...settings, developmentOptions: { ...settings.developmentOptions, enableSmokeTestDriver: true } });
  };
}

/** Closes the modal editor that 1.139 uses for editors without a file. */
export async function closeModal(page) {
  const header = page.locator('.modal-editor-header');
  await header.locator('.action-label[aria-label^="Close"]').click();
  await header.waitFor({ state: 'detached' });
}

const processes = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);

function inGroup(group) {
  return processes().filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
      return Number(stat[2]) === group && stat[0] !== 'Z';
    } catch {
      return false;
    }
  });
}

function livesIn(dir) {
  return processes().filter((pid) => {
    if (pid === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`=${dir}/`) && readlinkSync(`/proc/${pid}/exe`);
    } catch {
      return false;
    }
  });
}
