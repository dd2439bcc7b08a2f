// Actions and observations of a user in a window of VS Code.

import { join, dirname } from 'node:path';
import { mkdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { OLDEST, until, version } from './environment.mjs';

/** The folder for screenshots of failed steps. */
const failures = join(dirname(fileURLToPath(import.meta.url)), '../../dist/screenshots');

/** The limit for one step, also on a machine with many times more work than cores. A step that hangs is reported like
 *  any other failure. */
const STEP_LIMIT = 300_000;

/** The time after which a click that was not counted is repeated. */
const CLICK_LIMIT = 10_000;

let failed;

/** The text of the view for each reason to wait. */
const waits = { approval: 'needs approval', question: 'asks a question', setup: 'needs setup', limit: 'waits for its usage limit' };

/** Defines a step of a scenario. After a failed step the remaining ones are skipped, because they depend on it. */
export function step(name, act) {
  test(name, async (context) => {
    if (failed !== undefined) {
      context.skip(`after: ${failed}`);
      return;
    }
    let timer;
    const limit = new Promise((_, fail) => { timer = setTimeout(() => fail(new Error(`not done after ${STEP_LIMIT / 1000} s`)), STEP_LIMIT); });
    try {
      await Promise.race([act(), limit]);
    } catch (error) {
      failed = name;
      await VSCodeWindow.first?.reportState().catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  });
}

/** Defines a step that is independent of the API of VS Code and so runs in the newest version only. */
export function stepInNewest(name, act) {
  if (version !== OLDEST) step(name, act);
}

export class VSCodeWindow {
  static first;

  constructor(env) {
    this.env = env;
    VSCodeWindow.first ??= this;
  }

  get page() {
    return this.env.page;
  }

  /** Returns the text, the accessible label and the colour of the status bar item. */
  statusBar() {
    return this.page.evaluate(() => {
      const item = document.getElementById('symposium.symposium.agents');
      if (item === null) return null;
      return { text: item.textContent.trim(), label: item.querySelector('a')?.getAttribute('aria-label') ?? item.getAttribute('aria-label'), kind: /(error|warning)-kind/.exec(item.className)?.[1] ?? '' };
    });
  }

  statusSays(words, within) {
    return until(`the status bar says ${words}`, async () => {
      const item = await this.statusBar();
      return item?.label?.includes(words) ? item : null;
    }, within).catch(async (error) => { throw new Error(`${error.message}; it says ${JSON.stringify(await this.statusBar())}`); });
  }

  /** Waits until the extension host has received all earlier events of the window, and the window the answers to them, by
   *  a click that the extension in support/probe counts. Then a command that shows a terminal has moved the focus for the
   *  last time, and the extension knows which terminal is shown. */
  async settle() {
    const count = () => this.page.evaluate(() => document.getElementById('e2e.probe.e2e.pings')?.querySelector('a')?.getAttribute('aria-label'));
    const before = await until('the extension host counts clicks', count);
    let clicked = 0;
    await until('the extension host has counted a click', async () => {
      // A click that VS Code loses is repeated, as a user would do.
      if (Date.now() - clicked > CLICK_LIMIT) {
        clicked = Date.now();
        // The mouse would move the focus.
        await this.page.evaluate(() => document.getElementById('e2e.probe.e2e.pings')?.querySelector('a')?.click());
      }
      const now = await count();
      return now !== undefined && now !== before;
    });
  }

  /** Presses a key, and returns whether an element of a kind received it: the focus may just have moved. */
  pressIn(selector, key) {
    return this.reaches(selector, 'keydown', () => this.page.keyboard.press(key));
  }

  /** Clicks an inline action of an element, which appears while the mouse is over the element. If VS Code draws the element
   *  again between the press and the release of the mouse button, there is no click; a user clicks again. */
  async clickAction(element, action, clickCount = 1) {
    const selector = `.action-label[aria-label*="${action}"]`;
    await until(`${action} is clicked`, async () => {
      await element.hover({ timeout: 3_000 });
      return this.reaches(selector, 'click', () => element.locator(selector).first().click({ clickCount, timeout: 3_000 }));
    });
  }

  /** Causes an event, and returns whether an element of a kind received it. */
  async reaches(selector, type, act) {
    await this.page.evaluate(([wanted, type]) => {
      window.wasReceived = false;
      const note = (event) => { window.wasReceived = event.composedPath().some((each) => each instanceof Element && each.matches(wanted)); };
      document.addEventListener(type, note, { capture: true, once: true });
    }, [selector, type]);
    await act();
    // Undefined in the document after a reload, which only the right element can have caused.
    const wasReceived = async () => ({ is: (await this.page.evaluate(() => window.wasReceived)) !== false });
    return (await until(`the ${type} was handled`, wasReceived)).is;
  }

  /** Opens the command palette, runs a command and waits until the palette has closed. An element that VS Code focuses
   *  late, such as a preview, closes the palette; a user presses F1 again. */
  async palette(title) {
    const marked = this.page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: title });
    await until(`the palette runs ${title}`, async () => {
      await this.page.keyboard.press('F1');
      await this.input().fill(`>${title}`, { timeout: 3_000 });
      // Enter runs the focused row, which is another one until the list has been filtered.
      await marked.waitFor({ timeout: 3_000 });
      return this.pressIn('.quick-input-widget', 'Enter');
    });
    await until('the palette has closed', () => this.page.evaluate(() =>
      ![...document.querySelectorAll('.quick-input-box input')].some((input) => input.checkVisibility() && input.value.startsWith('>'))));
  }

  input() {
    return this.page.locator('.quick-input-widget:visible .quick-input-box input');
  }

  /** Returns a row of the quick pick with a text. Escaped Markdown contains invisible gaps. */
  row(text) {
    const characters = [...text].map((each) => (each === ' ' ? '\\s+' : each.replace(/[.*+?^${}()|[\]\\]/, '\\$&')));
    return this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: new RegExp(characters.join('\ufeff?'), 'i') }).first();
  }

  /** Clicks a row of the quick pick. The mouse may rest over the list, and the hover of one row covers the next. */
  async pick(text, options = {}) {
    await this.page.mouse.move(1490, 500);
    await this.row(text).click(options);
  }

  /** Attaches to an agent by the palette, and waits for its terminal. */
  async attach(name) {
    await this.chooseAgent(name);
    await this.has(name);
  }

  /** Chooses an agent in the picker. An element that VS Code focuses late, such as a restored terminal, closes the picker; a
   *  user opens it again. */
  async chooseAgent(name) {
    await until(`the picker offers ${name}`, async () => {
      await this.palette('Symposium: Attach to Agent');
      await this.pick(name, { timeout: 3_000 });
      return true;
    });
  }

  /** Waits until the terminal of an agent is shown and has the focus. */
  async has(name) {
    await this.terminalShows(`${name} · `);
    // Several terminals may be visible, and the focus follows late.
    const hasFocus = () => until(`the terminal of ${name} has the focus`, async () => (await this.focusedTerminal())?.includes(`${name} · `));
    await hasFocus();
    await this.settle();
    await hasFocus();
  }

  /** Opens a terminal with a shell, and waits until its prompt has the focus. */
  async openShell() {
    await this.palette('Terminal: Create New Terminal');
    await until('a shell has the focus', async () => {
      const screen = await this.focusedTerminal();
      return screen !== undefined && /[#$]$/m.test(screen) && !screen.includes(' · ');
    });
    await this.settle();
  }

  /** Returns the text of the terminal that has the focus. */
  focusedTerminal() {
    return this.page.evaluate(() => {
      const rows = document.activeElement?.closest('.xterm')?.querySelector('.xterm-rows');
      return rows == null ? undefined : [...rows.children].map((row) => row.textContent.replace(/\u00a0/g, ' ').trimEnd()).join('\n');
    });
  }

  focused() {
    return until('a terminal has the focus', () => this.page.evaluate(() => document.activeElement?.className.includes('xterm-helper-textarea')));
  }

  /** Answers the question whose placeholder contains these words. */
  async answer(words, text) {
    await this.asked(words);
    await this.input().fill(text);
    await this.enter();
  }

  /** Waits until the question whose placeholder contains these words is asked. */
  asked(words) {
    return until(`asked: ${words}`, async () => (await this.input().getAttribute('placeholder'))?.includes(words));
  }

  /** Presses Enter in the question that is asked. */
  async enter() {
    if (!(await this.pressIn('.quick-input-widget', 'Enter'))) throw new Error('the question had lost the focus');
  }

  /** Returns the text of each visible terminal. */
  terminals() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('.xterm-rows')]
        .filter((rows) => rows.getBoundingClientRect().height > 0)
        .map((rows) => [...rows.children].map((row) => row.textContent.replace(/\u00a0/g, ' ').trimEnd()).join('\n')));
  }

  /** Types into the focused terminal. */
  async type(text) {
    await this.focused();
    await this.page.keyboard.type(text);
  }

  async terminalShows(text, within) {
    await until(`a terminal shows ${text}`, async () => (await this.terminals()).some((screen) => screen.includes(text)), within).catch(async (error) => {
      throw new Error(`${error.message}\n${(await this.terminals()).join('\n----\n')}`);
    });
  }

  async openView() {
    const pane = this.page.locator('.pane-header', { hasText: 'Agents' });
    const entry = this.page.locator('.activitybar .action-item', { has: this.page.locator('.action-label[aria-label*="Symposium"]') }).first();
    await entry.waitFor();
    // A click on the entry of the view that is opening would close it.
    if (!(await entry.getAttribute('class')).includes('checked')) await entry.click();
    await pane.waitFor();
  }

  treeRow(text) {
    return this.page.locator('.pane-body .monaco-list-row').filter({ hasText: text }).first();
  }

  /** Waits until the view shows the present agents. The status bar is updated earlier, and rows may still move under
   *  the pointer. */
  async rest() {
    await until('the view shows what is', async () => {
      const wanted = this.env.symposium('agent', 'list').map(({ name, status, waiting_for }) => `${name}, ${waits[waiting_for] ?? status}`);
      const shown = await this.page.evaluate(() => [...document.querySelectorAll('.pane-body .monaco-list-row')].map((row) => row.getAttribute('aria-label')));
      // A removed agent disappears with a redraw, which moves other rows.
      const agents = shown.filter((each) => /^[\w-]+, /.test(each ?? ''));
      return wanted.every((label) => shown.some((each) => each?.startsWith(label))) && agents.every((each) => wanted.some((label) => each.startsWith(label)));
    });
  }

  /** Moves the mouse over a row until its hover shows a text, and returns the hover. A redraw of the row closes it; a user
   *  moves the mouse away and back. */
  async hover(row, text) {
    const hover = this.page.locator('.monaco-hover:visible, .workbench-hover:visible').filter({ hasText: text }).first();
    await this.hoverOver(this.treeRow(row), hover);
    return hover;
  }

  /** Moves the mouse over an element until its hover is shown. */
  async hoverOver(target, hover) {
    await until('the hover is shown', async () => {
      await this.page.mouse.move(700, 20);
      await target.hover({ timeout: 3_000 });
      await hover.waitFor({ timeout: 3_000 });
      return true;
    });
  }

  /** Clicks an inline action of a row. */
  async act(row, action, clickCount) {
    await until(`${action} was clicked on the row of ${row}`, async () => {
      await this.rest();
      await this.clickAction(this.treeRow(row), action, clickCount);
      return !(await this.wasRowGone());
    });
  }

  /** Returns whether the last command on a row got no row, because VS Code was just drawing it again: it forgets rows
   *  meanwhile. The extension then asks the user to try again. */
  async wasRowGone() {
    await this.settle();
    // VS Code shows a notification with the next frame.
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const message = this.toast('That row has just changed');
    if ((await message.count()) === 0 || (await this.dialog().count()) > 0) return false;
    await this.clear(message);
    return true;
  }

  /** Removes a notification. */
  async clear(toast) {
    await toast.hover();
    await toast.locator('.codicon-notifications-clear').click();
    await toast.waitFor({ state: 'detached' });
  }

  /** Denies the question of an agent from its row, after its question was shown. */
  async deny(row, clickCount) {
    await this.act(row, 'Deny', clickCount);
    await this.dialog().filter({ hasText: `${row} asks` }).locator('.monaco-button', { hasText: 'Deny' }).click();
  }

  /** Chooses an entry of the context menu of a row. `meanwhile` runs while the menu is open. An element that VS Code
   *  focuses late, such as a new terminal, closes the menu; a user opens it again. */
  async menu(row, entry, meanwhile) {
    const choose = async () => {
      await this.rest();
      await this.menuOf(this.treeRow(row), entry, meanwhile);
    };
    if (meanwhile !== undefined) {
      await choose();
      return;
    }
    await until(`${entry} was chosen on the row of ${row}`, async () => {
      await choose();
      return !(await this.wasRowGone());
    });
  }

  /** Chooses an entry of the context menu of a row that opens another window, and returns the page of that window. The
   *  first window is in the background then, and answers late. */
  async windowFrom(row, entry) {
    const opened = this.env.browser.waitForEvent('page', { timeout: 0 });
        for (;;) {
      await this.rest();
      await this.menuOf(this.treeRow(row), entry);
      const message = this.toast('That row has just changed');
      const page = await Promise.race([opened, message.waitFor({ timeout: 0 }).catch(() => undefined)]);
      if (page !== undefined) return page;
      await this.clear(message);
    }
  }

  /** Chooses an entry of the context menu of an element. */
  async menuOf(target, entry, meanwhile) {
    const item = this.page.locator('.context-view .action-item').filter({ hasText: entry }).first();
    // By key, because a menu ignores clicks during its first 100 ms.
    const enter = () => this.pressIn('.context-view', 'Enter');
    await until(`a menu with ${entry}`, async () => {
      // An open menu would take the click.
      if ((await this.page.locator('.context-view .action-item').count()) > 0) await this.pressIn('.context-view', 'Escape');
      await target.click({ button: 'right', timeout: 3_000 });
      await item.hover({ timeout: 3_000 });
      await this.page.locator('.context-view .action-item.focused').filter({ hasText: entry }).waitFor({ timeout: 3_000 });
      return meanwhile !== undefined || enter();
    });
    if (meanwhile !== undefined) {
      await meanwhile();
      if (!(await enter())) throw new Error('the menu had lost the focus');
    }
    await item.waitFor({ state: 'detached' });
  }

  /** Ends an agent from the view, and waits until its terminal has closed and the view has the keyboard focus. VS Code
   *  moves the focus to another terminal first, and the extension moves it back. */
  async ended(name, act) {
    await act();
    await until(`the terminal of ${name} has closed`, async () => {
      const tabs = await this.page.locator('.terminal-tabs-entry, .single-terminal-tab').allInnerTexts();
      return !tabs.some((text) => text.trim() === name || text.startsWith(`${name} `));
    });
    await until('the view has the keyboard', () => this.page.evaluate(() => document.activeElement?.classList.contains('monaco-list')));
  }

  /** Moves the focus to another application, or back, and waits until the extension host knows it, which the extension
   *  in support/probe shows. Without a display, a page never loses the focus by itself. */
  async look(where) {
    await this.page.evaluate((here) => {
      document.hasFocus = () => here;
      document.dispatchEvent(new Event('visibilitychange'));
    }, where === 'here');
    await this.page.locator('.statusbar', { hasText: `focus: ${where}` }).waitFor({ state: 'attached' });
  }

  /** Sets the clock of the extension host six minutes ahead, or right again, by the extension in support/probe. */
  async setClock(to) {
    await this.palette('Test: Six Minutes Later');
    await this.page.locator('.statusbar', { hasText: `the clock is ${to}` }).waitFor();
  }

  /** Returns the document of the Markdown preview. */
  preview() {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  }

  /** Waits for an element of the preview, and until the preview has the focus, which it would otherwise take from a
   *  later action. The service worker of the preview may have to wait for its predecessor: with two windows on one
   *  server, 1.139 was seen to take 76 s, otherwise two. */
  async previewShows(element, text) {
    await this.preview().locator(element, { hasText: text }).first().waitFor({ timeout: 150_000 });
    await until('the preview has the focus', () => this.page.evaluate(() => document.activeElement?.tagName === 'IFRAME'));
  }

  toast(text) {
    return this.page.locator('.notifications-toasts .notification-list-item').filter({ hasText: text }).first();
  }

  async press(toast, button) {
    await toast.hover();
    await toast.locator('.monaco-button', { hasText: button }).first().click();
  }

  async clearToasts() {
    const none = async () => (await this.page.locator('.notifications-toasts .notification-list-item').count()) === 0;
    await until('no notification is left', async () => {
      await this.palette('Notifications: Clear All Notifications');
      // A notification that fades out must not be mistaken for a new one. A notification that appeared in the meantime
      // is cleared too.
      return until('they have gone', none, 3_000);
    });
  }

  dialog() {
    return this.page.locator('.monaco-dialog-box');
  }

  /** Reloads the window by its command, so that VS Code stores its state first. */
  async reload(wait = 'at rest') {
    await this.page.evaluate(() => { window.old = true; });
    await this.palette('Developer: Reload Window');
    await until('another document is there', () => this.page.evaluate(() => window.old !== true));
    if (wait === 'at rest') await this.ready();
  }

  /** Reloads the page, so that VS Code stores nothing. */
  async throwAway() {
    await this.page.reload({ waitUntil: 'domcontentloaded' });
    await this.ready();
  }

  /** Waits until VS Code has restored editors and terminals and has started all extensions. */
  async ready() {
    await until('VS Code has come to rest', () => this.page.evaluate(() =>
      ['code/LifecyclePhase/Eventually', 'code/didLoadExtensions', 'code/terminal/didReconnect'].every((mark) => performance.getEntriesByName(mark).length > 0)), 90_000);
  }

  /** Reports the state after a failed step: a screenshot and the messages of every window, the agents and their screens. */
  async reportState() {
    mkdirSync(failures, { recursive: true });
    for (const [at, page] of this.env.browser.pages().entries()) {
      await page.screenshot({ path: join(failures, `failed-${this.env.name}-${version}-${at}.png`), animations: 'disabled' }).catch(() => undefined);
      const messages = await page.locator('.notification-list-item, .monaco-dialog-box').allInnerTexts().catch(() => []);
      if (messages.length > 0) console.log(`window ${at}: ${messages.join(' | ').replace(/\s+/g, ' ')}`);
    }
    for (const { name, status, status_since, reason } of this.env.symposium('agent', 'list').slice(0, 10)) {
      console.log(`${name}: ${status} since ${status_since}: ${reason}`);
      console.log(this.env.symposium('agent', 'peek', name).screen.filter((line) => line.trim() !== '').slice(-12).join('\n'));
    }
  }

  /** Takes a screenshot if SHOTS names a folder for them, as for the pictures of the README. */
  async shot(name) {
    const folder = process.env.SHOTS;
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
  }
}
