// How soon a change is seen, what activation costs, and what five hundred agents do. Printed, by `./scripts/bench --vscode`
// too; held to bounds that a loaded machine meets.

import assert from 'node:assert/strict';
import { availableParallelism, loadavg } from 'node:os';
import { after } from 'node:test';
import { Hands, step } from './support/hands.mjs';
import { OLDEST, World, closeModal, until, version } from './support/world.mjs';

const world = new World('numbers');
const hands = new Hands(world);
after(() => world.end());
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

step('the first window opens', async () => {
  await world.spawn('api');
  await world.startServer();
  await world.openBrowser();
  await hands.ready();
  await hands.statusSays('1 idle', 60_000);
});

step('a change of status is in the status bar within half a second', async () => {
  await hands.page.evaluate(() => {
    window.seen = [];
    const label = () => document.getElementById('symposium.symposium.agents')?.querySelector('a')?.getAttribute('aria-label') ?? '';
    let last = label();
    new MutationObserver(() => {
      const now = label();
      if (now !== last) window.seen.push({ at: Date.now(), label: now });
      last = now;
    }).observe(document.querySelector('.statusbar'), { subtree: true, childList: true, attributes: true, characterData: true });
  });
  const took = [];
  for (let at = 0; at < 20; at++) {
    await hands.page.evaluate(() => { window.seen = []; });
    world.symposium('agent', 'send', 'api', '/work 300ms');
    const seen = await until('idle is seen again', () => hands.page.evaluate(() => window.seen.find((each, at, all) => at > 0 && each.label.includes('idle'))));
    took.push(seen.at - Date.parse(world.agent('api').status_since));
  }
  console.log(`status change to status bar: median ${median(took)} ms, worst ${Math.max(...took)} ms, of ${took.length} (wanted: a median under 500 ms)`);
  assert.ok(median(took) < 500);
});

step('activation is quick', async () => {
  await hands.palette('Developer: Show Running Extensions');
  const row = hands.page.locator('.runtime-extensions-editor .extension', { hasText: 'Symposium' }).first();
  // The list is sorted by the time of activation and only has the rows in view: quick extensions are further down.
  const list = hands.page.locator('.runtime-extensions-editor');
  await list.waitFor();
  await until('the list shows the extension', async () => {
    if (await row.count()) return true;
    await list.hover();
    await hands.page.mouse.wheel(0, 300);
    return false;
  });
  const text = await row.innerText();
  const ms = Number(/(\d+)\s*ms/.exec(text)?.[1]);
  console.log(`activation: ${ms} ms (wanted: under 150 ms on a machine that does nothing else)`);
  assert.ok(ms < 1_000, text);
  if (version !== OLDEST) await closeModal(hands.page);
});

step('five hundred agents are drawn without a visible pause', async () => {
  await hands.openView();
  // The longest time in which nothing was drawn; the window is never hidden here.
  await hands.page.evaluate(() => {
    window.longest = 0;
    let last = performance.now();
    const frame = (now) => {
      window.longest = Math.max(window.longest, now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const longest = () => hands.page.evaluate(() => {
    const { longest } = window;
    window.longest = 0;
    return Math.round(longest);
  });
  await longest();
  const began = Date.now();
  world.many(500);
  await hands.treeRow('many-000').waitFor();
  const drawn = Date.now() - began;
  const drawing = await longest();
  const project = hands.treeRow('this window');
  const took = [];
  for (const next of ['false', 'true']) {
    const start = Date.now();
    await project.click();
    await until('the project is folded or not', async () => (await project.getAttribute('aria-expanded')) === next);
    took.push(Date.now() - start);
  }
  await hands.treeRow('many-000').waitFor();
  const folding = await longest();
  await hands.treeRow('many-000').click();
  for (let at = 0; at < 20; at++) await hands.page.keyboard.press('PageDown');
  await hands.page.keyboard.press('End');
  await hands.treeRow('many-499').waitFor();
  const scrolling = await longest();
  console.log(`500 agents: drawn after ${drawn} ms, folded ${took[0]} ms, unfolded ${took[1]} ms; longest frame ${drawing} ms while drawn, ${folding} ms while folded, ${scrolling} ms while scrolled`);
  // A machine that others keep busy is given as much more.
  const share = Math.max(1, loadavg()[0] / availableParallelism());
  assert.ok(Math.max(drawing, folding, scrolling) < 1_000 * share, 'a pause is seen');
});
