// What a person does and sees in VS Code.

import { join, dirname } from 'node:path';
import { mkdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from './world.mjs';

const shots = process.env.SHOTS ?? join(dirname(fileURLToPath(import.meta.url)), '../dist/screenshots');

let failed;

/** A step of a story: what comes after one that failed would fail for that reason alone, and is skipped. */
export function step(name, act) {
  test(name, async (context) => {
    if (failed !== undefined) {
      context.skip(`after: ${failed}`);
      return;
    }
    try {
      await act();
    } catch (error) {
      failed = name;
      await Hands.last?.shot('failed').catch(() => undefined);
      throw error;
    }
  });
}

export class Hands {
  constructor(world) {
    this.world = world;
    Hands.last = this;
  }

  get page() {
    return this.world.page;
  }

  /** The status bar item: its text, what a screen reader says, and whether it is coloured. */
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

  /** Opens the palette and runs a command. What takes the focus closes the palette, as late terminals do after a reload:
   *  then it is opened again, as a person would. */
  async palette(title) {
    await until(`the palette offers ${title}`, async () => {
      await this.page.keyboard.press('F1');
      await this.input().fill(`>${title}`, { timeout: 2_000 });
      await this.row(title).waitFor({ timeout: 5_000 });
      return true;
    });
    await this.page.keyboard.press('Enter');
  }

  input() {
    return this.page.locator('.quick-input-widget:visible .quick-input-box input');
  }

  row(text) {
    return this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: text }).first();
  }

  async pick(text) {
    await this.row(text).waitFor();
    await this.row(text).click();
  }

  /** Answers a question whose placeholder or title has these words. */
  async answer(words, text) {
    await until(`asked: ${words}`, async () => (await this.input().getAttribute('placeholder'))?.includes(words));
    await this.input().fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** What each visible terminal shows. */
  terminals() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('.xterm-rows')]
        .filter((rows) => rows.getBoundingClientRect().height > 0)
        .map((rows) => [...rows.children].map((row) => row.textContent.replace(/\u00a0/g, ' ').trimEnd()).join('\n')));
  }

  /** Types into the terminal that has the focus; attaching gives it that. */
  async type(text) {
    await until('a terminal has the focus', () => this.page.evaluate(() => document.activeElement?.className.includes('xterm-helper-textarea')));
    await this.page.keyboard.type(text);
  }

  async terminalShows(text, within) {
    await until(`a terminal shows ${text}`, async () => (await this.terminals()).some((screen) => screen.includes(text)), within).catch(async (error) => {
      throw new Error(`${error.message}\n${(await this.terminals()).join('\n----\n')}`);
    });
  }

  async openView() {
    const pane = this.page.locator('.pane-header', { hasText: 'Agents' });
    if (await pane.isVisible().catch(() => false)) return;
    await this.page.locator('.activitybar .action-label[aria-label*="Symposium"]').first().click();
    await pane.waitFor();
  }

  treeRow(text) {
    return this.page.locator('.pane-body .monaco-list-row').filter({ hasText: text }).first();
  }

  /** Clicks an inline action of a row. */
  async act(row, action) {
    // The actions are there while the mouse is over the row, and a row may move when its agent begins to need somebody.
    await until(`${row} offers ${action}`, async () => {
      await this.treeRow(row).hover({ timeout: 2_000 });
      await this.treeRow(row).locator(`.action-label[aria-label*="${action}"]`).first().click({ timeout: 2_000 });
      return true;
    });
  }

  async menu(row, entry) {
    const item = this.page.locator('.context-view .action-item').filter({ hasText: entry }).first();
    // A view that is drawn anew closes the menu; a person opens it again.
    await until(`${row} has a menu with ${entry}`, async () => {
      await this.page.keyboard.press('Escape');
      await this.treeRow(row).click({ button: 'right', timeout: 2_000 });
      return item.waitFor({ timeout: 2_000 }).then(() => true);
    });
    // A menu that has just opened takes no click yet.
    await until(`${entry} is taken`, async () => {
      if ((await item.count()) > 0) await item.click({ timeout: 1_000 }).catch(() => undefined);
      return item.waitFor({ state: 'detached', timeout: 500 }).then(() => true);
    });
  }

  toast(text) {
    return this.page.locator('.notifications-toasts .notification-list-item').filter({ hasText: text }).first();
  }

  async press(toast, button) {
    await toast.hover();
    await toast.locator('.monaco-button', { hasText: button }).first().click();
  }

  async clearToasts() {
    await this.palette('Notifications: Clear All Notifications');
  }

  dialog() {
    return this.page.locator('.monaco-dialog-box');
  }

  /** As a person does, so that VS Code writes down first what was open. */
  async reload() {
    await this.page.evaluate(() => { window.old = true; });
    await this.palette('Developer: Reload Window');
    await until('another document is there', () => this.page.evaluate(() => window.old !== true));
    await this.ready();
  }

  /** The page thrown away: nothing is written down. */
  async throwAway() {
    await this.page.reload({ waitUntil: 'domcontentloaded' });
    await this.ready();
  }

  async ready() {
    await this.page.waitForSelector('.monaco-workbench .statusbar .statusbar-item', { timeout: 90_000 });
  }

  async shot(name) {
    mkdirSync(shots, { recursive: true });
    await this.page.screenshot({ path: join(shots, `${name}.png`), animations: 'disabled' });
  }
}
