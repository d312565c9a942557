import { beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import type { TaskContext } from '../../tasks/execution/task-context.js';
import { type NamedThread, ThreadQueues } from '../../tasks/named-threads/thread-queues.js';
import type { AttachedName } from '../../tasks/page/named-threads.js';
import type { TaskSystem } from '../../tasks/system/task-system.js';
import { createTestSystem } from '../../tasks/testing/worker-bench.js';
import { serveTasks } from '../../tasks/worker/serve-tasks.js';
import type { KeptWorkers, RenderConnection } from '../connections/connection.js';
import type { TaskThreadConfig } from '../control/protocol.js';
import { TaskThreads } from './task-threads.js';

type Call = [begin: number, end: number, task: TaskContext];

/** Labels that tasks append when they run, independent of their results. */
const marks: string[] = [];
beforeEach(() => void marks.splice(0));

const modules = {
  'test:tasks': {
    default: {
      name: (_: unknown, ...[, , task]: Call) => task.thread?.name ?? 'pool',
      mark: (label: string, ...[, , task]: Call) => void marks.push(`${label} on ${task.thread?.name}`),
      async serve(_: unknown, ...[, , task]: Call) {
        marks.push(await (task.thread as NamedThread).processUntilReturn('local'));
      },
      never: () => new Promise(() => {}),
    },
  },
};
const importModule = async (url: string) => modules[url as 'test:tasks'];

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

type Serve = (config: TaskThreadConfig) => void | Promise<void>;

/** Serves tasks as a thread's `serveTasks` does. */
const serve: Serve = ({ name, port }) => {
  serveTasks(port, importModule, false, null, { name, queues: new ThreadQueues() });
};
/** A thread that has ended, or is too busy to answer. */
const mute: Serve = () => {};
const refuse: Serve = () => Promise.reject(new Error('404'));

/**
 * Creates a connection to threads with these names. `each` is called for each thread that must serve tasks.
 */
function connectionOf(
  names: readonly AttachedName[],
  each: Serve = serve,
  workers: KeptWorkers = {},
): RenderConnection {
  const control = {
    async serveTasks(open: (name: AttachedName) => TaskThreadConfig) {
      await Promise.all(names.map(async (name) => each(open(name))));
      return names;
    },
  };
  return { workers, control } as unknown as RenderConnection;
}

async function setUp(first: RenderConnection) {
  const threads: TaskThreads = new TaskThreads(() => system);
  const made = await createTestSystem(modules, 0, true, { openThreads: () => threads.open(first) });
  const system: TaskSystem = made.system;
  return { ...made, threads };
}

describe('T2: the engine’s threads as named threads', () => {
  it('tasks run on threads that serve them, and move when the threads change', async () => {
    const { module, threads } = await setUp(connectionOf(['render']));
    expect(await module.run('name', null, { thread: 'rhi' })).toBe('render');
    await threads.moveTo(connectionOf(['render', 'rhi']));
    expect(await module.run('name', null, { thread: 'rhi' })).toBe('rhi');
    await threads.moveTo(connectionOf([]));
    expect(await module.run('name', null, { thread: 'rhi' })).toBe('game');
  });

  it('a thread that cannot serve tasks gets none, and a later thread can take its place', async () => {
    const { module, threads, told } = await setUp(connectionOf(['render'], refuse));
    expect(await module.run('name', null, { thread: 'render' })).toBe('game');
    expect(told).toEqual([new Error('404')]);
    await threads.moveTo(connectionOf(['render']));
    const waits = module.run('name', null, { thread: 'render', queue: 'local' });
    await module.run('name', null, { thread: 'render' });
    await expect(threads.moveTo(connectionOf(['render', 'rhi'], refuse))).rejects.toThrow('404');
    expect(await module.run('name', null, { thread: 'rhi' })).toBe('game');
    expect(waits.state).toBe('queued');
  });

  it('tasks run on threads that take over before their predecessors have answered', async () => {
    let answer = () => {};
    const isAsked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const late: Serve = async (config) => {
      await isAsked;
      serve(config);
    };
    const { module, threads } = await setUp(connectionOf(['render', 'rhi'], late));
    const named = module.run('name', null, { thread: 'rhi' });
    await threads.moveTo(connectionOf(['render']));
    answer();
    expect(await named).toBe('render');
    expect(await module.run('name', null, { thread: 'rhi' })).toBe('render');
  });

  it('a kept worker begins none of its tasks that were moved to other threads', async () => {
    const owner = {} as Worker;
    const { module, threads } = await setUp(connectionOf(['render'], serve, { owner }));
    const serving = module.run('serve', null, { thread: 'render' });
    await module.run('name', null, { thread: 'render' });
    expect(serving.state).toBe('running');
    const ended = expect(serving).rejects.toMatchObject({ code: 'task-thread-ended' });
    // The messages that start these tasks are in flight when the threads change.
    const tasks = ['a', 'b'].map((label) => module.run('mark', label, { thread: 'render' }));
    await threads.moveTo(connectionOf(['render', 'rhi'], serve, { owner, other: {} as Worker }));
    await Promise.all([...tasks, ended]);
    await turn();
    expect(marks.sort()).toEqual(['a on render', 'b on render', 'shut down']);
  });

  it('tasks of a kept worker wait until the worker has ended, and tasks cancelled meanwhile do not move', async () => {
    const owner = {} as Worker;
    const { module, threads } = await setUp(connectionOf(['render'], mute, { owner }));
    const unwanted = module.run('mark', 'unwanted', { thread: 'render' });
    const wanted = module.run('mark', 'wanted', { thread: 'render' });
    await turn();
    const second = connectionOf(['render'], serve, { owner });
    await threads.moveTo(second);
    await module.run('mark', 'later', { thread: 'render' });
    unwanted.cancel();
    await expect(unwanted).rejects.toMatchObject({ name: 'AbortError' });
    await turn();
    expect(wanted.state).toBe('queued');
    Object.assign(second, { workers: {} }); // The worker ends.
    await threads.moveTo(connectionOf(['render'], serve, { owner: {} as Worker }));
    await wanted;
    await module.run('name', null, { thread: 'render' });
    expect(marks).toEqual(['later on render', 'wanted on render']);
  });

  it('when an engine gives up, running tasks fail and queued tasks run on the page', async () => {
    const { module, system, threads } = await setUp(connectionOf(['render', 'rhi']));
    const runs = module.run('never', null, { thread: 'rhi' });
    const waits = module.run('name', null, { thread: 'render', queue: 'local' });
    await module.run('name', null, { thread: 'rhi' });
    threads.end();
    await expect(runs).rejects.toMatchObject({ code: 'task-thread-ended' });
    const game = await system.thread('game');
    await waitFor(() => expect(game.processUntilIdle('local')).toBe(1));
    expect(await waits).toBe('game');
    await threads.moveTo(connectionOf(['render']));
    expect(await module.run('name', null, { thread: 'render' })).toBe('game');
  });
});
