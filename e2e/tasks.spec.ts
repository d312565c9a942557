/**
 * The task system in Chromium, with real workers. Memory is shared on isolated pages and copied on others.
 * The same programs have the same results with any number of workers, also without a worker.
 */
import type * as Tasks from '../src/tasks.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODULE, openTasks } from './open-tasks.js';
import { isolationsOf } from './threading-modes.js';

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`T4 T9: results are the same with 0, 1, 2 and 4 workers: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTasks(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const runs = await page.evaluate(async (url) => {
      const { createTaskSystem, sharedArray } = window.tasking;
      const results = [];
      for (const workers of [0, 1, 2, 4]) {
        for (const options of [
          {},
          { flags: 'unbalanced' as const },
          { batch: 7 },
          { flags: ['forced-single'] as const },
        ]) {
          const tasks = createTaskSystem({ workers });
          const module = await tasks.load(url);
          const from = sharedArray(Float64Array, 1000);
          const to = sharedArray(Float64Array, 1000);
          const filled = module.parallelFor('fill', 1000, { values: from, seed: 0.7 }, options);
          const smoothed = module.parallelFor(
            'smooth',
            1000,
            { from, to },
            { ...options, prerequisites: [filled] },
          );
          const sum = module.run('sum', { numbers: to }, { prerequisites: [smoothed] });
          results.push({
            workers,
            sum: await sum,
            elements: [to[0], to[1], to[500], to[999]],
            where: await module.run('where'),
            started: tasks.stats().workers,
            isShared: tasks.stats().isShared,
          });
          await tasks.dispose();
        }
      }
      return results;
    }, MODULE);
    expect(runs).toHaveLength(16);
    const [first] = runs;
    expect(first?.elements[2]).toBeCloseTo(
      ((Math.sin(499 * 0.7) + Math.sin(500 * 0.7) + Math.sin(501 * 0.7)) * 1000) / 3,
      9,
    );
    for (const { workers, sum, elements, where, started, isShared } of runs) {
      expect(sum).toBe(first?.sum);
      expect(elements).toEqual(first?.elements);
      expect(where).toBe(workers === 0 ? 'page' : 'worker');
      expect(started > 0).toBe(workers > 0);
      expect(started).toBeLessThanOrEqual(workers);
      expect(isShared).toBe(isolation === 'isolated');
    }
  });

  test(`T1: prerequisites order tasks, and a failure cancels the tasks that need it: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTasks(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const { createTaskSystem, sharedArray } = window.tasking;
      const tasks = createTaskSystem({ workers: 2 });
      const module = await tasks.load(url);
      const log = sharedArray(Int32Array, 20);
      const count = sharedArray(Int32Array, 1);
      let last: Tasks.TaskFuture<unknown> = module.run('append', { log, count });
      for (let index = 1; index < 20; index++) {
        last = module.run('append', { log, count }, { prerequisites: [last] });
      }
      await last;
      const refused = (promise: PromiseLike<unknown>) =>
        promise.then(
          () => 'done',
          ({ name, code, message, cause }) => ({ name, code, message, cause: cause?.message }),
        );
      const failed = module.run('fail');
      const dependent = module.run('where', null, { prerequisites: [failed] });
      const behind = module.run('where', null, { prerequisites: [dependent] });
      const states = async () => [await refused(failed), await refused(dependent), await refused(behind)];
      const [thrown, first, second] = await states();
      const alive = await module.run('where');
      const unsendable = await refused(module.run('unsendable'));
      const badArguments = await refused(module.run('sum', { numbers: () => {} } as never));
      const part = await refused(module.parallelFor('fail', 10));
      const stats = tasks.stats();
      await tasks.dispose();
      return { log: [...log], thrown, first, second, alive, unsendable, badArguments, part, stats };
    }, MODULE);
    expect(found.log).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(found.thrown).toMatchObject({ name: 'RangeError', message: 'No such thing.' });
    expect(found.first).toMatchObject({
      name: 'TaskError',
      code: 'prerequisite-failed',
      cause: 'No such thing.',
    });
    expect(found.second).toMatchObject({ code: 'prerequisite-failed' });
    expect(found.alive).toBe('worker');
    expect(found.unsendable).toMatchObject({ code: 'task-result-refused' });
    expect(found.badArguments).toMatchObject({ code: 'task-arguments-refused' });
    expect(found.part).toMatchObject({ name: 'RangeError' });
    expect(found.stats).toMatchObject({ done: 21, failed: 4, cancelled: 2, pending: 0 });
  });

  test(`T7 T8: tasks can be retracted, waits have deadlines, and a dying worker loses only its task: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTasks(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const { createTaskSystem } = window.tasking;
      const reports: string[] = [];
      let sayIsSlow = () => {};
      const isSlow = new Promise<void>((resolve) => {
        sayIsSlow = resolve;
      });
      const tasks = createTaskSystem({
        workers: 1,
        reportSeconds: 0.2,
        onError: (error) => {
          reports.push((error as { code: string }).code);
          sayIsSlow();
        },
      });
      const module = await tasks.load(url);
      const code = (promise: PromiseLike<unknown>) =>
        promise.then(
          (value) => value,
          (error) => (error instanceof DOMException ? error.name : error.code),
        );
      const controller = new AbortController();
      const channel = new BroadcastChannel('busy');
      const runs = new Promise((resolve) => channel.addEventListener('message', resolve, { once: true }));
      const busy = module.run('untilMessage', { channel: 'busy' });
      const retracted = module.run('where', null, { signal: controller.signal });
      controller.abort();
      await Promise.all([runs, isSlow]);
      const late = await code(busy.waitUntil(performance.now() + 50));
      const whileBusy = { state: busy.state, retracted: retracted.state, reason: await code(retracted) };
      channel.postMessage('released');
      const said = await busy;
      const died = module.run('die');
      const queued = module.run('where');
      const ended = [said, await code(died), await queued];
      const left = module.run('untilMessage', { channel: 'nobody speaks here' });
      const never = module.run('busy', { milliseconds: 400 });
      await tasks.dispose();
      return {
        late,
        whileBusy,
        ended,
        abandoned: [await code(left), await code(never), await code(module.run('where'))],
        // On a busy machine even the start of a worker takes longer than 0.2 s.
        reports: [...new Set(reports)],
      };
    }, MODULE);
    expect(found).toEqual({
      late: 'wait-timed-out',
      whileBusy: { state: 'running', retracted: 'cancelled', reason: 'AbortError' },
      ended: ['released', 'task-worker-died', 'worker'],
      abandoned: ['tasks-disposed', 'tasks-disposed', 'tasks-disposed'],
      reports: ['task-slow', 'task-worker-died'],
    });
  });
}

for (const isolation of ['isolated', 'not isolated'] as const)
  test(`T8: the oldest task runs first, progress is reported, a task is taken back before it begins, and at the end queued tasks are abandoned: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTasks(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const { createTaskSystem, sharedArray } = window.tasking;
      const tasks = createTaskSystem({ workers: 1 });
      const module = await tasks.load(url);
      const channel = new BroadcastChannel('steps');
      const hear = () =>
        new Promise((resolve) => channel.addEventListener('message', resolve, { once: true }));
      const runs = hear();
      const slow = module.run('progressUntilMessage', { channel: 'steps' });
      await runs;
      while (slow.progress === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      const steps = [slow.state, slow.progress];
      channel.postMessage('released');
      await slow;
      steps.push(slow.state, slow.progress);
      // With shared memory a worker takes tasks at any time. It is kept busy until all tasks are queued.
      const log = sharedArray(Int32Array, 8);
      const flag = sharedArray(Int32Array, 1);
      const first = crossOriginIsolated
        ? module.run('spin', { flag })
        : module.run('busy', { milliseconds: 30 });
      while (first.state !== 'running') await new Promise((resolve) => setTimeout(resolve, 1));
      const queued = [1, 2, 3, 4, 5].map((label) => module.run('note', { log, label }));
      // Only a task that no worker has begun is taken back.
      const isTakenBack = [await queued[2]!.retract(), await queued[2]!.retract(), await first.retract()];
      Atomics.store(flag, 0, 1);
      await Promise.all([first, ...queued.filter((_, index) => index !== 2)]);
      isTakenBack.push(await first.retract());
      const order = [...log.subarray(1, 5)];
      // At the end one task runs, one is queued and one waits.
      const last = hear();
      const running = module.run('untilMessage', { channel: 'steps' });
      await last;
      const left = [running, module.run('where'), module.run('where', null, { prerequisites: [running] })];
      const ended = tasks.dispose();
      const abandoned = await Promise.all(
        left.map(async (each) => [each.state, each.cancel(), await each.retract()].join()),
      );
      const codes = await Promise.all([...left, module.run('where')].map(window.codeOf));
      await ended;
      return { steps, isTakenBack, order, abandoned, codes };
    }, MODULE);
    expect(found).toEqual({
      steps: ['running', 0.25, 'done', 1],
      isTakenBack: [true, false, false, false],
      order: [1, 2, 4, 5],
      abandoned: Array(3).fill('cancelled,false,false'),
      codes: Array(4).fill('tasks-disposed'),
    });
  });

test('T9: without its worker’s script the task system runs everything on the page, and reports that', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/404|no-such-worker/);
  await openTasks(page, plainURL);
  const found = await page.evaluate(async (url) => {
    const { createTaskSystem } = window.tasking;
    const reports: string[] = [];
    const tasks = createTaskSystem({
      workers: 2,
      workerUrl: '/no-such-worker.js',
      onError: (error) => reports.push((error as { code: string }).code),
    });
    const module = await tasks.load(url);
    return { where: [await module.run('where'), await module.run('where')], reports };
  }, MODULE);
  expect(found).toEqual({ where: ['page', 'page'], reports: ['task-worker-died'] });
});

test('bad input gives a typed error that names the fault', async ({ page, isolatedURL, expectErrors }) => {
  expectErrors(/404/);
  await openTasks(page, isolatedURL);
  const codes = await page.evaluate(async (url) => {
    const { createTaskSystem, defineTasks, sharedArray } = window.tasking;
    const refused = async (call: () => unknown) => {
      try {
        await call();
        return 'accepted';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    const tasks = createTaskSystem({ workers: 1 });
    const module = await tasks.load(url);
    const codes = [];
    for (const call of [
      () => createTaskSystem({ workers: -1 }),
      () => createTaskSystem({ workers: 65 }),
      () => createTaskSystem({ worker: 1 } as never),
      () => tasks.load('/no/such/module.js'),
      () => tasks.load('/e2e/pages/no-tasks.js'),
      () => module.run('smu'),
      () => module.run('sum', [], { priority: 'urgent' as never }),
      () => module.parallelFor('fill', -1),
      () => module.parallelFor('fill', 1.5),
      () => module.parallelFor('fill', 10, {}, { batch: 0 }),
      () => module.parallelFor('fill', 10, {}, { flags: 'fast' as never }),
      () => defineTasks({ sum: 1 as never }),
      () => sharedArray(Float32Array, -1),
      () => sharedArray(Float32Array, 2 ** 40),
    ]) {
      codes.push(await refused(call));
    }
    await module.parallelFor('fill', 0);
    await tasks.dispose();
    return codes;
  }, MODULE);
  expect(codes).toEqual([
    'option-out-of-range',
    'option-out-of-range',
    'option-unknown',
    'task-module-failed',
    'task-module-empty',
    'task-unknown',
    'option-invalid',
    'option-out-of-range',
    'option-out-of-range',
    'option-out-of-range',
    'option-invalid',
    'task-not-a-function',
    'option-out-of-range',
    'option-out-of-range',
  ]);
});

for (const threading of ['single', 'render', 'render+rhi'] as const) {
  for (const isolation of isolationsOf(threading)) {
    test(`T1 T11 T13: an engine’s task system has all calls, lists all threads, and ends with the engine: ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      const found = await page.evaluate(
        async ({ url, threading }) => {
          const library = '/dist/tasks.js';
          const { sharedArray } = (await import(library)) as typeof Tasks;
          const engine = await window.fencepost.createEngine(window.kit.view, { threading, taskWorkers: 2 });
          const { tasks } = engine;
          const before = tasks.stats();
          const codeOf = (call: () => unknown): string => {
            try {
              call();
              return 'none';
            } catch (error) {
              return (error as { code: string }).code;
            }
          };
          const early = [codeOf(() => tasks.event('early')), tasks.counter(1).value];
          const thread = (await tasks.thread('game')).name;
          const runnable = await tasks.createThread(
            URL.createObjectURL(
              new Blob(['export default { run: ({ of }) => of * 2 }'], { type: 'text/javascript' }),
            ),
            { name: 'of the page', args: { of: 21 } },
          );
          const doubled = await runnable.done;
          const module = await tasks.load(url);
          const counter = tasks.counter(1);
          const ready = tasks.event<number>('ready');
          ready.trigger(7);
          counter.done();
          await counter.whenReached(0);
          const surface = {
            thread,
            doubled,
            event: await ready,
            counter: counter.value,
            arenas: tasks.arenas({ blocks: 1, blockBytes: 65_536 }).stats().usedBytes,
            threads: tasks.threads()[0]?.kind,
            isPoisoned: tasks.isPoisoned(new Float32Array(1)),
            isSystem: codeOf(() => tasks.onShutdown(() => tasks.clearPoison(new Float32Array(1)))),
          };
          const values = sharedArray(Float32Array, 100);
          const filled = module.parallelFor('fill', 100, { values, seed: 2 });
          await engine.step(0);
          await filled;
          const where = await module.run('where');
          // The engine's threads to which no task has been sent.
          const others = tasks
            .threads()
            .filter(({ kind }) => kind === 'other')
            .map(({ name }) => name);
          const workers = tasks.stats()?.workers;
          const left = module.run('busy', { milliseconds: 5000 });
          const { leaks } = await engine.dispose();
          const code = (promise: PromiseLike<unknown>) =>
            promise.then(
              () => 'done',
              (error) => error.code,
            );
          return {
            before,
            early,
            surface,
            value: values[3],
            where,
            isPool: workers === 1 || workers === 2,
            leaks,
            left: await code(left),
            later: [
              await code(tasks.load(url)),
              codeOf(() => tasks.counter(1)),
              await code(tasks.event('late')),
            ],
            others,
          };
        },
        { url: MODULE, threading },
      );
      expect(found).toEqual({
        before: null,
        early: ['none', 1],
        surface: {
          thread: 'game',
          doubled: 42,
          event: 7,
          counter: 0,
          arenas: 0,
          threads: 'page',
          isPoisoned: false,
          isSystem: 'none',
        },
        value: Math.fround(Math.sin(6) * 1000),
        where: 'worker',
        isPool: true,
        leaks: [],
        left: 'tasks-disposed',
        later: ['engine-disposed', 'tasks-disposed', 'tasks-disposed'],
        others: { single: [], render: ['render'], 'render+rhi': ['render', 'rhi'] }[threading],
      });
    });
  }
}

for (const threading of ['single', 'render', 'render+rhi'] as const)
  for (const isolation of isolationsOf(threading))
    test(`T16: a task runs once on each worker, and a deferred task begins at the first wait: ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      const found = await page.evaluate(
        async ({ url, threading }) => {
          const engine = await window.fencepost.createEngine(window.kit.view, { threading, taskWorkers: 2 });
          type Warm = { readonly id: number; readonly times: number };
          const module = await engine.tasks.load(url);
          const first = (await module.broadcast('warm')) as Warm[];
          const second = (await module.broadcast('warm', null, { set: 'normal' })) as Warm[];
          const deferred = module.run('warm', null, { deferred: true, set: 'normal' });
          const dependent = module.run('where', null, { prerequisites: [deferred], hold: true });
          await module.run('where');
          const before = [deferred.state, dependent.state];
          dependent.unlock();
          const where = await dependent;
          const last = (await deferred) as Warm;
          await engine.dispose();
          return {
            ids: new Set(first.map(({ id }) => id)).size,
            times: first.map(({ times }) => times),
            again: second.map(({ id, times }) => [first.some((each) => each.id === id), times]),
            before,
            where,
            last: [last.id === second[0]?.id, last.times],
          };
        },
        { url: MODULE, threading },
      );
      expect(found).toEqual({
        ids: 2,
        times: [1, 1],
        again: [[true, 2]],
        before: ['waiting', 'waiting'],
        where: 'worker',
        last: [true, 3],
      });
    });

for (const isolation of ['isolated', 'not isolated'] as const)
  test(`T12: small tasks that wait behind each other are merged where memory is shared, with equal results: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTasks(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const { createTaskSystem, sharedArray } = window.tasking;
      const tasks = createTaskSystem({ workers: 2 });
      const module = await tasks.load(url);
      const into = sharedArray(Int32Array, 2000);
      // The first runs measure the task.
      for (let at = 0; at < 8; at++) await module.run('write', { into, at });
      const before = tasks.stats().merged;
      const futures = Array.from(into, (_, at) => module.run('write', { into, at }));
      const gone = futures[1999]?.cancel();
      await Promise.allSettled(futures);
      const { merged, done, cancelled } = tasks.stats();
      await tasks.dispose();
      return {
        before,
        gone,
        merged,
        done,
        cancelled,
        isRight: into.every((value, at) => value === (at < 1999 ? at + 1 : 0)),
      };
    }, MODULE);
    expect(found).toMatchObject({ before: 0, gone: true, done: 2007, cancelled: 1, isRight: true });
    if (isolation === 'isolated') expect(found.merged).toBeGreaterThan(100);
    else expect(found.merged).toBe(0);
  });
