import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTestSystem } from '../testing/worker-bench.js';
import { TaskCounter } from './task-counter.js';

const modules = { 'test:tasks': { default: { nothing: () => {} } } };

describe.each([
  ['shared memory', true, true],
  ['shared memory, without Atomics.waitAsync', true, false],
  ['memory of one thread', false, true],
] as const)('T6: waiting for a counter: %s', (_, isShared, hasWaitAsync) => {
  afterEach(() => vi.unstubAllGlobals());

  const create = async () => {
    const { system } = await createTestSystem(modules, 0, isShared);
    // Make this thread look like a page's thread.
    vi.stubGlobal('document', {});
    if (!hasWaitAsync) {
      const names = Object.getOwnPropertyNames(Atomics).filter((name) => name !== 'waitAsync');
      vi.stubGlobal('Atomics', Object.fromEntries(names.map((name) => [name, Reflect.get(Atomics, name)])));
    }
    return system;
  };

  it('whenReached rejects at its deadline unless the counter is low enough before', async () => {
    const system = await create();
    const counter = system.counter(2);
    const deadline = performance.now() + 40;
    const late = counter.whenReached(0, deadline);
    const inTime = counter.whenReached(1, performance.now() + 1e12);
    // A change that is not sufficient does not move the deadline.
    setTimeout(() => counter.done(), 5);
    await expect(late).rejects.toMatchObject({ name: 'ThreadError', code: 'wait-timed-out' });
    expect(performance.now()).toBeGreaterThanOrEqual(deadline);
    await inTime;
    await expect(counter.whenReached(0, performance.now() - 1)).rejects.toThrow(/for a counter/);
    await counter.whenReached(1, performance.now() - 1);
    counter.done();
    await counter.whenReached();
  });

  it('whenReached rejects when the counter’s task system ends; reached values still resolve', async () => {
    const system = await create();
    const [counter, reached] = [system.counter(1), system.counter(0)];
    // Open the counter as tasks on this thread do.
    const opened = new TaskCounter(counter.place);
    const other = (await create()).counter(1);
    const waits = [counter, opened].map((each) => each.whenReached());
    const ofAnother = other.whenReached();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await system.dispose();
    for (const wait of [...waits, counter.whenReached()])
      await expect(wait).rejects.toMatchObject({ name: 'StateError', code: 'tasks-disposed' });
    await reached.whenReached();
    other.done();
    await ofAnother;
  });
});
