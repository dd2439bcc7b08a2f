// Wires the parts together and does nothing else.

import * as vscode from 'vscode';
import { AgentTree } from './views/agentTree';
import { Answering } from './commands/approve';
import { offerCleanUp } from './notify/folderGone';
import { Client } from './binary/client';
import { agentCommands, recapAgain } from './commands/agents';
import { Composer } from './commands/promptEditor';
import { Documents } from './views/documents';
import { fromEditor } from './commands/sendFromEditor';
import { helping } from './commands/diagnostics';
import { mcpServer } from './mcpServer';
import { Mutes } from './notify/mutes';
import { type Decide, decision, notifications } from './notify/notifications';
import { terminalProfile } from './terminals/profile';
import { reattaching } from './terminals/reattach';
import { returning } from './notify/welcomeBack';
import { OpenNotices } from './rules/notify/openNotices';
import { settings } from './settings';
import { Spawning } from './commands/spawn';
import { statusBar, statusItem } from './views/statusBar';
import { taskCommands } from './commands/tasks';
import { TaskTree } from './views/taskTree';
import { Terminals } from './terminals/terminals';
import { walkthrough } from './walkthrough';
import { Watch } from './binary/agentWatch';
import { Windows } from './notify/windowClaims';
import { useTranslation } from './l10n';

/** What the tests of src/test/extensionHost look at; nobody else is given it. */
export interface Inside {
  client: Client;
  watch: Watch;
  tree: AgentTree;
  terminals: Terminals;
  mutes: Mutes;
  status: vscode.StatusBarItem;
  decide: Decide;
}

export function activate(context: vscode.ExtensionContext): Inside | undefined {
  useTranslation((message, ...args) => vscode.l10n.t(message, ...args));
  const log = vscode.window.createOutputChannel('Symposium', { log: true });
  const client = new Client(settings.place, (line) => { log.info(line); });
  const watch = new Watch(client, log);
  const mutes = new Mutes(context.globalState);
  const documents = new Documents((path) => recapAgain(client, path));
  const terminals = new Terminals(client, watch, context.globalStorageUri);
  const composer = new Composer();
  const spawning = new Spawning(client, watch, composer);
  const tasks = new TaskTree(watch, client, log);
  const tree = new AgentTree(watch, client, mutes, context.workspaceState);
  const answering = new Answering(client, watch, documents);
  const status = statusItem();
  const windows = new Windows(context.globalStorageUri.fsPath, (line) => { log.warn(line); });
  const decide = decision(terminals, mutes);
  const open = new OpenNotices();
  context.subscriptions.push(
    log,
    watch,
    documents,
    composer,
    terminals,
    tasks,
    status,
    statusBar(watch, status),
    tree,
    agentCommands({ client, answering, watch, terminals, spawning, documents, mutes, tree, composer }),
    taskCommands({ client, watch, documents, tasks, composer }),
    helping({ client, watch, documents, windows, tasks, log }),
    notifications({ client, watch, decide, windows, open }),
    returning({ watch, decide, windows, open, memory: context.workspaceState }),
    offerCleanUp(client, watch, windows, context.globalState),
    terminalProfile(watch, terminals),
    walkthrough(watch, context.globalState),
    reattaching(watch, terminals),
    fromEditor(client, watch),
    mcpServer(client, (line) => { log.info(line); }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('symposium.path') || change.affectsConfiguration('symposium.home')) void watch.start();
    }),
  );
  // Not waited for: activation is over before the first program runs.
  void watch.start();
  return context.extensionMode === vscode.ExtensionMode.Test ? { client, watch, tree, terminals, mutes, status, decide } : undefined;
}
