import { describe, expect, it } from 'vitest';
import { type OrbitControlsHost, orbitControls } from './orbit-controls.js';
import { createTestWorld } from './world.test-helper.js';

class FakeCanvas extends EventTarget {
  style = { touchAction: '' };
  clientHeight = 100;
  setPointerCapture(): void {}
  fire(type: string, fields: object): Event {
    const event = Object.assign(new Event(type, { cancelable: true }), {
      pointerId: 1,
      clientX: 0,
      clientY: 0,
      buttons: 1,
      shiftKey: false,
      ...fields,
    });
    this.dispatchEvent(event);
    return event;
  }
}

function setUp(damping = 0) {
  const { world, sendNames } = createTestWorld();
  const camera = world.addCamera({ position: [0, 0, 5] });
  const engine = Object.assign(new EventTarget(), { world, canvas: new FakeCanvas() });
  const controls = orbitControls(engine as unknown as OrbitControlsHost, camera, { damping });
  const position = (): number[] => [camera.position.x, camera.position.y, camera.position.z];
  return { world, camera, engine, controls, position, sendNames };
}

/** −Z of the camera points at the target. */
function expectToLookAt(actor: { worldFromLocal(out: number[]): number[] }, target: number[]): void {
  const matrix = actor.worldFromLocal([]);
  const toTarget = target.map((value, axis) => value - matrix[12 + axis]!);
  const length = Math.hypot(...toTarget);
  toTarget.forEach((value, axis) => {
    expect(-matrix[8 + axis]!).toBeCloseTo(value / length, 5);
  });
}

describe('orbitControls', () => {
  it('rotates a quarter turn for a quarter of the height, and stays quiet when still', () => {
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

  it('pans what is under the pointer along with it', () => {
    const { world, engine, controls, camera } = setUp();
    engine.canvas.fire('pointerdown', {});
    engine.canvas.fire('pointermove', { clientX: -50, shiftKey: true });
    world.tick(0.016);
    // Half the height at a distance of 5: tan(fovY / 2) · 5.
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
    const slow = setUp(0.1);
    const fast = setUp(0.1);
    for (const { engine } of [slow, fast]) engine.canvas.fire('wheel', { deltaY: 500, deltaMode: 0 });
    slow.world.tick(0.1);
    for (let frame = 0; frame < 10; frame++) fast.world.tick(0.01);
    expect(slow.position()[2]).toBeCloseTo(fast.position()[2]!, 4);
    expect(slow.position()[2]).toBeGreaterThan(5);
  });

  it('moves to a new canvas, and lets go of everything when disposed', () => {
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

  it('frames a box', () => {
    const { controls, camera } = setUp();
    controls.frame({ min: [1, 1, 1], max: [3, 3, 3] });
    expect(controls.target).toEqual([2, 2, 2]);
    expect(controls.distance).toBeCloseTo((Math.sqrt(3) / Math.sin(Math.PI / 8)) * 1.1, 5);
    expectToLookAt(camera, [2, 2, 2]);
  });
});
