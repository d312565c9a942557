/**
 * Tasks that start tasks, wait for them, and are ordered by events, in Chromium with real workers. Isolated
 * pages pass tasks through queues in shared memory, other pages by messages.
 */
import { expect, test } from './fixtures.js';
import { MODULE, openTasks } from './open-tasks.js';

for (const isolation of ['isolated', 'not isolated'] as const) {
  const isIsolated = isolation === 'isolated';

  test(`T1 T7: held tasks, events, postponed completion and triggers work, and cycles are refused: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTasks(page, isIsolated ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const { codeOf } = window;
      const tasks = window.tasking.createTaskSystem({ workers: 1 });
      const module = await tasks.load(url);
      const calls: string[] = [];
      tasks.onShutdown(() => calls.push('shutdown'));
      const held = module.run('sum', { numbers: [1, 2] }, { hold: true });
      const gate = tasks.event('gate');
      held.addPrerequisite(gate);
      const behind = module.run('where', null, { prerequisites: [held.share()] });
      const circle = (() => {
        try {
          held.addPrerequisite(behind);
          return 'accepted';
        } catch (error) {
          return [(error as { code: string }).code, (error as Error).message.split('waits for').length];
        }
      })();
      held.unlock();
      gate.trigger();
      const channel = new BroadcastChannel('graph');
      const hear = () =>
        new Promise((resolve) => channel.addEventListener('message', resolve, { once: true }));
      const runs = hear();
      const busy = module.run('untilMessage', { channel: 'graph' });
      await runs;
      const late = tasks.event<number>('late');
      busy.doNotCompleteUntil(late);
      const done = tasks.event('done');
      module.fire('where', null, { triggers: [done], prerequisites: [busy] });
      const ended = hear();
      channel.postMessage('released');
      await ended;
      // The only worker runs this task once the busy task has ended.
      await module.run('where');
      const before = [busy.state, done.state];
      late.trigger(7);
      await done;
      const after = [busy.state, done.state, await late];
      const results = [await held, await behind];
      const left = module.run('where', null, { prerequisites: [tasks.event('never')] });
      await tasks.dispose();
      return { circle, before, after, results, calls, left: await codeOf(left) };
    }, MODULE);
    expect(found).toEqual({
      circle: ['task-cycle', 3],
      before: ['running', 'waiting'],
      after: ['done', 'done', 7],
      results: [3, 'worker'],
      calls: ['shutdown'],
      left: 'tasks-disposed',
    });
  });

  test(`T3 T5 T6 T9: tasks start tasks and await them, nested deeper than the pool: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTasks(page, isIsolated ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const { codeOf } = window;
      const results = [];
      for (const workers of [0, 1, 2, 4]) {
        const reports: unknown[] = [];
        const tasks = window.tasking.createTaskSystem({
          workers,
          onError: (error) => reports.push(String(error)),
        });
        const module = await tasks.load(url);
        const into = window.tasking.sharedArray(Int32Array, 40);
        const spread = module.run('spread', { into });
        const failing = module.run('failing');
        const leaves = await module.run('count', { depth: 7 });
        await spread;
        // No task waits for these writes, so their end is polled.
        while (into.some((value, at) => value !== at + 1))
          await new Promise((resolve) => setTimeout(resolve, 1));
        results.push({
          leaves,
          failing: await failing,
          progress: failing.progress,
          blocking: await codeOf(module.run('countBlocking', { depth: 10 })),
          done: tasks.stats().done,
          reports,
        });
        await tasks.dispose();
      }
      return results;
    }, MODULE);
    expect(found).toHaveLength(4);
    for (const [index, each] of found.entries()) {
      const canBlock = isIsolated && index > 0;
      expect(each).toEqual({
        leaves: 128,
        failing: ['RangeError: No such thing.', 'prerequisite-failed: No such thing.'],
        progress: 1,
        // The page's thread never blocks, and without shared memory workers can't block either.
        blocking: canBlock ? 1024 : 'wait-not-possible',
        // The trees have 255 and 2,047 tasks, `spread` and its writes are 41 tasks, and `failing` is one. Tasks
        // that found no slot count as well.
        done: canBlock ? 2344 : expect.any(Number),
        reports: [],
      });
    }
  });

  test(`T3: ${isIsolated ? '20,000' : '500'} tasks run once each, whichever workers are asleep when they are queued: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTasks(page, isIsolated ? isolatedURL : plainURL);
    const total = isIsolated ? 20_000 : 500;
    const found = await page.evaluate(
      async ({ url, total }) => {
        const tasks = window.tasking.createTaskSystem({ workers: 3 });
        const module = await tasks.load(url);
        const values = window.tasking.sharedArray(Int32Array, 1);
        let left = total;
        // Bursts of all sizes, with pauses in which workers fall asleep.
        for (let burst = 1; left > 0; burst = (burst * 7) % 997) {
          const futures = Array.from({ length: Math.min(left, burst) }, () => module.run('add', { values }));
          left -= futures.length;
          await Promise.all(futures);
          if (burst % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        }
        const stats = tasks.stats();
        await tasks.dispose();
        return { value: values[0], stats };
      },
      { url: MODULE, total },
    );
    expect(found.stats).toMatchObject({ done: total, failed: 0, pending: 0, isShared: isIsolated });
    if (isIsolated) expect(found.value).toBe(total);
  });

  test(`T5: a blocking wait for a task that needs the same thread is refused: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTasks(page, isIsolated ? isolatedURL : plainURL);
    const codes = await page.evaluate(async (url) => {
      const { codeOf } = window;
      const tasks = window.tasking.createTaskSystem({ workers: 1 });
      const module = await tasks.load(url);
      const codes = [
        await codeOf(module.run('waitFor', { name: 'yields', args: { milliseconds: 1 } })),
        await codeOf(module.run('waitFor', { name: 'pauses', args: null })),
        await codeOf(module.run('waitDeep', { depth: 100 })),
        await codeOf(module.run('waitDeep', { depth: 200 })),
        await codeOf(module.run('waitFor', { name: 'sum', args: { numbers: [1, 2] } })),
      ];
      await tasks.dispose();
      return codes;
    }, MODULE);
    const refused = 'wait-not-possible';
    expect(codes).toEqual(isIsolated ? [refused, refused, 100, refused, 3] : Array(5).fill(refused));
  });

  test(`T5: a task that awaits something frees its worker for others, or only for its own tasks if not isolated: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTasks(page, isIsolated ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const tasks = window.tasking.createTaskSystem({ workers: 1 });
      const module = await tasks.load(url);
      const channel = new BroadcastChannel('awaits');
      const runs = new Promise((resolve) => channel.addEventListener('message', resolve, { once: true }));
      const slow = module.run('untilMessage', { channel: 'awaits' });
      await runs;
      const quick = module.run('where');
      // The slow task ends only on request, after the tasks that the worker has run meanwhile.
      if (crossOriginIsolated) await quick;
      const states = [slow.state, quick.state];
      channel.postMessage('released');
      const results = await Promise.all([slow, quick]);
      await tasks.dispose();
      return { states, results };
    }, MODULE);
    // With messages a worker runs one task at a time, except for tasks that its own tasks have started.
    expect(found).toEqual({
      states: ['running', isIsolated ? 'done' : 'queued'],
      results: ['released', 'worker'],
    });
  });
}

test('T5: tasks without a slot in shared memory also wait for the tasks that they start: isolated', async ({
  page,
  isolatedURL,
}) => {
  await openTasks(page, isolatedURL);
  const found = await page.evaluate(async (url) => {
    const { codeOf, tasking } = window;
    // Three tasks of `waitForFailing` block and a fourth spins. Each may be on a worker of its own, so the task for
    // which they wait needs a fifth worker.
    const tasks = tasking.createTaskSystem({ workers: 5 });
    const module = await tasks.load(url);
    // These tasks have begun, and occupy all 256 slots of the page until the counter is done.
    const counter = tasks.counter(1);
    const log = tasking.sharedArray(Int32Array, 4);
    const slots = Array.from({ length: 256 }, () => module.run('waits', { place: counter.place, log }));
    const deep = Array.from({ length: 100 }, (_, each) => module.run('waitDeep', { depth: each % 5 }));
    const words = tasking.sharedArray(Int32Array, 1);
    const found = {
      deep: await Promise.all(deep),
      many: await module.run('countBlocking', { depth: 10 }),
      failing: await codeOf(module.run('waitForFailing', { begun: words, depth: 3 })),
      fails: await codeOf(module.run('waitFor', { name: 'fail' })),
      left: slots.filter(({ isSettled }) => !isSettled).length,
    };
    counter.done();
    await Promise.all(slots);
    const { failed, pending } = tasks.stats();
    await tasks.dispose();
    return { ...found, failed, pending };
  }, MODULE);
  expect(found).toEqual({
    deep: Array.from({ length: 100 }, (_, each) => each % 5),
    many: 1024,
    failing: 'RangeError',
    fails: 'RangeError',
    left: 256,
    // Failed tasks include the tasks that each failing task has started.
    failed: 7,
    pending: 0,
  });
});

test('T3 T5: blocked threads do not keep tasks sent by message from running: isolated', async ({
  page,
  isolatedURL,
}) => {
  await openTasks(page, isolatedURL);
  const found = await page.evaluate(async (url) => {
    const tasks = window.tasking.createTaskSystem({ workers: 2 });
    const module = await tasks.load(url);
    const { sharedArray } = window.tasking;
    const held = await module.run('holdsForMessage', { begun: sharedArray(Int32Array, 1) });
    // One of the two workers is blocked until 600 other tasks have run. These tasks need more slots than there
    // are.
    const counter = tasks.counter(600);
    const { place } = counter;
    const blocked = module.run('blocks', { place });
    await Promise.all(Array.from({ length: 600 }, () => module.run('countDown', { place })));
    await blocked;
    // 400 tasks wait for one last task. They need more slots than there are.
    const last = tasks.counter(1);
    const log = sharedArray(Int32Array, 1);
    const waiting = Array.from({ length: 400 }, () => module.run('waits', { place: last.place, log }));
    await module.run('countDown', { place: last.place });
    await Promise.all(waiting);
    await tasks.dispose();
    return { held, waited: log[0] };
  }, MODULE);
  expect(found).toEqual({ held: 1, waited: 400 });
});

test('T5: after an await, a task can block for more tasks than its worker has slots; statistics count them: isolated', async ({
  page,
  isolatedURL,
}) => {
  await openTasks(page, isolatedURL);
  const found = await page.evaluate(async (url) => {
    const tasks = window.tasking.createTaskSystem({ workers: 2 });
    const module = await tasks.load(url);
    const sum = await module.run('awaitsThenWaits', { count: 2000 });
    const log = window.tasking.sharedArray(Int32Array, 2000);
    await module.run('startsMarks', { log });
    while (tasks.stats().pending > 0) await new Promise((resolve) => setTimeout(resolve));
    const marked = log.reduce((sum, each) => sum + each, 0);
    await tasks.dispose();
    return { sum, marked };
  }, MODULE);
  expect(found).toEqual({ sum: 2000 * 1999, marked: 2000 });
});

test('T5: refuses to wait for a task that another task on the same thread has started by message: isolated', async ({
  page,
  isolatedURL,
}) => {
  await openTasks(page, isolatedURL);
  const found = await page.evaluate(async (url) => {
    const tasks = window.tasking.createTaskSystem({ workers: 1 });
    const module = await tasks.load(url);
    // The only worker has both tasks before the page receives the started one.
    const starting = module.run('keepsStarted');
    const waiting = module.run('waitsForKept');
    const found = { waited: await window.codeOf(waiting), started: await starting };
    await tasks.dispose();
    return found;
  }, MODULE);
  expect(found).toEqual({ waited: 'wait-not-possible', started: 42 });
});

test('T6: a task with its state in shared memory continues on another worker: isolated', async ({
  page,
  isolatedURL,
}) => {
  await openTasks(page, isolatedURL);
  const found = await page.evaluate(async (url) => {
    const { createTaskSystem, sharedArray } = window.tasking;
    const tasks = createTaskSystem({ workers: 2 });
    const module = await tasks.load(url);
    const turn = () => new Promise((resolve) => setTimeout(resolve, 1));
    for (;;) {
      const words = sharedArray(Int32Array, 3);
      const counter = tasks.counter(1);
      const walking = module.run('goesOn', { words, place: counter.place, part: 1 });
      while (Atomics.load(words, 0) === 0) await turn();
      // The worker of the first part queues the second part at some turn of its event loop. Until then, urgent
      // tasks occupy both workers, so that neither runs it.
      const urgent = Array.from({ length: 200 }, () =>
        module.run('pause', { milliseconds: 1 }, { priority: 'high' }),
      );
      const left = () => urgent.filter(({ isSettled }) => !isSettled).length;
      counter.done();
      while (left() > 0 && tasks.stats().pending - left() < 2) await turn();
      // Then two tasks occupy the workers. The task on the first worker keeps it. The task on the other worker
      // ends, so that worker runs the second part.
      const held = [1, 2].map(() => module.run('holdFirst', { words }, { priority: 'high' }));
      while (Atomics.load(words, 1) === 0) await turn();
      // On a busy machine the second part may have run before these tasks started.
      while (Atomics.load(words, 2) === 0) await turn();
      const isAnother = words[2] !== words[0];
      Atomics.store(words, 1, 2);
      await Promise.all([...held, ...urgent]);
      const came = await walking;
      if (!isAnother) continue;
      await tasks.dispose();
      return { isAnother, came };
    }
  }, MODULE);
  expect(found).toEqual({ isAnother: true, came: 'arrived' });
});

test('a module of another version in a worker is refused, isolated and not', async ({
  page,
  context,
  isolatedURL,
  plainURL,
}) => {
  let fetched = 0;
  await context.route('**/changing-tasks.js', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      headers: {
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
      },
      body: fetched++ === 0 ? 'export const first = () => 1;' : 'export const second = () => 2;',
    }),
  );
  for (const origin of [isolatedURL, plainURL]) {
    fetched = 0;
    await openTasks(page, origin);
    const code = await page.evaluate(async () => {
      const tasks = window.tasking.createTaskSystem({ workers: 1 });
      const module = await tasks.load('/changing-tasks.js');
      const code = await window.codeOf(module.run('first'));
      await tasks.dispose();
      return code;
    });
    expect(code).toBe('task-module-differs');
  }
});

test('T5: an error of a task on another worker reaches the page through the tasks that blocked for it', async ({
  page,
  isolatedURL,
}) => {
  await openTasks(page, isolatedURL);
  const failures = await page.evaluate(async (url) => {
    const { createTaskSystem, sharedArray } = window.tasking;
    // A blocked worker sleeps and takes no new tasks, so the pool has one worker more than tasks that wait.
    const tasks = createTaskSystem({ workers: 4 });
    const module = await tasks.load(url);
    const failures: string[] = [];
    for (const depth of [0, 1, 2]) {
      const begun = sharedArray(Int32Array, 1);
      await module.run('waitForFailing', { begun, depth }).catch((error: unknown) => {
        const { name, stack = '' } = error as Error;
        failures.push(`${name} ${stack.split('\n')[1]?.trim()}`);
      });
    }
    await tasks.dispose();
    return failures;
  }, MODULE);
  expect(failures).toEqual(
    Array(3).fill(expect.stringMatching(/^RangeError at failAfterBegin .*task-module/)),
  );
});
