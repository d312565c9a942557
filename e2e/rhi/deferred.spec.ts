// Deferred lists on WebGPU in Chromium (SYSTEMS H4, H5, L3, L7). The command bytes and the pixels do not
// depend on the number of lists that share a picture's draws, nor on the threads that record the lists.
// Bypass, which records nothing, draws the same pixels (H3).
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
    expect(immediate.colorCount).toBeGreaterThan(20); // many overlapping quads show
    const { pagesMade, ...drawn } = workers;
    const { pagesMade: _, ...expected } = immediate;
    expect(drawn).toEqual(expected);
    // L7: each worker has two lists in use at a time. Three frames need no more pages.
    expect(pagesMade).toEqual([2, 2]);
  });
}

test('H5 the bytes and pixels do not depend on the number of lists', async ({ page }) => {
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

test('H4 L7 lists that are opened again in each frame draw the same bytes and pixels, from the same pages', async ({
  page,
}) => {
  await openLoadedPage(page, '/e2e/pages/deferred.html');
  const [fresh, kept, posted] = await page.evaluate(async () => [
    await window.drawDeferred({ parts: 4, frames: 4 }),
    await window.drawDeferred({ parts: 4, frames: 4, keepsLists: true }),
    await window.drawDeferred({ parts: 4, frames: 4, keepsLists: true, onWorkers: true }),
  ]);
  expect(fresh).toMatchObject({ errors: [], leaks: [], pagesMade: [4] });
  expect(kept).toEqual(fresh);
  expect(posted).toEqual({ ...fresh, pagesMade: [2, 2] });
});

test('L7 pages of lists are allocated once and reused by later frames', async ({ page }) => {
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
