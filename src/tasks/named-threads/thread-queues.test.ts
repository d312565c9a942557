import { expect, it } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { ThreadQueues } from './thread-queues.js';

/** A promise with its resolver. */
function open() {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function create() {
  const queues = new ThreadQueues();
  const ran: string[] = [];
  const push = (name: string): void =>
    queues.push(
      { priority: 'normal', isOver: false, run: () => ran.push(name), abandon: () => ran.push(`no ${name}`) },
      'local',
    );
  return { queues, ran, push };
}

it('T4: a queue is pumped until the last of several loops has ended', async () => {
  const { queues, ran, push } = create();
  const [first, second] = [open(), open()];
  queues.pumpUntil('local', first.promise);
  queues.pumpUntil('local', second.promise);
  first.resolve();
  await first.promise;
  await new Promise((resolve) => setTimeout(resolve));
  push('after the first loop');
  await waitFor(() => expect(ran).toEqual(['after the first loop']));
  second.resolve();
  await second.promise;
  // The queue is free again once no loop pumps it.
  await waitFor(() => expect(queues.processUntilIdle('local')).toBe(0));
  push('after both');
  await new Promise((resolve) => setTimeout(resolve));
  expect(ran).toEqual(['after the first loop']);
});

it('T4: a loop that begins while code processes the queue pumps the queue once the code has returned', async () => {
  const { queues, ran, push } = create();
  const returned = queues.processUntilReturn('local');
  const loop = open();
  queues.pumpUntil('local', loop.promise);
  queues.requestReturn('local');
  expect(await returned).toBe('returned');
  push('during the loop');
  await waitFor(() => expect(ran).toEqual(['during the loop']));
  loop.resolve();
});

it('T2 T4: a return that was requested during a pump ends the next call of processUntilReturn', async () => {
  const { queues, ran, push } = create();
  const loop = open();
  queues.pumpUntil('local', loop.promise);
  queues.requestReturn('local');
  push('during the loop');
  await waitFor(() => expect(ran).toEqual(['during the loop']));
  loop.resolve();
  await loop.promise;
  await waitFor(() => expect(queues.processUntilIdle('local')).toBe(0));
  expect(await queues.processUntilReturn('local')).toBe('returned');
});

it('T4: processUntilIdle does not count a return request as a call', async () => {
  const { queues, ran, push } = create();
  push('first');
  queues.requestReturn('local');
  push('second');
  expect(queues.processUntilIdle('local')).toBe(2);
  expect(ran).toEqual(['first', 'second']);
  expect(await queues.processUntilReturn('local')).toBe('returned');
});
