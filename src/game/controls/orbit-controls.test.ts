import { describe, expect, it } from 'vitest';
import { FakeCanvas, frames, runFrame, setUp } from '../testing/orbit-page.js';
import { codeOf } from '../testing/test-world.js';
import type { ControlsSource } from './controls-host.js';
import { orbitControls } from './orbit-controls.js';

/** Expects that −Z of the camera points at the target. */
function expectToLookAt(actor: { worldFromLocal(out: number[]): number[] }, target: number[]): void {
  const matrix = actor.worldFromLocal([]);
  const toTarget = target.map((value, axis) => value - matrix[12 + axis]!);
  const length = Math.hypot(...toTarget);
  toTarget.forEach((value, axis) => {
    expect(-matrix[8 + axis]!).toBeCloseTo(value / length, 5);
  });
}

describe('orbitControls', () => {
  it('rotates by a quarter turn for a drag of a quarter of the height, and sends nothing while the camera rests', () => {
    const { world, camera, engine, position, sendNames } = setUp();
    engine.canvas.fire('pointerdown', {});
    engine.canvas.fire('pointermove', { clientX: 25 });
    world.tick(0.016);
    expect(position()).toEqual([expect.closeTo(-5, 5), expect.closeTo(0, 5), expect.closeTo(0, 5)]);
    expectToLookAt(camera, [0, 0, 0]);
    sendNames();
    world.tick(0.016);
    expect(sendNames()).toEqual([]);
    engine.canvas.fire('pointerup', {});
    engine.canvas.fire('pointermove', { clientX: 90 });
    world.tick(0.016);
    expect(sendNames()).toEqual([]);
  });

  it('stops short of the poles', () => {
    const { world, camera, engine } = setUp();
    engine.canvas.fire('pointerdown', {});
    engine.canvas.fire('pointermove', { clientY: 500 });
    world.tick(0.016);
    expect(camera.position.y).toBeCloseTo(5, 2);
    expectToLookAt(camera, [0, 0, 0]);
  });

  it('zooms by the wheel within its limits and keeps the page from scrolling', () => {
    const { world, engine, controls, position } = setUp();
    const event = engine.canvas.fire('wheel', { deltaY: 1000 * Math.log(2), deltaMode: 0 });
    world.tick(0.016);
    expect(event.defaultPrevented).toBe(true);
    expect(position()[2]).toBeCloseTo(10, 4);
    controls.maxDistance = 12;
    engine.canvas.fire('wheel', { deltaY: 5000, deltaMode: 0 });
    expect(controls.distance).toBe(12);
  });

  it('pans so that the point under the pointer stays under it', () => {
    const { world, engine, controls, camera } = setUp();
    engine.canvas.fire('pointerdown', {});
    engine.canvas.fire('pointermove', { clientX: -50, shiftKey: true });
    world.tick(0.016);
    // Half the view's height at a distance of 5 m: tan(fovY / 2) · 5.
    expect(controls.target[0]).toBeCloseTo(5 * Math.tan(Math.PI / 8), 5);
    expect(camera.position.x).toBeCloseTo(controls.target[0], 5);
  });

  it('pinches with two fingers', () => {
    const { engine, controls } = setUp();
    engine.canvas.fire('pointerdown', { pointerId: 1, clientX: 0 });
    engine.canvas.fire('pointerdown', { pointerId: 2, clientX: 10 });
    engine.canvas.fire('pointermove', { pointerId: 2, clientX: 20 });
    expect(controls.distance).toBeCloseTo(2.5, 5);
  });

  it('follows with damping that does not depend on the frame rate', () => {
    const slow = setUp({ damping: 0.1 });
    const fast = setUp({ damping: 0.1 });
    for (const { engine } of [slow, fast]) engine.canvas.fire('wheel', { deltaY: 500, deltaMode: 0 });
    slow.world.tick(0.1);
    for (let frame = 0; frame < 10; frame++) fast.world.tick(0.01);
    expect(slow.position()[2]).toBeCloseTo(fast.position()[2]!, 4);
    expect(slow.position()[2]).toBeGreaterThan(5);
  });

  it('moves to a new canvas, and removes its listeners when disposed', () => {
    const { world, engine, controls, position } = setUp();
    const old = engine.canvas;
    engine.canvas = new FakeCanvas();
    engine.dispatchEvent(new Event('surfacechange'));
    expect([old.style.touchAction, engine.canvas.style.touchAction]).toEqual(['', 'none']);
    old.fire('wheel', { deltaY: 500, deltaMode: 0 });
    world.tick(0.016);
    expect(position()[2]).toBe(5);
    engine.canvas.fire('wheel', { deltaY: 500, deltaMode: 0 });
    world.tick(0.016);
    expect(position()[2]).toBeGreaterThan(5);
    controls.dispose();
    const after = position();
    engine.canvas.fire('wheel', { deltaY: 500, deltaMode: 0 });
    world.tick(0.016);
    expect(position()).toEqual(after);
  });

  it('leaves touches on the canvas to the page while the controls are disabled', () => {
    const { engine, controls } = setUp();
    const { style } = engine.canvas;
    expect(style.touchAction).toBe('none');
    controls.isEnabled = false;
    expect(style.touchAction).toBe('');
    // The page may set its own value while the controls are disabled. Disabling them again restores this value.
    style.touchAction = 'pan-y';
    controls.isEnabled = true;
    expect(style.touchAction).toBe('none');
    controls.isEnabled = true;
    controls.isEnabled = false;
    expect(style.touchAction).toBe('pan-y');
    // A new canvas is also left unchanged while the controls are disabled.
    engine.canvas = new FakeCanvas();
    engine.dispatchEvent(new Event('surfacechange'));
    expect(engine.canvas.style.touchAction).toBe('');
    controls.isEnabled = true;
    controls.dispose();
    expect(engine.canvas.style.touchAction).toBe('');
  });

  it('frames a box', () => {
    const { controls, camera } = setUp();
    controls.frame({ min: [1, 1, 1], max: [3, 3, 3] });
    expect(controls.target).toEqual([2, 2, 2]);
    expect(controls.distance).toBeCloseTo((Math.sqrt(3) / Math.sin(Math.PI / 8)) * 1.1, 5);
    expectToLookAt(camera, [2, 2, 2]);
  });

  it('frames a box by its width if the picture is narrower than high', () => {
    const { controls, camera } = setUp();
    camera.root.aspect = 0.5;
    controls.frame({ min: [1, 1, 1], max: [3, 3, 3] });
    const halfWidth = Math.atan(Math.tan(Math.PI / 8) / 2);
    expect(controls.distance).toBeCloseTo((Math.sqrt(3) / Math.sin(halfWidth)) * 1.1, 5);
    camera.root.orthographic = { halfHeight: 1 };
    controls.frame({ min: [1, 1, 1], max: [3, 3, 3] });
    expect(camera.root.orthographic?.halfHeight).toBeCloseTo(Math.sqrt(3) * 1.1 * 2, 5);
  });

  it('follows in animation frames if nothing ticks, and requests a frame for each step', () => {
    const { engine, position, invalidate } = setUp({ damping: 0.1 });
    engine.canvas.fire('wheel', { deltaY: 500, deltaMode: 0 });
    const distances = [position()[2]!];
    for (let time = 1000; frames.size && distances.length < 1000; time += 20) {
      invalidate.mockClear();
      runFrame(time);
      distances.push(position()[2]!);
      if (distances.at(-1) !== distances.at(-2)) expect(invalidate).toHaveBeenCalled();
    }
    expect(distances.at(-1)).toBeCloseTo(5 * Math.exp(0.5), 4);
    // From the second frame on, the camera moves by the time since the frame before.
    const goal = distances.at(-1)!;
    expect((goal - distances[3]!) / (goal - distances[2]!)).toBeCloseTo(Math.exp(-0.2), 4);
    expect(frames.size).toBe(0);
  });

  it('continues after two animation frames with the same time', () => {
    const { engine, position } = setUp({ damping: 0.1 });
    engine.canvas.fire('wheel', { deltaY: 500, deltaMode: 0 });
    for (const time of [1000, 1000]) runFrame(time);
    for (let time = 1020; frames.size && time < 20_000; time += 20) runFrame(time);
    expect(position()[2]).toBeCloseTo(5 * Math.exp(0.5), 4);
    expect(frames.size).toBe(0);
  });

  it('follows in ticks while the world ticks, and afterwards in animation frames', () => {
    const { world, engine, position } = setUp({ damping: 0.1 });
    engine.canvas.fire('wheel', { deltaY: 500, deltaMode: 0 });
    world.tick(0.02);
    const after = position();
    runFrame(1000);
    expect(position()).toEqual(after);
    expect(frames.size).toBe(1);
    // No tick has followed, as in an engine that was stopped: animation frames continue the movement.
    runFrame(1020);
    expect(position()[2]).toBeGreaterThan(after[2]!);
  });

  it('moves the camera at once to values that the page writes', () => {
    const { controls, camera, position, invalidate } = setUp({ damping: 0.1 });
    controls.azimuth = Math.PI / 2;
    expect(position()).toEqual([expect.closeTo(5, 5), expect.closeTo(0, 5), expect.closeTo(0, 5)]);
    controls.polar = Math.PI / 4;
    controls.distance = 2;
    controls.target = [1, 2, 3];
    expect(position()).toEqual([
      expect.closeTo(1 + Math.SQRT2, 5),
      expect.closeTo(2 + Math.SQRT2, 5),
      expect.closeTo(3, 5),
    ]);
    expectToLookAt(camera, [1, 2, 3]);
    expect([controls.azimuth, controls.polar, controls.distance]).toEqual([Math.PI / 2, Math.PI / 4, 2]);
    expect(invalidate).toHaveBeenCalledTimes(4);
    expect(frames.size).toBe(0);
    expect(codeOf(() => Object.assign(controls, { azimuth: Number.NaN }))).toBe('option-out-of-range');
    expect(() => Object.assign(controls, { polar: 90 })).toThrow(/90 looks like degrees/);
    expect(codeOf(() => Object.assign(controls, { distance: Infinity }))).toBe('option-out-of-range');
    expect(codeOf(() => Object.assign(controls, { target: [0, 0, Number.NaN] }))).toBe('option-out-of-range');
    expect(controls.target).toEqual([1, 2, 3]);
  });

  it('declares its goal again in a stopped engine, so that the old goal does not move the camera back', () => {
    const { world, engine, sendNames } = setUp({ damping: 0.1 });
    sendNames();
    world.updates.isRunning = true;
    world.tick(0.016);
    sendNames();
    engine.canvas.fire('wheel', { deltaY: 500, deltaMode: 0 });
    world.tick(0.016);
    expect(sendNames()).toContain('followGoal');
    world.updates.isRunning = false;
    runFrame(1000);
    runFrame(1020);
    expect(sendNames()).toEqual(['nodeTransforms', 'followGoal']);
  });

  it('checks its numbers when they are written', () => {
    const { controls } = setUp({ damping: 0.1 });
    const write = (values: object): string => codeOf(() => Object.assign(controls, values));
    expect([controls.minDistance, controls.maxDistance, controls.damping, controls.autoRotate]).toEqual([
      0.01,
      Infinity,
      0.1,
      0,
    ]);
    expect(write({ minDistance: 0 })).toBe('option-out-of-range');
    expect(write({ maxDistance: 0.001 })).toBe('option-out-of-range');
    expect(write({ damping: -1 })).toBe('option-out-of-range');
    expect(write({ autoRotate: Number.NaN })).toBe('option-out-of-range');
    Object.assign(controls, { maxDistance: 3, minDistance: 3, damping: 0, autoRotate: 1 });
    expect(write({ minDistance: 4 })).toBe('option-out-of-range');
    controls.azimuth = 0;
    expect(controls.distance).toBe(3);
  });

  it('stops when its world is disposed of', () => {
    const { world, engine, controls, position } = setUp();
    engine.canvas.fire('wheel', { deltaY: 500, deltaMode: 0 });
    world.dispose();
    expect(frames.size).toBe(0);
    expect(engine.canvas.style.touchAction).toBe('');
    const event = engine.canvas.fire('wheel', { deltaY: 500, deltaMode: 0 });
    engine.dispatchEvent(new Event('surfacechange'));
    expect([event.defaultPrevented, engine.canvas.style.touchAction]).toEqual([false, '']);
    expect(position()[2]).toBe(5);
    controls.dispose();
  });

  it('rejects an invalid engine or camera', () => {
    const { engine, world } = setUp();
    const host = engine as unknown as ControlsSource;
    expect(codeOf(() => orbitControls(host, null as never))).toBe('option-invalid');
    expect(codeOf(() => orbitControls(host, world.addPointLight() as never))).toBe('option-invalid');
    expect(codeOf(() => orbitControls(null as never, world.addCamera()))).toBe('option-invalid');
  });
});
