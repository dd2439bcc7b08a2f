// The settings, read where they are needed so that a change counts at once.

import * as vscode from 'vscode';
import type { Place } from './binary/client';

const read = <T>(key: string, otherwise: T): T => vscode.workspace.getConfiguration('symposium').get<T>(key) ?? otherwise;

/** What is told unless the setting names less. */
const NOTIFY_ABOUT = ['waiting', 'limited', 'finished', 'failed', 'crashed', 'lost'];

export const settings = {
  place: (): Place => ({ path: read('path', 'symposium').trim() || 'symposium', home: read('home', '').trim() }),
  defaultSpec: (): string => read('defaultSpec', '').trim(),
  notifications: (): 'off' | 'windowNotFocused' | 'always' => read('notifications', 'always'),
  notifyAbout: (): readonly string[] => read('notifyAbout', NOTIFY_ABOUT),
  openOnClick: (): 'singleClick' | 'doubleClick' => read('openOnClick', 'doubleClick'),
  openIn: (): 'panel' | 'editor' => read('openIn', 'panel'),
};
