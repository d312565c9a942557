import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { images, stubImages } from '../testing/fake-images.js';
import { createPalette, newModel, setUp, step, take } from '../testing/history.js';
import { rebuild } from '../testing/rebuild.js';
import { createTestWorld } from '../testing/test-world.js';
import { prepareResend } from './resend.js';

afterEach(() => vi.unstubAllGlobals());

describe('G3 a resent world', () => {
  it('looks as in the old stream, and as a world built directly, after any history', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        stubImages();
        const setup = setUp();
        const palette = createPalette();
        const { world, state } = setup;
        for (const each of steps) await take(each, palette, setup);
        await setup.settle();
        // The update may request images. They arrive in `settle`, and the next update sends them.
        setup.send();
        await setup.settle();
        setup.send();
        const old = state.model;

        await prepareResend(world);
        setup.resend();
        expect(state.model.snapshot()).toEqual(old.snapshot());
        expect(setup.sendNames()).toEqual([]);

        const direct = createTestWorld();
        const model = newModel();
        await rebuild(world, direct.world);
        model.apply(direct.send(), direct.reader);
        await direct.world.whenReady();
        model.apply(direct.send(), direct.reader);
        expect(state.model.scene()).toEqual(model.scene());

        world.dispose();
        setup.send();
        expect(state.model.scene()).toEqual(newModel().scene());
        await setup.settle();
        expect(images.unaccounted).toEqual([]);
        for (const error of [...setup.errors, ...direct.errors]) {
          expect(error).toMatchObject({
            code: 'texture-load-failed',
            message: expect.stringContaining('not an image'),
          });
        }
      }),
      { numRuns: 120 },
    );
  });
});
