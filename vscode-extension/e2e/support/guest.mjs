// Another user of this machine, created for one test file. Needs root.

import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const tool = (name) => ['/usr/sbin', '/usr/bin', '/sbin', '/bin'].map((folder) => join(folder, name)).find(existsSync);

/** Returns why no user can be created, or undefined. */
export function noGuest() {
  if (process.getuid() !== 0) return 'only root can make the user that this test needs';
  const missing = ['useradd', 'userdel', 'setpriv', 'script', 'flock'].filter((name) => tool(name) === undefined);
  return missing.length === 0 ? undefined : `not installed here: ${missing.join(', ')}`;
}

/** The tools do not wait for each other. The Rust tests use the same lock. */
const changeUsers = (...words) => execFileSync('flock', ['/tmp/sy-users.lock', tool(words[0]), ...words.slice(1)], { stdio: 'pipe' });

export class Guest {
  constructor(env) {
    this.name = `sv${process.pid}`;
    changeUsers('useradd', '-M', '-N', '-s', '/bin/sh', this.name);
    const [, , uid, gid] = readFileSync('/etc/passwd', 'utf8').split('\n').find((line) => line.startsWith(`${this.name}:`)).split(':');
    this.uid = Number(uid);
    this.binary = env.binary;
    this.home = join(env.dir, 'g');
    mkdirSync(this.home, { mode: 0o700 });
    chownSync(this.home, this.uid, Number(gid));
    // The guest must reach its home and the binary.
    chmodSync(env.dir, 0o711);
    const variables = { HOME: this.home, TMUX_TMPDIR: this.home, PATH: '/usr/bin:/bin', USER: this.name, LANG: 'C.UTF-8', TERM: 'xterm-256color', SHELL: '/bin/sh', SYMPOSIUM_SUPERVISOR: 'off' };
    this.as = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', 'env', '-i', `--chdir=${this.home}`, ...Object.entries(variables).map(([key, value]) => `${key}=${value}`)];
  }

  symposium(...args) {
    return JSON.parse(execFileSync('setpriv', [...this.as, this.binary, '--json', ...args], { encoding: 'utf8' }));
  }

  /** Runs a command in a terminal, and collects its output in `seen`. */
  terminal(...args) {
    const child = spawn('setpriv', [...this.as, 'script', '-qec', [this.binary, ...args].join(' '), '/dev/null'], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.seen = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => { child.seen += text; });
    return child;
  }

  /** Ends all processes of the user and deletes the user. */
  end() {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        if (statSync(`/proc/${pid}`).uid === this.uid) process.kill(Number(pid), 'SIGKILL');
      } catch {
        // The process has already ended.
      }
    }
    changeUsers('userdel', '--force', this.name);
  }
}
