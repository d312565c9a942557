import { expect, it, vi } from 'vitest';
import { automaticCamera } from './camera-aim.js';
import type { ModelStage } from './model-stage.js';
import { type ViewerEvents, viewerAttributes } from './viewer-attributes.js';

/** Creates a stage that records the environments that attributes set. */
function createStage(level: object | null = {}, isLit = false) {
  const surround = vi.fn(async () => {});
  const camera = automaticCamera();
  const limit = vi.fn();
  const stage = { surround, level, isLit, environmentImage: null, camera, limit } as unknown as ModelStage;
  const reapply = vi.fn();
  const set = (name: string, value: string | null) =>
    viewerAttributes[name]?.(stage, value, { reapply } as unknown as ViewerEvents);
  return { surround, reapply, set, camera };
}

it('dims the studio, and leaves other environments at full intensity', async () => {
  const { surround, set } = createStage();
  await set('environment', null);
  await set('environment', 'studio');
  await set('environment', 'sky');
  await set('environment', 'none');
  expect(surround.mock.calls).toEqual([
    ['studio', 0.6],
    ['studio', 0.6],
    ['sky', 1],
    ['none', 1],
  ]);
});

it('uses the intensity of the attribute, and the default once it is removed', async () => {
  const { surround, reapply, set } = createStage();
  await set('environment-intensity', null);
  expect(reapply).not.toHaveBeenCalled();
  await set('environment-intensity', '1.5');
  await set('environment', null);
  await set('environment-intensity', null);
  await set('environment', null);
  expect(reapply.mock.calls).toEqual([['environment'], ['environment']]);
  expect(surround.mock.calls).toEqual([
    ['studio', 1.5],
    ['studio', 0.6],
  ]);
  expect(() => set('environment-intensity', 'bright')).toThrow(
    expect.objectContaining({ code: 'option-invalid', message: expect.stringMatching(/is "bright"/) }),
  );
});

it('sets no environment before a file is loaded and for files with their own lights', async () => {
  for (const { surround, set } of [createStage({}, true), createStage(null)]) {
    await set('environment', null);
    expect(surround).toHaveBeenCalledWith('none', 1);
  }
});

it('prefers the environment image to the environment', async () => {
  const { surround, reapply, set } = createStage();
  await set('environment-image', 'hall.jpg');
  expect(reapply.mock.calls).toEqual([['environment']]);
  await set('environment', 'sky');
  await set('environment-image', null);
  await set('environment', 'sky');
  expect(surround.mock.calls).toEqual([
    ['hall.jpg', 1],
    ['sky', 1],
  ]);
});

it('reports limits that contradict each other at the greatest value, and ignores that value', async () => {
  const { set, reapply, camera } = createStage();
  await set('min-camera-orbit', 'auto auto 3m');
  expect(reapply).toHaveBeenCalledWith('max-camera-orbit');
  expect(() => set('max-camera-orbit', 'auto auto 2m')).toThrow(/third part of min-camera-orbit exceeds/);
  expect(camera.maxOrbit.distance).toBeNull();
  await set('min-camera-orbit', null);
  await set('max-camera-orbit', 'auto auto 2m');
  expect(camera.maxOrbit.distance).toEqual({ value: 2, isShare: false });
  await set('min-field-of-view', '60deg');
  expect(() => set('max-field-of-view', '30deg')).toThrow(/min-field-of-view exceeds/);
});

it.each(['-0.1', '1.5'])('rejects the shadow intensity %s', (value) => {
  expect(() => createStage().set('shadow-intensity', value)).toThrow(
    expect.objectContaining({ code: 'option-out-of-range', message: expect.stringMatching(/from 0 to 1/) }),
  );
});
