// How soon a change is seen, and what activation costs. Printed; held to bounds that a loaded machine meets too.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { Hands, step } from './hands.mjs';
import { World, until } from './world.mjs';

const world = new World('numbers');
const hands = new Hands(world);
after(() => world.end());
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

before(async () => {
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
  console.log(`status change to status bar: median ${median(took)} ms, worst ${Math.max(...took)} ms, of ${took.length}`);
  assert.ok(median(took) < 500);
});

step('activation is quick', async () => {
  await hands.palette('Developer: Show Running Extensions');
  const row = hands.page.locator('.runtime-extensions-editor .extension', { hasText: 'Symposium' }).first();
  await row.waitFor();
  const text = await row.innerText();
  const ms = Number(/(\d+)\s*ms/.exec(text)?.[1]);
  console.log(`activation: ${ms} ms`);
  assert.ok(ms < 150, text);
});
