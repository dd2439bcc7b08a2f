// Creates the parts of the extension and connects them.

import * as vscode from 'vscode';
import { AgentTree, type Node } from './views/agentTree';
import { Approvals } from './commands/approve';
import { offerRemoval } from './notify/folderGone';
import { Client } from './binary/client';
import { agentCommands, restoreRecap } from './commands/agents';
import { PromptEditor } from './commands/promptEditor';
import { Documents } from './views/documents';
import { editorCommands } from './commands/sendFromEditor';
import { diagnosticCommands } from './commands/diagnostics';
import { mcpServer } from './mcpServer';
import { Mutes } from './notify/mutes';
import { type DecideTurn, turnDecision, notifications } from './notify/notifications';
import { terminalProfile } from './terminals/profile';
import { offerReattach } from './terminals/reattach';
import { welcomeBack } from './notify/welcomeBack';
import { Reviews } from './review/reviews';
import { RedrawGate } from './rules/views/redrawGate';
import { OpenNotices } from './rules/notify/openNotices';
import { settings } from './settings';
import { SpawnWizard } from './commands/spawn';
import { statusBar, statusItem } from './views/statusBar';
import { taskCommands } from './commands/tasks';
import { TaskTree } from './views/taskTree';
import { Terminals } from './terminals/terminals';
import { walkthrough } from './walkthrough';
import { AgentWatch } from './binary/agentWatch';
import { WorkWatch } from './binary/workWatch';
import { WindowClaims } from './notify/windowClaims';
import { setTranslate } from './l10n';

/** The parts that the tests in src/test/extensionHost inspect. Other callers get undefined. */
export interface TestAccess {
  client: Client;
  watch: AgentWatch;
  tree: AgentTree;
  terminals: Terminals;
  mutes: Mutes;
  status: vscode.StatusBarItem;
  decide: DecideTurn;
}

export function activate(context: vscode.ExtensionContext): TestAccess | undefined {
  setTranslate((message, ...args) => vscode.l10n.t(message, ...args));
  const log = vscode.window.createOutputChannel('Symposium', { log: true });
  const client = new Client(settings.place, (line) => { log.info(line); });
  const watch = new AgentWatch(client, log);
  const mutes = new Mutes(context.globalState);
  const documents = new Documents((path) => restoreRecap(client, path));
  const redraws = new RedrawGate<Node>();
  const terminals = new Terminals(client, watch, redraws, context.globalStorageUri);
  const composer = new PromptEditor();
  const spawning = new SpawnWizard(client, watch, composer);
  const tasks = new TaskTree(watch, client, log);
  const work = new WorkWatch(client, watch, log);
  const tree = new AgentTree({ watch, client, mutes, memory: context.workspaceState, redraws, work });
  const answering = new Approvals(client, watch, documents);
  const reviews = new Reviews(client, watch);
  const status = statusItem();
  const windows = new WindowClaims(context.globalStorageUri.fsPath, (line) => { log.warn(line); });
  const decide = turnDecision(terminals, mutes);
  const open = new OpenNotices();
  context.subscriptions.push(
    log,
    watch,
    documents,
    composer,
    reviews,
    terminals,
    tasks,
    status,
    statusBar(watch, status),
    tree,
    work,
    agentCommands({ client, answering, watch, terminals, spawning, documents, mutes, tree, composer, reviews }),
    taskCommands({ client, watch, documents, tasks, composer }),
    diagnosticCommands({ client, watch, documents, windows, tasks, log }),
    notifications({ client, watch, decide, windows, open }),
    welcomeBack({ watch, decide, windows, open, memory: context.workspaceState }),
    offerRemoval(client, watch, windows, context.globalState),
    terminalProfile(watch, terminals),
    walkthrough(watch, context.globalState),
    offerReattach(watch, terminals),
    editorCommands(client, watch),
    mcpServer(client, (line) => { log.info(line); }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('symposium.path') || change.affectsConfiguration('symposium.home')) void watch.start();
    }),
  );
  // Activation ends before the first program runs.
  void watch.start();
  return context.extensionMode === vscode.ExtensionMode.Test ? { client, watch, tree, terminals, mutes, status, decide } : undefined;
}
