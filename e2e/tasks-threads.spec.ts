/** The threads that run tasks, in Chromium with real threads: sets of workers, named threads, runnables. */
import type * as Tasks from '../src/tasks.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODULE, openTasks } from './open-tasks.js';

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`T2: set and priority choose the worker of a task, and another set replaces a missing one: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTasks(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const { createTaskSystem, sharedArray } = window.tasking;
      const refused = (call: () => unknown) => {
        try {
          call();
          return 'accepted';
        } catch (error) {
          return (error as { code: string }).code;
        }
      };
      const isRunning = async (future: Tasks.TaskFuture<unknown>) => {
        while (future.state !== 'running') await new Promise((resolve) => setTimeout(resolve, 1));
      };
      // There is one worker of each set. The normal and the background worker are busy forever. The worker of
      // the high set is free for urgent tasks.
      const three = createTaskSystem({ workers: 1, highWorkers: 1, backgroundWorkers: 1, reportSeconds: 60 });
      const module = await three.load(url);
      await Promise.all([
        isRunning(module.run('hang')),
        isRunning(module.run('hang', null, { set: 'background' })),
      ]);
      const held = [module.run('where'), module.run('where', null, { set: 'background', priority: 'high' })];
      for (const future of held) future.catch(() => {});
      const urgent = [
        await module.run('where', null, { set: 'high' }),
        // Tasks that a task starts stay in its set.
        await module.run('count', { depth: 3 }, { set: 'high' }),
      ];
      const states = held.map(({ state }) => state);
      const workers = three.stats().workers;
      await three.dispose();

      // While the only worker of the high set is busy, a normal worker runs tasks of that set.
      const two = createTaskSystem({ workers: 1, highWorkers: 1, reportSeconds: 60 });
      const helping = await two.load(url);
      await isRunning(helping.run('hang', null, { set: 'high' }));
      const helped = await helping.run('where', null, { set: 'high' });
      await two.dispose();

      // One worker serves all sets. High tasks run before later urgent tasks of the normal set. Background
      // tasks count as normal.
      const one = createTaskSystem({ workers: 1 });
      const alone = await one.load(url);
      const log = sharedArray(Int32Array, 8);
      await alone.run('where');
      // With shared memory a worker takes tasks without a message of the page. It is kept busy until all tasks
      // are queued.
      const flag = sharedArray(Int32Array, 1);
      await isRunning(
        crossOriginIsolated ? alone.run('spin', { flag }) : alone.run('busy', { milliseconds: 50 }),
      );
      const labels: string[] = [];
      const rest = (
        [
          ['background', 'normal'],
          ['normal', 'normal'],
          ['background', 'high'],
          ['high', 'normal'],
          ['normal', 'high'],
          ['background', 'normal'],
        ] as const
      ).map(([set, priority]) =>
        alone.run('note', { log, label: labels.push(`${set} ${priority}`) - 1 }, { set, priority }),
      );
      Atomics.store(flag, 0, 1);
      await Promise.all(rest);
      await one.dispose();
      const order = [...log.subarray(1, 7)].map((label) => labels[label]);
      const refusals = [
        refused(() => createTaskSystem({ highWorkers: -1 })),
        refused(() => createTaskSystem({ workers: 60, backgroundWorkers: 10 })),
        refused(() => alone.run('where', null, { set: 'lowest' as never })),
      ];
      return { urgent, states, workers, helped, order, refusals };
    }, MODULE);
    expect(found).toEqual({
      urgent: ['worker', 8],
      states: ['queued', 'queued'],
      workers: 3,
      helped: 'worker',
      order: [
        'background high',
        'high normal',
        'normal high',
        'background normal',
        'normal normal',
        'background normal',
      ],
      refusals: ['option-out-of-range', 'option-out-of-range', 'option-invalid'],
    });
  });

  test(`the timeline has a lane for each worker with its tasks: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const ran: Record<string, string[]> = {};
      for (const taskWorkers of [0, 1, 2]) {
        const engine = await window.fencepost.createEngine(window.kit.view, { taskWorkers });
        const module = await engine.tasks.load(url);
        await engine.startTrace();
        const tasks = [1, 2].map(() => module.run('busy', { milliseconds: 20 }));
        await Promise.all([...tasks, module.run('fail').catch(() => null)]);
        const { traceEvents } = await engine.stopTrace();
        const lanes = new Map<number, string>();
        for (const { ph, name, tid, args } of traceEvents)
          if (ph === 'M' && name === 'thread_name') lanes.set(tid, String(args?.name));
        ran[taskWorkers] = traceEvents
          .filter(({ name }) => name.startsWith('task-module.'))
          .map(({ name, tid }) => `${lanes.get(tid)}: ${name}`)
          .sort();
        await engine.dispose();
      }
      return ran;
    }, MODULE);
    const barsOf = (lane: string) => ['busy', 'busy', 'fail'].map((name) => `${lane}: task-module.${name}`);
    expect(found).toMatchObject({ 0: barsOf('main thread'), 1: barsOf('task worker 1') });
    const tasks = (found[2] ?? []).map((bar) => bar.replace(/^task worker [12]/, 'a worker'));
    expect(tasks.sort()).toEqual(barsOf('a worker'));
  });

  test(`the timeline shows tasks of named threads, and runnables, in every threading mode: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const runnable = '/e2e/pages/runnable.js';
      const shown: Record<string, string[]> = {};
      const errors: string[] = [];
      for (const threading of ['single', 'render', 'render+rhi'] as const) {
        const engine = await window.fencepost.createEngine(window.kit.view, { threading, taskWorkers: 1 });
        engine.addEventListener('error', ({ detail }) => errors.push(detail.code));
        const { tasks } = engine;
        const module = await tasks.load(url);
        // This thread runs before the trace begins and after it ends.
        const echo = await tasks.createThread(runnable, { name: 'echo', args: { kind: 'echo' } });
        await engine.startTrace();
        for (const thread of ['game', 'render', 'rhi'] as const) {
          await module.run('busy', { milliseconds: 5 }, { thread });
          await module.run('fail', null, { thread }).catch(() => null);
        }
        const failing = await tasks.createThread(runnable, { name: 'falls', args: { kind: 'fails' } });
        await failing.done.catch(() => null);
        const deaf = await tasks.createThread(runnable, { name: 'deaf', args: { kind: 'deaf' } });
        deaf.kill();
        const { traceEvents } = await engine.stopTrace();
        const lanes = new Map<number, string>();
        for (const { ph, name, tid, args } of traceEvents)
          if (ph === 'M' && name === 'thread_name') lanes.set(tid, String(args?.name));
        shown[threading] = traceEvents
          .filter(({ name }) => /^(task-module|echo|falls|deaf)\./.test(name))
          .map(({ name, tid }) => `${lanes.get(tid)}: ${name}`)
          .sort();
        await echo.stop();
        await engine.dispose();
      }
      return { ...shown, errors };
    }, MODULE);
    const runnables = [
      'runnable deaf: deaf.init',
      'runnable deaf: deaf.run',
      'runnable echo: echo.run',
      'runnable falls: falls.exit',
      'runnable falls: falls.init',
      'runnable falls: falls.run',
    ];
    const tasksOf = (lane: string) => [`${lane}: task-module.busy`, `${lane}: task-module.fail`];
    const onLanes = (...lanes: string[]) => [...lanes.flatMap(tasksOf), ...runnables].sort();
    expect(found).toEqual({
      single: onLanes('main thread', 'main thread', 'main thread'),
      render: onLanes('main thread', 'render worker', 'render worker'),
      'render+rhi': onLanes('main thread', 'render worker', 'RHI worker'),
      errors: [1, 2, 3].flatMap(() => ['internal', 'task-thread-killed']),
    });
  });

  test(`T2 R5: named threads run tasks in every threading mode, and across a change of it: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const library = '/dist/tasks.js';
      const { sharedArray } = (await import(library)) as typeof Tasks;
      const names = ['game', 'render', 'rhi'] as const;
      const codeOf = (promise: PromiseLike<unknown>) =>
        promise.then(
          (value) => value,
          (error) => error.code,
        );
      const engine = await window.fencepost.createEngine(window.kit.view, {
        threading: 'single',
        taskWorkers: 1,
      });
      const module = await engine.tasks.load(url);
      const where = () => Promise.all(names.map((thread) => module.run('thread', null, { thread })));
      const results = [];
      for (const threading of ['single', 'render', 'render+rhi'] as const) {
        await engine.setThreading(threading);
        const places = await where();
        const onRender = { thread: 'render' } as const;
        const inLocal = { thread: 'render', queue: 'local' } as const;
        // The local queue waits until code on the thread processes it. Cancelled tasks leave the queue.
        const values = sharedArray(Float64Array, 4);
        const local = module.run('fill', { values, seed: 1 }, inLocal);
        const unwanted = module.run('where', null, inLocal);
        await module.run('where', null, onRender);
        const before = local.state;
        unwanted.cancel();
        unwanted.catch(() => {});
        const drained = await module.run('drain', null, onRender);
        await local;
        const nested = await codeOf(module.run('nest', null, onRender));
        const serving = module.run('serveLocal', null, onRender);
        const served = await module.run('thread', null, inLocal);
        const handle = await module.system.thread('render');
        handle.requestReturn('local');
        const returned = await serving;
        // The page's thread and threads that draw are never blocked, neither for tasks nor for a signal.
        const waits = [
          await codeOf(module.run('waitFor', { name: 'sum', args: { numbers: [1, 2] } }, onRender)),
          await codeOf(module.run('waitInVain', { words: sharedArray(Int32Array, 8) }, onRender)),
        ];
        const listed = module.system
          .threads()
          .filter(({ kind }) => kind !== 'worker' && kind !== 'other')
          .map(({ kind, name, names }) => [kind, name, ...(names ?? [])].join(', '));
        // The end of a frame runs the pending tasks of the game thread, before any other turn of the event
        // loop.
        let atFrameEnd = 'no tick';
        const endTick = engine.world.onTick(() => {
          const pending = module.run('where', null, { thread: 'game' });
          queueMicrotask(() => {
            atFrameEnd = pending.state;
          });
        });
        await engine.step(0);
        endTick();
        results.push({
          atFrameEnd,
          waits,
          listed,
          places,
          handle: [handle.name, handle.isHere],
          local: [before, drained, values[0] === 0, served === places[1]],
          ends: [nested, returned],
          fromPool: await module.run('sendOn', { to: names }),
          fromRender: await module.run('sendOn', { to: names }, onRender),
          thrown: await module.run('fail', null, onRender).catch((error: unknown) => String(error)),
        });
      }
      // A task that a thread has not begun moves to the replacement thread.
      const moved = module.run('thread', null, { thread: 'rhi', queue: 'local' });
      await module.run('where', null, { thread: 'rhi' });
      await engine.setThreading('render');
      await module.run('drain', null, { thread: 'rhi' });
      const after = await moved;
      const handle = await module.system.thread('render');
      const left = module.run('where', null, { thread: 'render', queue: 'local' });
      await module.run('where', null, { thread: 'render' });
      handle.requestShutdown();
      const ends = [await codeOf(left), await codeOf(module.run('where', null, { thread: 'render' }))];
      const { leaks } = await engine.dispose();
      return { results, after, ends, leaks };
    }, MODULE);
    const threads = {
      single: ['page game', 'page game', 'page game'],
      render: ['page game', 'worker.js render', 'worker.js render'],
      'render+rhi': ['page game', 'worker.js render', 'worker.js rhi'],
    };
    const pageAs = (...names: string[]) => ['page, The page’s thread', ...names].join(', ');
    const listed = {
      single: [pageAs('game', 'render', 'rhi')],
      render: [pageAs('game'), 'named, The render thread, render, rhi'],
      'render+rhi': [pageAs('game'), 'named, The render thread, render', 'named, The rhi thread, rhi'],
    };
    expect(found.results).toEqual(
      Object.entries(threads).map(([mode, places]) => ({
        atFrameEnd: 'done',
        // A signal whose memory is copied is refused for that reason first.
        waits: [
          'wait-not-possible',
          isolation === 'isolated' || mode === 'single' ? 'wait-not-possible' : 'memory-not-shared',
        ],
        listed: listed[mode as keyof typeof listed],
        places,
        handle: mode === 'single' ? ['game', true] : ['render', false],
        local: ['queued', 1, true, true],
        ends: ['queue-in-process', 'returned'],
        fromPool: places,
        fromRender: places,
        thrown: 'RangeError: No such thing.',
      })),
    );
    expect(found.after).toBe('worker.js render');
    expect(found.ends).toEqual(['thread-shut-down', 'thread-shut-down']);
    expect(found.leaks).toEqual([]);
  });

  test(`T4 T6 T12: recursive and measured loops, the caller’s own work and fibers work: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTasks(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const { createTaskSystem, sharedArray } = window.tasking;
      const results = [];
      for (const workers of [0, 1, 2]) {
        const tasks = createTaskSystem({ workers });
        const module = await tasks.load(url);
        const values = sharedArray(Float64Array, 1000);
        const order: string[] = [];
        const options = { batch: 9, flags: 'recursive', preWork: () => order.push('own work') } as const;
        const filled = module.parallelFor('fill', 1000, { values, seed: 0.7 }, options);
        order.push('called');
        await filled;
        const log = sharedArray(Int32Array, 1000);
        const callsOf = async () => {
          log.fill(0);
          await module.parallelFor('mark', 1000, { log });
          return log.reduce((sum, each) => sum + each, 0);
        };
        const unmeasured = await callsOf();
        for (let round = 0; round < 20; round++) await callsOf();
        const measured = await callsOf();
        // The page's thread runs its own queue during a loop. If the page runs the loop, it runs the queue
        // between two slices.
        const finished: string[] = [];
        await Promise.all([
          module
            .parallelFor('pause', 40, { milliseconds: 1 }, { batch: 1 })
            .then(() => finished.push('loop')),
          module.run('thread', null, { thread: 'game' }).then((thread) => finished.push(String(thread))),
        ]);
        // A task on the pool starts a loop. Then a task on a named thread starts one, and the thread runs its
        // local queue meanwhile.
        const byLoop = sharedArray(Float64Array, 1000);
        const startedBy = [await module.run('fillByLoop', { values: byLoop, seed: 0.7, flags: [] })];
        const isEqual = byLoop.every((each, index) => each === values[index]);
        const game = { thread: 'game' } as const;
        const pumping = module.run('fillByLoop', { values: byLoop, seed: 0.3, flags: 'pump' }, game);
        const localTask = module.run('thread', null, { ...game, queue: 'local' });
        startedBy.push(await localTask, await pumping, isEqual);
        const fiber = await module.run('fiber', { value: 4 });
        // Counters are words of shared memory. If memory is copied instead, a counter can't be sent to a
        // worker.
        let counted: unknown = 'copied';
        if (crossOriginIsolated || workers === 0) {
          const counter = tasks.counter(3);
          const { place } = counter;
          const state = sharedArray(Int32Array, 1);
          const begun = sharedArray(Int32Array, 1);
          const waiting = [1, 2, 3, 4].map(() => module.run('waits', { place, log: begun }));
          while (begun[0] !== 4) await new Promise((resolve) => setTimeout(resolve, 1));
          const walking = module.run('walk', { place, state });
          for (let count = 0; count < 3; count++) await module.run('countDown', { place });
          await counter.whenReached();
          counted = [await walking, state[0], await Promise.all(waiting)];
        } else counted = await window.codeOf(module.run('countDown', { place: tasks.counter(1).place }));
        results.push({
          workers,
          sum: values.reduce((sum, each) => sum + each, 0),
          order,
          unmeasured,
          measured,
          finished,
          startedBy,
          fiber,
          counted,
        });
        await tasks.dispose();
      }
      return results;
    }, MODULE);
    for (const { workers, sum, measured, unmeasured, ...rest } of found) {
      expect(sum).toBe(found[0]?.sum);
      expect(unmeasured).toBe(8 * Math.max(1, workers));
      // The number of calls depends on the clock and on other load. Unit tests check the costs exactly.
      expect(measured).toBeLessThanOrEqual(unmeasured);
      expect(rest).toEqual({
        order: ['own work', 'called'],
        finished: ['page game', 'loop'],
        startedBy: ['pool', 'page game', 'game', true],
        fiber: [8, 'No such thing.'],
        counted:
          isolation === 'isolated' || workers === 0 ? ['arrived', 4, [0, 0, 0, 0]] : 'memory-not-shared',
      });
    }
  });

  test(`T12: a loop that is measured as cheap becomes one call, and one that is measured as costly many: ${isolation}`, async ({
    context,
    page,
    isolatedURL,
    plainURL,
  }) => {
    // The workers' clock stands still, and only the task below moves it.
    await context.route('**/dist/task-worker.js', async (route) => {
      const response = await route.fetch();
      const clock =
        'let now = 1000; performance.now = () => now; globalThis.advance = (by) => { now += by; };';
      await route.fulfill({ response, body: `${clock}\n${await response.text()}` });
    });
    await openTasks(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const calls = await page.evaluate(async () => {
      const { createTaskSystem, sharedArray } = window.tasking;
      const source = `export default {
        mark({ log, milliseconds }, begin, end) {
          log[begin] = 1;
          advance(milliseconds * (end - begin));
        },
        costly({ log }, begin, end) {
          log[begin] = 1;
          advance(end - begin);
        },
      };`;
      const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
      const calls: number[][] = [];
      for (const workers of [1, 2]) {
        const tasks = createTaskSystem({ workers });
        const module = await tasks.load(url);
        const log = sharedArray(Int32Array, 1000);
        const callsOf = async (name: string, milliseconds = 0) => {
          log.fill(0);
          await module.parallelFor(name, 1000, { log, milliseconds });
          return log.reduce((sum, each) => sum + each, 0);
        };
        calls.push([
          await callsOf('mark'),
          await callsOf('mark'),
          await callsOf('costly'),
          await callsOf('costly'),
        ]);
        await tasks.dispose();
      }
      return calls;
    });
    expect(calls).toEqual([
      [8, 1, 8, 8],
      [16, 1, 16, 16],
    ]);
  });

  test(`T11 T13: runnables, the list of threads and values of threads work: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTasks(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const { createTaskSystem, sharedArray } = window.tasking;
      const { codeOf } = window;
      const runnable = '/e2e/pages/runnable.js';
      const reports: string[] = [];
      const onError = (error: unknown) => reports.push((error as { code?: string }).code ?? String(error));
      const hear = (channel: string, count: number) => {
        const heard = new Set<unknown>();
        return new Promise<unknown[]>((resolve) => {
          new BroadcastChannel(channel).onmessage = ({ data }) => {
            if (heard.add(data).size === count) resolve([...heard].sort());
          };
        });
      };
      const echo = (thread: Tasks.TaskThread) =>
        new Promise((resolve) => {
          thread.port.onmessage = ({ data }) => resolve(data);
          thread.port.postMessage('hello');
        });
      const tasks = createTaskSystem({ workers: 1, idleSeconds: 60, onError });
      const module = await tasks.load(url);
      const start = (kind: string, words?: Int32Array) =>
        tasks.createThread(runnable, { name: kind, args: { kind, words } });
      const first = await start('echo');
      const said = await echo(first);
      await module.run('where');
      const listed = tasks.threads().map(({ name, kind, state }) => `${kind} ${name} ${state}`);
      const stopped = [await first.stop(), await first.done, first.state];
      const reporting = await start('reports');
      // Creation has waited for `init`. The message of `init` is already in the port, or will be its first
      // message.
      const initialised = reporting.state;
      const words: unknown[] = [];
      const exits = new Promise<void>((resolve) => {
        reporting.port.onmessage = ({ data }) => {
          if (words.push(data) === 4) resolve();
        };
      });
      const outcome = [await reporting.stop(), await exits.then(() => words)];
      const refused = [await codeOf(start('refuses')), await codeOf(start('throws'))];
      const failed = await codeOf((await start('fails')).done);
      const broken = await start('breaks');
      const broke = [await codeOf(broken.done), broken.state];
      const deaf = await start('deaf');
      const killed = [await deaf.stop({ seconds: 0.05 }), await codeOf(deaf.done)];
      let shared: unknown = null;
      if (crossOriginIsolated) {
        const words = sharedArray(Int32Array, 2);
        const spinning = await start('spins', words);
        while (Atomics.load(words, 1) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        const spun = await spinning.stop();
        words.fill(0);
        const holding = await start('holds', words);
        while (Atomics.load(words, 1) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        holding.kill();
        shared = [
          spun,
          holding.state,
          await module.run('lockFree', { words }),
          words[0],
          tasks.isPoisoned(words),
        ];
      }
      // Clean-up runs when the system ends, and when the pool ends an idle worker.
      const cleaned = hear('cleaned', 1);
      const value = await module.run('local', { channel: 'cleaned' });
      const isKept = value === (await module.run('local', { channel: 'cleaned' }));
      const lasting = await start('echo');
      await tasks.dispose();
      const afterEnd = [isKept, (await cleaned)[0] === value, lasting.state];
      const idle = createTaskSystem({ workers: 1, idleSeconds: 0.1, onError });
      const given = hear('given back', 1);
      const other = await idle.load(url);
      const mine = await other.run('local', { channel: 'given back' });
      const givenBack = [(await given)[0] === mine, (await other.run('where')) === 'worker'];
      await idle.dispose();
      // Without workers the page itself runs the same threads.
      const none = createTaskSystem({ workers: 0, onError });
      const here = await none.createThread(runnable, { name: 'here', args: { kind: 'echo' } });
      const played = [await echo(here), await here.stop()];
      await none.dispose();
      return {
        said,
        listed,
        stopped,
        life: [initialised, ...outcome],
        refused,
        failed,
        broke,
        killed,
        shared,
        afterEnd,
        givenBack,
        played,
        reports,
      };
    }, MODULE);
    expect(found).toEqual({
      said: ['hello', 'undefined'],
      listed: ['page The page’s thread running', 'worker Worker 1 idle', 'runnable echo running'],
      stopped: ['ended', 'ended', 'ended'],
      life: ['running', 'ended', ['init', 'run', 'stop', 'exit']],
      refused: ['runnable-init-failed', 'runnable-init-failed'],
      failed: 'RangeError',
      broke: ['task-worker-died', 'killed'],
      killed: ['killed', 'task-thread-killed'],
      shared: isolation === 'isolated' ? ['ended', 'killed', 'refused', -1, true] : null,
      afterEnd: [true, true, 'ended'],
      givenBack: [true, true],
      played: [['hello', 'object'], 'ended'],
      reports: [
        'RangeError: Later.',
        'task-worker-died',
        'task-thread-killed',
        ...(isolation === 'isolated' ? ['task-thread-killed', 'lock-poisoned'] : []),
      ],
    });
  });
}
