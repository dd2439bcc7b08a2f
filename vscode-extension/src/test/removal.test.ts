import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandError } from '../client';
import { type Removal, gone, homelessQuestion, remove, removeQuestion } from '../rules/removal';
import { someAgent } from './agents';

const failing = (code: string) => new CommandError({ code, message: code, saw: [], hints: [] });

/** Removes with a binary that answers so, one after the other; says what was run and how often somebody was asked. */
async function tried(answers: (CommandError | undefined)[], removal: Partial<Removal> = {}, yes = true): Promise<{ ran: string[]; asked: number; done: boolean }> {
  const said = { ran: [] as string[], asked: 0, done: false };
  const run = (args: string[]) => {
    said.ran.push(args.join(' '));
    const answer = answers.shift();
    return answer === undefined ? Promise.resolve() : Promise.reject(answer);
  };
  const anyway = () => {
    said.asked++;
    return Promise.resolve(yes);
  };
  said.done = await remove(run, { name: () => Promise.resolve('one'), verb: ['agent', 'rm'], before: 'as it is', ...removal }, anyway);
  return said;
}

test('one that is gone already is removed, and nobody is asked', async () => {
  assert.deepEqual(await tried([failing('no-such-agent')]), { ran: ['agent rm one'], asked: 0, done: true });
  assert.deepEqual(await tried([failing('no-such-agent')], { before: 'end first' }), { ran: ['agent kill one'], asked: 0, done: true });
  assert.deepEqual(await tried([failing('unsaved'), failing('no-such-agent')]), { ran: ['agent rm one', 'agent rm --force one'], asked: 1, done: true });
});

test('one that is renamed while somebody is asked is removed by its new name, and one that goes is left alone', async () => {
  const names = ['one', 'two'];
  const renamed = await tried([failing('unsaved')], { name: () => Promise.resolve(names.shift() ?? '') });
  assert.deepEqual(renamed.ran, ['agent rm one', 'agent rm --force two']);
  const left = await tried([], { name: () => Promise.reject(gone('one')) });
  assert.deepEqual(left, { ran: [], asked: 0, done: true });
});

test('what the binary does not want to do is asked about', async () => {
  assert.deepEqual(await tried([failing('unsaved')]), { ran: ['agent rm one', 'agent rm --force one'], asked: 1, done: true });
  assert.deepEqual(await tried([failing('unsaved')], {}, false), { ran: ['agent rm one'], asked: 1, done: false });
  assert.deepEqual(await tried([undefined, failing('unsaved')], { before: 'end first' }, false), { ran: ['agent kill one', 'agent rm one'], asked: 1, done: true });
  await assert.rejects(tried([failing('missing-binary')]));
  await assert.rejects(tried([failing('unsaved'), failing('busy')]));
});

test('who works in place leaves the files of the project there', () => {
  const stays = 'Forget one, with its transcript and state? The files of the project stay.';
  assert.equal(removeQuestion(someAgent({ status: 'stopped' }), false), stays);
  assert.match(removeQuestion(someAgent(), false), /^one runs\. .*The files of the project stay\.$/);
  assert.equal(removeQuestion(someAgent({ status: 'stopped', workspace: 'worktree' }), false), 'Forget one, with its files?');
  assert.equal(removeQuestion(someAgent({ status: 'stopped' }), true), 'The folder of one is gone. Forget it too?');
  const [one, two] = [someAgent({ name: 'one', status: 'stopped' }), someAgent({ name: 'two', status: 'idle' })];
  assert.equal(homelessQuestion([one, one]), 'The folder of these agents is gone. Forget all of them? one, one');
  assert.equal(homelessQuestion([one, two]), 'The folder of these agents is gone. Forget all of them, and end those that run (two)? one, two');
});
