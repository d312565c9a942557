import { beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { ManualClock } from '../../sync/testing/manual-clock.js';
import { sharedArray } from '../arguments/shared-array.js';
import type { TaskContext } from '../execution/task-context.js';
import { type QueueName, ThreadQueues } from '../named-threads/thread-queues.js';
import { createTestSystem, FakeWorker } from '../testing/worker-bench.js';

type Call = [begin: number, end: number, task: TaskContext];

/** Log into which the tasks write directly, so that it does not depend on their answers. */
const marks: string[] = [];
beforeEach(() => void marks.splice(0));

const modules = {
  'test:tasks': {
    default: {
      name: (_: unknown, ...[, , task]: Call) => task.thread?.name ?? 'pool',
      note: ({ log, label }: { log: Int32Array; label: number }) => {
        log[++log[0]!] = label;
      },
      drain: (_: unknown, ...[, , task]: Call) => task.thread?.processUntilIdle('local'),
      nest: (_: unknown, ...[, , task]: Call) => task.thread?.processUntilIdle('main'),
      async serve(_: unknown, ...[, , task]: Call) {
        return task.thread?.processUntilReturn('local');
      },
      async send(to: 'game' | 'render', ...[, , task]: Call) {
        return [task.thread?.name ?? 'pool', await task.run('name', null, { thread: to })];
      },
      mark: (label: string) => void marks.push(label),
      never: () => new Promise(() => {}),
      fail() {
        throw new RangeError('Wrong.');
      },
    },
  },
};

/** Creates queues, and a function that queues calls. The calls log that they have run or were abandoned. */
function queuesOf() {
  const queues = new ThreadQueues();
  const log: string[] = [];
  const push = (name: string, queue: QueueName, options: { run?: () => void; isOver?: boolean } = {}) =>
    queues.push(
      {
        priority: name.startsWith('!') ? 'high' : 'normal',
        isOver: options.isOver ?? false,
        run: () => {
          log.push(name);
          options.run?.();
        },
        abandon: ({ code }) => log.push(`${name} ${code}`),
      },
      queue,
    );
  return { queues, log, push };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('T2: queues of a named thread', () => {
  it('the main queue runs by itself, urgent calls first; the local queue runs when it is processed', async () => {
    const { queues, log, push } = queuesOf();
    push('local', 'local');
    push('a', 'main');
    push('!b', 'main');
    push('over', 'main', { isOver: true });
    expect(log).toEqual([]);
    await waitFor(() => expect(log).toEqual(['!b', 'a']));
    expect(queues.processUntilIdle('local')).toBe(1);
    expect(log).toEqual(['!b', 'a', 'local']);
  });

  it('R5: pending calls run at a frame’s end, for 8 ms at most, and not within another call', async () => {
    const clock = new ManualClock();
    const queues = new ThreadQueues(clock);
    const log: string[] = [];
    const push = (name: string) =>
      queues.push(
        {
          priority: 'normal',
          isOver: false,
          run: () => {
            queues.runPending();
            log.push(name);
            clock.advance(3);
          },
          abandon: () => {},
        },
        'main',
      );
    for (const name of ['a', 'b', 'c', 'd']) push(name);
    queues.runPending();
    expect(log).toEqual(['a', 'b', 'c']);
  });

  it('a task that a queue runs may process the other queue, but not its own', async () => {
    const { queues, log, push } = queuesOf();
    const tried: unknown[] = [];
    const attempt = (queue: QueueName) => {
      try {
        tried.push(queues.processUntilIdle(queue));
      } catch (error) {
        tried.push((error as { code: string }).code);
      }
    };
    push('inner', 'local');
    push('outer', 'main', {
      run: () => {
        attempt('main');
        attempt('local');
      },
    });
    await waitFor(() => expect(tried).toEqual(['queue-in-process', 1]));
    const until = queues.processUntilReturn('main');
    attempt('main');
    await expect(queues.processUntilReturn('main')).rejects.toMatchObject({ code: 'queue-in-process' });
    queues.requestReturn('main');
    expect(await until).toBe('returned');
    attempt('main');
    expect(tried.slice(2)).toEqual(['queue-in-process', 0]);
    expect(log).toEqual(['outer', 'inner']);
  });

  it('a return request takes effect after earlier calls, whenever it is made, and is never lost', async () => {
    const { queues, log, push } = queuesOf();
    // Request before the queue is processed.
    push('a', 'local');
    queues.requestReturn('local');
    push('b', 'local');
    expect(await queues.processUntilReturn('local')).toBe('returned');
    expect(log).toEqual(['a']);
    // Request while `processUntilReturn` waits for entries, then from a queued call.
    const second = queues.processUntilReturn('local');
    await waitFor(() => expect(log).toEqual(['a', 'b']));
    queues.requestReturn('local');
    expect(await second).toBe('returned');
    const third = queues.processUntilReturn('local');
    push('c', 'local', { run: () => queues.requestReturn('local') });
    push('d', 'local');
    expect(await third).toBe('returned');
    expect(log).toEqual(['a', 'b', 'c', 'd']);
    // The main queue runs by itself, and keeps the request for the next processing call.
    queues.requestReturn('main');
    await turn();
    push('e', 'main');
    expect(await queues.processUntilReturn('main')).toBe('returned');
  });

  it('a shutdown ends processing calls, and abandons queued and later entries', async () => {
    const { queues, log, push } = queuesOf();
    const waits = [queues.processUntilReturn('main'), queues.processUntilReturn('local')];
    await turn();
    push('a', 'main');
    queues.shutDown();
    expect(await Promise.all(waits)).toEqual(['shut down', 'shut down']);
    push('late', 'local');
    expect(log).toEqual(['a thread-shut-down', 'late thread-shut-down']);
    expect(await queues.processUntilReturn('local')).toBe('shut down');
  });
});

describe.each([
  ['shared memory', true, 2],
  ['copied memory', false, 2],
  ['no worker', true, 0],
] as const)('T2: tasks on named threads: %s', (_, isShared, workers) => {
  const create = async (names: readonly ('render' | 'rhi')[]) => {
    const made = await createTestSystem(modules, workers, isShared);
    const attached = names.map((name) => {
      const worker = new FakeWorker(modules, { name, queues: new ThreadQueues() });
      made.system.attachThread(name, worker);
      return worker;
    });
    return { ...made, attached };
  };

  it('each name leads to a thread: render replaces a missing rhi, and game replaces a missing render', async () => {
    for (const [names, expected] of [
      [[], ['game', 'game', 'game']],
      [['render'], ['game', 'render', 'render']],
      [
        ['render', 'rhi'],
        ['game', 'render', 'rhi'],
      ],
    ] as const) {
      const { system, module } = await create(names);
      const threads = ['game', 'render', 'rhi'] as const;
      expect(await Promise.all(threads.map((thread) => module.run('name', null, { thread })))).toEqual(
        expected,
      );
      const handles = await Promise.all(threads.map((thread) => system.thread(thread)));
      expect(handles.map(({ name }) => name)).toEqual(expected);
      expect(handles[1]?.isHere).toBe(names.length === 0);
      expect(await module.run('name')).toBe('pool');
    }
  });

  it('the caller gets changes, results and errors; tasks start tasks on named threads and from named threads', async () => {
    const { module } = await create(['render']);
    const log = sharedArray(Int32Array, 4);
    await module.run('note', { log, label: 7 }, { thread: 'render' });
    await module.run('note', { log, label: 8 }, { thread: 'game' });
    expect([...log]).toEqual([2, 7, 8, 0]);
    await expect(module.run('fail', null, { thread: 'render' })).rejects.toThrow(RangeError);
    expect(await module.run('send', 'game', { thread: 'render' })).toEqual(['render', 'game']);
    expect(await module.run('send', 'render')).toEqual(['pool', 'render']);
  });

  it.each(['game', 'render'] as const)(
    '%s: tasks in the local queue wait until code processes the queue',
    async (thread) => {
      const { system, module } = await create(['render']);
      const first = module.run('name', null, { thread, queue: 'local' });
      const unwanted = module.run('name', null, { thread, queue: 'local' });
      expect(await module.run('name', null, { thread })).toBe(thread);
      expect(first.state).toBe('queued');
      unwanted.cancel();
      await expect(unwanted).rejects.toMatchObject({ name: 'AbortError' });
      expect(await module.run('drain', null, { thread })).toBe(1);
      expect(await first).toBe(thread);
      await expect(module.run('nest', null, { thread })).rejects.toMatchObject({ code: 'queue-in-process' });
      const serving = module.run('serve', null, { thread });
      expect(await module.run('name', null, { thread, queue: 'local' })).toBe(thread);
      const handle = await system.thread(thread);
      handle.requestReturn('local');
      expect(await serving).toBe('returned');
      if (thread === 'render') {
        expect(() => handle.processUntilIdle()).toThrow(/can be processed on that thread only/);
      }
      const left = module.run('name', null, { thread, queue: 'local' });
      handle.requestShutdown();
      await expect(left).rejects.toMatchObject({ code: 'thread-shut-down' });
      expect(left.state).toBe('cancelled');
      await expect(module.run('name', null, { thread })).rejects.toMatchObject({ code: 'thread-shut-down' });
    },
  );

  it.each(['game', 'render'] as const)(
    'T8: %s: only a task that has not begun is taken back',
    async (thread) => {
      const { system, module } = await create(['render']);
      const local = { thread, queue: 'local' } as const;
      const [first, unwanted, last] = ['first', 'unwanted', 'last'].map((label) =>
        module.run('mark', label, local),
      );
      // After this task, `unwanted` has reached the thread as well.
      await module.run('name', null, { thread });
      const gone = unwanted!.catch((error) => (error as Error).name);
      expect([await unwanted!.retract(), await unwanted!.retract()]).toEqual([true, false]);
      expect([await gone, unwanted!.state]).toEqual(['AbortError', 'cancelled']);
      expect(await module.run('drain', null, { thread })).toBe(2);
      await Promise.all([first, last]);
      expect(await last!.retract()).toBe(false);
      expect(marks).toEqual(['first', 'last']);
      const never = module.run('never', null, { thread });
      await waitFor(() => expect(never.state).toBe('running'));
      expect([await never.retract(), never.state]).toEqual([false, 'running']);
      if (thread === 'render') system.detachThread('render');
      else never.cancel();
      await never.catch(() => {});
    },
  );

  it('T8: retract takes back a task that its thread had not begun when the thread ended', async () => {
    const { system, module } = await create(['render']);
    const waits = module.run('mark', 'waits', { thread: 'render', queue: 'local' });
    await module.run('name', null, { thread: 'render' });
    const isTakenBack = waits.retract();
    system.detachThread('render');
    expect(await isTakenBack).toBe(true);
    await expect(waits).rejects.toMatchObject({ name: 'AbortError' });
    expect((await system.thread('game')).processUntilIdle('local')).toBe(0);
    expect(marks).toEqual([]);
  });

  it('T8: calls of retract for one queued task have the same answer', async () => {
    const { module } = await create(['render']);
    const waits = module.run('mark', 'waits', { thread: 'render', queue: 'local' });
    waits.catch(() => {});
    await module.run('name', null, { thread: 'render' });
    expect(await Promise.all([waits.retract(), waits.retract()])).toEqual([true, true]);
    expect(waits.state).toBe('cancelled');
  });

  it('T8: retract resolves with false for a task that fails in the meantime', async () => {
    const { system, module } = await create(['render']);
    const local = { thread: 'render', queue: 'local' } as const;
    const shutDown = module.run('mark', 'shut down', local);
    shutDown.catch(() => {});
    await module.run('name', null, { thread: 'render' });
    // The shutdown request reaches the thread before the retraction.
    (await system.thread('render')).requestShutdown();
    expect(await shutDown.retract()).toBe(false);
    await expect(shutDown).rejects.toMatchObject({ code: 'thread-shut-down' });
    // The modules of this thread fail to load.
    const broken = new FakeWorker({}, { name: 'render', queues: new ThreadQueues() });
    system.attachThread('render', broken);
    const unloaded = module.run('mark', 'unloaded', local);
    expect(await unloaded.retract()).toBe(false);
    await expect(unloaded).rejects.toMatchObject({ code: 'task-module-failed' });
    const lost = module.run('mark', 'lost', local);
    const isBack = lost.retract();
    broken.loseAnswer();
    expect(await isBack).toBe(false);
    await expect(lost).rejects.toMatchObject({ code: 'message-lost' });
  });

  it('T8: a task that moved to another thread is taken back from there', async () => {
    const { system, module } = await create(['render']);
    const moved = module.run('mark', 'moved', { thread: 'render', queue: 'local' });
    moved.catch(() => {});
    await module.run('name', null, { thread: 'render' });
    system.detachThread('render');
    await turn();
    expect(moved.state).toBe('queued');
    expect(await moved.retract()).toBe(true);
    expect((await system.thread('game')).processUntilIdle('local')).toBe(0);
  });

  it('the end of a thread fails its running task; tasks that have not begun run on another thread', async () => {
    const { system, module } = await create(['render']);
    const [written, untouched] = [sharedArray(Int32Array, 1), sharedArray(Int32Array, 1)];
    const runs = module.run('never', written, { thread: 'render' });
    const waits = module.run('name', untouched, { thread: 'render', queue: 'local' });
    await module.run('name', null, { thread: 'render' });
    expect(runs.state).toBe('running');
    system.detachThread('render');
    await expect(runs).rejects.toMatchObject({ code: 'task-thread-ended' });
    expect(waits.state).toBe('queued');
    expect((await system.thread('game')).processUntilIdle('local')).toBe(1);
    expect(await waits).toBe('game');
    // If memory is copied, the original is unchanged, because the changed copy is lost.
    expect([written, untouched].map((array) => system.isPoisoned(array))).toEqual([isShared, false]);
  });

  it('a task that is cancelled while the thread loads its module does not run', async () => {
    const { system, module } = await create([]);
    let load = () => {};
    const whenLoaded = new Promise<void>((resolve) => {
      load = resolve;
    });
    system.attachThread(
      'render',
      new FakeWorker(modules, { name: 'render', queues: new ThreadQueues() }, whenLoaded),
    );
    const mark = (label: string) => module.run('mark', label, { thread: 'render' });
    const wanted = mark('wanted');
    const unwanted = mark('unwanted');
    await turn();
    unwanted.cancel();
    await expect(unwanted).rejects.toMatchObject({ name: 'AbortError' });
    const last = mark('last');
    await turn();
    load();
    await Promise.all([wanted, last]);
    expect(marks).toEqual(['wanted', 'last']);
  });

  it('invalid names and queues throw typed errors', async () => {
    const { system, module } = await create([]);
    for (const options of [
      { thread: 'audio' as never },
      { thread: 'game', queue: 'third' as never },
      { queue: 'local' },
    ] as const) {
      expect(() => module.run('name', null, options)).toThrow(
        expect.objectContaining({ code: 'option-invalid' }),
      );
    }
    await expect(system.thread('audio' as never)).rejects.toMatchObject({ code: 'option-invalid' });
    expect(() => module.parallelFor('name', 3, null, { thread: 'game' } as never)).toThrow(/thread/);
  });
});
