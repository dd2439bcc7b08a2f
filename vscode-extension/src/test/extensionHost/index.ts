// Tests inside the extension host of a real VS Code, at the level of its API. e2e/host.test.mjs starts them with demo
// agents `api` and `docs`, and reads what they write to SYMPOSIUM_INSIDE.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import * as vscode from 'vscode';
import type { Inside } from '../../extension';
import { isTold, transitions } from '../../rules/notify/notices';
import type { Agent } from '../../binary/types';

/** Waits for a condition, and fails with its name. */
async function until<T>(what: string, condition: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + 30_000;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

const extension = (): vscode.Extension<Inside | undefined> =>
  vscode.extensions.getExtension<Inside | undefined>('symposium.symposium') ?? assert.fail('the extension is not installed');

function inside(): Inside {
  return extension().exports ?? assert.fail('it was not activated for a test');
}

const agent = (name: string): Agent => inside().watch.agent(name) ?? assert.fail(`no agent ${name}`);

const symposium = (...args: string[]): Promise<unknown> => inside().client.json(args);

const is = (name: string, status: string) => until(`${name} is ${status}`, () => inside().watch.agent(name)?.status === status);

const tests: Record<string, () => Promise<void> | void> = {
  'it is activated by the start of the window, where the workspace is': async () => {
    await until('it is active', () => extension().isActive);
    assert.equal(extension().extensionKind, vscode.ExtensionKind.Workspace);
    await until('agents are known', () => inside().watch.health === 'ready');
  },

  'every command of the manifest is there': async () => {
    const manifest = JSON.parse(readFileSync(join(extension().extensionPath, 'package.json'), 'utf8')) as { contributes: { commands: { command: string }[] } };
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(manifest.contributes.commands.map(({ command }) => command).filter((command) => !known.has(command)), []);
  },

  'the tree has the project of this window, and in it its agents': () => {
    const { tree } = inside();
    const [project, ...others] = tree.getChildren();
    assert.ok(project !== undefined && others.length === 0);
    const row = tree.getTreeItem(project);
    assert.deepEqual([row.label, row.description, row.contextValue], ['shop', 'this window', 'project']);
    const rows = tree.getChildren(project).map((node) => tree.getTreeItem(node));
    assert.deepEqual(rows.map(({ label }) => label), ['api', 'docs']);
    for (const each of rows) {
      assert.equal(each.contextValue, 'agent live attachable idle');
      assert.match(String(each.description), /^idle · (<1m|\d+[mh]) · main$/);
    }
  },

  'asked for its projects, the tree has what is below them asked for once more': async () => {
    const { tree } = inside();
    const drawn: (readonly object[] | undefined)[] = [];
    const drawing = tree.onDidChangeTreeData((nodes) => drawn.push(nodes));
    await until('its projects are drawn', () => drawn.includes(tree.getChildren()));
    drawing.dispose();
  },

  'a tooltip is neither trusted nor HTML': async () => {
    const { tree } = inside();
    const [node] = tree.getChildren(tree.getChildren()[0]);
    assert.ok(node !== undefined);
    const { tooltip } = await tree.resolveTreeItem(tree.getTreeItem(node), node);
    assert.ok(tooltip instanceof vscode.MarkdownString);
    assert.ok(tooltip.isTrusted !== true && tooltip.supportHtml !== true && tooltip.supportThemeIcons !== true);
    assert.ok(tooltip.value.includes('api'), tooltip.value);
  },

  'the status item counts, and follows': async () => {
    const { status } = inside();
    assert.deepEqual([status.text, status.tooltip, status.backgroundColor], ['$(hubot) $(circle-outline) 2', 'Symposium: 2 idle', undefined]);
    assert.equal(status.command, 'symposium.attach');
    await symposium('agent', 'send', 'docs', '/ask ls');
    await until('it says that one waits', () => status.text === '$(hubot) $(bell-dot) 1 $(circle-outline) 1');
    assert.deepEqual(status.backgroundColor, new vscode.ThemeColor('statusBarItem.warningBackground'));
  },

  'what is told is decided by the setting, by who is muted and by what is looked at': async () => {
    const { decide, mutes } = inside();
    const news = () => transitions([{ ...agent('docs'), status: 'working', waiting_for: null }], [agent('docs')]);
    const told = () => news().filter((each) => isTold(decide(each))).map(({ kind }) => kind);
    assert.deepEqual(told(), ['waiting']);
    await mutes.set(agent('docs'), 'muted');
    assert.deepEqual(told(), []);
    await mutes.set(agent('docs'), 'told');
    const settings = vscode.workspace.getConfiguration('symposium');
    await settings.update('notifications', 'off', vscode.ConfigurationTarget.Global);
    assert.deepEqual(told(), []);
    await settings.update('notifications', undefined, vscode.ConfigurationTarget.Global);
    assert.deepEqual(told(), ['waiting']);
    assert.deepEqual(transitions([agent('docs')], [agent('docs')]), [], 'a state by itself is no news');
  },

  'an approval by command answers what is asked': async () => {
    const id = agent('docs').question?.id ?? assert.fail('it asks nothing');
    await vscode.commands.executeCommand('symposium.approve', agent('docs'), { id, whole: true });
    await is('docs', 'idle');
  },

  'a terminal is a program and its arguments, never typed text, and is restored by VS Code itself': async () => {
    await vscode.commands.executeCommand('symposium.attach', agent('api'));
    const terminal = await until('it is there', () => vscode.window.terminals.find(({ name }) => name === 'api'));
    const options = terminal.creationOptions as vscode.TerminalOptions;
    assert.equal(options.shellPath, vscode.workspace.getConfiguration('symposium').get('path'));
    assert.deepEqual(options.shellArgs, ['agent', 'attach', 'api']);
    assert.ok(options.isTransient !== true && options.hideFromUser !== true);
    assert.deepEqual([options.env?.['TMUX'], options.env?.['TMUX_PANE']], [null, null]);
    await until('api has a client', () => agent('api').clients.length === 1);
    await vscode.commands.executeCommand('symposium.attach', agent('api'));
    assert.equal(vscode.window.terminals.filter(({ name }) => name === 'api').length, 1);
    const looked = () => inside().watch.look().then(() => inside().terminals.isLookedAt(agent('api')));
    await until('it is looked at', looked);
    await vscode.commands.executeCommand('workbench.action.closePanel');
    await until('nobody looks at what is hidden', async () => !(await looked()));
    terminal.dispose();
    await until('api goes on without one', () => agent('api').clients.length === 0);
    assert.equal(agent('api').status, 'idle');
  },

  'an agent is spawned by a command with arguments, without a question': async () => {
    await vscode.commands.executeCommand('symposium.spawn', { spec: 'demo', name: 'made', task: 'remember $(id) `id`', workspace: 'scratch' });
    await until('it has answered', () => inside().watch.agent('made')?.reason.includes('$(id) `id`'));
    assert.deepEqual([agent('made').workspace, agent('made').spec], ['scratch', 'demo']);
    const { creationOptions } = await until('its terminal is there', () => vscode.window.terminals.find(({ name }) => name === 'made'));
    assert.equal((creationOptions as vscode.TerminalOptions).cwd, agent('made').working_directory, 'where the paths are that it prints');
    const { pid } = (await symposium('agent', 'show', 'made')) as { pid: number };
    const inherited = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').map((each) => each.split('=')[0] ?? '');
    assert.deepEqual(inherited.filter((key) => /^(VSCODE_(ESM|NLS|HANDLES|CWD)|ELECTRON)/.test(key)), []);
    assert.ok(inherited.includes('VSCODE_IPC_HOOK_CLI'));
    await vscode.commands.executeCommand('symposium.stop', agent('made'));
    await is('made', 'stopped');
  },

  'five hundred agents do not hold up the extension host': async () => {
    const file = join(process.env['HOME'] ?? '', '.symposium/agent-sessions.json');
    const registry = JSON.parse(readFileSync(file, 'utf8')) as { sessions: Record<string, object> };
    const [one] = Object.values(registry.sessions);
    for (let at = 0; at < 500; at++) registry.sessions[`many-${at}`] = { ...one, name: `many-${at}`, id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}` };
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    writeFileSync(`${file}.new`, JSON.stringify(registry), { mode: 0o600 });
    // With the lock, as everybody does: whoever has just read it would write over it otherwise.
    execFileSync('flock', [`${file}.lock`, 'mv', `${file}.new`, file]);
    await until('all are known', () => inside().watch.agents.length > 500);
    const { tree } = inside();
    const rows = tree.getChildren().flatMap((project) => tree.getChildren(project)).map((node) => tree.getTreeItem(node));
    assert.ok(rows.length > 500);
    delay.disable();
    const longest = Math.round(delay.max / 1e6);
    note(`500 agents: the extension host was held up for at most ${longest} ms`);
    assert.ok(longest < 500, `${longest} ms`);
  },

  'a command that fails is told and does not throw': async () => {
    await vscode.commands.executeCommand('symposium.hibernate', { ...agent('made'), name: 'nobody', id: 'x' });
  },
};

let notes: string[] = [];
const note = (text: string) => notes.push(text);

/** What VS Code calls; the process ends with 1 when this throws. */
export async function run(): Promise<void> {
  const file = process.env['SYMPOSIUM_INSIDE'] ?? assert.fail('SYMPOSIUM_INSIDE says where to write to');
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    let error: string | null = null;
    try {
      await test();
    } catch (reason) {
      failed++;
      error = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
    }
    appendFileSync(file, `${JSON.stringify({ name, error, notes })}\n`);
    notes = [];
  }
  assert.equal(failed, 0, `${failed} failed`);
}
