// Tests in the extension host of a real VS Code, at the level of its API. e2e/host.test.mjs starts them with the demo
// agents `api` and `docs`, and reads the results from the file SYMPOSIUM_TEST_RESULTS.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import * as vscode from 'vscode';
import type { TestAccess } from '../../extension';
import { isShown, transitions } from '../../rules/notify/notices';
import type { Agent } from '../../binary/types';

/** Waits for a condition. Fails with its description. */
async function until<T>(what: string, condition: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + 30_000;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

const extension = (): vscode.Extension<TestAccess | undefined> =>
  vscode.extensions.getExtension<TestAccess | undefined>('symposium.symposium') ?? assert.fail('the extension is not installed');

function inside(): TestAccess {
  return extension().exports ?? assert.fail('the extension was not activated for a test');
}

const agent = (name: string): Agent => inside().watch.agent(name) ?? assert.fail(`no agent ${name}`);

const symposium = (...args: string[]): Promise<unknown> => inside().client.json(args);

const is = (name: string, status: string) => until(`${name} is ${status}`, () => inside().watch.agent(name)?.status === status);

const tests: Record<string, () => Promise<void> | void> = {
  'the extension is activated with the window, on the side of the workspace': async () => {
    await until('it is active', () => extension().isActive);
    assert.equal(extension().extensionKind, vscode.ExtensionKind.Workspace);
    await until('agents are known', () => inside().watch.health === 'ready');
  },

  'every command of the manifest is registered': async () => {
    const manifest = JSON.parse(readFileSync(join(extension().extensionPath, 'package.json'), 'utf8')) as { contributes: { commands: { command: string }[] } };
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(manifest.contributes.commands.map(({ command }) => command).filter((command) => !known.has(command)), []);
  },

  'the tree contains the project of this window with its agents': () => {
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

  'the tree redraws its projects after VS Code has asked for them': async () => {
    const { tree } = inside();
    let isDrawn = false;
    const drawing = tree.onDidChangeTreeData((nodes) => {
      isDrawn ||= nodes?.length === 1 && nodes[0]?.type === 'project';
    });
    // Once, because a later request postpones the redraw.
    tree.getChildren();
    await until('its projects are drawn', () => isDrawn);
    drawing.dispose();
  },

  'a hover is neither trusted nor HTML': async () => {
    const { tree } = inside();
    const [node] = tree.getChildren(tree.getChildren()[0]);
    assert.ok(node !== undefined);
    const { tooltip } = await tree.resolveTreeItem(tree.getTreeItem(node), node);
    assert.ok(tooltip instanceof vscode.MarkdownString);
    assert.ok(tooltip.isTrusted !== true && tooltip.supportHtml !== true && tooltip.supportThemeIcons !== true);
    assert.ok(tooltip.value.includes('api'), tooltip.value);
  },

  'the status item counts agents and follows changes': async () => {
    const { status } = inside();
    assert.deepEqual([status.text, status.tooltip, status.backgroundColor], ['$(symposium-logo) $(circle-outline) 2', 'Symposium: 2 idle', undefined]);
    assert.equal(status.command, 'symposium.attach');
    await symposium('agent', 'send', 'docs', '/ask ls');
    await until('it says that one waits', () => status.text === '$(symposium-logo) $(bell-dot) 1 $(circle-outline) 1');
    assert.deepEqual(status.backgroundColor, new vscode.ThemeColor('statusBarItem.warningBackground'));
  },

  'notices depend on the settings and on muted agents': async () => {
    const { decide, mutes } = inside();
    const notices = () => transitions([{ ...agent('docs'), status: 'working', waiting_for: null }], [agent('docs')]);
    const shownKinds = () => notices().filter((each) => isShown(decide(each))).map(({ kind }) => kind);
    assert.deepEqual(shownKinds(), ['waiting']);
    await mutes.set(agent('docs'), 'muted');
    assert.deepEqual(shownKinds(), []);
    await mutes.set(agent('docs'), 'unmuted');
    const settings = vscode.workspace.getConfiguration('symposium');
    await settings.update('notifications', 'off', vscode.ConfigurationTarget.Global);
    assert.deepEqual(shownKinds(), []);
    await settings.update('notifications', undefined, vscode.ConfigurationTarget.Global);
    assert.deepEqual(shownKinds(), ['waiting']);
    assert.deepEqual(transitions([agent('docs')], [agent('docs')]), [], 'an unchanged state is no event');
  },

  'the approve command answers the question': async () => {
    const id = agent('docs').question?.id ?? assert.fail('docs asks nothing');
    await vscode.commands.executeCommand('symposium.approve', agent('docs'), { id, whole: true });
    await is('docs', 'idle');
  },

  'a terminal runs a program without typed text and can be restored by VS Code': async () => {
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
    const looked = () => inside().watch.refresh().then(() => inside().terminals.isLookedAt(agent('api')));
    await until('it is looked at', looked);
    await vscode.commands.executeCommand('workbench.action.closePanel');
    await until('a hidden terminal is not looked at', async () => !(await looked()));
    terminal.dispose();
    await until('api goes on without one', () => agent('api').clients.length === 0);
    assert.equal(agent('api').status, 'idle');
  },

  'the spawn command with arguments asks nothing': async () => {
    await vscode.commands.executeCommand('symposium.spawn', { spec: 'demo', name: 'made', task: 'remember $(id) `id`', workspace: 'scratch' });
    await until('it has answered', () => inside().watch.agent('made')?.reason.includes('$(id) `id`'));
    assert.deepEqual([agent('made').workspace, agent('made').spec], ['scratch', 'demo']);
    const { creationOptions } = await until('its terminal is there', () => vscode.window.terminals.find(({ name }) => name === 'made'));
    assert.equal((creationOptions as vscode.TerminalOptions).cwd, agent('made').working_directory, 'the folder of the paths that it prints');
    const { pid } = (await symposium('agent', 'show', 'made')) as { pid: number };
    const inherited = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').map((each) => each.split('=')[0] ?? '');
    assert.deepEqual(inherited.filter((key) => /^(VSCODE_(ESM|NLS|HANDLES|CWD)|ELECTRON)/.test(key)), []);
    assert.ok(inherited.includes('VSCODE_IPC_HOOK_CLI'));
    await vscode.commands.executeCommand('symposium.stop', agent('made'));
    await is('made', 'stopped');
  },

  'five hundred agents do not block the extension host': async () => {
    const file = join(process.env['HOME'] ?? '', '.symposium/agent-sessions.json');
    const registry = JSON.parse(readFileSync(file, 'utf8')) as { sessions: Record<string, object> };
    const [one] = Object.values(registry.sessions);
    for (let at = 0; at < 500; at++) registry.sessions[`many-${at}`] = { ...one, name: `many-${at}`, id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}` };
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    writeFileSync(`${file}.new`, JSON.stringify(registry), { mode: 0o600 });
    // Holds the lock of the registry, so that no other process overwrites the change.
    execFileSync('flock', [`${file}.lock`, 'mv', `${file}.new`, file]);
    await until('all are known', () => inside().watch.agents.length > 500);
    const { tree } = inside();
    const rows = tree.getChildren().flatMap((project) => tree.getChildren(project)).map((node) => tree.getTreeItem(node));
    assert.ok(rows.length > 500);
    delay.disable();
    const longest = Math.round(delay.max / 1e6);
    note(`500 agents: the extension host was blocked for at most ${longest} ms`);
    assert.ok(longest < 500, `${longest} ms`);
  },

  'a failing command shows its error and does not throw': async () => {
    await vscode.commands.executeCommand('symposium.hibernate', { ...agent('made'), name: 'missing', id: 'x' });
  },
};

let notes: string[] = [];
const note = (text: string) => notes.push(text);

/** The entry point that VS Code calls. The process exits with 1 if it throws. */
export async function run(): Promise<void> {
  const file = process.env['SYMPOSIUM_TEST_RESULTS'] ?? assert.fail('SYMPOSIUM_TEST_RESULTS is not set');
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
