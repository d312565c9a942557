/** Who runs tasks, in Chromium with real threads: sets of workers, named threads. */
import type * as Tasks from '../src/tasks.js';
import { expect, test } from './fixtures.js';
import { MODULE, openTasks } from './open-tasks.js';

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`T2: workers in three sets, two priorities, and what runs where a set is missing: ${isolation}`, async ({
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
      // One worker of each set. Normal and background ones never come to an end: the high one is free for what is urgent.
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
        // What a task starts stays in its set.
        await module.run('count', { depth: 3 }, { set: 'high' }),
      ];
      const states = held.map(({ state }) => state);
      const workers = three.stats().workers;
      await three.dispose();

      // A normal worker helps the high ones, and the background's leave it alone.
      const two = createTaskSystem({ workers: 1, highWorkers: 1, reportSeconds: 60 });
      const helping = await two.load(url);
      await isRunning(helping.run('hang', null, { set: 'high' }));
      const helped = await helping.run('where', null, { set: 'high' });
      await two.dispose();

      // One worker for all: high tasks go before urgent ones of the normal set that came later, background ones are normal.
      const one = createTaskSystem({ workers: 1 });
      const alone = await one.load(url);
      const log = sharedArray(Int32Array, 8);
      await alone.run('where');
      // In shared memory a worker takes jobs without a word of the page's: it is held back until all are there.
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
}
