import { expect, it, vi } from 'vitest';
import type { ModelStage } from './model-stage.js';
import { type ViewerEvents, viewerAttributes } from './viewer-attributes.js';

/** Creates a stage whose engine records the environments that attributes set. */
function createStage(level: object | null = {}, isLit = false) {
  const setEnvironment = vi.fn(async () => {});
  const stage = { world: { setEnvironment }, level, isLit } as unknown as ModelStage;
  const reapply = vi.fn();
  const set = (name: string, value: string | null) =>
    viewerAttributes[name]?.(stage, value, { reapply } as unknown as ViewerEvents);
  return { setEnvironment, reapply, set };
}

it('dims the studio, and leaves other environments at full intensity', async () => {
  const { setEnvironment, set } = createStage();
  await set('environment', null);
  await set('environment', 'studio');
  await set('environment', 'sky');
  await set('environment', 'none');
  expect(setEnvironment.mock.calls).toEqual([
    ['studio', { intensity: 0.6 }],
    ['studio', { intensity: 0.6 }],
    ['sky', { intensity: 1 }],
    [null, { intensity: 1 }],
  ]);
});

it('uses the intensity of the attribute, and the default once it is removed', async () => {
  const { setEnvironment, reapply, set } = createStage();
  await set('environment-intensity', null);
  expect(reapply).not.toHaveBeenCalled();
  await set('environment-intensity', '1.5');
  await set('environment', null);
  await set('environment-intensity', null);
  await set('environment', null);
  expect(reapply.mock.calls).toEqual([['environment'], ['environment']]);
  expect(setEnvironment.mock.calls).toEqual([
    ['studio', { intensity: 1.5 }],
    ['studio', { intensity: 0.6 }],
  ]);
  expect(() => set('environment-intensity', 'bright')).toThrow(
    expect.objectContaining({ code: 'option-invalid', message: expect.stringMatching(/is "bright"/) }),
  );
});

it('sets no environment before a file is loaded and for files with their own lights', async () => {
  for (const { setEnvironment, set } of [createStage({}, true), createStage(null)]) {
    await set('environment', null);
    expect(setEnvironment).toHaveBeenCalledWith(null, { intensity: 1 });
  }
});
