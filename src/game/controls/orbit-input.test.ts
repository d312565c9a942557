import { describe, expect, it, vi } from 'vitest';
import { spin } from '../motion/motion-turns.js';
import { FakeCanvas, frames, runFrame, setUp } from '../testing/orbit-page.js';
import { codeOf } from '../testing/test-world.js';
import type { View } from '../world/view.js';
import { type OrbitControls, orbitControls } from './orbit-controls.js';
import { defaultSettings } from './orbit-options.js';
import { turnedInto } from './orbit-pose.js';

const ABOVE = { position: [0, 3, 4] } as const;

/** Drags from the middle of the canvas, in pixels; 100 pixels are one turn. */
function drag(canvas: FakeCanvas, right: number, down: number, fields: object = {}): void {
  canvas.fire('pointerdown', { clientX: 100, clientY: 50, ...fields });
  canvas.fire('pointermove', { clientX: 100 + right, clientY: 50 + down, ...fields });
  canvas.fire('pointerup', { clientX: 100 + right, clientY: 50 + down, ...fields });
}

describe('limits of orbitControls', () => {
  it('keep the camera above the plane through the target, unless it begins lower or maxPolar is set', () => {
    const above = setUp({}, ABOVE);
    drag(above.engine.canvas, 0, -100);
    expect(above.controls.polar).toBeCloseTo(Math.PI / 2 - 0.01, 6);
    const below = setUp({}, { position: [0, -3, 4] });
    const start = below.controls.polar;
    drag(below.engine.canvas, 0, -100);
    expect(below.controls.polar).toBe(start);
    const free = setUp({ maxPolar: Math.PI }, ABOVE);
    drag(free.engine.canvas, 0, -100);
    expect(free.controls.polar).toBeCloseTo(Math.PI - 0.01, 6);
  });

  it('hold angles and the target, for the user and for the page', () => {
    const { engine, controls } = setUp({
      minPolar: 1,
      maxPolar: 1.2,
      minAzimuth: -0.5,
      maxAzimuth: 0.5,
      targetBounds: { min: [-1, 0, -1], max: [1, 0, 1] },
    });
    expect(controls.polar).toBe(1.2);
    drag(engine.canvas, 0, 100);
    expect(controls.polar).toBe(1);
    drag(engine.canvas, -50, 0);
    expect(controls.azimuth).toBe(0.5);
    drag(engine.canvas, 50, 0);
    expect(controls.azimuth).toBe(-0.5);
    controls.azimuth = 2 * Math.PI + 0.25;
    expect(controls.azimuth).toBeCloseTo(0.25, 9);
    drag(engine.canvas, -1000, -1000, { shiftKey: true });
    expect(controls.target).toEqual([1, 0, 1]);
    controls.target = [0, 7, -9];
    expect(controls.target).toEqual([0, 0, -1]);
  });

  it('choose the number of turns that lies within the limits', () => {
    const back = { ...defaultSettings(), minAzimuth: 0.75 * Math.PI, maxAzimuth: 1.25 * Math.PI };
    expect(turnedInto(-0.9 * Math.PI, -0.9 * Math.PI, back)).toBeCloseTo(1.1 * Math.PI, 9);
    expect(turnedInto(7 * Math.PI, 0, back)).toBeCloseTo(Math.PI, 9);
    const front = { ...defaultSettings(), minAzimuth: -1, maxAzimuth: 1 };
    expect(turnedInto(2, 0, front)).toBe(2);
    expect(turnedInto(-2.5, 0, front)).toBe(-2.5);
    expect(turnedInto(0.1, 4 * Math.PI, defaultSettings())).toBeCloseTo(4 * Math.PI + 0.1, 9);
  });

  it('stop autoRotate', () => {
    const { world, controls } = setUp({ autoRotate: 1, maxAzimuth: 0.3 });
    for (let tick = 0; tick < 8; tick++) world.tick(0.1);
    expect(controls.azimuth).toBe(0.3);
  });

  it('are refused if they contradict each other, or are of a wrong kind', () => {
    const wrong = (options: object): string => codeOf(() => setUp(options));
    expect(wrong({ minPolar: 1.2, maxPolar: 1 })).toBe('option-out-of-range');
    expect(wrong({ maxAzimuth: -1, minAzimuth: 1 })).toBe('option-out-of-range');
    expect(wrong({ maxDistance: 1, minDistance: 2 })).toBe('option-out-of-range');
    expect(wrong({ targetBounds: { min: [0, 0, 1], max: [1, 1, 0] } })).toBe('option-out-of-range');
    expect(wrong({ targetBounds: 3 })).toBe('option-invalid');
    expect(wrong({ keys: 1 })).toBe('option-invalid');
    expect(() => setUp({ minAzimuth: 90 })).toThrow(/90 looks like degrees/);
    expect(() => setUp({ maxPolr: 1 } as object)).toThrow(/no option "maxPolr".*maxPolar/);
    expect(setUp({ minPolar: 2 }).controls.maxPolar).toBe(2);
    expect(setUp({ maxDistance: 0.005, minDistance: 0.001 }).controls.distance).toBe(0.005);
  });
});

describe('input of orbitControls', () => {
  it('can leave out pan and zoom, which then belong to the page', () => {
    const { engine, controls } = setUp({ enablePan: false, enableZoom: false });
    drag(engine.canvas, 20, 20, { buttons: 2 });
    expect(controls.target).toEqual([0, 0, 0]);
    const wheel = engine.canvas.fire('wheel', { deltaY: 500, deltaMode: 0 });
    const menu = engine.canvas.fire('contextmenu');
    expect([wheel.defaultPrevented, menu.defaultPrevented, controls.distance]).toEqual([false, false, 5]);
    controls.enableZoom = true;
    expect(engine.canvas.fire('wheel', { deltaY: 500, deltaMode: 0 }).defaultPrevented).toBe(true);
    expect(controls.distance).toBeGreaterThan(5);
  });

  it.each([
    ['perspective', { position: [0, 0, 5] }],
    ['orthographic', { position: [0, 0, 5], orthographic: { halfHeight: 2 } }],
  ] as const)('zooms to the pointer, whose point stays in its place: %s', (_name, lens) => {
    const { world, camera, engine } = setUp({ zoomToPointer: true, minDistance: 4 }, lens);
    Object.assign(camera.root, { aspect: 2 });
    const height = (): number =>
      2 * (camera.root.orthographic?.halfHeight ?? camera.position.z * Math.tan(Math.PI / 8));
    /** The point of the plane through the target that is 40 pixels right of the middle and 30 above it. */
    const point = (): number[] => [camera.position.x + 0.4 * height(), camera.position.y + 0.3 * height()];
    const before = point();
    // The second turn reaches the least distance, which must not move the point either.
    for (const deltaY of [-100, -5000]) {
      engine.canvas.fire('wheel', { deltaY, deltaMode: 0, clientX: 140, clientY: 20 });
      world.tick(0.016);
      expect(point()).toEqual(before.map((value) => expect.closeTo(value, 5)));
    }
    expect(camera.position.x).toBeGreaterThan(0);
  });

  it('moves by keys while the option is set, and keeps them from scrolling the page', () => {
    const { engine, controls } = setUp({ keys: true }, ABOVE);
    const { canvas } = engine;
    expect(canvas.attributes.get('tabindex')).toBe('0');
    const polar = controls.polar;
    const press = (key: string, fields: object = {}): boolean =>
      canvas.fire('keydown', { key, ...fields }).defaultPrevented;
    expect(press('ArrowLeft')).toBe(true);
    expect(controls.azimuth).toBeCloseTo((-2 * Math.PI) / 60, 6);
    press('ArrowUp');
    expect(controls.polar).toBeLessThan(polar);
    press('ArrowRight', { shiftKey: true });
    expect(controls.target[0]).toBeGreaterThan(0);
    press('+');
    expect(controls.distance).toBeCloseTo(4.5, 6);
    press('-');
    expect(controls.distance).toBeCloseTo(5, 6);
    expect([press('a'), press('ArrowLeft', { ctrlKey: true })]).toEqual([false, false]);
    controls.keys = false;
    expect([canvas.attributes.has('tabindex'), press('ArrowLeft')]).toEqual([false, false]);
    canvas.tabIndex = 3;
    controls.keys = true;
    controls.dispose();
    expect(canvas.attributes.get('tabindex')).toBe('3');
  });

  it('gives a copy of the canvas the values of the page, not those of the controls', () => {
    const { engine, controls } = setUp({ keys: true });
    engine.canvas.style.touchAction = 'pan-x';
    controls.isEnabled = false;
    engine.canvas.style.touchAction = 'pan-y';
    controls.isEnabled = true;
    const copy = engine.canvas.copy();
    engine.canvas = copy;
    engine.dispatchEvent(new Event('surfacechange'));
    expect([copy.style.touchAction, copy.attributes.get('tabindex')]).toEqual(['none', '0']);
    controls.isEnabled = false;
    expect([copy.style.touchAction, copy.attributes.has('tabindex')]).toEqual(['pan-y', false]);
  });

  it('keeps a drag when another canvas of the engine is replaced', () => {
    const { engine, controls } = setUp();
    engine.canvas.fire('pointerdown', {});
    engine.dispatchEvent(new Event('surfacechange'));
    engine.canvas.fire('pointermove', { clientX: 25 });
    expect(controls.azimuth).toBeCloseTo(-Math.PI / 2, 6);
  });

  it('withholds the click after a drag of more than 5 pixels, unless clickAfterDrag is set', () => {
    const { engine, controls } = setUp();
    const clicks: string[] = [];
    const click = (name: string, detail = 1): unknown => {
      engine.canvas.addEventListener('click', () => clicks.push(name), { once: true });
      return engine.canvas.fire('click', { detail });
    };
    drag(engine.canvas, 3, 4);
    click('after 5 pixels');
    drag(engine.canvas, 6, 0);
    click('after 6 pixels');
    expect(clicks).toEqual(['after 5 pixels']);
    drag(engine.canvas, 6, 0);
    click('of a script', 0);
    expect(clicks).toContain('of a script');
    click('withheld again');
    controls.clickAfterDrag = true;
    drag(engine.canvas, 6, 0);
    clicks.length = 0;
    click('allowed');
    expect(clicks).toContain('allowed');
  });

  it('fires start, change and end', () => {
    const { world, engine, controls } = setUp();
    const heard: string[] = [];
    for (const type of ['start', 'change', 'end'] as const) {
      controls.addEventListener(type, () => heard.push(type));
    }
    drag(engine.canvas, 10, 0);
    expect(heard).toEqual(['start', 'end']);
    world.tick(0.016);
    world.tick(0.016);
    expect(heard).toEqual(['start', 'end', 'change']);
    engine.canvas.fire('wheel', { deltaY: 10, deltaMode: 0 });
    controls.azimuth = 1;
    controls.azimuth = 1;
    expect(heard.slice(3)).toEqual(['start', 'end', 'change']);
  });
});

describe('a zoom of an orthographic picture', () => {
  it('fires change once per frame, in ticks and in animation frames', () => {
    const lens = { position: [0, 0, 5], orthographic: { halfHeight: 2 } } as const;
    const { world, engine, controls } = setUp({}, lens);
    const changed = vi.fn();
    controls.addEventListener('change', changed);
    const zoom = () => engine.canvas.fire('wheel', { deltaY: 100, deltaMode: 0 });
    zoom();
    zoom();
    world.tick(0.016);
    world.tick(0.016);
    expect(changed).toHaveBeenCalledTimes(1);
    runFrame(1000);
    zoom();
    runFrame(1020);
    expect(changed).toHaveBeenCalledTimes(2);
    controls.frame({ min: [-4, -4, -4], max: [4, 4, 4] });
    expect(changed).toHaveBeenCalledTimes(3);
  });
});

describe('flights of orbitControls', () => {
  it('arrive exactly after their seconds, by any steps', async () => {
    const ends: number[][] = [];
    for (const steps of [1, 7, 100]) {
      const { world, controls, position } = setUp({ damping: 0.5 });
      const arrival = controls.flyTo({ position: [3, 4, 0], target: [0, 4, 0], seconds: 2 });
      for (let step = 0; step < steps; step++) world.tick(2.0001 / steps);
      expect(await arrival).toBe(true);
      ends.push(position());
      expect(controls.target).toEqual([0, 4, 0]);
    }
    expect(ends[0]).toEqual([expect.closeTo(3, 5), expect.closeTo(4, 1), expect.closeTo(0, 5)]);
    expect(ends[1]).toEqual(ends[0]);
    expect(ends[2]).toEqual(ends[0]);
  });

  it('go the short way around, at the pace of the easing', () => {
    const { world, controls } = setUp();
    controls.azimuth = 3;
    void controls.flyTo({ position: [5 * Math.sin(-3), 0, 5 * Math.cos(-3)], seconds: 1, easing: 'linear' });
    world.tick(0.5);
    expect(controls.azimuth).toBeCloseTo(Math.PI, 5);
    void controls.flyTo({ target: [1, 0, 0], seconds: 1, easing: 'ease-in' });
    world.tick(0.5);
    expect(controls.target[0]).toBeCloseTo(0.25, 6);
    void controls.flyTo({ target: [1.25, 0, 0], seconds: 1, easing: (share) => share ** 3 });
    world.tick(0.5);
    expect(controls.target[0]).toBeCloseTo(0.375, 6);
  });

  it.each<[string, (controls: OrbitControls, canvas: FakeCanvas) => void]>([
    ['a drag', (_, canvas) => drag(canvas, 10, 0)],
    ['the wheel', (_, canvas) => canvas.fire('wheel', { deltaY: 10, deltaMode: 0 })],
    ['a property', (controls) => Object.assign(controls, { azimuth: 1 })],
    ['frame', (controls) => controls.frame({ min: [0, 0, 0], max: [1, 1, 1] })],
    ['another flight', (controls) => void controls.flyTo({ target: [1, 1, 1] })],
    ['dispose', (controls) => controls.dispose()],
  ])('resolve with false when they are interrupted by %s', async (_name, interrupt) => {
    const { world, engine, controls } = setUp();
    const arrival = controls.flyTo({ position: [9, 9, 9] });
    world.tick(0.5);
    interrupt(controls, engine.canvas);
    world.tick(1);
    expect(await arrival).toBe(false);
  });

  it('go on when a pointer is pressed without a movement', async () => {
    const { world, engine, controls } = setUp();
    const arrival = controls.flyTo({ position: [9, 9, 9] });
    drag(engine.canvas, 0, 0);
    world.tick(2);
    expect(await arrival).toBe(true);
  });

  it('end within the limits', () => {
    const { world, controls } = setUp({ maxDistance: 6, minAzimuth: -1, maxAzimuth: 1 });
    void controls.flyTo({ position: [0, -5, -50], target: [0, 0, 0], seconds: 0 });
    world.tick(0.1);
    expect([controls.distance, Math.abs(controls.azimuth), controls.polar]).toEqual([6, 1, Math.PI / 2]);
  });

  it('frame a box in some seconds, also in an orthographic camera', async () => {
    const lens = { position: [0, 0, 5], orthographic: { halfHeight: 1 } } as const;
    const { world, camera, controls } = setUp({}, lens);
    const arrival = controls.frame({ min: [-4, -4, -4], max: [4, 4, 4] }, { seconds: 1, easing: 'linear' });
    const size = Math.hypot(4, 4, 4) * 1.1;
    world.tick(0.5);
    expect(camera.root.orthographic?.halfHeight).toBeCloseTo(Math.sqrt(size), 5);
    world.tick(0.5);
    expect(camera.root.orthographic?.halfHeight).toBe(size);
    expect(await arrival).toBe(true);
  });

  it('move in animation frames if nothing ticks, and only in steps once a step has moved them', async () => {
    const { world, controls } = setUp();
    const arrival = controls.flyTo({ target: [1, 0, 0], seconds: 1, easing: 'linear' });
    runFrame(1000);
    runFrame(1100);
    expect(controls.target[0]).toBeCloseTo(1 / 60 + 0.1, 6);
    world.tick(0.25);
    for (let time = 1200; time < 3000; time += 100) runFrame(time);
    expect(controls.target[0]).toBeCloseTo(1 / 60 + 0.35, 6);
    world.tick(1);
    runFrame(3000);
    expect([await arrival, frames.size]).toEqual([true, 0]);
  });

  it('check their options', () => {
    const { controls } = setUp();
    const wrong = (options: object): string => codeOf(() => controls.flyTo(options));
    expect(wrong({})).toBe('option-invalid');
    expect(wrong({ target: [1, 2] })).toBe('option-invalid');
    expect(wrong({ target: [0, 0, 0], seconds: -1 })).toBe('option-out-of-range');
    expect(wrong({ target: [0, 0, 0], easing: 'fast' })).toBe('option-invalid');
    expect(wrong({ target: [0, 0, 0], second: 1 })).toBe('option-unknown');
    expect(codeOf(() => controls.frame({ min: [0, 0, 0], max: [1, 1, 1] }, { second: 1 } as object))).toBe(
      'option-unknown',
    );
  });
});

describe('the camera of orbitControls', () => {
  it('refuses other controls and motions until the controls are disposed of', () => {
    const { world, camera, host, controls } = setUp();
    camera.name = 'eye';
    expect(() => orbitControls(host, camera)).toThrow(
      /"eye", because other controls \(orbitControls\) already move it\. Dispose of these controls first\./,
    );
    expect(codeOf(() => orbitControls(host, camera))).toBe('camera-controlled');
    const motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
    expect(() => Object.assign(camera, { motion })).toThrow(/spin\(\) can't move "eye": orbitControls\(\)/);
    expect(camera.motion).toBe(null);
    controls.dispose();
    camera.motion = motion;
    expect(() => orbitControls(host, camera)).toThrow(/its motion \(spin\)/);
    camera.motion = null;
    orbitControls(host, camera).dispose();
    orbitControls(host, world.addCamera());
  });

  it('is left alone by controls that were disposed of', async () => {
    const { controls, position } = setUp();
    controls.dispose();
    controls.azimuth = 2;
    controls.frame({ min: [0, 0, 0], max: [9, 9, 9] });
    expect(await controls.flyTo({ position: [1, 1, 1], seconds: 0 })).toBe(false);
    expect(position()[2]).toBe(5);
  });
});

describe('a view as host of orbitControls', () => {
  const RECT = { x: 0.5, y: 0, width: 0.5, height: 0.5 };

  function withView() {
    const page = setUp();
    const { world, engine } = page;
    const camera = world.addCamera({ position: [0, 0, 5] });
    const view: View = world.addView({ camera, rect: RECT }, vi.fn());
    Object.assign(view, { engine });
    const mapControls = orbitControls(view, camera, { damping: 0 });
    return { ...page, view, camera, mapControls };
  }

  it('gets the input of its part, and the engine that of the rest', () => {
    const { engine, controls, mapControls, view } = withView();
    const turn = (clientX: number, clientY: number): void => {
      engine.canvas.fire('pointerdown', { clientX, clientY });
      engine.canvas.fire('pointermove', { clientX: clientX + 10, clientY });
      engine.canvas.fire('pointerup', { clientX: clientX + 10, clientY });
    };
    turn(50, 50);
    expect([controls.azimuth, mapControls.azimuth]).toEqual([expect.closeTo(-Math.PI / 5, 6), 0]);
    turn(150, 20);
    expect([controls.azimuth, mapControls.azimuth]).toEqual([
      expect.closeTo(-Math.PI / 5, 6),
      // The view is half as high as the canvas.
      expect.closeTo((-2 * Math.PI) / 5, 6),
    ]);
    engine.canvas.fire('wheel', { deltaY: 100, deltaMode: 0, clientX: 150, clientY: 20 });
    expect([controls.distance, mapControls.distance > 5]).toEqual([5, true]);
    view.enabled = false;
    engine.canvas.fire('wheel', { deltaY: 100, deltaMode: 0, clientX: 150, clientY: 20 });
    expect(controls.distance).toBeGreaterThan(5);
  });

  it('keeps the context menu closed for the part of the press, wherever the drag ends', () => {
    const { engine, mapControls } = withView();
    mapControls.enablePan = false;
    const menu = (pressX: number, releaseX: number): boolean => {
      const press = { clientX: pressX, clientY: 20, button: 2, buttons: 2 };
      engine.canvas.fire('pointerdown', press);
      engine.canvas.fire('pointermove', { ...press, clientX: releaseX });
      engine.canvas.fire('pointerup', { ...press, clientX: releaseX });
      return engine.canvas.fire('contextmenu', { clientX: releaseX, clientY: 20, button: 2 })
        .defaultPrevented;
    };
    expect([menu(50, 150), menu(150, 50), menu(50, 50), menu(150, 150)]).toEqual([true, false, true, false]);
    // A key opens the menu without a press.
    expect(engine.canvas.fire('contextmenu', { clientX: 50, clientY: 20, button: 0 }).defaultPrevented).toBe(
      true,
    );
  });

  it('shares touch-action with the engine, and ends with the view', async () => {
    const { engine, controls, mapControls, view, camera } = withView();
    const { style } = engine.canvas;
    controls.isEnabled = false;
    expect(style.touchAction).toBe('none');
    const arrival = mapControls.flyTo({ target: [1, 1, 1] });
    view.dispose();
    expect([style.touchAction, await arrival, camera.root.controls]).toEqual(['', false, null]);
    expect(codeOf(() => orbitControls(view, camera))).toBe('option-invalid');
  });

  it('is found by its own canvas, and refused without one in the page', () => {
    const { world, engine } = setUp();
    const canvas = new FakeCanvas();
    const camera = world.addCamera({ position: [0, 0, 5] });
    const element = canvas as unknown as HTMLCanvasElement;
    const view = world.addView({ camera, canvas: element }, () => ({ canvas: element }));
    expect(codeOf(() => orbitControls(view, camera))).toBe('option-invalid');
    Object.assign(view, { engine });
    const controls = orbitControls(element, camera, { damping: 0 });
    drag(canvas, 25, 0);
    expect(controls.azimuth).toBeCloseTo(-Math.PI / 2, 6);
    const other = new FakeCanvas() as unknown as HTMLCanvasElement;
    expect(codeOf(() => orbitControls(other, world.addCamera()))).toBe('option-invalid');
    const offscreen = world.addView({ camera: world.addCamera(), canvas: element }, () => ({
      canvas: {} as OffscreenCanvas,
    }));
    Object.assign(offscreen, { engine });
    expect(codeOf(() => orbitControls(offscreen, world.addCamera()))).toBe('option-invalid');
  });
});
