/**
 * Bad input to tasks in Chromium gives a typed error or a sensible result. One page per isolation runs many
 * checks.
 */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.js';
import { MODULE, openTasks, type Refusal } from './open-tasks.js';

/** Serves modules whose content differs between workers and the page. */
async function serveModules(page: Page): Promise<void> {
  const fetched = new Map<string, number>();
  const answers: Readonly<Record<string, (time: number) => { status?: number; body: string }>> = {
    'throws.js': () => ({ body: `throw new RangeError('Thrown at load.');` }),
    'throws-in-workers.js': () => ({
      body: `if (typeof document === 'undefined') throw new RangeError('Thrown at load.'); export const first = () => 1;`,
    }),
    'gone-in-workers.js': (time) =>
      time === 0 ? { body: 'export const first = () => 1;' } : { status: 404, body: '' },
    'changing.js': (time) => ({ body: `export const ${time === 0 ? 'first' : 'second'} = () => 1;` }),
  };
  await page.context().route('**/task-modules/*', (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
    const time = fetched.get(name) ?? 0;
    fetched.set(name, time + 1);
    const answer = answers[name]?.(time) ?? { status: 404, body: '' };
    return route.fulfill({
      contentType: 'text/javascript',
      headers: {
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
        'Cache-Control': 'no-store',
      },
      ...answer,
    });
  });
}

for (const isolation of ['isolated', 'not isolated'] as const) {
  const isIsolated = isolation === 'isolated';

  test(`rejects invalid modules, names, arguments and counts with typed errors: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
    expectErrors,
  }) => {
    expectErrors(/404/);
    await serveModules(page);
    await openTasks(page, isIsolated ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const { refusalOf } = window;
      const tasks = window.tasking.createTaskSystem({ workers: 2 });
      const module = await tasks.load(url);
      const runOf = (name: string) => async () => (await tasks.load(`/task-modules/${name}`)).run('first');
      const values = window.tasking.sharedArray(Float64Array, 10);
      const refusals = {
        missing: await refusalOf(() => tasks.load('/task-modules/missing.js')),
        throws: await refusalOf(() => tasks.load('/task-modules/throws.js')),
        throwsInWorkers: await refusalOf(runOf('throws-in-workers.js')),
        goneInWorkers: await refusalOf(runOf('gone-in-workers.js')),
        changing: await refusalOf(runOf('changing.js')),
        unregistered: await refusalOf(() => module.run('smu')),
        inherited: await refusalOf(() => module.run('toString')),
        unregisteredInTask: await refusalOf(() => module.run('unknown')),
        unclonable: await refusalOf(() => module.run('sum', { numbers: document } as never)),
        unclonableRange: await refusalOf(() => module.parallelFor('fill', 10, { values: () => {} } as never)),
        unclonableResult: await refusalOf(() => module.run('unsendable')),
        negative: await refusalOf(() => module.parallelFor('fill', -1)),
        fraction: await refusalOf(() => module.parallelFor('fill', 1.5)),
        noNumber: await refusalOf(() => module.parallelFor('fill', Number.NaN)),
        endless: await refusalOf(() => module.parallelFor('fill', Number.POSITIVE_INFINITY)),
        tooMany: await refusalOf(() => module.parallelFor('fill', 2 ** 30 + 1)),
        text: await refusalOf(() => module.parallelFor('fill', '10' as never)),
        noBatch: await refusalOf(() => module.parallelFor('fill', 10, {}, { batch: -5 })),
        none: await refusalOf(() => module.parallelFor('fill', 0, { values, seed: 1 })),
        hugeBatch: await refusalOf(() =>
          module.parallelFor('fill', 10, { values, seed: 1 }, { batch: 2 ** 30 }),
        ),
        tooManyWorkers: await refusalOf(() => window.tasking.createTaskSystem({ workers: 1e9 })),
      };
      const ownRefusal = await refusalOf(() => module.run('cloneBadly'));
      const alive = await module.run('where');
      const failed = module.run('fail');
      const dependent = module.run('where', null, { prerequisites: [failed] });
      const error = await failed.catch((each: unknown) => each);
      const cause = await dependent.catch((each: unknown) => (each as Error).cause);
      const stats = tasks.stats();
      await tasks.dispose();
      return {
        refusals,
        ownRefusal,
        alive,
        thrown: { ...(await refusalOf(() => failed)) },
        isCause: cause === error,
        alone: values[9],
        stats: [stats.pending, stats.cancelled],
      };
    }, MODULE);
    const codes = Object.fromEntries(
      Object.entries(found.refusals).map(([name, refusal]) => [
        name,
        'code' in refusal ? refusal.code : 'accepted',
      ]),
    );
    expect(codes).toEqual({
      missing: 'task-module-failed',
      throws: 'task-module-failed',
      throwsInWorkers: 'task-module-failed',
      goneInWorkers: 'task-module-failed',
      changing: 'task-module-differs',
      unregistered: 'task-unknown',
      inherited: 'task-unknown',
      unregisteredInTask: 'task-unknown',
      unclonable: 'task-arguments-refused',
      unclonableRange: 'task-arguments-refused',
      unclonableResult: 'task-result-refused',
      negative: 'option-out-of-range',
      fraction: 'option-out-of-range',
      noNumber: 'option-out-of-range',
      endless: 'option-out-of-range',
      tooMany: 'option-out-of-range',
      text: 'option-out-of-range',
      noBatch: 'option-out-of-range',
      none: 'accepted',
      hugeBatch: 'accepted',
      tooManyWorkers: 'option-out-of-range',
    });
    const { missing, throws, throwsInWorkers, goneInWorkers, unregistered } = found.refusals as Record<
      string,
      Refusal
    >;
    expect(missing?.message).toMatch(/missing\.js\. Check its address, and what it imports\.$/);
    expect(throws?.message).toContain("throws.js can't be loaded in the page: Thrown at load.");
    expect(throwsInWorkers?.message).toMatch(
      /throws-in-workers\.js can't be loaded in .*worker.*Thrown at load\./i,
    );
    expect(goneInWorkers?.message).toContain('gone-in-workers.js');
    expect(unregistered?.message).toContain('no task "smu"');
    // The error keeps its class, message and stack, with the position in the module.
    expect(found.thrown).toMatchObject({ name: 'RangeError', message: 'No such thing.' });
    expect((found.thrown as Refusal).stack).toMatch(/task-module\.js:\d+/);
    expect(found.ownRefusal).toMatchObject({ name: 'DataCloneError' });
    expect(found).toMatchObject({ alive: 'worker', isCause: true, stats: [0, 1] });
    expect(found.alone).not.toBe(0);
  });

  test(`workers that hang, break or close themselves lose only their own tasks; pools of 0, 1 and 9 work: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTasks(page, isIsolated ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const { createTaskSystem, sharedArray } = window.tasking;
      const codeOf = (promise: PromiseLike<unknown>) =>
        promise.then(
          (value) => value,
          (error) => error.code,
        );
      const reports: { code: string; message: string }[] = [];
      const hearOf = (code: string, word: string) =>
        new Promise<string>((resolve) => {
          const look = () => {
            const report = reports.find((each) => each.code === code && each.message.includes(word));
            if (report) resolve(report.message);
            else setTimeout(look, 5);
          };
          look();
        });
      const onError = (error: unknown) => reports.push(error as (typeof reports)[number]);
      const tasks = createTaskSystem({ workers: 2, reportSeconds: 0.2, onError });
      const module = await tasks.load(url);

      // This task never returns. Other tasks continue.
      const hanging = module.run('hang');
      const slow = await hearOf('task-slow', 'hang');
      const besides = await module.run('where');
      await tasks.dispose();
      const hung = await codeOf(hanging);

      // There are two workers. The worker that breaks holds locks and an array.
      const pool = createTaskSystem({ workers: 2, onError });
      const breaking = await pool.load(url);
      const words = sharedArray(Int32Array, 8);
      // Locks are refused where memory is copied.
      const breaks = crossOriginIsolated ? 'dieWithLocks' : 'die';
      const died = codeOf(breaking.run(breaks, { words }));
      const queued = Array.from({ length: 20 }, () => breaking.run('where'));
      const closed = codeOf(breaking.run('close'));
      const deaths = [await died, await closed];
      const survivors = (await Promise.all(queued)).filter((where) => where === 'worker').length;
      const poisoned = pool.isPoisoned(words);
      const locks = await codeOf(breaking.run('lockAll', { words }));
      pool.clearPoison(words);
      const cleared = pool.isPoisoned(words);
      const refilled = await Promise.all([breaking.run('where'), breaking.run('where')]);
      // The tree is deeper than the number of workers, and has more tasks than a thread has slots.
      const deep = await breaking.run('count', { depth: 9 });
      const late = breaking.run('busy', { milliseconds: 5000 });
      const never = Array.from({ length: 5 }, () => breaking.run('where'));
      await pool.dispose();
      const abandoned = await Promise.all([late, ...never].map(codeOf));

      const pools = [];
      for (const workers of [0, 1, 9]) {
        const other = createTaskSystem({ workers, onError });
        const own = await other.load(url);
        const values = sharedArray(Float64Array, 100);
        await own.parallelFor('fill', 100, { values, seed: 0.3 });
        pools.push([await own.run('sum', { numbers: values }), await own.run('count', { depth: 4 })]);
        await other.dispose();
      }
      return {
        slow,
        besides,
        hung,
        deaths,
        survivors,
        poisoned,
        locks,
        cleared,
        refilled,
        deep,
        abandoned,
        pools,
        reports: reports
          .filter(({ code }) => code !== 'task-slow')
          .map(({ code, message }) => `${code}: ${message}`),
      };
    }, MODULE);
    expect(found.slow).toMatch(/The task "hang" of .*task-module\.js has run for 0\.2 s in Worker \d/);
    expect(found).toMatchObject({
      besides: 'worker',
      hung: 'tasks-disposed',
      deaths: ['task-worker-died', 'task-worker-died'],
      survivors: 20,
      // A worker's copy of an array is lost with the worker.
      poisoned: isIsolated,
      cleared: false,
      refilled: ['worker', 'worker'],
      deep: 512,
      abandoned: Array.from({ length: 6 }, () => 'tasks-disposed'),
    });
    // The worker held the third lock only for reading, so its death does not poison that lock.
    expect(found.locks).toEqual(
      isIsolated
        ? ['lock-poisoned', 'lock-poisoned', 'locked']
        : ['memory-not-shared', 'memory-not-shared', 'memory-not-shared'],
    );
    const [first, ...others] = found.pools;
    for (const other of others) expect(other).toEqual(first);
    expect(found.reports.filter((each) => each.startsWith('task-worker-died'))).toHaveLength(2);
    expect(found.reports.filter((each) => each.startsWith('lock-poisoned'))).toHaveLength(isIsolated ? 2 : 0);
    expect(found.reports.join()).toContain(isIsolated ? 'dieWithLocks' : '"die"');
    expect(found.reports.join()).toContain('closed itself');
  });
}

for (const isolation of ['isolated', 'not isolated'] as const)
  test(`an exception in onError is reported, and delays nothing: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
    expectErrors,
  }) => {
    expectErrors(/The listener threw/);
    await openTasks(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      let reports = 0;
      const tasks = window.tasking.createTaskSystem({
        workers: 1,
        onError: () => {
          reports++;
          throw new Error('The listener threw.');
        },
      });
      const module = await tasks.load(url);
      tasks.onShutdown(() => {
        throw new Error('Not yet.');
      });
      const done = tasks.event('done');
      module.fire('fail', null, { triggers: [done] });
      const code = await window.codeOf(done);
      const sum = await module.run('sum', { numbers: [1, 2] });
      await tasks.dispose();
      return { reports, code, sum };
    }, MODULE);
    expect(found).toEqual({ reports: 2, code: 'prerequisite-failed', sum: 3 });
  });

test('tasks run under a policy without unsafe-eval and without blob: workers', async ({
  page,
  isolatedURL,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/WebSocket/); // the policy does not allow the development server's socket
  const policy =
    "default-src 'self'; img-src data:; script-src 'self'; worker-src 'self'; require-trusted-types-for 'script'";
  // A worker's policy comes with the response of its own script.
  await page.context().route(/\.(html|js)(\?|$)/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), 'content-security-policy': policy } });
  });
  for (const origin of [isolatedURL, plainURL]) {
    await openTasks(page, origin);
    const found = await page.evaluate(async (url) => {
      const tasks = window.tasking.createTaskSystem({ workers: 1 });
      const module = await tasks.load(url);
      const values = window.tasking.sharedArray(Float64Array, 10);
      await module.parallelFor('fill', 10, { values, seed: 1 });
      const results = [
        await module.run('compile'),
        await module.run('where'),
        await module.run('sum', { numbers: [1, 2] }),
        values[0],
      ];
      await tasks.dispose();
      return results;
    }, MODULE);
    expect(found).toEqual(['EvalError', 'worker', 3, 0]);
  }
});
