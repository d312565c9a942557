import { describe, expect, it, vi } from 'vitest';
import { PrimitiveFlag } from '../../../proxy/commands.js';
import { Actor } from '../../components/actor.js';
import { SceneComponent } from '../../components/scene-component.js';
import { boxGeometry } from '../../geometry/shapes.js';
import { keyframes } from '../../motion/motion-keyframes.js';
import { createPage, type FakeCanvas } from '../../testing/orbit-page.js';
import { codeOf, createTestWorld } from '../../testing/test-world.js';
import { dragControls } from '../drag-controls.js';
import { orbitControls } from '../orbit-controls.js';
import type { TransformGizmoOptions } from './gizmo-options.js';
import { transformGizmo } from './transform-gizmo.js';

/** An orthographic camera whose picture is 2 m high: a pixel is 2 cm. An arrow is half a metre, or 25 pixels, long. */
const LENS = { position: [0, 0, 5], orthographic: { halfHeight: 1 } } as const;
const METRES = 0.02;

function setUp(options: TransformGizmoOptions = {}, lens: Parameters<typeof createPage>[0] = LENS) {
  const page = createPage(lens);
  const box = page.world.addMesh({ geometry: boxGeometry({ size: 0.1 }), name: 'box' });
  const gizmo = transformGizmo(page.host, box, { size: 0.25, ...options });
  const heard: string[] = [];
  for (const type of ['start', 'change', 'end'] as const) {
    gizmo.addEventListener(type, ({ detail }) => heard.push(`${type} ${detail.actor.name}`));
  }
  return { ...page, box, gizmo, heard };
}

/** Drags from one point to another, in pixels right of and above the middle of the canvas. */
function drag(
  canvas: FakeCanvas,
  from: readonly [number, number],
  to: readonly [number, number],
  fields = {},
): void {
  const at = ([x, y]: readonly [number, number]) => ({ clientX: 100 + x, clientY: 50 - y, ...fields });
  canvas.fire('pointerdown', at(from));
  canvas.fire('pointermove', at(to));
  canvas.fire('pointerup', at(to));
}

const near = (...values: number[]): number[] => values.map((value) => expect.closeTo(value, 5));
const gizmoIn = (world: ReturnType<typeof createPage>['world']) =>
  world.actors.find(({ name }) => name === 'transform gizmo');

describe('transformGizmo', () => {
  it('moves an actor along an arrow and in a square', () => {
    const { engine, box, heard } = setUp();
    drag(engine.canvas, [20, 0], [30, 7]);
    expect([...box.position]).toEqual(near(10 * METRES, 0, 0));
    expect(heard).toEqual(['start box', 'change box', 'end box']);
    drag(engine.canvas, [10, 15], [13, 35]);
    expect([...box.position]).toEqual(near(10 * METRES, 20 * METRES, 0));
    // The square between the arrows, whose middle is now 10 pixels to the right and 20 up.
    drag(engine.canvas, [20, 30], [24, 25]);
    expect([...box.position]).toEqual(near(14 * METRES, 15 * METRES, 0));
  });

  it('turns an actor about an axis, also seen edge-on', () => {
    const { engine, box } = setUp({ mode: 'rotate' });
    const radius = 22.5 * Math.SQRT1_2;
    drag(engine.canvas, [radius, radius], [-radius, radius]);
    expect([...box.rotation]).toEqual(near(0, 0, Math.SQRT1_2, Math.SQRT1_2));
    box.rotation = [0, 0, 0, 1];
    // The ring about Y is a line. An arrow's length turns it by one radian: its near side moves right.
    drag(engine.canvas, [10, 0], [35, 0]);
    expect([...box.rotation]).toEqual(near(0, Math.sin(0.5), 0, Math.cos(0.5)));
  });

  it('scales an actor along its own axes, or as a whole', () => {
    const { engine, box } = setUp({ mode: 'scale' });
    box.rotateZ(Math.PI / 2);
    drag(engine.canvas, [0, 20], [0, 30]);
    expect([...box.scale]).toEqual(near(1.5, 1, 1));
    drag(engine.canvas, [0, 0], [25, 0]);
    expect([...box.scale]).toEqual(near(1.5 * Math.E, Math.E, Math.E));
    drag(engine.canvas, [0, 20], [0, -30]);
    expect([...box.scale]).toEqual(near(1.5 * Math.E * 0.01, Math.E, Math.E));
  });

  it('changes in steps of metres, radians and factors', () => {
    const { engine, box, gizmo } = setUp({ snap: { translate: 0.25, rotate: Math.PI / 4 } });
    drag(engine.canvas, [20, 0], [29, 0]);
    expect([...box.position]).toEqual(near(0.25, 0, 0));
    box.position = [0, 0, 0];
    gizmo.mode = 'rotate';
    drag(engine.canvas, [16, 16], [0, 22]);
    expect([...box.rotation]).toEqual(near(0, 0, Math.sin(Math.PI / 8), Math.cos(Math.PI / 8)));
    box.rotation = [0, 0, 0, 1];
    gizmo.mode = 'scale';
    gizmo.snap = { scale: 0.5 };
    drag(engine.canvas, [20, 0], [32, 0]);
    expect([...box.scale]).toEqual(near(1.5, 1, 1));
    drag(engine.canvas, [20, 0], [-50, 0]);
    expect([...box.scale]).toEqual(near(0.75, 1, 1));
    expect(gizmo.snap).toEqual({ translate: 0, rotate: 0, scale: 0.5 });
    for (const each of [gizmo, setUp().gizmo]) expect(Object.isFrozen(each.snap)).toBe(true);
  });

  it('uses the axes of the world or of the actor, and writes in the space of the parent', () => {
    const { engine, world, box, gizmo } = setUp();
    const cart = world.spawn(new Actor(new SceneComponent(), 'cart'));
    cart.scale = [-2, 2, 2];
    box.attachTo(cart);
    box.rotateZ(Math.PI / 2);
    drag(engine.canvas, [20, 0], [30, 0]);
    expect(box.worldPosition).toEqual(near(10 * METRES, 0, 0));
    expect([...box.position]).toEqual(near(-5 * METRES, 0, 0));
    gizmo.space = 'local';
    // The mirrored parent lets the actor's own X axis point upwards still.
    drag(engine.canvas, [10, 20], [14, 30]);
    expect(box.worldPosition).toEqual(near(10 * METRES, 10 * METRES, 0));
    box.position = [0, 0, 0];
    box.rotation = [0, 0, 0, 1];
    gizmo.mode = 'rotate';
    gizmo.space = 'world';
    drag(engine.canvas, [16, 16], [-16, 16]);
    // A quarter turn to the left in the picture, which the mirror shows of a turn to the right.
    expect([...box.rotation]).toEqual(near(0, 0, -Math.SQRT1_2, Math.SQRT1_2));
  });

  it('takes only presses on its handles, before dragged actors and the camera, and withholds their clicks', () => {
    const { engine, host, camera, world, box, gizmo, heard } = setUp();
    const orbit = orbitControls(host, camera, { damping: 0 });
    const drags = dragControls(host, [box]);
    const started = vi.fn();
    drags.addEventListener('start', started);
    const clicked = vi.fn();
    engine.canvas.addEventListener('click', clicked);
    const click = () => engine.canvas.fire('click', { detail: 1 });
    drag(engine.canvas, [20, 0], [20, 0]);
    click();
    expect([clicked.mock.calls.length, heard]).toEqual([0, ['start box', 'end box']]);
    drag(engine.canvas, [0, 0], [0, 0]);
    click();
    expect([started.mock.calls.length, clicked.mock.calls.length]).toEqual([1, 1]);
    drag(engine.canvas, [-60, 30], [-50, 30]);
    world.tick(0.016);
    expect([orbit.azimuth, heard.length]).toEqual([expect.closeTo(-Math.PI / 5, 5), 2]);
    orbit.azimuth = 0;
    gizmo.isEnabled = false;
    drag(engine.canvas, [20, 0], [30, 0]);
    expect([orbit.azimuth, heard.length]).toEqual([expect.closeTo(-Math.PI / 5, 5), 2]);
  });

  it('has the same size at every distance, and hides behind the camera', () => {
    const { world, camera, gizmo, box } = setUp({ size: 0.2 }, { position: [0, 0, 5] });
    const place = () => {
      world.sendUpdates();
      const { position, scale, visible } = gizmoIn(world)!;
      return [position.z, scale.x, visible];
    };
    const height = 2 * Math.tan(Math.PI / 8);
    expect(place()).toEqual([0, expect.closeTo(0.2 * 5 * height, 5), true]);
    box.position.z = -5;
    expect(place()).toEqual([-5, expect.closeTo(0.2 * 10 * height, 5), true]);
    camera.root.orthographic = { halfHeight: 3 };
    expect(place()).toEqual([-5, expect.closeTo(0.2 * 6, 5), true]);
    camera.root.orthographic = null;
    box.position.z = 6;
    expect(place()[2]).toBe(false);
    box.position.z = 0;
    gizmo.isEnabled = false;
    expect(place()[2]).toBe(false);
  });

  it('sends nothing at rest, and a frame for each change of the highlight', () => {
    const { engine, sendNames, invalidate } = setUp();
    sendNames();
    sendNames();
    expect(sendNames()).toEqual([]);
    const hover = (x: number, fields: object = {}) =>
      engine.canvas.fire('pointermove', { clientX: 100 + x, clientY: 50, buttons: 0, ...fields });
    invalidate.mockClear();
    hover(20);
    hover(21);
    expect([invalidate.mock.calls.length, new Set(sendNames())]).toEqual([
      1,
      new Set(['setMaterial', 'updatePrimitive']),
    ]);
    hover(60);
    expect(new Set(sendNames())).toContain('updatePrimitive');
    hover(20, { pointerType: 'touch' });
    hover(20, { buttons: 1 });
    expect(sendNames()).toEqual([]);
    hover(20);
    engine.canvas.fire('pointerleave');
    expect(invalidate).toHaveBeenCalledTimes(4);
  });

  it('is hit by neither rays nor picks, has no bounds, and casts no shadow', () => {
    const { world, gizmo } = setUp();
    gizmo.mode = 'scale';
    world.sendUpdates();
    expect(world.raycast([0.3, 0, 5], [0, 0, -1])).toBe(null);
    expect(world.persistentLevel.bounds.max).toEqual(near(0.05, 0.05, 0.05));
    const { NOT_PICKED, NO_SHADOW } = {
      NOT_PICKED: PrimitiveFlag.notPicked,
      NO_SHADOW: PrimitiveFlag.castsNoShadow,
    };
    const flags = gizmoIn(world)!.components.flatMap((component) =>
      'primitiveFlags' in component ? [component.primitiveFlags as number] : [],
    );
    expect(flags).toHaveLength(7);
    for (const each of flags) expect(each & (NOT_PICKED | NO_SHADOW)).toBe(NOT_PICKED | NO_SHADOW);
  });

  it('takes no press in a view that does not show its layers', () => {
    const { engine, world, box } = setUp();
    const camera = world.addCamera(LENS);
    const view = world.addView({ camera, layers: 2 }, vi.fn());
    Object.assign(view, { engine });
    transformGizmo(view, box, { size: 0.25 });
    engine.canvas.fire('pointerdown', { clientX: 120, clientY: 50 });
    engine.canvas.fire('pointermove', { clientX: 130, clientY: 50 });
    engine.canvas.fire('pointerup');
    expect(box.position.x).toBe(0);
    view.layers = 1;
    drag(engine.canvas, [20, 0], [30, 0]);
    expect(box.position.x).toBeCloseTo(10 * METRES, 5);
  });

  it('reports an actor whose part keyframes drive once', () => {
    const { engine, box, gizmo, heard, errors } = setUp();
    box.motion = keyframes({ times: [0, 1], positions: [0, 0, 0, 0, 0, 0] });
    drag(engine.canvas, [20, 0], [30, 0]);
    expect([heard, errors.length]).toEqual([[], 1]);
    expect(errors[0]).toMatchObject({ code: 'motion-drives' });
    gizmo.mode = 'scale';
    drag(engine.canvas, [20, 0], [30, 0]);
    expect([box.scale.x > 1, errors.length]).toEqual([true, 1]);
    engine.canvas.fire('pointerdown', { clientX: 120, clientY: 50 });
    box.motion = keyframes({ times: [0, 1], scales: [1, 1, 1, 1, 1, 1] });
    for (const x of [130, 140]) engine.canvas.fire('pointermove', { clientX: x, clientY: 50 });
    engine.canvas.fire('pointerup');
    expect([heard.at(-1), errors.length]).toEqual(['end box', 2]);
  });

  it('follows another actor, and loses a destroyed one', () => {
    const { engine, world, box, gizmo, heard } = setUp();
    const other = world.addMesh({ geometry: boxGeometry(), position: [0.5, 0, 0], name: 'other', layers: 6 });
    gizmo.actor = other;
    expect(gizmoIn(world)?.mesh?.layers).toBe(6);
    drag(engine.canvas, [45, 0], [55, 0]);
    expect([box.position.x, other.position.x]).toEqual(near(0, 0.5 + 10 * METRES));
    engine.canvas.fire('pointerdown', { clientX: 155, clientY: 50 });
    other.destroy();
    engine.canvas.fire('pointermove', { clientX: 165, clientY: 50 });
    engine.canvas.fire('pointerup', { clientX: 165, clientY: 50 });
    expect([gizmo.actor, heard.at(-1)]).toEqual([null, 'end other']);
    gizmo.actor = null;
    expect(gizmoIn(world)).toBe(undefined);
    gizmo.actor = box;
    gizmo.dispose();
    expect([gizmoIn(world), gizmo.actor, world.updates.beforeSend.size]).toEqual([undefined, null, 0]);
    gizmo.actor = box;
    gizmo.mode = 'scale';
    expect([gizmoIn(world), engine.canvas.style.touchAction]).toEqual([undefined, '']);
  });

  it('ends with its world', () => {
    const { world, gizmo, engine } = setUp();
    engine.canvas.fire('pointerdown', { clientX: 120, clientY: 50 });
    world.dispose();
    gizmo.size = 0.5;
    expect([gizmo.actor, engine.canvas.style.touchAction]).toEqual([null, '']);
  });

  it('refuses wrong hosts, actors and options', () => {
    const { host, box, gizmo, world } = setUp();
    const wrong = (options: object): string => codeOf(() => transformGizmo(host, box, options));
    expect(() => transformGizmo(host, box, { mod: 'scale' } as object)).toThrow(/no option "mod".*mode/);
    expect([wrong({ mode: 'move' }), wrong({ space: 'view' }), wrong({ snap: 1 })]).toEqual(
      Array(3).fill('option-invalid'),
    );
    expect([wrong({ size: 0 }), wrong({ snap: { translate: -1 } }), wrong({ snap: { rotate: 45 } })]).toEqual(
      Array(3).fill('option-out-of-range'),
    );
    expect(wrong({ snap: { turn: 1 } })).toBe('option-unknown');
    const set = (values: object): string => codeOf(() => Object.assign(gizmo, values));
    expect([set({ mode: 'move' }), set({ isEnabled: 1 }), set({ actor: 'box' })]).toEqual(
      Array(3).fill('option-invalid'),
    );
    expect([gizmo.mode, gizmo.isEnabled, gizmo.actor]).toEqual(['translate', true, box]);
    const gone = world.addMesh({ geometry: boxGeometry() });
    gone.destroy();
    const foreign = createTestWorld().world.addMesh({ geometry: boxGeometry() });
    for (const actor of [gone, foreign, new Actor(), {}, undefined]) {
      expect(codeOf(() => transformGizmo(host, actor as never))).toBe('option-invalid');
    }
    for (const wrongHost of [null, '#view']) {
      expect(codeOf(() => transformGizmo(wrongHost as never, box))).toBe('option-invalid');
    }
  });
});
