// Sets the clock of the extension host six minutes ahead by a command, and back by the same command. The initial state
// depends on the existence of the file SYMPOSIUM_CLOCK. The extension itself has no such switch. The status bar shows
// whether the extension host knows that the window has the focus.

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
  const focus = vscode.window.createStatusBarItem('e2e.focus');
  const show = ({ focused }) => { focus.text = focused ? 'focus: here' : 'focus: elsewhere'; };
  show(vscode.window.state);
  focus.show();
  subscriptions.push(focus, vscode.window.onDidChangeWindowState(show));
};
