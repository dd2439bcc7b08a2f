// A clock for tests: a command after which it is six minutes later for everything in this extension host, until it is
// given again. SYMPOSIUM_CLOCK says with what a host begins. What is tested has no switch for it.

const { existsSync } = require('node:fs');
const vscode = require('vscode');

const LATER = 6 * 60_000;
const real = Date.now;
let ahead = existsSync(process.env.SYMPOSIUM_CLOCK) ? LATER : 0;
Date.now = () => real() + ahead;

exports.activate = ({ subscriptions }) => {
  subscriptions.push(vscode.commands.registerCommand('e2e.later', () => {
    ahead = LATER - ahead;
    vscode.window.setStatusBarMessage(ahead === 0 ? 'the clock is right' : 'the clock is ahead');
  }));
};
