// Wires the parts together and does nothing else.

import * as vscode from 'vscode';
import { AgentTree } from './agentTree';
import { offerCleanUp } from './cleanUp';
import { Client } from './client';
import { agentCommands } from './commands';
import { Documents } from './documents';
import { helping } from './helping';
import { Mutes } from './mutes';
import { notifications } from './notifications';
import { terminalProfile } from './profile';
import { settings } from './settings';
import { Spawning } from './spawn';
import { statusBar } from './statusBar';
import { taskCommands } from './taskCommands';
import { TaskTree } from './taskTree';
import { Terminals } from './terminals';
import { Watch } from './watch';
import { useTranslation } from './words';

export function activate(context: vscode.ExtensionContext): void {
  useTranslation((message, ...args) => vscode.l10n.t(message, ...args));
  const log = vscode.window.createOutputChannel('Symposium', { log: true });
  const client = new Client(settings.place, (line) => { log.info(line); });
  const watch = new Watch(client, log);
  const mutes = new Mutes(context.globalState);
  const documents = new Documents();
  const terminals = new Terminals(client, watch, context.workspaceState);
  const spawning = new Spawning(client, watch);
  const tasks = new TaskTree(watch, client, log);
  context.subscriptions.push(
    log,
    watch,
    documents,
    terminals,
    tasks,
    statusBar(watch),
    new AgentTree(watch, client, mutes),
    agentCommands({ client, watch, terminals, spawning, documents, mutes }),
    taskCommands(client, watch, documents, tasks),
    helping(client, watch, documents, log),
    notifications(watch, terminals, mutes),
    offerCleanUp(client, watch, context.globalState),
    terminalProfile(watch, terminals),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('symposium.path') || change.affectsConfiguration('symposium.home')) void watch.start();
    }),
  );
  // Not waited for: activation is over before the first program runs.
  void watch.start();
}
