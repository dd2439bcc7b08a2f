// How it stands with the binary, in words, and what helps: the same choices wherever it is told. Pure.

import { t } from '../../l10n';
import { oneLine } from '../agent/sanitize';
import { NEEDED } from './version';

export type Health = 'starting' | 'ready' | 'missing-binary' | 'missing-tmux' | 'wrong-binary' | 'too-old' | 'unusable' | 'failing';

/** A button: what it says and the command that it runs. */
export interface Choice {
  title: string;
  command: string;
}

const choice = (title: string, command: string): Choice => ({ title, command: `symposium.${command}` });
const spawn = () => choice(t('Spawn Agent'), 'spawn');
const doctor = () => choice(t('Diagnose'), 'doctor');
const again = () => choice(t('Try Again'), 'refresh');

/** What helps; the welcome views of the manifest offer the same. `ready` is when there are no agents. */
export function choices(health: Health): Choice[] {
  switch (health) {
    case 'ready':
      return [spawn(), choice(t('New Taskspace'), 'newTaskspace')];
    case 'missing-binary':
      return [choice(t('Choose Binary'), 'setPath'), choice(t('Copy Command'), 'copyInstallHint'), doctor(), again()];
    case 'missing-tmux':
      return [choice(t('Copy Command'), 'copyInstallHint'), again()];
    case 'wrong-binary':
      return [choice(t('Choose Binary'), 'setPath'), again()];
    case 'too-old':
      return [doctor(), choice(t('Choose Binary'), 'setPath'), again()];
    case 'starting':
      return [];
    default:
      return [doctor(), again()];
  }
}

/** What is wrong, as one line; `said` is what the binary said. */
export function troubleInWords(health: Health, said: string | undefined): string {
  switch (health) {
    case 'missing-binary':
      return t('the program symposium was not found');
    case 'missing-tmux':
      return t('tmux is not installed');
    case 'wrong-binary':
      return t('the program in the setting symposium.path is not symposium; it calls itself {0}', oneLine(said ?? '', 60));
    case 'too-old':
      return t('{0} is too old: this extension needs symposium {1} or newer', oneLine(said ?? '', 60), NEEDED);
    case 'starting':
      return t('looking for agents');
    default:
      return oneLine(said ?? t('it does not answer'), 200);
  }
}

/** What a person is told in the place of a list that would be empty. */
export interface Told {
  level: 'warning' | 'information';
  text: string;
  choices: Choice[];
}

/** What stands in the way of everything; undefined when nothing does, or when that is not known yet. */
export const inTheWay = (health: Health, said: string | undefined): Told | undefined =>
  health === 'ready' || health === 'starting' ? undefined : { level: 'warning', text: `Symposium: ${troubleInWords(health, said)}`, choices: choices(health) };

/** Why nobody can be chosen: there is none, or `none` says why none of them. */
export const nobody = (agents: number, none = t('No agent can be chosen for this now.')): Told =>
  agents === 0
    ? { level: 'information', text: t('There are no agents yet.'), choices: choices('ready') }
    : { level: 'information', text: none, choices: [choice(t('Show the Agents'), 'agents.focus'), spawn()] };
