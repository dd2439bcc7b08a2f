// Registers `symposium mcp` with the agents of VS Code, in versions that have an API for it.

import * as vscode from 'vscode';
import type { Client } from './binary/client';

/** The part of the API that is newer than the types this extension is built with (VS Code 1.101). */
interface McpApi {
  lm?: { registerMcpServerDefinitionProvider?: (id: string, provider: { provideMcpServerDefinitions: () => unknown[] }) => vscode.Disposable };
  McpStdioServerDefinition?: new (label: string, command: string, args: string[], env?: Record<string, string>, version?: string) => unknown;
}

export function mcpServer(client: Client, log: (line: string) => void): vscode.Disposable {
  const { lm, McpStdioServerDefinition: Definition } = vscode as unknown as McpApi;
  try {
    const registered = Definition === undefined ? undefined : lm?.registerMcpServerDefinitionProvider?.('symposium.mcp', {
      provideMcpServerDefinitions: () => {
        const command = client.mcpCommand();
        return command === undefined ? [] : [new Definition('Symposium', command.path, command.args)];
      },
    });
    return registered ?? new vscode.Disposable(() => undefined);
  } catch (error) {
    // Versions in which this API is only proposed throw an error.
    log(String(error));
    return new vscode.Disposable(() => undefined);
  }
}
