// Shared fences in Chromium: between a page, workers and the queues of their devices, in shared memory where the page
// is isolated, by messages where it is not, and mixed (SYSTEMS F1–F4, F6–F9, F11).
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.js';

async function open(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/e2e/pages/fences.html`);
  await page.locator('html[data-loaded]').waitFor();
}

const ROUNDS = 5;
const rounds = Array.from({ length: ROUNDS }, (_, index) => index + 1);

test('F3: a pool worker blocks for the page, which waits as an event; the page itself must not block', async ({
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
  test(`F1, F2: signals and event waits across threads, ${isolation}${by ? ', by messages' : ''}`, async ({
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

  test(`F8: two devices on one fence, each waiting for the other, ${isolation}${by ? ', by messages' : ''}`, async ({
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
    // Each answer came only after its signal, although everything had been recorded before.
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
        // In memory the thread that waits reads the log itself, finds it overflowed and looks at every fence.
        there: { value: 300, scans: namesQueues && isolation === 'isolated' ? 1 : 0 },
        lost: 175,
        read: 125,
        isLossy: true,
        progress: 1,
      });
    });
  }

  test(`F6: a GPU signal or wait beyond half the range is refused at once, and holds nothing, ${isolation}`, async ({
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

  test(`a device lost before its signal ends the wait of another thread with that error, ${isolation}`, async ({
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
