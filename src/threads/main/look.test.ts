import { expect, it } from 'vitest';
import * as codes from '../../render/tone-curves.js';
import { DEFAULT_OPTIONS } from './engine-options.js';
import { Look } from './look.js';

type Load = { bring: () => void; fail: () => void };

/** A look whose loads end as a test says. */
function createLook() {
  const loads: Load[] = [];
  const look = new Look(
    DEFAULT_OPTIONS,
    () =>
      new Promise((resolve, reject) => {
        loads.push({ bring: () => resolve(codes), fail: () => reject(new Error('offline')) });
      }),
  );
  const changes = [look.setHdr(false), look.setToneMapping('agx')] as const;
  const [ofHdr, ofTones] = loads as [Load, Load];
  return { look, changes: Promise.allSettled(changes), ofHdr, ofTones };
}

/** What is shown is what is said. */
function expectShown(look: Look, hdr: boolean, toneMapping: 'none' | 'agx'): void {
  expect([look.hdr, look.toneMapping]).toEqual([hdr, toneMapping]);
  const curve = toneMapping === 'none' ? '' : codes.toneCurves[toneMapping];
  expect(look.toneCurve).toBe(curve);
  expect(look.displayCode).toBe(hdr ? '' : codes.displayCodeOf(curve));
}

it.each([
  ['both come, the first first', ['ofHdr', 'ofTones'], []],
  ['both come, the second first', ['ofTones', 'ofHdr'], []],
  ['the first comes, and the second fails', ['ofHdr'], ['ofTones']],
  ['the second comes, and the first fails', ['ofTones'], ['ofHdr']],
] as const)('hdr and a tone mapping, one after the other: %s', async (_, brought, failed) => {
  const { look, changes, ...loads } = createLook();
  for (const name of brought) {
    loads[name].bring();
    for (let turn = 0; turn < 10; turn++) await undefined;
  }
  for (const name of failed) loads[name].fail();
  // With the code there, nothing is missing.
  expect((await changes).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  expectShown(look, false, 'agx');
});

it.each([
  ['the first fails, and the second comes', 'ofHdr', 'ofTones', true, 'agx'],
  ['the second fails, and the first comes', 'ofTones', 'ofHdr', false, 'none'],
] as const)('hdr and a tone mapping: %s', async (_, failed, brought, hdr, toneMapping) => {
  const { look, changes, ...loads } = createLook();
  loads[failed].fail();
  for (let turn = 0; turn < 10; turn++) await undefined;
  loads[brought].bring();
  expect((await changes).filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expectShown(look, hdr, toneMapping);
});

it.each([
  ['the first', ['ofHdr', 'ofTones']],
  ['the second', ['ofTones', 'ofHdr']],
] as const)('where both fail, %s first, neither is changed', async (_, order) => {
  const { look, changes, ...loads } = createLook();
  for (const name of order) loads[name].fail();
  await changes;
  expectShown(look, true, 'none');
});

it('of two tone mappings whose code can’t be had, none is left', async () => {
  const look = new Look(DEFAULT_OPTIONS, () => Promise.reject(new Error('offline')));
  await Promise.allSettled([look.setToneMapping('agx'), look.setToneMapping('aces')]);
  expectShown(look, true, 'none');
});
