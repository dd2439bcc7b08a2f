import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROJECT_REDRAW_DELAY_MS, ProjectRedraw } from '../../rules/views/projectRedraw';

function counted() {
  const drawn = { times: 0 };
  return { drawn, redraw: new ProjectRedraw(() => { drawn.times++; }) };
}

test('projects are redrawn once, after VS Code has received their rows', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { drawn, redraw } = counted();
  redraw.projectsRequested();
  context.mock.timers.tick(PROJECT_REDRAW_DELAY_MS - 1);
  redraw.rowsRequested();
  context.mock.timers.tick(PROJECT_REDRAW_DELAY_MS - 1);
  assert.equal(drawn.times, 0);
  context.mock.timers.tick(1);
  assert.equal(drawn.times, 1);
  // VS Code asks for the rows again because of the redraw.
  redraw.rowsRequested();
  context.mock.timers.tick(10 * PROJECT_REDRAW_DELAY_MS);
  assert.equal(drawn.times, 1);
});

test('projects are redrawn again if VS Code asks for rows only after the first redraw', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { drawn, redraw } = counted();
  redraw.projectsRequested();
  context.mock.timers.tick(PROJECT_REDRAW_DELAY_MS);
  redraw.rowsRequested();
  context.mock.timers.tick(PROJECT_REDRAW_DELAY_MS);
  assert.equal(drawn.times, 2);
  redraw.rowsRequested();
  context.mock.timers.tick(10 * PROJECT_REDRAW_DELAY_MS);
  assert.equal(drawn.times, 2);
});

test('a closed view redraws nothing', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { drawn, redraw } = counted();
  redraw.projectsRequested();
  redraw.dispose();
  context.mock.timers.tick(10 * PROJECT_REDRAW_DELAY_MS);
  assert.equal(drawn.times, 0);
});
