import { beforeEach, expect, it } from 'vitest';
import { errorToData, StateError } from '../../core/errors.js';
import { createFences } from '../../sync/fences/fences.js';
import { taskFences } from '../../tasks/execution/task-tools.js';
import type { TaskNotice, WorkerNotice } from '../../tasks/task-messages.js';
import { joinTaskFences } from './join-task-fences.js';

let asked: number[];
let page: EventTarget;
beforeEach(() => {
  asked = [];
  page = Object.assign(new EventTarget(), {
    postMessage: (message: WorkerNotice) => message.kind === 'fences' && asked.push(message.request),
  });
  joinTaskFences(page as unknown as Parameters<typeof joinTaskFences>[0]);
});

const deliver = (data: TaskNotice) => page.dispatchEvent(new MessageEvent('message', { data }));
const refusal = (request: number): TaskNotice => {
  const error = errorToData(new StateError('fences-not-connected', 'None.'));
  return { kind: 'fences', request, name: 'Worker 1', invitation: null, error };
};
/** An answer with an invitation that can't be used. */
const faulty = (request: number): TaskNotice =>
  ({ kind: 'fences', request, name: 'Worker 1', invitation: {} }) as unknown as TaskNotice;
const outcome = (joining: Promise<unknown>) => joining.then(String, (error) => error.code);

it('F3: all tasks of a worker share one request, and the next call after a refusal asks again', async () => {
  const both = [outcome(taskFences()), outcome(taskFences())];
  expect(asked).toEqual([0]);
  deliver(refusal(0));
  expect(await Promise.all(both)).toEqual(['fences-not-connected', 'fences-not-connected']);
  void outcome(taskFences());
  expect(asked).toEqual([0, 1]);
});

it('F3: an unusable invitation rejects the request, but does not end the worker', async () => {
  const joining = outcome(taskFences());
  deliver(faulty(0));
  expect(await joining).toBe('bad-fence-option');
});

it.each([
  ['to the worker', () => page.dispatchEvent(new Event('messageerror'))],
  ['to the page', () => deliver({ kind: 'lost' })],
])('F3: a lost message %s rejects the request, and a late answer to it is ignored', async (_, lose) => {
  const joining = outcome(taskFences());
  lose();
  expect(await joining).toBe('message-lost');
  const again = outcome(taskFences());
  expect(asked).toEqual([0, 1]);
  deliver(faulty(0));
  deliver(refusal(1));
  expect(await again).toBe('fences-not-connected');
});

it('F3: a message that is lost after the worker has joined changes nothing', async () => {
  const group = createFences({ shared: true });
  const joining = taskFences();
  deliver({ kind: 'fences', request: 0, name: 'Worker 1', invitation: group.invite().invitation });
  const joined = await joining;
  page.dispatchEvent(new Event('messageerror'));
  expect([(await taskFences()) === joined, asked]).toEqual([true, [0]]);
  joined.dispose();
  group.dispose();
});
