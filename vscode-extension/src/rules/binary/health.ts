// The state of the binary as text, with the commands that help. Pure.

import { t } from '../../l10n';
import { oneLine } from '../agent/sanitize';
import { REQUIRED_VERSION } from './version';

export type Health = 'starting' | 'ready' | 'missing-binary' | 'missing-tmux' | 'wrong-binary' | 'too-old' | 'unusable' | 'failing';

/** A button and the command that it runs. */
export interface Choice {
  title: string;
  command: string;
}

const choice = (title: string, command: string): Choice => ({ title, command: `symposium.${command}` });
const spawn = () => choice(t('Spawn Agent'), 'spawn');
const doctor = () => choice(t('Diagnose'), 'doctor');
const retry = () => choice(t('Try Again'), 'refresh');

/** Returns the buttons for a state; the welcome views of the manifest offer the same ones. `ready` means that there are
 *  no agents. */
export function choices(health: Health): Choice[] {
  switch (health) {
    case 'ready':
      return [spawn(), choice(t('New Taskspace'), 'newTaskspace')];
    case 'missing-binary':
      return [choice(t('Choose Binary'), 'setPath'), choice(t('Copy Command'), 'copyInstallHint'), doctor(), retry()];
    case 'missing-tmux':
      return [choice(t('Copy Command'), 'copyInstallHint'), retry()];
    case 'wrong-binary':
      return [choice(t('Choose Binary'), 'setPath'), retry()];
    case 'too-old':
      return [doctor(), choice(t('Choose Binary'), 'setPath'), retry()];
    case 'starting':
      return [];
    default:
      return [doctor(), retry()];
  }
}

/** Describes a problem in one line. `message` is the message of the binary. */
export function problemText(health: Health, message: string | undefined): string {
  switch (health) {
    case 'missing-binary':
      return t('the program symposium was not found');
    case 'missing-tmux':
      return t('tmux is not installed');
    case 'wrong-binary':
      return t('the program in the setting symposium.path is not symposium; it calls itself {0}', oneLine(message ?? '', 60));
    case 'too-old':
      return t('{0} is too old: this extension needs symposium {1} or newer', oneLine(message ?? '', 60), REQUIRED_VERSION);
    case 'starting':
      return t('looking for agents');
    default:
      return oneLine(message ?? t('symposium does not answer'), 200);
  }
}

/** A message that is shown in place of an empty list. */
export interface Message {
  level: 'warning' | 'information';
  text: string;
  choices: Choice[];
}

/** Returns the message about a problem that blocks all commands, or undefined when there is none or the state is not
 *  known yet. */
export const problemMessage = (health: Health, message: string | undefined): Message | undefined =>
  health === 'ready' || health === 'starting' ? undefined : { level: 'warning', text: `Symposium: ${problemText(health, message)}`, choices: choices(health) };

/** Returns the message for an empty choice: there is no agent, or `none` explains why no agent qualifies. */
export const noAgentMessage = (agents: number, none = t('No agent can be chosen for this now.')): Message =>
  agents === 0
    ? { level: 'information', text: t('There are no agents yet.'), choices: choices('ready') }
    : { level: 'information', text: none, choices: [choice(t('Show the Agents'), 'agents.focus'), spawn()] };
