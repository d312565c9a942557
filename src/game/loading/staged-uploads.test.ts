import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SceneDescription } from '../../proxy/scene-description.js';
import { createTestWorld, triangleScene, valuesOf } from '../testing/test-world.js';

/** Returns a scene of five triangles with 96 bytes each, one node per triangle. */
function fiveTriangles(): SceneDescription {
  const { geometries, nodes, ...scene } = triangleScene();
  const indices = [0, 1, 2, 3, 4];
  return {
    ...scene,
    geometries: indices.map((index) => ({
      ...(geometries[0] as (typeof geometries)[number]),
      label: `triangle ${index}`,
      data: new ArrayBuffer(96),
    })),
    nodes: indices.map((index) => ({
      ...(nodes[0] as (typeof nodes)[number]),
      name: `node ${index}`,
      primitives: [{ geometry: index, material: 0 }],
    })),
  };
}

function setUp(isRunning: boolean, scene = fiveTriangles()) {
  const test = createTestWorld(async () => scene);
  test.world.updates.isRunning = isRunning;
  /** Runs all pending tasks, then returns the counts of the records that a frame sends. */
  const frame = async () => {
    await vi.dynamicImportSettled();
    await new Promise((resolve) => setTimeout(resolve));
    const records = test.send();
    return {
      geometries: valuesOf(records, 'createGeometry').length,
      destroyed: valuesOf(records, 'destroyGeometry').length,
      primitives: valuesOf(records, 'createPrimitive').length,
    };
  };
  return { ...test, frame };
}

const nothing = { geometries: 0, destroyed: 0, primitives: 0 };

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a file that arrives while the engine runs', () => {
  it('is sent in parts of limited bytes per frame, and spawned once the whole file was sent', async () => {
    const { world, frame } = setUp(true);
    const load = world.load('https://example.org/a.glb', { uploadBytesPerFrame: 200 });
    expect(await frame()).toEqual({ ...nothing, geometries: 2 });
    expect(await frame()).toEqual({ ...nothing, geometries: 2 });
    expect(world.levels.at(-1)?.state).toBe('loading');
    expect(await frame()).toEqual({ ...nothing, geometries: 1 });
    const level = await load;
    expect(await frame()).toEqual({ ...nothing, primitives: 5 });
    level.unload();
    expect(await frame()).toEqual({ ...nothing, destroyed: 5 });
  });

  it('sends at least one object per frame, and everything at once without a limit', async () => {
    const { world, frame } = setUp(true);
    void world.load('https://example.org/a.glb', { uploadBytesPerFrame: 10 });
    expect(await frame()).toEqual({ ...nothing, geometries: 1 });
    expect(await frame()).toEqual({ ...nothing, geometries: 1 });
    const other = setUp(true);
    void other.world.load('https://example.org/a.glb', { uploadBytesPerFrame: Number.POSITIVE_INFINITY });
    expect(await other.frame()).toEqual({ ...nothing, geometries: 5, primitives: 5 });
  });

  it('is destroyed if the load is aborted meanwhile', async () => {
    const { world, frame } = setUp(true);
    const controller = new AbortController();
    const load = world.load('https://example.org/a.glb', {
      uploadBytesPerFrame: 200,
      signal: controller.signal,
    });
    expect(await frame()).toEqual({ ...nothing, geometries: 2 });
    controller.abort(new Error('enough'));
    await expect(load).rejects.toThrow('enough');
    expect(await frame()).toEqual({ ...nothing, destroyed: 2 });
    expect(await frame()).toEqual(nothing);
  });

  it('is destroyed if the load of many nodes is aborted meanwhile', async () => {
    const { nodes, ...scene } = fiveTriangles();
    const many = Array.from({ length: 100 }, (_, index) => ({ ...nodes[index % 5]!, name: `node ${index}` }));
    const { world, frame } = setUp(true, { ...scene, nodes: many });
    // Each check of the clock ends a task.
    let milliseconds = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => milliseconds++ * 100);
    const controller = new AbortController();
    const { signal } = controller;
    const load = world.load('https://example.org/a.glb', { uploadBytesPerFrame: 400, signal });
    expect(await frame()).toEqual({ ...nothing, geometries: 4 });
    controller.abort(new Error('enough'));
    await expect(load).rejects.toThrow('enough');
    await new Promise((resolve) => setTimeout(resolve));
    expect(await frame()).toEqual({ ...nothing, destroyed: 4 });
  });

  it('closes only the images that the stream does not have, if the load is aborted', async () => {
    const closed: string[] = [];
    const textures = ['first', 'second'].map((label) => ({
      image: { close: () => closed.push(label) } as unknown as ImageBitmap,
      encoded: new Blob([label]),
      ...{ label, width: 4, height: 4, srgb: true, sampler: {} },
    }));
    const scene = { ...fiveTriangles(), geometries: [], nodes: [], textures: textures as never };
    const { world, read, frame } = setUp(true, scene);
    const controller = new AbortController();
    const { signal } = controller;
    const load = world.load('https://example.org/a.glb', { uploadBytesPerFrame: 64, signal });
    await frame();
    expect(world.updates.resources.textures?.retainedBytes).toBe(5);
    controller.abort(new Error('enough'));
    await expect(load).rejects.toThrow('enough');
    await new Promise((resolve) => setTimeout(resolve));
    expect(closed).toEqual(['second']);
    expect(read()).toEqual([]);
  });

  it('is resent completely to another stream', async () => {
    const { world, frame, resend, read } = setUp(true);
    const load = world.load('https://example.org/a.glb', { uploadBytesPerFrame: 200 });
    await frame();
    resend();
    // The stream receives the two geometries that were sent before, and the next two.
    expect(valuesOf(read(), 'createGeometry')).toHaveLength(4);
    expect(await frame()).toEqual({ ...nothing, geometries: 1 });
    await load;
  });
});

describe('a file that arrives while the engine does not run', () => {
  it('is sent in several tasks before its actors, if it is large', async () => {
    const { world, read, frame } = setUp(false);
    const publish = vi.spyOn(world.updates.writer, 'publish');
    await world.load('https://example.org/a.glb', { uploadBytesPerFrame: 200 });
    expect(publish).toHaveBeenCalledTimes(3);
    expect(valuesOf(read(), 'createGeometry')).toHaveLength(5);
    expect(await frame()).toEqual({ ...nothing, primitives: 5 });
  });

  it('sends images in several tasks before its actors, too', async () => {
    const textures = ['first', 'second', 'third'].map((label) => ({
      image: { close: () => {} } as unknown as ImageBitmap,
      ...{ label, width: 4, height: 4, srgb: true, sampler: {} },
    }));
    const [material] = triangleScene().materials;
    const used = { ...material!, textures: { baseColor: { texture: 0 } } };
    const scene = { ...fiveTriangles(), textures, materials: [used] } as never;
    const { world, read, send } = setUp(false, scene);
    const publish = vi.spyOn(world.updates.writer, 'publish');
    await world.load('https://example.org/a.glb', { uploadBytesPerFrame: 64 });
    expect(publish).toHaveBeenCalledTimes(8);
    const created = read();
    expect(valuesOf(created, 'createTexture').map(({ label }) => label)).toEqual([
      'first',
      'second',
      'third',
    ]);
    const records = send();
    expect(valuesOf(records, 'createTexture')).toEqual([]);
    expect(valuesOf(records, 'createPrimitive')).toHaveLength(5);
    const [{ texture } = { texture: -1 }] = valuesOf(created, 'createTexture');
    expect(valuesOf(records, 'setMaterial').flatMap(({ textures }) => Array.from(textures))).toContain(
      texture,
    );
  });

  it('is sent completely by a frame that is made meanwhile', async () => {
    const { world, read, frame } = setUp(false);
    const { writer } = world.updates;
    const publish = vi.spyOn(writer, 'publish').mockImplementationOnce(() => {
      queueMicrotask(() => world.sendUpdates());
    });
    await world.load('https://example.org/a.glb', { uploadBytesPerFrame: 200 });
    expect(publish).toHaveBeenCalledTimes(1);
    expect(valuesOf(read(), 'createGeometry')).toHaveLength(5);
    expect(await frame()).toEqual({ ...nothing, primitives: 5 });
  });

  it('leaves nothing if the load is aborted meanwhile', async () => {
    const { world, read, frame } = setUp(false);
    const controller = new AbortController();
    const load = world.load('https://example.org/a.glb', {
      uploadBytesPerFrame: 200,
      signal: controller.signal,
    });
    while (valuesOf(read(), 'createGeometry').length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('enough'));
    await expect(load).rejects.toThrow('enough');
    const { destroyed, ...rest } = await frame();
    expect(destroyed).toBeGreaterThanOrEqual(2);
    expect(rest).toEqual({ geometries: 0, primitives: 0 });
    expect(await frame()).toEqual(nothing);
    expect(world.levels).toEqual([world.persistentLevel]);
  });

  it('is sent in the order of the calls, whichever file arrives first', async () => {
    const open: (() => void)[] = [];
    const test = createTestWorld(
      (source) =>
        new Promise((resolve) => {
          const name = source.kind === 'url' ? source.url : '';
          const { geometries, ...scene } = fiveTriangles();
          const named = geometries.map((each) => ({ ...each, label: `${name} ${each.label}` }));
          open.push(() => resolve({ ...scene, geometries: named }));
        }),
    );
    const names = ['https://example.org/a.glb', 'https://example.org/b.glb'];
    const loads = names.map((name) => test.world.load(name, { uploadBytesPerFrame: 200 }));
    while (open.length < 2) await new Promise((resolve) => setImmediate(resolve));
    open[1]!();
    await new Promise((resolve) => setTimeout(resolve));
    expect(valuesOf(test.read(), 'createGeometry')).toEqual([]);
    open[0]!();
    await Promise.all(loads);
    const labels = valuesOf(test.read(), 'createGeometry').map(({ label }) => label);
    expect(labels.map((label) => label.slice(20, 21)).join('')).toBe('aaaaabbbbb');
  });

  it('is sent completely by the next frame after the engine has stopped, or after a delay without frames', async () => {
    const { world, frame } = setUp(true);
    const load = world.load('https://example.org/a.glb', { uploadBytesPerFrame: 200 });
    expect(await frame()).toEqual({ ...nothing, geometries: 2 });
    world.updates.isRunning = false;
    expect(await frame()).toEqual({ ...nothing, geometries: 3 });
    await load;

    const stopped = setUp(true);
    const other = stopped.world.load('https://example.org/a.glb', { uploadBytesPerFrame: 200 });
    expect(await stopped.frame()).toEqual({ ...nothing, geometries: 2 });
    // No more frames are made.
    await other;
    expect(await stopped.frame()).toEqual({ ...nothing, geometries: 3, primitives: 5 });
  });

  it('waits almost 10 s for a frame while the page is visible', async () => {
    const page = { hidden: false };
    vi.stubGlobal('document', page);
    const { world, frame } = setUp(true);
    let isLoaded = false;
    const load = world.load('https://example.org/a.glb', { uploadBytesPerFrame: 200 }).then(() => {
      isLoaded = true;
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    expect(await frame()).toEqual({ ...nothing, geometries: 2 });
    await vi.advanceTimersByTimeAsync(9900);
    expect(isLoaded).toBe(false);
    page.hidden = true;
    await vi.advanceTimersByTimeAsync(200);
    vi.useRealTimers();
    await load;
  });
});

it('rejects an invalid number of bytes', async () => {
  const { world } = setUp(true);
  for (const uploadBytesPerFrame of [0, -1, Number.NaN, '4 MB' as unknown as number]) {
    await expect(world.load('https://example.org/a.glb', { uploadBytesPerFrame })).rejects.toMatchObject({
      code: 'option-out-of-range',
    });
  }
});
