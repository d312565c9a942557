/** R9: workers of the engine's pool that hang, die or are slow, in every threading mode. */
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODULE } from './open-tasks.js';
import { modesOf } from './threading-modes.js';

for (const isolation of ['isolated', 'not isolated'] as const) {
  for (const threading of modesOf(isolation)) {
    test(`R9: a task worker that hangs or dies is replaced and reported with its name and its task, ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      test.setTimeout(timeLimit(120_000));
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      const found = await page.evaluate(
        async ([threading, url]) => {
          const { fencepost, kit } = window;
          const engine = await fencepost.createEngine(kit.view, {
            ...{ threading, taskWorkers: 1 },
            watchdog: { restartSeconds: 0.5, taskHangSeconds: 1 },
          });
          const errors: { code: string; message: string; details: Readonly<Record<string, string>> }[] = [];
          engine.addEventListener('error', ({ detail }) => {
            const { code, message, details = {} } = detail;
            errors.push({ code, message, details });
          });
          const module = await engine.tasks.load(url);
          const codes: string[] = [];
          // In shared memory, another task starts the task that hangs, and the report names the inner task.
          const hangs = crossOriginIsolated ? 'hangInside' : 'hang';
          for (const name of [hangs, 'die', 'close']) {
            codes.push((await kit.refusal(() => module.run(name))).code);
            codes.push(String(await module.run('where')));
          }
          // Without shared memory, the page can't know whether the worker has begun the task that was sent. So
          // it does not notice that the worker hangs before that task.
          if (crossOriginIsolated) {
            const channel = new BroadcastChannel('hangs');
            const hung = new Promise((resolve) =>
              channel.addEventListener('message', resolve, { once: true }),
            );
            await module.run('hangAfterwards', { channel: 'hangs' });
            await hung;
            codes.push(String(await module.run('where')));
          }
          const { leaks } = await engine.dispose();
          return { codes, errors, leaks };
        },
        [threading, MODULE] as const,
      );
      const replaced = ['task-worker-died', 'worker'];
      const isolated = isolation === 'isolated';
      expect(found.codes).toEqual([...replaced, ...replaced, ...replaced, ...(isolated ? ['worker'] : [])]);
      expect(found.leaks).toEqual([]);
      const taskOf = (name: string) =>
        expect.stringMatching(new RegExp(`^"${name}" of http.*task-module\\.js$`));
      const evidence = {
        verdict: expect.stringMatching(/^(hung|starved)$/),
        silentSeconds: expect.stringMatching(/^\d+\.\d$/),
        lateSeconds: expect.stringMatching(/^\d+\.\d$/),
        processorShare: expect.stringMatching(/^[01]\.\d\d$/),
      };
      const reports = found.errors.filter(({ code }) => code === 'task-worker-died');
      expect(reports.map(({ details }) => details)).toEqual([
        { thread: 'Worker 1', task: taskOf('hang'), ...evidence },
        { thread: 'Worker 1', task: taskOf('die') },
        { thread: 'Worker 1', task: taskOf('close') },
        ...(isolated ? [{ thread: 'Worker 1', ...evidence }] : []),
      ]);
      for (const { message } of reports) expect(message).toMatch(/^Worker 1 of the task system died/);
    });

    test(`R9: a slow task is neither reported as hung nor ended, ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      const found = await page.evaluate(
        async ([threading, url]) => {
          const { fencepost, kit } = window;
          const engine = await fencepost.createEngine(kit.view, {
            ...{ threading, taskWorkers: 1 },
            watchdog: { reportSeconds: 0.1, restartSeconds: 0.2 },
          });
          const errors = kit.listen(engine);
          const module = await engine.tasks.load(url);
          const slow = module.run('busy', { milliseconds: 2000 });
          const behind = module.run('where');
          const results = [await slow, await behind];
          const threads = engine.tasks.threads().filter(({ kind }) => kind === 'worker').length;
          await engine.dispose();
          return { results, threads, errors: errors.filter((each) => each.includes('task-worker-died')) };
        },
        [threading, MODULE] as const,
      );
      expect(found).toEqual({ results: [2000, 'worker'], threads: 1, errors: [] });
    });
  }
}
