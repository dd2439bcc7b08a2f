// A complete agent for tests; each test names the fields that differ.

import type { Agent, Question } from '../binary/types';

/** The fields of an agent that needs approval. */
export const asking = (text: string, differs: Partial<Question> = {}): Partial<Agent> => ({
  status: 'waiting',
  waiting_for: 'approval',
  reason: text.length > 120 ? `${text.slice(0, 119)}…` : text,
  question: { id: `id of ${text}`, text, extent: 'whole', ...differs },
});

export const someAgent = (differs: Partial<Agent> = {}): Agent => ({
  name: 'one',
  id: differs.name ?? 'one',
  title: null,
  spec: 'demo',
  kind: 'demo',
  status: 'idle',
  waiting_for: null,
  status_since: '2026-01-01T00:00:00Z',
  reason: 'it is ready for a prompt',
  question: null,
  exit: null,
  working_directory: '/src/api',
  project: '/src/api',
  branch: 'main',
  directory_gone: null,
  workspace: 'in-place',
  tmux: { socket: '/tmp/s', session: 'one', pane: '%0' },
  created_at: '2026-01-01T00:00:00Z',
  last_activity: '2026-01-01T00:00:00Z',
  last_attached: null,
  clients: [],
  conversation: { id: 'c', name: null, forked_from: null },
  parent: null,
  ephemeral: false,
  restart: { policy: 'no', count: 0, next_at: null },
  tasks: { queued: 0, running: 0, done: 0, failed: 0 },
  task: null,
  host: null,
  ...differs,
});
