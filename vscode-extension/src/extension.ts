// Wires the parts together and does nothing else.

import * as vscode from 'vscode';
import { AgentTree } from './agentTree';
import { Answering } from './answering';
import { offerCleanUp } from './cleanUp';
import { Client } from './client';
import { agentCommands, recapAgain } from './commands';
import { Composer } from './composing';
import { Documents } from './documents';
import { fromEditor } from './fromEditor';
import { helping } from './helping';
import { mcpServer } from './mcp';
import { Mutes } from './mutes';
import { type Decide, decision, notifications } from './notifications';
import { terminalProfile } from './profile';
import { reattaching } from './reattaching';
import { returning } from './returning';
import { OpenNotices } from './rules/openNotices';
import { settings } from './settings';
import { Spawning } from './spawn';
import { statusBar, statusItem } from './statusBar';
import { taskCommands } from './taskCommands';
import { TaskTree } from './taskTree';
import { Terminals } from './terminals';
import { walkthrough } from './walkthrough';
import { Watch } from './watch';
import { Windows } from './windows';
import { useTranslation } from './words';

/** What the tests of src/inside look at; nobody else is given it. */
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
