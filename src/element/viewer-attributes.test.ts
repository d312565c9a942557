import { expect, it, vi } from 'vitest';
import type { ModelStage } from './model-stage.js';
import { type ViewerEvents, viewerAttributes } from './viewer-attributes.js';

/** A stage whose engine records the environment that the element sets. */
function createStage(level: object | null = {}, isLit = false) {
  const setEnvironment = vi.fn(async () => {});
  const stage = { engine: { world: { setEnvironment } }, level, isLit } as unknown as ModelStage;
  const again = vi.fn();
  const say = (name: string, value: string | null) =>
    viewerAttributes[name]?.(stage, value, { again } as unknown as ViewerEvents);
  return { setEnvironment, again, say };
}

it('dims the studio, and leaves other environments at full intensity', async () => {
  const { setEnvironment, say } = createStage();
  await say('environment', null);
  await say('environment', 'studio');
  await say('environment', 'sky');
  await say('environment', 'none');
  expect(setEnvironment.mock.calls).toEqual([
    ['studio', { intensity: 0.6 }],
    ['studio', { intensity: 0.6 }],
    ['sky', { intensity: 1 }],
    [null, { intensity: 1 }],
  ]);
});

it('uses the intensity of the attribute, and the default once it is removed', async () => {
  const { setEnvironment, again, say } = createStage();
  await say('environment-intensity', null);
  expect(again).not.toHaveBeenCalled();
  await say('environment-intensity', '1.5');
  await say('environment', null);
  await say('environment-intensity', null);
  await say('environment', null);
  expect(again.mock.calls).toEqual([['environment'], ['environment']]);
  expect(setEnvironment.mock.calls).toEqual([
    ['studio', { intensity: 1.5 }],
    ['studio', { intensity: 0.6 }],
  ]);
  expect(() => say('environment-intensity', 'bright')).toThrow(
    expect.objectContaining({ code: 'option-invalid', message: expect.stringMatching(/is "bright"/) }),
  );
});

it('sets no environment before a file is loaded and for files with their own lights', async () => {
  for (const { setEnvironment, say } of [createStage({}, true), createStage(null)]) {
    await say('environment', null);
    expect(setEnvironment).toHaveBeenCalledWith(null, { intensity: 1 });
  }
});
