import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandError } from '../../binary/client';
import { type Removal, agentGone, removalQuestion, remove } from '../../rules/commands/removal';
import { someAgent } from '../agentFixtures';

const failing = (code: string) => new CommandError({ code, message: code, saw: [], hints: [] });

/** Removes an agent with a binary that gives these answers in turn. Returns the commands and the number of questions. */
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
  said.done = (await remove(run, { name: () => Promise.resolve('one'), verb: ['agent', 'rm'], before: 'as it is', work: 'must be kept', ...removal }, anyway)).isGone;
  return said;
}

test('an agent that no longer exists counts as removed without a question', async () => {
  assert.deepEqual(await tried([failing('no-such-agent')]), { ran: ['agent rm one'], asked: 0, done: true });
  assert.deepEqual(await tried([failing('no-such-agent')], { before: 'end first' }), { ran: ['agent kill one'], asked: 0, done: true });
  assert.deepEqual(await tried([failing('unsaved'), failing('no-such-agent')]), { ran: ['agent rm one', 'agent rm --force one'], asked: 1, done: true });
});

test('an agent that is renamed during the question is removed by its new name', async () => {
  const names = ['one', 'two'];
  const renamed = await tried([failing('unsaved')], { name: () => Promise.resolve(names.shift() ?? '') });
  assert.deepEqual(renamed.ran, ['agent rm one', 'agent rm --force two']);
  const left = await tried([], { name: () => Promise.reject(agentGone('one')) });
  assert.deepEqual(left, { ran: [], asked: 0, done: true });
});

test('a refusal of the binary is shown as a question', async () => {
  assert.deepEqual(await tried([failing('unsaved')]), { ran: ['agent rm one', 'agent rm --force one'], asked: 1, done: true });
  assert.deepEqual(await tried([failing('unsaved')], {}, false), { ran: ['agent rm one'], asked: 1, done: false });
  assert.deepEqual(await tried([undefined, failing('unsaved')], { before: 'end first' }, false), { ran: ['agent kill one', 'agent rm one', 'agent resume one'], asked: 1, done: false });
  await assert.rejects(tried([failing('missing-binary')]));
  await assert.rejects(tried([failing('unsaved'), failing('busy')]));
});

test('after the user agreed to lose work there is no second question', async () => {
  const answered = await tried([undefined, failing('work-there')], { before: 'end first', work: 'may be lost' });
  assert.deepEqual(answered, { ran: ['agent kill one', 'agent rm one', 'agent rm --force one'], asked: 0, done: true });
});

test('the question names what stays, what is stopped and what is lost', () => {
  const { message, detail, yes, losesWork } = removalQuestion([{ agent: someAgent({ status: 'stopped' }), work: [] }]);
  assert.deepEqual([message, detail, yes, losesWork], ['Remove one?', 'Its transcript and state are deleted; the files of the project stay.', 'Remove', false]);
  const losing = removalQuestion([{ agent: someAgent({ status: 'working', workspace: 'worktree' }), work: ['2 uncommitted files'] }]);
  assert.equal(losing.detail, 'It is working and will be stopped first. Its transcript, state and folder are deleted.\nWork that exists nowhere else: 2 uncommitted files\nA copy of it is kept for 30 days.');
  assert.deepEqual([losing.yes, losing.losesWork], ['Remove with Work', true]);
  assert.match(removalQuestion([{ agent: someAgent({ status: 'stopped' }), isFolderGone: true, work: [] }]).detail, /^Its folder was deleted\. /);
});

test('several agents are named once in the question', () => {
  const [one, two] = [someAgent({ name: 'one', status: 'stopped' }), someAgent({ name: 'two', status: 'idle' })].map((agent) => ({ agent, isFolderGone: true, work: [] }));
  assert.ok(one !== undefined && two !== undefined);
  assert.equal(removalQuestion([one, two]).message, 'Remove 2 agents?');
  assert.equal(removalQuestion([one, two]).detail, 'one, two\nTheir folders were deleted.\nRunning, and stopped first: two');
  assert.equal(removalQuestion([two, two]).detail, 'two, two\nTheir folders were deleted.\nAll of them are running and will be stopped.');
});
