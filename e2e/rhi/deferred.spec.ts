// Deferred lists on WebGPU in Chromium: however many lists the draws of a picture are split over, and whichever
// threads record them, the command bytes and the pixels are the same (SYSTEMS H4, H5, L3, L7), and so they are when
// nothing is recorded at all (H3).
import { expect, test } from '../fixtures.js';
import { openLoadedPage } from '../open-engine-page.js';

for (const isolation of ['isolated', 'plain'] as const) {
  test(`H4 L3 two workers record lists that one thread executes, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openLoadedPage(
      page,
      `${isolation === 'isolated' ? isolatedURL : plainURL}/e2e/pages/deferred.html`,
    );
    const immediate = await page.evaluate(() => window.drawDeferred({ parts: 0, frames: 3 }));
    const workers = await page.evaluate(() => window.drawDeferred({ parts: 4, onWorkers: true, frames: 3 }));
    expect(immediate).toMatchObject({ errors: [], leaks: [] });
    expect(immediate.colorCount).toBeGreaterThan(20); // many quads show, over one another
    const { pagesMade, ...drawn } = workers;
    const { pagesMade: _, ...expected } = immediate;
    expect(drawn).toEqual(expected);
    // L7: two lists are out in each worker at a time; three frames need no more pages.
    expect(pagesMade).toEqual([2, 2]);
  });
}

test('H5 neither the bytes nor the pixels depend on how many lists there are', async ({ page }) => {
  await openLoadedPage(page, '/e2e/pages/deferred.html');
  const results = await page.evaluate(async () => {
    const drawn = [];
    for (const parts of [1, 2, 3, 7]) {
      const { bytes, picture, errors, leaks } = await window.drawDeferred({ parts });
      drawn.push({ bytes, picture, errors, leaks });
    }
    return drawn;
  });
  expect(results).toEqual(results.map(() => results[0]));
  expect(results[0]).toMatchObject({ errors: [], leaks: [] });
});

test('L7 the pages of lists are made once, and used again from frame to frame', async ({ page }) => {
  await openLoadedPage(page, '/e2e/pages/deferred.html');
  const made = await page.evaluate(async () => {
    const counts = [];
    for (const frames of [2, 6]) counts.push((await window.drawDeferred({ parts: 3, frames })).pagesMade);
    return counts;
  });
  expect(made[0]?.[0]).toBeGreaterThan(0);
  expect(made[1]).toEqual(made[0]);
});

test('H3 H9 bypass draws the same pixels, and throws errors at the call that caused them', async ({
  page,
}) => {
  await openLoadedPage(page, '/e2e/pages/deferred.html');
  const [recorded, bypassed, failing] = await page.evaluate(async () => [
    await window.drawDeferred({ parts: 2, frames: 2 }),
    await window.drawDeferred({ parts: 2, frames: 2, bypass: true }),
    await window.findFailingCall(),
  ]);
  expect(bypassed).toEqual(recorded);
  expect(failing).toEqual({
    calls: ['write inside: done', 'write outside: out-of-range', 'write inside again: done', 'end: done'],
    heard: 0,
  });
});
