import { describe, expect, it, vi } from 'vitest';
import { Actor } from '../components/actor.js';
import { SceneComponent } from '../components/scene-component.js';
import { boxGeometry } from '../geometry/shapes.js';
import { keyframes } from '../motion/motion-keyframes.js';
import { spin } from '../motion/motion-turns.js';
import { createPage, FakeCanvas } from '../testing/orbit-page.js';
import { codeOf, createTestWorld } from '../testing/test-world.js';
import { type DragControls, dragControls } from './drag-controls.js';
import type { DragControlsOptions } from './drag-options.js';
import { transformGizmo } from './gizmo/transform-gizmo.js';
import { orbitControls } from './orbit-controls.js';

/** Metres per pixel at the front of the box: the camera is 4.5 m away, and the canvas 100 pixels high. */
const METRES = (2 * 4.5 * Math.tan(Math.PI / 8)) / 100;

function setUp(options: DragControlsOptions = {}) {
  const page = createPage();
  const { world, host } = page;
  const box = world.addMesh({ geometry: boxGeometry(), name: 'box' });
  const controls = dragControls(host, [box], options);
  const heard: string[] = [];
  for (const type of ['start', 'change', 'end'] as const) {
    controls.addEventListener(type, ({ detail }) => heard.push(`${type} ${detail.actor.name}`));
  }
  return { ...page, box, controls, heard };
}

const near = (...values: number[]): number[] => values.map((value) => expect.closeTo(value, 6));

function press(canvas: FakeCanvas, x: number, y: number, fields: object = {}): void {
  canvas.fire('pointerdown', { clientX: x, clientY: y, ...fields });
}
const move = (canvas: FakeCanvas, x: number, y: number, fields: object = {}) =>
  canvas.fire('pointermove', { clientX: x, clientY: y, ...fields });
const lift = (canvas: FakeCanvas, fields: object = {}) => canvas.fire('pointerup', fields);

describe('dragControls', () => {
  it('moves an actor with the grabbed point under the pointer, parallel to the picture', () => {
    const { engine, box, heard, invalidate } = setUp();
    press(engine.canvas, 105, 45);
    move(engine.canvas, 125, 35);
    expect([...box.position]).toEqual(near(20 * METRES, 10 * METRES, 0));
    expect(invalidate).toHaveBeenCalledTimes(1);
    move(engine.canvas, 105, 45);
    expect([...box.position]).toEqual(near(0, 0, 0));
    lift(engine.canvas);
    move(engine.canvas, 150, 45);
    expect([...box.position]).toEqual(near(0, 0, 0));
    expect(heard).toEqual(['start box', 'change box', 'change box', 'end box']);
  });

  it('leaves other presses to the controls of the camera, and gets its own alone', () => {
    const { engine, host, camera, world, box, heard } = setUp();
    const orbit = orbitControls(host, camera, { damping: 0 });
    const grab = (x: number, y: number, fields: object = {}): void => {
      press(engine.canvas, x, y, fields);
      move(engine.canvas, x + 10, y, fields);
      lift(engine.canvas, fields);
      world.tick(0.016);
    };
    grab(100, 50);
    expect([orbit.azimuth, heard.length]).toEqual([0, 3]);
    box.position = [0, 0, 0];
    grab(10, 10);
    expect([orbit.azimuth, heard.length]).toEqual([expect.closeTo(-Math.PI / 5, 6), 3]);
    orbit.azimuth = 0;
    grab(100, 50, { button: 2, buttons: 2 });
    expect([orbit.target[0] < 0, heard.length]).toEqual([true, 3]);
  });

  it('follows one finger; others wait until it is lifted', () => {
    const { engine, host, camera, box, controls } = setUp();
    const orbit = orbitControls(host, camera, { damping: 0 });
    press(engine.canvas, 100, 50, { pointerId: 1 });
    press(engine.canvas, 10, 10, { pointerId: 2 });
    move(engine.canvas, 40, 40, { pointerId: 2 });
    expect([...box.position, orbit.azimuth]).toEqual(near(0, 0, 0, 0));
    lift(engine.canvas, { pointerId: 2 });
    move(engine.canvas, 110, 50, { pointerId: 1 });
    expect(box.position.x).toBeCloseTo(10 * METRES, 6);
    lift(engine.canvas, { pointerId: 1 });
    // A finger that joins one of the camera zooms, also on an actor.
    box.position = [0, 0, 0];
    press(engine.canvas, 80, 10, { pointerId: 1 });
    press(engine.canvas, 100, 50, { pointerId: 2 });
    move(engine.canvas, 110, 70, { pointerId: 2 });
    expect(orbit.distance).toBeLessThan(5);
    expect([box.position.x, controls.actors.length]).toEqual([0, 1]);
  });

  it('moves actors on the ground, and not to the horizon', () => {
    const { engine, camera, box } = setUp({ plane: [0, 2, 0] });
    camera.position = [0, 3, 5];
    camera.lookAt([0, 0, 0]);
    press(engine.canvas, 100, 50);
    move(engine.canvas, 130, 40);
    expect(box.position.x).toBeGreaterThan(0.5);
    expect([...box.position]).toEqual([expect.anything(), 0, expect.anything()]);
    const before = [...box.position];
    move(engine.canvas, 130, -200);
    expect([...box.position]).toEqual(before);
  });

  it('places actors on a grid and within bounds', () => {
    const { engine, box, controls } = setUp({ snap: 0.5 });
    box.position = [0.1, 0.1, 0.1];
    press(engine.canvas, 100, 50);
    move(engine.canvas, 100 + 0.5 / METRES, 50);
    expect([...box.position]).toEqual(near(0.5, 0, 0.1));
    controls.bounds = { min: [-1, 0.25, 0.5], max: [1, 1, 1] };
    move(engine.canvas, 199, 50);
    // Along the normal, the position stays as it is, even outside the box.
    expect([...box.position]).toEqual(near(1, 0.25, 0.1));
  });

  it('drags the actor that the hit mesh is attached to, in the space of its parent', () => {
    const { engine, world, box, controls } = setUp();
    const cart = world.spawn(new Actor(new SceneComponent(), 'cart'));
    const load = world.spawn(new Actor(new SceneComponent(), 'load'));
    cart.scale = 2;
    cart.rotateY(Math.PI / 2);
    load.attachTo(cart);
    box.attachTo(load);
    box.scale = 0.5;
    controls.actors = [load];
    press(engine.canvas, 100, 50);
    move(engine.canvas, 110, 50);
    expect(load.worldPosition).toEqual(near(10 * METRES, 0, 0));
    expect([...load.position]).toEqual(near(0, 0, (10 * METRES) / 2));
    expect([...box.position]).toEqual([0, 0, 0]);
  });

  it('is blocked by other meshes and by isEnabled', () => {
    const { engine, world, box, controls, heard } = setUp();
    const wall = world.addMesh({ geometry: boxGeometry(), position: [0, 0, 2] });
    const grab = (): void => {
      press(engine.canvas, 100, 50);
      lift(engine.canvas);
    };
    grab();
    expect(heard).toEqual([]);
    wall.destroy();
    controls.isEnabled = false;
    grab();
    expect([heard.length, engine.canvas.style.touchAction]).toEqual([0, '']);
    controls.isEnabled = true;
    grab();
    expect([heard.length, engine.canvas.style.touchAction]).toEqual([2, 'none']);
    controls.dispose();
    grab();
    expect([heard.length, engine.canvas.style.touchAction, controls.actors]).toEqual([2, '', []]);
    controls.actors = [box];
    expect(controls.actors).toEqual([]);
  });

  it('withholds the click after a drag', () => {
    const { engine, controls } = setUp();
    const clicked = vi.fn();
    engine.canvas.addEventListener('click', clicked);
    const drag = (pixels: number): void => {
      press(engine.canvas, 100, 50);
      move(engine.canvas, 100 + pixels, 50);
      move(engine.canvas, 100, 50);
      lift(engine.canvas);
      engine.canvas.fire('click', { detail: 1 });
    };
    drag(4);
    expect(clicked).toHaveBeenCalledTimes(1);
    drag(10);
    expect(clicked).toHaveBeenCalledTimes(1);
    controls.clickAfterDrag = true;
    drag(10);
    expect(clicked).toHaveBeenCalledTimes(2);
  });

  it('forgets destroyed actors, also during a drag', () => {
    const { engine, world, box, controls, heard } = setUp();
    const other = world.addMesh({ geometry: boxGeometry(), position: [0, 0, -3] });
    controls.actors = [box, other];
    press(engine.canvas, 100, 50);
    box.destroy();
    move(engine.canvas, 120, 50);
    expect(controls.actors).toEqual([other]);
    lift(engine.canvas);
    expect(heard).toEqual(['start box', 'end box']);
  });

  it('uses the camera, the layers and the part of its view', () => {
    const { engine, world } = setUp();
    const camera = world.addCamera({ position: [0, 0, 5] });
    const rect = { x: 0.5, y: 0, width: 0.5, height: 0.5 };
    const view = world.addView({ camera, rect, layers: 2 }, vi.fn());
    Object.assign(view, { engine });
    const hidden = world.addMesh({ geometry: boxGeometry(), position: [0, 0, 1] });
    const shown = world.addMesh({ geometry: boxGeometry(), layers: 2 });
    dragControls(view, [hidden, shown]);
    // The middle of the part, which is 50 pixels high.
    press(engine.canvas, 150, 25);
    move(engine.canvas, 155, 25);
    expect(shown.position.x).toBeCloseTo(10 * METRES, 6);
    expect(hidden.position.x).toBe(0);
    lift(engine.canvas);
    camera.root.layers = 1;
    press(engine.canvas, 155, 25);
    move(engine.canvas, 160, 25);
    expect(shown.position.x).toBeCloseTo(10 * METRES, 6);
  });

  it('finds a view by its canvas', () => {
    const { engine, world } = createPage();
    const canvas = new FakeCanvas() as unknown as HTMLCanvasElement;
    const camera = world.addCamera({ position: [0, 0, 5] });
    const view = world.addView({ camera, canvas }, () => ({ canvas }));
    Object.assign(view, { engine });
    const box = world.addMesh({ geometry: boxGeometry() });
    const controls = dragControls(canvas, [box]);
    press(canvas as unknown as FakeCanvas, 100, 50);
    move(canvas as unknown as FakeCanvas, 110, 50);
    expect(box.position.x).toBeCloseTo(10 * METRES, 6);
    expect(codeOf(() => dragControls(new FakeCanvas() as unknown as HTMLCanvasElement, [box]))).toBe(
      'option-invalid',
    );
    // No actor is needed to find the view.
    expect(dragControls(canvas, []).actors).toEqual([]);
    expect(dragControls(canvas, [new Actor()]).actors).toHaveLength(1);
    expect(transformGizmo(canvas, null).actor).toBe(null);
    view.dispose();
    expect(controls.actors).toEqual([]);
    expect(codeOf(() => dragControls(view, [box]))).toBe('option-invalid');
    expect(() => dragControls(canvas, [box])).toThrow(/not the canvas of a view/);
  });

  it('reports an actor that keyframes move once, and leaves the press to the camera', () => {
    const { engine, host, camera, world, box, errors, heard } = setUp();
    const orbit = orbitControls(host, camera, { damping: 0 });
    box.motion = keyframes({ times: [0, 1], positions: [0, 0, 0, 0, 0, 0] });
    press(engine.canvas, 100, 50);
    move(engine.canvas, 110, 50);
    move(engine.canvas, 120, 50);
    lift(engine.canvas);
    world.tick(0.016);
    expect([errors.length, heard, orbit.azimuth < 0]).toEqual([1, [], true]);
    expect(errors[0]).toMatchObject({ code: 'motion-drives' });
    orbit.azimuth = 0;
    // Keyframes of another part, and motions that continue from a written value, permit a drag.
    for (const motion of [
      keyframes({ times: [0], scales: [1, 1, 1] }),
      spin({ axis: [0, 1, 0], radiansPerSecond: 1 }),
    ]) {
      box.motion = motion;
      box.position = [0, 0, 0];
      press(engine.canvas, 100, 50);
      move(engine.canvas, 110, 50);
      expect(box.position.x).toBeCloseTo(10 * METRES, 6);
      lift(engine.canvas);
    }
    box.position = [0, 0, 0];
    press(engine.canvas, 100, 50);
    box.motion = keyframes({ times: [0, 1], positions: [0, 0, 0, 0, 0, 0] });
    move(engine.canvas, 110, 50);
    move(engine.canvas, 120, 50);
    lift(engine.canvas);
    expect([errors.length, heard.slice(-2)]).toEqual([2, ['start box', 'end box']]);
  });

  it('refuses actors of another world than the host shows', () => {
    const { world, host, controls } = setUp();
    const other = createTestWorld().world;
    Object.assign(other.updates, { resources: world.updates.resources });
    const box = other.addMesh({ geometry: boxGeometry() });
    expect(() => dragControls(host, [box])).toThrow(/another world than the engine shows/);
    expect(codeOf(() => Object.assign(controls, { actors: [box] }))).toBe('option-invalid');
    expect(() => transformGizmo(host, box)).toThrow(/another world than the engine shows/);
  });

  it('refuses wrong hosts, actors and options', () => {
    const { host, box, controls, world } = setUp();
    const wrong = (options: object): string => codeOf(() => dragControls(host, [box], options));
    expect(() => dragControls(host, [box], { snapp: 1 } as object)).toThrow(/no option "snapp".*snap/);
    expect([wrong({ snap: -1 }), wrong({ plane: [0, 0, 0] }), wrong({ plane: [0, Number.NaN, 0] })]).toEqual(
      Array(3).fill('option-out-of-range'),
    );
    expect([wrong({ plane: 'xz' }), wrong({ bounds: 3 }), wrong({ clickAfterDrag: 1 })]).toEqual(
      Array(3).fill('option-invalid'),
    );
    expect(wrong({ bounds: { min: [1, 0, 0], max: [0, 0, 0] } })).toBe('option-out-of-range');
    const set = (values: object): string => codeOf(() => Object.assign(controls, values));
    expect([set({ isEnabled: 'no' }), set({ actors: box }), set({ actors: [1] })]).toEqual(
      Array(3).fill('option-invalid'),
    );
    expect(controls.actors).toEqual([box]);
    const gone = world.addMesh({ geometry: boxGeometry() });
    gone.destroy();
    const foreign = createTestWorld().world.addMesh({ geometry: boxGeometry() });
    for (const actors of [[gone], [foreign], null, box]) {
      expect(codeOf(() => dragControls(host, actors as never))).toBe('option-invalid');
    }
    expect(() => dragControls('#view' as never, [box])).toThrow(/takes no selector. Pass the engine/);
    for (const wrongHost of [null, '#view', 5, () => {}]) {
      expect(codeOf(() => dragControls(wrongHost as never, [box]))).toBe('option-invalid');
    }
    world.dispose();
    expect(codeOf((): DragControls => dragControls(host, []))).toBe('engine-disposed');
  });
});
