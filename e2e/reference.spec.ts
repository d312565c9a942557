// Reference pictures: one small picture per visual feature, stored in e2e/reference/pictures. Only `npm run
// reference -- NAME` writes them. The scenes are in e2e/reference/*-scenes.ts.

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { readPng, writePng } from '../src/testing/png.js';
import { expect, test } from './fixtures.js';
import { openLoadedPage } from './open-engine-page.js';
import { compareWithReference, keepAsReference, referenceFile } from './reference/compare-with-reference.js';

/** Names of the pictures that this run writes anew, or `*` for all. `npm run reference` sets them. */
const remade = (process.env.FENCEPOST_REMADE_REFERENCES ?? '').split(' ').filter(Boolean);

/** The folder for captures of all scenes. `npm run hardware` sets it. */
const captures = process.env.FENCEPOST_CAPTURED_REFERENCES ?? '';

test('every visual feature matches its stored picture', async ({ page, isolatedURL }) => {
  test.slow();
  await openLoadedPage(page, `${isolatedURL}/e2e/pages/reference.html`);
  const names = await page.evaluate(() => window.referenceNames);
  const isMadeAnew = (name: string): boolean => remade.includes(name) || remade.includes('*');
  const unknown = remade.filter((name) => name !== '*' && !names.includes(name));
  expect(unknown, 'names of pictures without a scene').toEqual([]);
  const wrong: string[] = [];
  for (const name of remade.length > 0 ? names.filter(isMadeAnew) : names) {
    const { data, errors, ...size } = await page.evaluate((scene) => window.drawReference(scene), name);
    const drawn = { ...size, data: Buffer.from(data, 'base64') };
    wrong.push(...errors.map((error) => `${name}: ${error}`));
    if (isMadeAnew(name)) keepAsReference(name, drawn);
    else {
      const difference = compareWithReference(name, drawn);
      if (difference) wrong.push(difference);
    }
  }
  expect(wrong).toEqual([]);
  const files = readdirSync('e2e/reference/pictures').map((file) => file.replace('.png', ''));
  if (remade.length === 0) expect(files.toSorted()).toEqual([...names].toSorted());
});

test('the scenes can be captured for other adapters', async ({ page, isolatedURL }) => {
  test.skip(captures === '', 'npm run hardware asks for captures');
  test.setTimeout(timeLimit(900_000));
  mkdirSync(captures, { recursive: true });
  await openLoadedPage(page, `${isolatedURL}/e2e/pages/reference.html`);
  for (const name of await page.evaluate(() => window.referenceNames)) {
    for (const renderer of ['forward', 'deferred'] as const) {
      const { capture, data, errors, ...size } = await page.evaluate(
        ([scene, captured]) => window.drawReference(scene, captured),
        [name, renderer] as const,
      );
      expect(errors, name).toEqual([]);
      writePng(`${captures}/${name}.${renderer}.png`, { ...size, data: Buffer.from(data, 'base64') });
      writeFileSync(`${captures}/${name}.${renderer}.capture`, Buffer.from(capture, 'base64'));
    }
  }
});

test('a changed picture is refused, with a file that shows both', () => {
  const name = 'light-directional';
  const kept = readPng(referenceFile(name));
  const sheet = `test-results/reference/${name}.png`;
  rmSync(sheet, { force: true });
  const changed = (change: (value: number, at: number) => number) => ({
    ...kept,
    data: kept.data.map(change),
  });
  // Another adapter may change red's last bit in every third pixel, and one pixel of 400 by much.
  expect(
    compareWithReference(
      name,
      changed((value, at) => value ^ Number(at % 12 === 0)),
    ),
  ).toBeNull();
  expect(
    compareWithReference(
      name,
      changed((value, at) => (at % 1600 < 3 ? value ^ 64 : value)),
    ),
  ).toBeNull();
  expect(existsSync(sheet)).toBe(false);
  // A change by one level everywhere fails, and so does a spot of 8 × 8 pixels.
  expect(
    compareWithReference(
      name,
      changed((value) => value - 1),
    ),
  ).toMatch(/0\.9\d of 255 .* npm run reference/);
  const isInSpot = (at: number) => (at >> 2) % kept.width < 8 && Math.floor((at >> 2) / kept.width) < 8;
  expect(
    compareWithReference(
      name,
      changed((value, at) => (isInSpot(at) ? value + 9 : value)),
    ),
  ).toMatch(/64 pixels differ; see test-results/);
  expect(readPng(sheet)).toMatchObject({ width: kept.width * 3, height: kept.height });
  expect(compareWithReference('none such', kept)).toMatch(/no reference picture exists/);
});
