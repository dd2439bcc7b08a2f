// An extension for the tests, in the same extension host as Symposium, which has no such switches itself.
//
// - A command sets the clock six minutes ahead, and the same command sets it back. Timers of Symposium that end within these
//   minutes end at once. The initial state depends on the existence of the file SYMPOSIUM_CLOCK.
// - An item of the status bar tells whether the extension host knows that the window has the focus.
// - Another item counts its clicks. Messages between window and extension host keep their order, so after a click was
//   counted, the extension host has received all earlier events, and the window has received the answers to them.

const { existsSync } = require('node:fs');
const vscode = require('vscode');

const LATER = 6 * 60_000;
/** Shorter timers end by themselves. */
const LONG_TIMER = 5_000;

const now = Date.now;
const { setTimeout, clearTimeout } = globalThis;
let ahead = existsSync(process.env.SYMPOSIUM_CLOCK) ? LATER : 0;
/** The long timers of Symposium that run, with the functions to call. */
const timers = new Map();

Date.now = () => now() + ahead;
globalThis.setTimeout = (act, ms, ...values) => {
  if (!(ms >= LONG_TIMER && ms <= LATER && new Error().stack.includes('symposium.symposium-'))) return setTimeout(act, ms, ...values);
  const end = () => {
    globalThis.clearTimeout(timer);
    act(...values);
  };
  const timer = setTimeout(end, ms);
  timers.set(timer, end);
  return timer;
};
globalThis.clearTimeout = (timer) => {
  timers.delete(timer);
  clearTimeout(timer);
};

exports.activate = ({ subscriptions }) => {
  subscriptions.push(vscode.commands.registerCommand('e2e.later', () => {
    ahead = LATER - ahead;
    if (ahead > 0) for (const end of [...timers.values()]) end();
    vscode.window.setStatusBarMessage(ahead === 0 ? 'the clock is right' : 'the clock is ahead');
  }));

  const focus = vscode.window.createStatusBarItem('e2e.focus');
  const show = ({ focused }) => { focus.text = focused ? 'focus: here' : 'focus: elsewhere'; };
  show(vscode.window.state);
  focus.show();
  subscriptions.push(focus, vscode.window.onDidChangeWindowState(show));

  const pings = vscode.window.createStatusBarItem('e2e.pings');
  let count = 0;
  const tell = () => { pings.accessibilityInformation = { label: `pings: ${count}` }; };
  // An item needs a text, and this one is not seen in pictures.
  pings.text = '$(blank)';
  pings.command = 'e2e.ping';
  tell();
  pings.show();
  subscriptions.push(pings, vscode.commands.registerCommand('e2e.ping', () => {
    count += 1;
    tell();
  }));
};
