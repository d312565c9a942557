// Shared fences in Chromium between a page, workers and the queues of their devices (SYSTEMS F1–F9, F11–F13). They use
// shared memory where the page is isolated, messages where it is not, and a mixture of both.
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.js';
import { openLoadedPage } from '../open-engine-page.js';

async function open(page: Page, origin: string): Promise<void> {
  await openLoadedPage(page, `${origin}/e2e/pages/fences.html`);
}

const ROUNDS = 5;
const rounds = Array.from({ length: ROUNDS }, (_, index) => index + 1);

test('F3: a pool worker blocks on a fence, and the page waits asynchronously because it must not block', async ({
  page,
  isolatedURL,
}) => {
  await open(page, isolatedURL);
  expect(await page.evaluate((count) => window.fenceTests.pingPong('block', count), ROUNDS)).toEqual({
    seen: rounds,
    answer: { timedOut: 'wait-timed-out' },
    refusedHere: 'blocking-refused',
    last: 1,
  });
});

for (const [isolation, by] of [
  ['isolated', undefined],
  ['isolated', 'messages'],
  ['plain', undefined],
] as const) {
  test(`F1, F2: signals and asynchronous waits work across threads, ${isolation}${by ? ', by messages' : ''}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await open(page, isolation === 'isolated' ? isolatedURL : plainURL);
    expect(
      await page.evaluate(([count, form]) => window.fenceTests.pingPong('event', count, form), [
        ROUNDS,
        by,
      ] as const),
    ).toEqual({
      seen: rounds,
      answer: { refused: 'blocking-refused' },
      refusedHere: 'blocking-refused',
      last: 1,
    });
  });

  test(`F8: two devices wait for each other’s signals, ${isolation}${by ? ', by messages' : ''}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await open(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const { order, answer, waits, errors } = await page.evaluate(
      ([count, form]) => window.fenceTests.twoDevices(count, form),
      [3, by] as const,
    );
    expect(order).toEqual(['1 after true', '2 after true', '3 after true']);
    expect(answer).toMatchObject({ submittedBefore: 0, values: [10, 20, 30], errors: [] });
    expect([waits, errors]).toEqual([3, []]);
  });
}

for (const isolation of ['isolated', 'plain'] as const) {
  test(`F4, F9: a GPU wait holds submissions in order until a CPU signals, and both are logged, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await open(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const { values, answer } = await page.evaluate(
      (count) => window.fenceTests.heldSubmissions(count),
      ROUNDS,
    );
    // Each answer came after its signal, although all commands were recorded before.
    expect(values).toEqual(rounds.map((round) => round - 1));
    expect(answer).toMatchObject({
      submittedBefore: 0,
      values: rounds.map((round) => round * 10),
      refused: 'blocking-refused',
      errors: [],
    });
    const { waits, signals } = answer as Record<string, object[]>;
    const logged = (operation: string) => rounds.map((value) => ({ value, operation, inOrder: true }));
    expect(waits).toMatchObject(logged('WAIT_UNBLOCKED'));
    expect(signals).toMatchObject(logged('SIGNAL_EXECUTED'));
  });

  for (const namesQueues of [false, true]) {
    test(`F9, F11: an overflowed log loses entries but no wake-up, ${isolation}, naming ${namesQueues ? 'queues' : 'fences'}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await open(page, isolation === 'isolated' ? isolatedURL : plainURL);
      expect(await page.evaluate((names) => window.fenceTests.overflow(names), namesQueues)).toEqual({
        // In shared memory the waiting thread reads the log itself. It finds the overflow and checks every
        // fence.
        there: { value: 300, scans: namesQueues && isolation === 'isolated' ? 1 : 0 },
        lost: 175,
        read: 125,
        isLossy: true,
        progress: 1,
      });
    });
  }

  test(`F6: a GPU signal or wait beyond half the range is refused at once, and blocks nothing, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await open(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const refused = ['fence-out-of-range', 'fence-out-of-range'];
    expect(await page.evaluate(() => window.fenceTests.halfRange())).toEqual({
      atOnce: refused,
      errors: refused,
      value: 2 ** 31 - 1,
    });
  });

  test(`a device loss before its signal ends another thread’s wait with that error, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
    expectErrors,
  }) => {
    expectErrors(/lost|destroyed/i);
    await open(page, isolation === 'isolated' ? isolatedURL : plainURL);
    expect(await page.evaluate(() => window.fenceTests.failure())).toEqual({
      answer: { heard: 'device-lost', name: 'RhiError' },
      here: 'device-lost',
    });
  });
}

test('F4: a GPU wait submits the commands before it, and holds the commands behind it', async ({
  page,
  isolatedURL,
}) => {
  await open(page, isolatedURL);
  expect(await page.evaluate(() => window.fenceTests.flushBeforeWait())).toEqual({ held: [1], all: [1, 1] });
});

const FORMS = [
  ['isolated', undefined],
  ['isolated', 'messages'],
  ['plain', undefined],
] as const;

for (const [isolation, by] of FORMS) {
  const label = `${isolation}${by ? ', by messages' : ''}`;
  for (const backend of ['webgpu', 'null'] as const) {
    test(`F1: a queue signals and awaits all 64 bits, ${backend}, ${label}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await open(page, isolation === 'isolated' ? isolatedURL : plainURL);
      expect(
        await page.evaluate(([kind, form]) => window.fenceTests.wide(kind, form), [backend, by] as const),
      ).toEqual({
        first: [true, true, false],
        held: 1,
        stillHeld: 1,
        answer: { value: 2n ** 60n + 1n },
        after: [3n, 2],
        refused: 'bad-fence-value',
        errors: [],
      });
    });
  }

  test(`F7: the GPU signals of a list share one notification, ${label}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await open(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const { rings, logged, answer } = await page.evaluate((form) => window.fenceTests.batch(20, form), by);
    expect([rings, logged]).toEqual([1, 20]);
    expect(answer).toEqual({ notifications: 1 });
  });

  test(`F8: every signal of a cross-device fence notifies the other device, ${label}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await open(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const rings = (isCrossDevice: boolean) =>
      page.evaluate(([is, form]) => window.fenceTests.unawaited(is, form), [isCrossDevice, by] as const);
    expect([await rings(true), await rings(false)]).toEqual([3, 0]);
  });

  test(`F7: a thread in the group creates a fence that other threads open, ${label}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await open(page, isolation === 'isolated' ? isolatedURL : plainURL);
    expect(await page.evaluate((form) => window.fenceTests.createdElsewhere(form), by)).toEqual({
      value: 5,
      first: 5,
      there: { value: 7, scans: 0 },
      last: { value: 9 },
    });
  });
}

for (const [isolation, by] of FORMS) {
  const label = `${isolation}${by ? ', by messages' : ''}`;
  const inMemory = isolation === 'isolated' && !by;
  const openOrigin = (page: Page, isolatedURL: string, plainURL: string): Promise<void> =>
    open(page, isolation === 'isolated' ? isolatedURL : plainURL);

  test(`F5: signals below the monitored value notify nobody, ${label}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openOrigin(page, isolatedURL, plainURL);
    expect(await page.evaluate((form) => window.fenceTests.monitored(6, form), by)).toEqual({
      rings: [0, 0, 0, 0, 0, 1],
      there: { value: 6, notifications: 1, named: 1, scans: 0 },
    });
  });

  test(`F11: a notification names the queue, whose log releases the waiter, ${label}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openOrigin(page, isolatedURL, plainURL);
    // In shared memory the waiter reads the log, which names its fence once. Otherwise its proxy reads the log
    // and names the fence.
    expect(await page.evaluate((form) => window.fenceTests.byQueue(form), by)).toEqual({
      value: 2,
      notifications: 1,
      named: 1,
      scans: 0,
    });
  });

  test(`F12: waiters of a value that was already reached are woken without another signal, ${label}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openOrigin(page, isolatedURL, plainURL);
    expect(await page.evaluate((form) => window.fenceTests.wakeOnly(form), by)).toEqual({
      isNotifiedEarly: false,
      value: 3,
      there: { value: 3, notifications: 1, named: 1, scans: 0 },
    });
  });

  test(`F12: a plain fence opens as a native one, and one notification wakes the waiters of both, ${label}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openOrigin(page, isolatedURL, plainURL);
    expect(await page.evaluate((form) => window.fenceTests.plainAndNative(form), by)).toMatchObject({
      there: { value: 2 },
      notifications: inMemory ? 1 : expect.any(Number),
      values: [1, 1],
    });
  });

  test(`F13: logs can grow, be destroyed and be recreated while their queue runs, ${label}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openOrigin(page, isolatedURL, plainURL);
    expect(await page.evaluate((form) => window.fenceTests.logLife(form), by)).toEqual({
      seen: [
        [133, 0, false],
        [0, 0, true],
        [4, 0, true],
        [1, 0, false],
      ],
      value: 140,
    });
  });
}

for (const [isolation, one, two] of [
  ['isolated', undefined, undefined],
  ['isolated', 'messages', undefined],
  ['isolated', 'messages', 'messages'],
  ['plain', undefined, undefined],
] as const) {
  const how = (by?: 'messages'): string => (by || isolation === 'plain' ? 'messages' : 'memory');
  test(`F8: every pairing of CPU and GPU works in both directions, by ${how(one)} and by ${how(two)}, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await open(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const seen = await page.evaluate(([a, b]) => window.fenceTests.pairings(a, b), [one, two] as const);
    let value = 0;
    const expected = ['CPU', 'GPU'].flatMap((signal) =>
      ['CPU', 'GPU'].flatMap((wait) =>
        [0, 1].map(() => {
          value += 10;
          return [signal, wait, { waiting: value, reached: false }, { value }, value];
        }),
      ),
    );
    expect(seen).toEqual(expected);
  });
}
