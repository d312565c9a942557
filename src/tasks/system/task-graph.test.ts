import { expect, it } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import type { TaskFuture } from '../futures/task-future.js';
import { createTestSystem } from '../testing/worker-bench.js';

/** Functions that end the tasks `gated`, in the order in which the tasks began. */
const gates: (() => void)[] = [];
const running = (task: TaskFuture<unknown>) => waitFor(() => expect(task.state).toBe('running'));
const modules = {
  'test:tasks': {
    default: {
      double: (value: number) => value * 2,
      note: ({ log, name }: { log: Int32Array; name: number }) => {
        log[Atomics.add(log, 0, 1) + 1] = name;
      },
      fail: () => {
        throw new RangeError('Wrong.');
      },
      wait: () => new Promise((resolve) => setTimeout(resolve)),
      gated: () => new Promise<void>((resolve) => gates.push(resolve)),
    },
  },
};
const create = (workers: number) => createTestSystem(modules, workers);
const codeOf = (promise: PromiseLike<unknown>) =>
  promise.then(
    () => 'done',
    (error) => (error instanceof DOMException ? error.name : (error.code ?? error.message)),
  );
const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

it.each([0, 2])(
  'T1: a held task begins when it is unlocked, and accepts prerequisites until then (%i workers)',
  async (workers) => {
    const { system, module } = await create(workers);
    const held = module.run('double', 4, { hold: true });
    const gate = system.event('gate');
    held.addPrerequisite(gate);
    await turns();
    expect([held.state, held.isHeld]).toEqual(['waiting', true]);
    held.unlock();
    expect(() => held.unlock()).toThrow(expect.objectContaining({ code: 'task-not-held' }));
    expect(() => held.addPrerequisite(gate)).toThrow(expect.objectContaining({ code: 'task-not-held' }));
    await turns();
    expect([held.state, held.isHeld]).toEqual(['waiting', false]);
    expect([gate.trigger(), gate.trigger()]).toEqual([true, false]);
    expect(await held).toBe(8);
  },
);

it('T1: doNotCompleteUntil delays completion, and throws unless the task is running', async () => {
  const { system, module } = await create(1);
  const event = system.event('late');
  const task = module.run('gated');
  const waiting = module.run('double', 1, { hold: true });
  expect(() => waiting.doNotCompleteUntil(event)).toThrow(
    expect.objectContaining({ code: 'task-not-running' }),
  );
  await running(task);
  task.doNotCompleteUntil(event);
  const after = module.run('double', 3, { prerequisites: [task] });
  gates.shift()?.();
  await turns();
  expect([task.state, after.state]).toEqual(['running', 'waiting']);
  event.trigger();
  expect(await after).toBe(6);
  expect(() => task.doNotCompleteUntil(event)).toThrow(expect.objectContaining({ code: 'task-not-running' }));
  const broken = module.run('gated');
  await running(broken);
  const failing = system.event('failing');
  broken.doNotCompleteUntil(failing);
  failing.fail(new Error('never'));
  gates.shift()?.();
  await expect(broken).rejects.toMatchObject({ code: 'prerequisite-failed', cause: { message: 'never' } });
});

it('T1: the end of a task triggers its events; the failure of a task makes its events fail', async () => {
  const { system, module } = await create(1);
  const [done, failed] = [system.event('done'), system.event('failed')];
  module.fire('double', 1, { triggers: [done] });
  await done;
  const failing = module.run('fail', undefined, { triggers: [failed] });
  const dependent = module.run('double', 1, { prerequisites: [failed] });
  await expect(failing).rejects.toThrow(RangeError);
  await expect(dependent).rejects.toMatchObject({
    code: 'prerequisite-failed',
    cause: { code: 'prerequisite-failed', cause: { message: 'Wrong.' } },
  });
});

it('T1: cycles throw with their path', async () => {
  const { system, module } = await create(1);
  const first = module.run('double', 1, { hold: true });
  const second = module.run('double', 2, { prerequisites: [first] });
  const event = system.event('third');
  event.addPrerequisite(second.share());
  expect(() => first.addPrerequisite(event)).toThrow(
    expect.objectContaining({
      code: 'task-cycle',
      message: expect.stringContaining(
        '"double" of test:tasks waits for the event "third" waits for "double" of test:tasks',
      ),
    }),
  );
  expect(() => first.addPrerequisite(first)).toThrow(expect.objectContaining({ code: 'task-cycle' }));
  // A task that triggers an event can't wait for that event.
  expect(() => module.run('double', 1, { prerequisites: [event], triggers: [event] })).toThrow(
    expect.objectContaining({ code: 'task-cycle' }),
  );
  const gated = module.run('gated');
  await running(gated);
  const behind = module.run('wait', undefined, { prerequisites: [gated] });
  expect(() => gated.doNotCompleteUntil(behind)).toThrow(expect.objectContaining({ code: 'task-cycle' }));
  // An event that delays a task's completion can't wait for the task, either.
  const late = system.event('late');
  gated.doNotCompleteUntil(late);
  expect(() => late.addPrerequisite(gated)).toThrow(expect.objectContaining({ code: 'task-cycle' }));
  late.trigger();
  gates.shift()?.();
  first.unlock();
  event.trigger();
  await Promise.all([event, behind]);
  expect(system.stats()).toMatchObject({ pending: 0, done: 4 });
});

it('T1: the failure of a fired task is reported', async () => {
  const { system, module, told } = await create(1);
  expect(module.fire('fail')).toBeUndefined();
  await module.run('double', 1);
  expect(told).toEqual([expect.any(RangeError)]);
  module.fire('wait');
  await system.dispose();
  expect(told).toHaveLength(1);
});

it('T1: shutdown callbacks are called once, in order, and their errors are reported', async () => {
  const { system, module, told } = await create(1);
  const calls: string[] = [];
  const left = module.run('wait');
  system.onShutdown(() => calls.push(`first, ${left.isSettled}`));
  system.onShutdown(() => calls.push('never'))();
  system.onShutdown(() => {
    throw new Error('in a callback');
  });
  system.onShutdown(() => calls.push('last'));
  const event = system.event('left');
  await Promise.all([system.dispose(), system.dispose()]);
  expect(calls).toEqual(['first, false', 'last']);
  expect(told).toEqual([expect.objectContaining({ message: 'in a callback' })]);
  expect([await codeOf(left), await codeOf(event), await codeOf(system.event('later'))]).toEqual(
    new Array(3).fill('tasks-disposed'),
  );
});

it('T1: a chain of 100,000 events does not recurse', async () => {
  const { system } = await create(0);
  const first = system.event('first');
  let last = first;
  for (let index = 0; index < 100_000; index++) {
    const next = system.event(`event ${index}`);
    next.addPrerequisite(last);
    next.trigger();
    last = next;
  }
  first.trigger();
  expect(last.state).toBe('done');
});

it('T1: a random graph of 300 tasks runs each task once, after its prerequisites', async () => {
  const { module } = await create(2);
  const { sharedArray } = await import('../arguments/shared-array.js');
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 16807) % 2147483647;
    return seed % below;
  };
  const log = sharedArray(Int32Array, 301);
  const needs: number[][] = [];
  const futures: TaskFuture<unknown>[] = [];
  for (let name = 0; name < 300; name++) {
    needs.push(Array.from({ length: name === 0 ? 0 : random(4) }, () => random(name)));
    const prerequisites = needs[name]!.map((each) => futures[each]!);
    futures.push(module.run('note', { log, name }, { prerequisites, hold: name % 3 === 0 }));
  }
  for (const future of futures) if (future.isHeld) future.unlock();
  await Promise.all(futures);
  const order = [...log.subarray(1)];
  expect(new Set(order).size).toBe(300);
  for (const [name, before] of needs.entries()) {
    for (const each of before) expect(order.indexOf(each)).toBeLessThan(order.indexOf(name));
  }
});

it('T7: a shared future can be awaited, but not cancelled or unlocked; an event resolves with its value', async () => {
  const { system, module } = await create(1);
  const future = module.run('double', 2);
  const shared = future.share();
  expect('cancel' in shared || 'unlock' in shared).toBe(false);
  const dependent = module.run('double', 5, { prerequisites: [shared] });
  expect([await shared, await shared.then((value) => value), await dependent, shared.state]).toEqual([
    4,
    4,
    10,
    'done',
  ]);
  const answer = system.event<number>('answer');
  const heard = answer.then((value) => value + 1);
  expect(await codeOf(answer.waitUntil(performance.now()))).toBe('wait-timed-out');
  answer.trigger(41);
  expect([await heard, await answer]).toEqual([42, 41]);
});

it('T7: the error of a task ends the chain of causes in the errors of all tasks that depend on it', async () => {
  const { module } = await create(2);
  const failing = module.run('fail');
  const second = module.run('double', 1, { prerequisites: [failing] });
  const third = module.run('double', 1, { prerequisites: [second] });
  const error = (await third.catch((thrown) => thrown)) as { cause: { cause: Error } };
  expect(error).toMatchObject({ code: 'prerequisite-failed', cause: { code: 'prerequisite-failed' } });
  expect(error.cause.cause).toBeInstanceOf(RangeError);
  expect(error.cause.cause.stack).toContain('fail');
});

it('T7: the error of a long chain has the message of the first failure, once', async () => {
  const { module } = await create(0);
  let last = module.run('fail');
  for (let link = 0; link < 1000; link++) last = module.run('double', 1, { prerequisites: [last] });
  await expect(last).rejects.toThrow(
    /^A prerequisite of "double" of test:tasks did not succeed, so "double" of test:tasks can't succeed: Wrong\.$/,
  );
});

it('T1: a prerequisite that has failed already cancels a task at once, despite pending prerequisites', async () => {
  const { system, module } = await createTestSystem({ 'test:tasks': { fine: () => 1 } }, 1);
  const cancelled = module.run('fine', null, { hold: true });
  cancelled.cancel();
  const other = module.run('fine');
  const future = module.run('fine', null, { prerequisites: [cancelled, other] });
  await expect(future).rejects.toMatchObject({ code: 'prerequisite-failed' });
  await other;
  expect(system.stats()).toMatchObject({ pending: 0, cancelled: 2, done: 1 });
});
