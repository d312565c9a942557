import { afterEach, expect, it, vi } from 'vitest';
import { createEngine, type Engine, type Level } from '../index.js';
import { ModelStage } from './model-stage.js';

let engine: Engine | null = null;
afterEach(async () => {
  await engine?.dispose();
  engine = null;
});

/** A stand-in for an element of the page. */
function createElement(tagName: string): HTMLElement {
  const element = Object.assign(new EventTarget(), {
    tagName,
    width: 300,
    height: 150,
    clientWidth: 300,
    clientHeight: 150,
    style: {},
    append: () => {},
    remove: () => {},
    hasAttribute: () => false,
    removeAttribute: () => {},
    ownerDocument: { createElement: () => createElement('CANVAS') },
  });
  return element as unknown as HTMLElement;
}

async function createStage() {
  engine = await createEngine(null, { backend: 'null', threading: 'single' });
  const world = await engine.createWorld();
  const setMoving = vi.fn();
  const stage = new ModelStage(engine, world, createElement('DIV'), setMoving);
  const loads: { source: string; signal: AbortSignal; arrive(): Level }[] = [];
  vi.spyOn(world, 'load').mockImplementation((source, { signal } = {}) => {
    const level = world.addLevel(String(source)) as Awaited<ReturnType<typeof world.load>>;
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
      const arrive = (): Level => {
        resolve(level);
        return level;
      };
      loads.push({ source: String(source), signal: signal as AbortSignal, arrive });
    });
  });
  return { stage, world, loads, setMoving };
}

const ignore = (): void => {};

it('shows only the last of many sources', async () => {
  const { stage, loads } = await createStage();
  const shown = Array.from({ length: 10 }, (_, at) => stage.show(`${at}.glb`, ignore));
  expect(loads.map(({ signal }) => signal.aborted)).toEqual([...Array(9).fill(true), false]);
  const level = loads.at(-1)?.arrive();
  expect(await Promise.all(shown)).toEqual([...Array(9).fill(null), level]);
  expect(stage.level).toBe(level);
});

it('keeps the shown model until the next one has arrived', async () => {
  const { stage, loads } = await createStage();
  const first = stage.show('a.glb', ignore);
  const level = loads[0]?.arrive();
  await first;
  const second = stage.show('b.glb', ignore);
  expect(stage.level).toBe(level);
  loads[1]?.arrive();
  await second;
  expect(level?.state).toBe('unloaded');
  await stage.show(null, ignore);
  expect(stage.level).toBeNull();
});

it('draws its view and runs its world only in view', async () => {
  const { stage, world, setMoving } = await createStage();
  expect([stage.view.enabled, world.paused]).toEqual([false, true]);
  stage.autoRotate = 1;
  stage.steer();
  expect(setMoving).toHaveBeenLastCalledWith(false);
  stage.isInView = true;
  expect([stage.view.enabled, world.paused]).toEqual([true, false]);
  expect(setMoving).toHaveBeenLastCalledWith(true);
  stage.isInView = false;
  expect([stage.view.enabled, world.paused]).toEqual([false, true]);
});

it('draws nothing between the request of the first model and its arrival', async () => {
  const { stage, loads } = await createStage();
  stage.isInView = true;
  const first = stage.show('a.glb', ignore);
  stage.refresh();
  expect(stage.view.enabled).toBe(false);
  loads[0]?.arrive();
  await first;
  vi.spyOn(stage.view, 'captureFrame').mockResolvedValue({
    width: 1,
    height: 1,
    data: new Uint8ClampedArray(4),
  });
  await stage.whenDrawn();
  expect(stage.view.enabled).toBe(true);
  const second = stage.show('b.glb', ignore);
  stage.refresh();
  expect(stage.view.enabled).toBe(true);
  loads[1]?.arrive();
  await second;
});

it('rests without its model, and returns to the same pose of the camera', async () => {
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => setTimeout(callback, 0));
  const { stage, loads } = await createStage();
  void stage.show('a.glb', ignore);
  loads[0]?.arrive();
  await vi.waitFor(() => expect(stage.level).not.toBeNull());
  stage.controls.azimuth = 1;
  await stage.rest();
  expect([stage.level, stage.isResting]).toEqual([null, true]);
  const returned = stage.show('a.glb', ignore);
  loads[1]?.arrive();
  await returned;
  expect([stage.isResting, stage.controls.azimuth]).toEqual([false, 1]);
  vi.unstubAllGlobals();
});

it('survives the end of its engine', async () => {
  const { stage } = await createStage();
  await engine?.dispose();
  stage.isInView = true;
  stage.autoRotate = 1;
  stage.steer();
  stage.aim(1);
  stage.dispose();
});

it('ends its world and its view, also during a load', async () => {
  const { stage, world } = await createStage();
  const shown = stage.show('a.glb', ignore);
  stage.dispose();
  expect(await shown).toBeNull();
  expect([world.disposed.aborted, stage.view.isDisposed]).toEqual([true, true]);
  stage.refresh();
  await stage.whenDrawn();
});
