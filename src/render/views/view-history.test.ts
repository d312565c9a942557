import { describe, expect, it } from 'vitest';
import { createViewParameters } from '../scene/view-parameters.js';
import { View } from './view.js';
import { ViewHistory } from './view-history.js';

const WIDTH = 200;
const HEIGHT = 100;

/** A camera at (x, 0, 5) that looks along −Z. Each `draw` is a frame. */
class Camera {
  readonly view = new View();
  readonly parameters = { ...createViewParameters(), node: 0 };
  readonly history = new ViewHistory();

  draw(x: number, origin: readonly number[] = [0, 0, 0], node = 0): void {
    const world = new Float64Array((node + 1) * 12);
    world.set([1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 5], node * 12);
    const renderOrigin = Float64Array.from(origin);
    this.view.update(this.parameters, world, renderOrigin, WIDTH / HEIGHT);
    this.history.beginFrame(this.view, this.parameters, renderOrigin);
  }

  jitter(x: number, y: number): void {
    this.history.moveNext(this.parameters, x, y, WIDTH, HEIGHT);
  }
}

/** Returns the screen position of the world's origin: pixels from left and top. */
function pixelOf(matrix: Float64Array): [number, number] {
  const [x, y, w] = [matrix[12]!, matrix[13]!, matrix[15]!];
  return [(x / w + 1) * (WIDTH / 2), (1 - y / w) * (HEIGHT / 2)];
}

describe('R11 the history of a view', () => {
  it('has the matrix of the last frame that drew the view; in the first frame, the matrix of that frame', () => {
    const camera = new Camera();
    const { history } = camera;
    camera.draw(0);
    expect([...history.previousClipFromWorld]).toEqual([...history.clipFromWorld]);
    expect(pixelOf(history.clipFromWorld)).toEqual([100, 50]);
    const first = [...history.clipFromWorld];
    camera.draw(1);
    expect([...history.previousClipFromWorld]).toEqual(first);
    expect(pixelOf(history.clipFromWorld)[0]).toBeLessThan(100);
    const second = [...history.clipFromWorld];
    camera.draw(1);
    expect([...history.previousClipFromWorld]).toEqual(second);
  });

  it('follows a frame of the same number or the next one, unless the camera has changed or it was forgotten', () => {
    const camera = new Camera();
    const { history } = camera;
    camera.draw(0);
    expect(history.follows(7, 6)).toBe(false);
    camera.draw(0);
    expect([history.follows(7, 6), history.follows(7, 7), history.follows(7, 5)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(history.follows(0, -1)).toBe(false);
    history.forget();
    camera.draw(0);
    expect(history.follows(7, 6)).toBe(false);
    camera.draw(0);
    expect(history.follows(8, 7)).toBe(true);
  });

  it('begins anew with another camera', () => {
    const camera = new Camera();
    const { history } = camera;
    camera.draw(0);
    camera.parameters.node = 1;
    camera.draw(2, [0, 0, 0], 1);
    expect([...history.previousClipFromWorld]).toEqual([...history.clipFromWorld]);
    camera.draw(3, [0, 0, 0], 1);
    expect([...history.previousClipFromWorld]).not.toEqual([...history.clipFromWorld]);
  });

  it('refers to the same world coordinates after the render origin has moved', () => {
    const camera = new Camera();
    camera.draw(3);
    camera.draw(3, [1024, 0, -1024]);
    const { clipFromWorld, previousClipFromWorld } = camera.history;
    for (let index = 0; index < 16; index++) {
      expect(clipFromWorld[index]).toBeCloseTo(previousClipFromWorld[index]!, 9);
    }
  });

  it('moves only the picture of the next frame by the requested pixels', () => {
    const camera = new Camera();
    const { history } = camera;
    camera.draw(0);
    camera.jitter(0.25, -0.5);
    expect([...history.jitter]).toEqual([0, 0]);
    camera.draw(0);
    expect([...history.jitter]).toEqual([0.25, -0.5]);
    const [x, y] = pixelOf(history.clipFromWorld);
    expect(x).toBeCloseTo(100.25, 9);
    expect(y).toBeCloseTo(49.5, 9);
    camera.draw(0);
    expect([...history.jitter]).toEqual([0, 0]);
    expect(pixelOf(history.clipFromWorld)).toEqual([100, 50]);
    expect(pixelOf(history.previousClipFromWorld)[0]).toBeCloseTo(100.25, 9);
  });
});
