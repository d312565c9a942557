import { expect, it, vi } from 'vitest';
import type { ModelStage } from './model-stage.js';
import { type ViewerEvents, viewerAttributes } from './viewer-attributes.js';

/** What the element says to its engine about the light. */
function createStage(level: object | null = {}, isLit = false) {
  const setEnvironment = vi.fn(async () => {});
  const stage = { engine: { world: { setEnvironment } }, level, isLit } as unknown as ModelStage;
  const again = vi.fn();
  const say = (name: string, value: string | null) =>
    viewerAttributes[name]?.(stage, value, { again } as unknown as ViewerEvents);
  return { setEnvironment, again, say };
}

it('lights models by less than the whole studio, and by other environments as they are', async () => {
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

it('takes the intensity that the page says, and the default again', async () => {
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

it('leaves files with lights of their own, and the time before there is a file, without', async () => {
  for (const { setEnvironment, say } of [createStage({}, true), createStage(null)]) {
    await say('environment', null);
    expect(setEnvironment).toHaveBeenCalledWith(null, { intensity: 1 });
  }
});
