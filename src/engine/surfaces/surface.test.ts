import { describe, expect, it, vi } from 'vitest';
import { type Composition, composeEngine } from '../creation/compose-engine.js';
import { UnseenSurface } from '../creation/unseen-page.js';
import { Look } from '../options/look.js';
import { resolveOptions } from '../options/option-checks.js';
import { Surface } from './surface.js';

/** Tag names as in HTML documents and in XML documents. */
const elements = ['IMG', 'VIDEO', 'INPUT', 'BR', 'TEXTAREA', 'img'];

describe.each([
  ['a page', Surface],
  ['a page without layout', UnseenSurface],
])('the target of an engine, in %s', (_, SurfaceClass) => {
  const surfaceOf = (target: unknown) => () => new SurfaceClass(target as HTMLElement, null, () => {});

  it('is rejected if it does not show its children', () => {
    for (const tagName of elements) {
      const append = vi.fn();
      expect(surfaceOf({ tagName, append })).toThrow(
        expect.objectContaining({
          name: 'OptionError',
          code: 'option-invalid',
          message: `The canvas is <${tagName}>, which can't contain a canvas. Pass a canvas or a container element.`,
        }),
      );
      expect(append).not.toHaveBeenCalled();
    }
  });

  it('is rejected if it is not an element', () => {
    for (const target of [{}, 5, '#view'])
      expect(surfaceOf(target)).toThrow(expect.objectContaining({ code: 'canvas-missing' }));
  });
});

it('createEngine starts no thread if it can’t draw to the target', async () => {
  const connect = vi.fn();
  const composition: Composition = {
    options: resolveOptions(),
    look: new Look(resolveOptions()),
    connect,
    Surface,
  };
  const target = { tagName: 'IMG' } as HTMLElement;
  await expect(composeEngine(target, composition)).rejects.toMatchObject({ code: 'option-invalid' });
  expect(connect).not.toHaveBeenCalled();
});
