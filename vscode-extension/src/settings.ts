// Reads the settings on each use, so that a change takes effect at once.

import * as vscode from 'vscode';
import type { BinaryLocation } from './binary/client';

const read = <T>(key: string, otherwise: T): T => vscode.workspace.getConfiguration('symposium').get<T>(key) ?? otherwise;

/** The default of the setting symposium.notifyAbout. */
const NOTIFY_ABOUT = ['waiting', 'limited', 'finished', 'failed', 'crashed', 'lost'];

export const settings = {
  place: (): BinaryLocation => ({ path: read('path', 'symposium').trim() || 'symposium', home: read('home', '').trim() }),
  defaultSpec: (): string => read('defaultSpec', '').trim(),
  notifications: (): 'off' | 'windowNotFocused' | 'always' => read('notifications', 'always'),
  notifyAbout: (): readonly string[] => read('notifyAbout', NOTIFY_ABOUT),
  openOnClick: (): 'singleClick' | 'doubleClick' => read('openOnClick', 'doubleClick'),
  openIn: (): 'panel' | 'editor' => read('openIn', 'panel'),
};
