import { describe, expect, it, vi } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { sharedArray } from '../arguments/shared-array.js';
import type { TaskContext } from '../execution/task-context.js';
import { createTestSystem, FakeWorker } from '../testing/worker-bench.js';
import type { RunnableContext } from './serve-runnable.js';

const log: string[] = [];
let openGate = (): void => {};

const untilStopped = async (thread: RunnableContext) => {
  while (!thread.isStopRequested) await new Promise((resolve) => setTimeout(resolve, 1));
};

const modules = {
  'test:tasks': {
    default: {
      leave: (_: unknown, ...[, , task]: [number, number, TaskContext]) => {
        task.local(
          'first',
          () => 1,
          () => log.push('first cleaned up'),
        );
        task.local(
          'second',
          () => 2,
          () => log.push('second cleaned up'),
        );
        task.local(
          'third',
          () => 3,
          () => {
            throw new RangeError('Can’t.');
          },
        );
      },
    },
  },
  'test:counts': {
    default: {
      init: (args: { from: number }, { name }: RunnableContext) => log.push(`init ${name} ${args.from}`),
      async run({ from }: { from: number }, thread: RunnableContext) {
        thread.local(
          'scratch',
          () => 0,
          () => log.push('cleaned up'),
        );
        thread.port.onmessage = ({ data }) => thread.port.postMessage(data + from);
        await untilStopped(thread);
        return from + 1;
      },
      stop: () => log.push('stop'),
      exit: () => log.push('exit'),
    },
  },
  'test:generates': {
    default: {
      *run({ values }: { values: Int32Array }) {
        for (let step = 0; step < 3; step++) {
          values[0]!++;
          yield;
        }
        return values[0];
      },
    },
  },
  'test:refuses': { default: { init: () => false, run: () => log.push('has run') } },
  'test:throws': {
    default: {
      init: () => {
        throw new RangeError('No luck.');
      },
      run: () => log.push('has run'),
    },
  },
  'test:fails': {
    default: {
      run: async () => {
        throw new RangeError('Later.');
      },
      exit: () => log.push('exit'),
    },
  },
  'test:ends': { default: { run: () => {}, stop: () => log.push('stop'), exit: () => log.push('exit') } },
  'test:speaks': {
    default: {
      run: (_: unknown, { port }: RunnableContext) => {
        port.postMessage('runs');
        port.postMessage('has run');
      },
    },
  },
  'test:gated': {
    default: {
      run: () =>
        new Promise<void>((resolve) => {
          openGate = resolve;
        }),
      stop: () => log.push('stop'),
      exit: () => log.push('exit'),
    },
  },
  'test:deaf': { default: { run: () => new Promise(() => {}) } },
  'test:slow': { default: { init: () => new Promise(() => {}), run: () => {} } },
  'test:empty': { default: { start: () => {} } },
};

describe.each([
  ['shared memory', 1, true],
  ['copied memory', 1, false],
  ['no worker', 0, true],
] as const)('T11: runnables: %s', (_, workers, isShared) => {
  const create = async () => {
    log.length = 0;
    return createTestSystem(modules, workers, isShared);
  };

  it('a runnable runs init and run, gets messages, and runs stop and exit', async () => {
    const { system } = await create();
    const thread = await system.createThread('test:counts', { name: 'physics', args: { from: 4 } });
    expect(thread.state).toBe('running');
    expect(log).toEqual(['init physics 4']);
    expect(system.threads()).toContainEqual(
      expect.objectContaining({ name: 'physics', kind: 'runnable', state: 'running' }),
    );
    const answer = new Promise((resolve) => {
      thread.port.onmessage = ({ data }) => resolve(data);
    });
    thread.port.postMessage(3);
    expect(await answer).toBe(7);
    expect(await thread.stop()).toBe('ended');
    expect(await thread.done).toBe(5);
    expect(log).toEqual(['init physics 4', 'stop', 'exit', 'cleaned up']);
    expect(system.threads().filter(({ kind }) => kind === 'runnable')).toEqual([]);
  });

  it('run may be a generator; it writes into the page’s shared array if memory can be shared', async () => {
    const { system } = await create();
    const values = sharedArray(Int32Array, 1);
    const thread = await system.createThread('test:generates', { args: { values } });
    expect(await thread.done).toBe(3);
    expect(values[0]).toBe(isShared || (workers as number) === 0 ? 3 : 0);
  });

  it('createThread rejects with a typed error if the thread can’t start, and run is not called', async () => {
    const { system } = await create();
    for (const [url, code] of [
      ['test:refuses', 'runnable-init-failed'],
      ['test:throws', 'runnable-init-failed'],
      ['test:empty', 'runnable-init-failed'],
      ['test:missing', 'runnable-init-failed'],
    ] as const) {
      await expect(system.createThread(url)).rejects.toMatchObject({ name: 'TaskError', code });
    }
    await expect(system.createThread('test:throws')).rejects.toMatchObject({
      cause: { name: 'RangeError', message: 'No luck.' },
    });
    await expect(system.createThread('test:slow', { initSeconds: 0.02 })).rejects.toMatchObject({
      code: 'wait-timed-out',
    });
    await expect(system.createThread('test:deaf', { initSeconds: 0 })).rejects.toThrow(/initSeconds/);
    await expect(system.createThread('test:deaf', { size: 1 } as never)).rejects.toThrow(/size/);
    expect(log).toEqual([]);
  });

  it('arguments that can’t be sent reject with a typed error, and leave no worker and no port behind', async () => {
    const { system, started } = await create();
    const before = started.length;
    const terminate = vi.spyOn(FakeWorker.prototype, 'terminate');
    const close = vi.spyOn(MessagePort.prototype, 'close');
    try {
      await expect(
        system.createThread('test:counts', { name: 'physics', args: { from: () => 4 } }),
      ).rejects.toMatchObject({
        name: 'TaskError',
        code: 'task-arguments-refused',
        message: expect.stringContaining('the thread physics'),
      });
      // A `FakeWorker` closes a port of its own as well.
      expect(close).toHaveBeenCalledTimes(workers > 0 ? 2 : 1);
      expect(terminate).toHaveBeenCalledTimes(started.length - before);
    } finally {
      vi.restoreAllMocks();
    }
    expect(started.length - before).toBe(workers > 0 ? 1 : 0);
    expect(system.threads().map(({ kind }) => kind)).not.toContain('runnable');
    expect(log).toEqual([]);
    await expect(
      system.createThread('test:counts', {
        args: {
          get from() {
            throw new RangeError('Mine.');
          },
        },
      }),
    ).rejects.toThrow('Mine.');
  });

  it('a thread whose run throws fails after exit; a thread that does not stop is killed', async () => {
    const { system, told } = await create();
    const failing = await system.createThread('test:fails');
    await expect(failing.done).rejects.toThrow('Later.');
    expect([failing.state, ...log]).toEqual(['failed', 'exit']);
    const values = sharedArray(Int32Array, 1);
    const deaf = await system.createThread('test:deaf', { args: { values } });
    expect(await deaf.stop({ seconds: 0.02 })).toBe('killed');
    await expect(deaf.done).rejects.toMatchObject({ code: 'task-thread-killed' });
    expect(system.isPoisoned(values)).toBe(isShared);
    expect(told).toEqual([
      expect.objectContaining({ message: 'Later.' }),
      expect.objectContaining({ code: 'task-thread-killed' }),
    ]);
  });

  it('stop is called at most once, and before exit, in shared memory as well as by message', async () => {
    const { system } = await create();
    const asked = await system.createThread('test:counts', { args: { from: 4 } });
    const [first, second] = [asked.stop(), asked.stop()];
    expect(await Promise.all([first, second])).toEqual(['ended', 'ended']);
    expect(log).toEqual(['init test:counts 4', 'stop', 'exit', 'cleaned up']);
    log.length = 0;
    // The runnable ends before the stop message can arrive. Only with shared memory can it see the request in time.
    const gated = await system.createThread('test:gated');
    const stopping = gated.stop();
    openGate();
    expect(await stopping).toBe('ended');
    expect(log).toEqual(isShared ? ['stop', 'exit'] : ['exit']);
    log.length = 0;
    // For a runnable that ends by itself, `stop` is not called.
    const values = sharedArray(Int32Array, 1);
    await (await system.createThread('test:ends', { args: { values } })).done;
    expect(log).toEqual(['exit']);
  });

  it('the last message of a thread arrives, also after its end', async () => {
    const { system } = await create();
    const thread = await system.createThread('test:speaks');
    await thread.done;
    const words: unknown[] = [];
    await new Promise<void>((resolve) => {
      thread.port.onmessage = ({ data }) => {
        if (words.push(data) === 2) resolve();
      };
    });
    expect(words).toEqual(['runs', 'has run']);
  });

  it('stop rejects invalid options, and the thread continues', async () => {
    const { system } = await create();
    const thread = await system.createThread('test:counts', { args: { from: 4 } });
    const refused = [
      [{ seconds: Number.NaN }, 'option-out-of-range', /seconds of stop is NaN/],
      [{ seconds: -1 }, 'option-out-of-range', /-1/],
      [{ seconds: '5' }, 'option-out-of-range', /"5"/],
      [{ second: 5 }, 'option-unknown', /Did you mean "seconds"/],
      [5, 'option-invalid', /was given 5/],
    ] as const;
    for (const [options, code, message] of refused) {
      const stopping = thread.stop(options as never);
      await expect(stopping).rejects.toMatchObject({ name: 'OptionError', code });
      await expect(stopping).rejects.toThrow(message);
    }
    expect(thread.state).toBe('running');
    expect(log).toEqual(['init test:counts 4']);
    expect(await thread.stop({ seconds: Number.POSITIVE_INFINITY })).toBe('ended');
    await expect(thread.stop({ seconds: Number.NaN })).rejects.toMatchObject({ code: 'option-out-of-range' });
  });

  it.runIf((workers as number) === 0)('a killed runnable on the page gets one stop request', async () => {
    const { system, told } = await create();
    const killed = await system.createThread('test:counts', { args: { from: 4 } });
    killed.kill();
    expect(killed.state).toBe('killed');
    await expect(killed.done).rejects.toMatchObject({ code: 'task-thread-killed' });
    await waitFor(() => expect(log).toEqual(['init test:counts 4', 'stop', 'exit', 'cleaned up']));
    log.length = 0;
    const asked = await system.createThread('test:counts', { args: { from: 4 } });
    const stopping = asked.stop();
    asked.kill();
    expect(await stopping).toBe('killed');
    await waitFor(() => expect(log).toEqual(['init test:counts 4', 'stop', 'exit', 'cleaned up']));
    expect(told.map((error) => (error as { code: string }).code)).toEqual([
      'task-thread-killed',
      'task-thread-killed',
    ]);
  });

  it('a disposed task system ends its threads, and cleans up thread-local values, the last one first', async () => {
    const { system, module, told } = await create();
    const thread = await system.createThread('test:counts', { args: { from: 1 } });
    await module.run('leave');
    expect(system.threads().map(({ kind }) => kind)).toEqual(
      workers > 0 ? ['page', 'worker', 'runnable'] : ['page', 'runnable'],
    );
    await system.dispose();
    expect(thread.state).toBe('ended');
    expect(log.filter((each) => each.includes('cleaned up')).sort()).toEqual([
      'cleaned up',
      'first cleaned up',
      'second cleaned up',
    ]);
    expect(log.indexOf('second cleaned up')).toBeLessThan(log.indexOf('first cleaned up'));
    expect(told).toEqual([expect.objectContaining({ message: 'Can’t.' })]);
    await expect(system.createThread('test:counts')).rejects.toMatchObject({ code: 'tasks-disposed' });
  });

  it.runIf(workers > 0)(
    'T13: an idle worker cleans up before it ends, and a new worker replaces it',
    async () => {
      log.length = 0;
      const { system, module, started } = await createTestSystem(modules, workers, isShared, {
        idleSeconds: 0.03,
      });
      await module.run('leave');
      await waitFor(() => expect(system.stats().workers).toBe(0));
      expect(log).toEqual(['second cleaned up', 'first cleaned up']);
      await module.run('leave');
      expect(started.length).toBe(2);
    },
  );
});
