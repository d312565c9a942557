import { describe, expect, it, vi } from 'vitest';
import { spin } from '../../motion/motion-turns.js';
import { createPage, type FakeCanvas, frames, runFrame } from '../../testing/orbit-page.js';
import { codeOf } from '../../testing/test-world.js';
import { orbitControls } from '../orbit-controls.js';
import { anglesOf } from './look-angles.js';
import { firstPersonControls, flyControls } from './look-controls.js';
import type { LookControlsOptions } from './look-options.js';

function setUp(options: LookControlsOptions = {}, create: typeof flyControls = flyControls) {
  const page = createPage({ position: [0, 2, 0] });
  const controls = create(page.host, page.camera, { damping: 0, speed: 4, ...options });
  const angles = () => anglesOf(page.camera.rotation);
  return { ...page, controls, angles };
}

const near = (...values: number[]): number[] => values.map((value) => expect.closeTo(value, 4));

/** Drags by some pixels; the canvas is 100 pixels high. */
function drag(canvas: FakeCanvas, right: number, down: number, fields: object = {}): void {
  canvas.fire('pointerdown', { clientX: 100, clientY: 50, ...fields });
  canvas.fire('pointermove', { clientX: 100 + right, clientY: 50 + down, ...fields });
  canvas.fire('pointerup', { clientX: 100 + right, clientY: 50 + down, ...fields });
}

const press = (canvas: FakeCanvas, code: string, fields: object = {}): boolean =>
  canvas.fire('keydown', { code, ...fields }).defaultPrevented;
const lift = (canvas: FakeCanvas, code: string, fields: object = {}) =>
  canvas.fire('keyup', { code, ...fields });

describe('keys of flyControls and firstPersonControls', () => {
  it.each([
    ['KeyW', [0, 2, -4]],
    ['ArrowUp', [0, 2, -4]],
    ['KeyS', [0, 2, 4]],
    ['ArrowDown', [0, 2, 4]],
    ['KeyA', [-4, 2, 0]],
    ['ArrowLeft', [-4, 2, 0]],
    ['KeyD', [4, 2, 0]],
    ['ArrowRight', [4, 2, 0]],
    ['KeyE', [0, 6, 0]],
    ['KeyQ', [0, -2, 0]],
  ])('%s moves by the speed while it is held', (code, expected) => {
    const { engine, world, position } = setUp();
    expect(press(engine.canvas, code)).toBe(true);
    world.tick(0.25);
    world.tick(0.75);
    expect(position()).toEqual(near(...expected));
    lift(engine.canvas, code);
    world.tick(1);
    expect(position()).toEqual(near(...expected));
  });

  it('add up to one speed, are faster with shift, and cancel each other', () => {
    const { engine, world, position, camera } = setUp();
    const { canvas } = engine;
    for (const code of ['KeyW', 'ArrowUp', 'KeyD']) press(canvas, code);
    world.tick(1);
    expect(position()).toEqual(near(Math.SQRT1_2 * 4, 2, -Math.SQRT1_2 * 4));
    camera.position = [0, 2, 0];
    for (const code of ['ArrowUp', 'KeyD']) lift(canvas, code);
    press(canvas, 'ShiftLeft', { shiftKey: true });
    world.tick(1);
    expect(position()).toEqual(near(0, 2, -12));
    lift(canvas, 'ShiftLeft');
    press(canvas, 'KeyS');
    world.tick(1);
    expect(position()).toEqual(near(0, 2, -12));
  });

  it('follow the view in flight, and keep the height on foot', () => {
    const fly = setUp({ speed: 2 });
    const walk = setUp({ speed: 2 }, firstPersonControls);
    for (const { camera, engine, world } of [fly, walk]) {
      camera.lookAt([5, 7, 0]);
      press(engine.canvas, 'KeyW');
      world.tick(1);
    }
    expect(fly.position()).toEqual(near(Math.SQRT2, 2 + Math.SQRT2, 0));
    expect(walk.position()).toEqual(near(2, 2, 0));
    expect([press(walk.engine.canvas, 'KeyE'), press(walk.engine.canvas, 'KeyX')]).toEqual([false, false]);
  });

  it('are released on blur, by isEnabled, by keys and by dispose', () => {
    for (const release of [
      ({ engine }: ReturnType<typeof setUp>) => engine.canvas.fire('blur'),
      ({ controls }: ReturnType<typeof setUp>) => Object.assign(controls, { isEnabled: false }),
      ({ controls }: ReturnType<typeof setUp>) => Object.assign(controls, { keys: false }),
      ({ controls }: ReturnType<typeof setUp>) => controls.dispose(),
    ]) {
      const page = setUp();
      const heard: string[] = [];
      for (const type of ['start', 'end'] as const)
        page.controls.addEventListener(type, () => heard.push(type));
      press(page.engine.canvas, 'KeyW');
      page.world.tick(0.5);
      release(page);
      page.world.tick(5);
      runFrame(1000);
      runFrame(9000);
      expect(page.position()).toEqual(near(0, 2, -2));
      expect(heard).toEqual(['start', 'end']);
    }
  });

  it('leave combinations and unfocused canvases to the page', () => {
    const { engine, controls } = setUp();
    expect(engine.canvas.attributes.get('tabindex')).toBe('0');
    expect(press(engine.canvas, 'KeyS', { ctrlKey: true })).toBe(false);
    controls.keys = false;
    expect([engine.canvas.attributes.has('tabindex'), press(engine.canvas, 'KeyS')]).toEqual([false, false]);
  });

  it('of macOS end with the command key, which hides their release', () => {
    const { engine, world, position } = setUp();
    press(engine.canvas, 'KeyW');
    lift(engine.canvas, 'MetaLeft', { key: 'Meta' });
    world.tick(1);
    expect(position()).toEqual(near(0, 2, 0));
  });
});

describe('pointers of flyControls and firstPersonControls', () => {
  it('turn the view in the direction of the drag, without roll', () => {
    const { engine, world, angles, controls } = setUp({ lookSpeed: 1 });
    drag(engine.canvas, 30, 20);
    drag(engine.canvas, 20, 10);
    world.tick(0.016);
    expect(angles()).toEqual({ yaw: expect.closeTo(-0.5, 5), pitch: expect.closeTo(-0.3, 5), roll: 0 });
    controls.lookSpeed = -1;
    drag(engine.canvas, 50, 30);
    world.tick(0.016);
    expect(angles()).toEqual({ yaw: expect.closeTo(0, 5), pitch: expect.closeTo(0, 5), roll: 0 });
    drag(engine.canvas, 50, 30, { button: 2, buttons: 2 });
    world.tick(0.016);
    expect(angles().yaw).toBeCloseTo(0, 5);
    expect(engine.canvas.fire('contextmenu').defaultPrevented).toBe(false);
  });

  it('move by two fingers: with the scene in flight, along the ground on foot', () => {
    const fly = setUp();
    const walk = setUp({}, firstPersonControls);
    for (const { engine, world } of [fly, walk]) {
      const { canvas } = engine;
      canvas.fire('pointerdown', { pointerId: 1, clientX: 40, clientY: 50 });
      canvas.fire('pointerdown', { pointerId: 2, clientX: 60, clientY: 50 });
      // The fingers spread while they move on one by one, and end as far apart as before.
      canvas.fire('pointermove', { pointerId: 1, clientX: 60, clientY: 70 });
      canvas.fire('pointermove', { pointerId: 2, clientX: 80, clientY: 70 });
      world.tick(0.016);
    }
    expect(fly.position()).toEqual(near(-0.8, 2.8, 0));
    expect(walk.position()).toEqual(near(-0.8, 2, -0.8));
    fly.engine.canvas.fire('pointermove', { pointerId: 2, clientX: 60 + 20 * Math.E, clientY: 70 });
    fly.world.tick(0.016);
    expect(fly.position()[2]).toBeCloseTo(-4, 4);
  });

  it('change the speed of a flight by the wheel, and leave it to the page on foot', () => {
    const fly = setUp();
    const walk = setUp({}, firstPersonControls);
    const turn = { deltaY: -1000 * Math.log(2), deltaMode: 0 };
    const events = [fly, walk].map(({ engine }) => engine.canvas.fire('wheel', turn).defaultPrevented);
    expect(events).toEqual([true, false]);
    expect([fly.controls.speed, walk.controls.speed]).toEqual([expect.closeTo(8, 9), 4]);
    fly.engine.canvas.fire('wheel', { deltaY: 1e6, deltaMode: 0 });
    expect(fly.controls.speed).toBe(1e-3);
    fly.engine.canvas.fire('wheel', { deltaY: -1e6, deltaMode: 0 });
    expect(fly.controls.speed).toBe(1e6);
  });
});

describe('pointer lock of firstPersonControls', () => {
  /** Lets the canvas lock the pointer, as browsers do. */
  function withLock(options: LookControlsOptions = {}) {
    const page = setUp({ pointerLock: true, lookSpeed: 1, ...options }, firstPersonControls);
    const document = Object.assign(new EventTarget(), {
      pointerLockElement: null as unknown,
      exitPointerLock: () => lock(null),
    });
    const lock = (element: unknown): void => {
      document.pointerLockElement = element;
      document.dispatchEvent(new Event('pointerlockchange'));
    };
    const { canvas } = page.engine;
    const requestPointerLock = vi.fn(() => {
      lock(canvas);
      return Promise.resolve();
    });
    Object.assign(canvas, { ownerDocument: document, getRootNode: () => document, requestPointerLock });
    const heard: string[] = [];
    for (const type of ['start', 'end'] as const)
      page.controls.addEventListener(type, () => heard.push(type));
    return { ...page, canvas, document, lock, requestPointerLock, heard };
  }

  it('begins with a click, turns the camera without a button, and ends by escape', () => {
    const { canvas, controls, world, angles, lock, heard, requestPointerLock } = withLock();
    canvas.fire('pointermove', { movementX: 20, movementY: 0 });
    canvas.fire('click', { detail: 1 });
    expect([controls.isLocked, heard]).toEqual([true, ['start']]);
    canvas.fire('pointermove', { movementX: 20, movementY: -10 });
    drag(canvas, 50, 50, { movementX: 0, movementY: 0 });
    world.tick(0.016);
    expect(angles()).toEqual({ yaw: expect.closeTo(-0.2, 5), pitch: expect.closeTo(0.1, 5), roll: 0 });
    canvas.fire('click', { detail: 1 });
    expect(requestPointerLock).toHaveBeenCalledTimes(1);
    lock(null);
    expect([controls.isLocked, heard]).toEqual([false, ['start', 'end']]);
  });

  it('ends by isEnabled, by pointerLock and by dispose', () => {
    for (const end of [{ isEnabled: false }, { pointerLock: false }, null]) {
      const { canvas, controls, document } = withLock();
      canvas.fire('click', { detail: 1 });
      if (end) Object.assign(controls, end);
      else controls.dispose();
      expect([controls.isLocked, document.pointerLockElement]).toEqual([false, null]);
    }
  });

  it('ends at once if the browser grants it after isEnabled, pointerLock or dispose', () => {
    for (const end of [{ isEnabled: false }, { pointerLock: false }, null]) {
      const { canvas, controls, document, lock, requestPointerLock, heard } = withLock();
      requestPointerLock.mockImplementation(() => Promise.resolve());
      canvas.fire('click', { detail: 1 });
      if (end) Object.assign(controls, end);
      else controls.dispose();
      lock(canvas);
      expect([controls.isLocked, document.pointerLockElement, heard]).toEqual([false, null, []]);
      // Later, the page itself may lock the pointer.
      lock(canvas);
      expect(document.pointerLockElement).toBe(canvas);
    }
  });

  it('leaves a lock of the page alone after a refused request', () => {
    const { canvas, controls, document, lock, requestPointerLock } = withLock();
    requestPointerLock.mockImplementation(() => Promise.resolve());
    canvas.fire('click', { detail: 1 });
    controls.dispose();
    document.dispatchEvent(new Event('pointerlockerror'));
    lock(canvas);
    expect(document.pointerLockElement).toBe(canvas);
  });

  it('does not follow drags, fingers, clicks of scripts, or refusals of the browser', async () => {
    const { canvas, controls, requestPointerLock } = withLock();
    drag(canvas, 20, 0);
    canvas.fire('click', { detail: 1 });
    canvas.fire('click', { detail: 0 });
    canvas.fire('click', { detail: 1, pointerType: 'touch' });
    expect(requestPointerLock).not.toHaveBeenCalled();
    requestPointerLock.mockImplementation(() => Promise.reject(new Error('refused')));
    canvas.fire('click', { detail: 1 });
    await Promise.resolve();
    expect([requestPointerLock.mock.calls.length, controls.isLocked]).toEqual([1, false]);
  });
});

describe('movement of flyControls', () => {
  it('adds to what the page writes, roll included', () => {
    const { engine, world, camera, position, angles } = setUp({ lookSpeed: 1 });
    press(engine.canvas, 'KeyD');
    world.tick(1);
    camera.position = [0, 10, 0];
    camera.rotation = [0, 0, Math.sin(0.25), Math.cos(0.25)];
    drag(engine.canvas, -100, 0);
    world.tick(1);
    expect(angles()).toEqual({
      yaw: expect.closeTo(1, 5),
      pitch: expect.closeTo(0, 5),
      roll: expect.closeTo(0.5, 5),
    });
    expect(position()).toEqual(near(4 * Math.cos(1), 10, -4 * Math.sin(1)));
  });

  it('does not depend on the frame rate', () => {
    const places = [1, 7, 100].map((steps) => {
      const { engine, world, position } = setUp({ damping: 0.3 });
      press(engine.canvas, 'KeyW');
      for (let step = 0; step < steps; step++) world.tick(1 / steps);
      const held = position();
      lift(engine.canvas, 'KeyW');
      for (let step = 0; step < steps; step++) world.tick(10 / steps);
      return [...held, ...position()];
    });
    const [first = []] = places;
    // The camera covers as much after the release as it lacked before.
    expect(first[2]).toBeCloseTo(-4 * (1 - 0.3 * (1 - Math.exp(-1 / 0.3))), 5);
    expect(first[5]).toBeCloseTo(-4, 3);
    for (const place of places) expect(place).toEqual(first.map((value) => expect.closeTo(value, 3)));
  });

  it('stays within bounds', () => {
    const { engine, world, position, controls } = setUp({ bounds: { min: [-1, 0, -1], max: [1, 3, 1] } });
    press(engine.canvas, 'KeyW');
    press(engine.canvas, 'KeyE');
    world.tick(2);
    expect(position()).toEqual(near(0, 3, -1));
    controls.bounds = null;
    world.tick(1);
    expect(position()[1]).toBeGreaterThan(3);
  });

  it('draws a frame per movement in a stopped engine, and none at rest', () => {
    const { engine, position, invalidate, sendNames } = setUp();
    press(engine.canvas, 'KeyW');
    runFrame(1000);
    runFrame(1100);
    expect(position()[2]).toBeCloseTo(-4 * (1 / 60 + 0.1), 4);
    expect(invalidate).toHaveBeenCalledTimes(2);
    lift(engine.canvas, 'KeyW');
    runFrame(1200);
    runFrame(1300);
    expect([frames.size, invalidate.mock.calls.length]).toEqual([0, 2]);
    sendNames();
    runFrame(1400);
    expect(sendNames()).toEqual([]);
  });

  it('follows only steps once a step has moved it, until it rests', () => {
    const { engine, world, position } = setUp();
    press(engine.canvas, 'KeyW');
    world.tick(0.5);
    for (let time = 1000; time < 3000; time += 100) runFrame(time);
    world.tick(0.5);
    expect(position()[2]).toBeCloseTo(-4, 5);
    lift(engine.canvas, 'KeyW');
    world.tick(0.5);
    press(engine.canvas, 'KeyS');
    runFrame(3000);
    runFrame(3100);
    expect(position()[2]).toBeGreaterThan(-4);
  });

  it('fires start, change and end', () => {
    const { engine, world, controls } = setUp();
    const heard: string[] = [];
    for (const type of ['start', 'change', 'end'] as const)
      controls.addEventListener(type, () => heard.push(type));
    press(engine.canvas, 'KeyW');
    press(engine.canvas, 'KeyW', { repeat: true });
    drag(engine.canvas, 10, 0);
    engine.canvas.fire('wheel', { deltaY: 10, deltaMode: 0 });
    world.tick(0.1);
    world.tick(0);
    lift(engine.canvas, 'KeyW');
    world.tick(0.1);
    expect(heard).toEqual(['start', 'change', 'end']);
    engine.canvas.fire('wheel', { deltaY: 10, deltaMode: 0 });
    expect(heard.slice(3)).toEqual(['start', 'end']);
  });
});

describe('flyControls and firstPersonControls', () => {
  it('refuse a camera that has other controls or a motion', () => {
    const { host, camera, controls } = setUp();
    camera.name = 'eye';
    expect(() => firstPersonControls(host, camera)).toThrow(
      /firstPersonControls\(\) can't move "eye", because other controls \(flyControls\) already move it/,
    );
    expect(codeOf(() => orbitControls(host, camera))).toBe('camera-controlled');
    const motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
    expect(codeOf(() => Object.assign(camera, { motion }))).toBe('camera-controlled');
    controls.dispose();
    camera.motion = motion;
    expect(codeOf(() => flyControls(host, camera))).toBe('camera-controlled');
  });

  it('refuse wrong options and values', () => {
    const { host, world, controls } = setUp();
    const wrong = (options: object): string => codeOf(() => flyControls(host, world.addCamera(), options));
    expect(() => flyControls(host, world.addCamera(), { sped: 1 } as object)).toThrow(
      /no option "sped".*speed/,
    );
    expect([wrong({ speed: -1 }), wrong({ lookSpeed: 101 }), wrong({ damping: Number.NaN })]).toEqual(
      Array(3).fill('option-out-of-range'),
    );
    expect([wrong({ keys: 1 }), wrong({ pointerLock: 'yes' }), wrong({ bounds: 3 })]).toEqual(
      Array(3).fill('option-invalid'),
    );
    expect(wrong({ bounds: { min: [0, 0, 1], max: [1, 1, 0] } })).toBe('option-out-of-range');
    expect(codeOf(() => Object.assign(controls, { speed: Infinity }))).toBe('option-out-of-range');
    expect(codeOf(() => Object.assign(controls, { isEnabled: 'false' }))).toBe('option-invalid');
    expect(controls.speed).toBe(4);
    expect(codeOf(() => flyControls(null as never, world.addCamera()))).toBe('option-invalid');
    expect(codeOf(() => flyControls(host, null as never))).toBe('option-invalid');
  });

  it('end with their world, and stop when the camera is destroyed', () => {
    const first = setUp();
    press(first.engine.canvas, 'KeyW');
    first.camera.destroy();
    runFrame(1000);
    runFrame(1100);
    expect(frames.size).toBe(0);
    const second = setUp();
    press(second.engine.canvas, 'KeyW');
    second.world.dispose();
    expect([frames.size, second.engine.canvas.style.touchAction]).toEqual([0, '']);
  });
});
