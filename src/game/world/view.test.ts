import { describe, expect, it } from 'vitest';
import { StateError } from '../../core/errors.js';
import { createTestWorld } from '../testing/test-world.js';
import { type RenderTexture, renderTexture, type TexturePicture } from '../textures/render-texture.js';
import { ViewUpdates } from '../updates/view-updates.js';
import { View } from './view.js';

describe('the rect of a view', () => {
  const viewAt = (rect: { x: number; y: number; width: number; height: number }): View => {
    const { world } = createTestWorld();
    const camera = world.addCamera();
    const updates = new ViewUpdates(world.updates.resources);
    world.updates.views = updates;
    return new View(updates, { camera, rect }, () => {
      throw new Error('There is no canvas of its own.');
    });
  };

  it('keeps the given numbers, even if rounding makes it slightly wider than the remaining width', () => {
    const rect = { x: 0.8, y: 0, width: 0.2, height: 1 };
    expect(1 - rect.x).toBeLessThan(rect.width);
    expect(viewAt(rect).rect).toEqual(rect);
  });

  it('is rejected with an error that has the remaining width as a readable number', () => {
    expect(() => viewAt({ x: 0.6, y: 0, width: 0.5, height: 1 })).toThrow(
      'rect.width of a view is 0.5; it has to be a number from 0 to 0.4. A rect is in fractions of the canvas, from 0 to 1.',
    );
  });
});

describe('the camera of a view', () => {
  it('is an actor with a camera, or null; undefined is rejected', () => {
    const { world } = createTestWorld();
    const camera = world.addCamera();
    world.updates.views = new ViewUpdates(world.updates.resources);
    const view = new View(world.updates.views, { camera }, () => {
      throw new Error('There is no canvas of its own.');
    });
    for (const wrong of [undefined, 0, '', {}, world.addPointLight()] as never[]) {
      expect(() => {
        view.camera = wrong;
      }).toThrow('has no camera in a world of this engine.');
    }
    expect(view.camera).toBe(camera);
    view.camera = null;
    expect(view.camera).toBe(null);
  });
});

describe('a texture that several views are drawn into', () => {
  const { world } = createTestWorld();
  const camera = world.addCamera();
  const updates = new ViewUpdates(world.updates.resources);
  world.updates.views = updates;
  const noCanvas = () => {
    throw new Error('There is no canvas of its own.');
  };
  const viewOn = (target: RenderTexture, captureFrame: () => Promise<TexturePicture>): View => {
    const view = new View(updates, { camera, target }, noCanvas);
    view.captureFrame = captureFrame;
    return view;
  };
  const picture = (width: number) => async () => ({
    width,
    height: 1,
    data: new Uint8ClampedArray(width * 4),
  });

  it('can be read while one of the views remains', async () => {
    const target = renderTexture({ width: 2, height: 1, name: 'duo' });
    const first = viewOn(target, picture(1));
    const second = viewOn(target, picture(2));
    expect((await target.read()).width).toBe(2);
    second.dispose();
    expect((await target.read()).width).toBe(1);
    first.dispose();
    await expect(target.read()).rejects.toThrow('"duo" can\'t be read, because no view is drawn into it.');
  });

  it('is read from another view if one is disposed of meanwhile, and rejects if there is no other view', async () => {
    const target = renderTexture({ width: 2, height: 1, name: 'duo' });
    const first = viewOn(target, picture(1));
    const refused = new Error('The view was disposed of.');
    const second = viewOn(target, () => Promise.reject(refused));
    await expect(target.read()).rejects.toBe(refused);
    const reading = target.read();
    second.dispose();
    expect((await reading).width).toBe(1);
    first.captureFrame = () => Promise.reject(refused);
    const last = target.read();
    first.dispose();
    await expect(last).rejects.toMatchObject({
      code: 'render-texture-unused',
      message: expect.stringContaining('"duo" can\'t be read'),
    });
  });

  it('is read from another view if an engine was disposed, and rejects with its error if there is no other view', async () => {
    const target = renderTexture({ width: 2, height: 1, name: 'duo' });
    const ended = new StateError('engine-disposed', 'The engine was disposed.');
    const first = viewOn(target, picture(1));
    viewOn(target, () => Promise.reject(ended));
    expect((await target.read()).width).toBe(1);
    first.captureFrame = () => Promise.reject(ended);
    await expect(target.read()).rejects.toBe(ended);
  });
});
