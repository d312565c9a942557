import { describe, expect, it } from 'vitest';
import { StateError } from '../../core/errors.js';
import { NO_ID } from '../../proxy/commands.js';
import { MaterialOffset } from '../../proxy/materials/material-layout.js';
import type { AssetSource, SceneDescription } from '../../proxy/scene-description.js';
import type { MeshComponent } from '../components/mesh-component.js';
import { codeOf, createTestWorld, transformsOf, triangleScene, valuesOf } from '../testing/test-world.js';
import type { LoadScene } from './load-queue.js';

interface Request {
  readonly source: AssetSource;
  readonly options: Parameters<LoadScene>[1];
  readonly resolve: (scene: SceneDescription) => void;
  readonly reject: (reason: unknown) => void;
}

/** Returns a world whose loader waits until the test resolves or rejects each request. */
function setUp() {
  const requests: Request[] = [];
  const arrivals: ((request: Request) => void)[] = [];
  const test = createTestWorld(
    (source, options) =>
      new Promise((resolve, reject) => {
        const request = { source, options, resolve, reject };
        const waiting = arrivals.shift();
        if (waiting) waiting(request);
        else requests.push(request);
      }),
  );
  /** Resolves with the next request to reach the loader. */
  const nextRequest = (): Promise<Request> => {
    const request = requests.shift();
    return request ? Promise.resolve(request) : new Promise((resolve) => arrivals.push(resolve));
  };
  return { ...test, nextRequest };
}

const URL_A = 'https://example.org/a.glb';
const URL_B = 'https://example.org/b.glb';
const codeOfRejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'resolved',
    (error) => error.code,
  );

describe('G1 loading a level', () => {
  it("creates actors under the load's transform, with bounds in the world", async () => {
    const { world, nextRequest, send } = setUp();
    const promise = world.load(URL_A, { position: [10, 0, 0], scale: 2 });
    const request = await nextRequest();
    expect(request.source).toEqual({ kind: 'url', url: URL_A });
    request.resolve(triangleScene({ warnings: ['Skins are left out.'] }));
    const level = await promise;
    expect(level.state).toBe('ready');
    expect(level.warnings).toEqual(['Skins are left out.']);
    expect(level.actors.map((actor) => actor.name)).toEqual(['node']);
    expect(level.bounds).toEqual({ min: [14, 0, 0], max: [16, 2, 0] });
    const records = send();
    expect(valuesOf(records, 'createNode')).toEqual([
      { node: 0, parent: NO_ID },
      { node: 1, parent: 0 },
    ]);
    expect(transformsOf(records).get(1)).toEqual([2, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
    const [material] = valuesOf(records, 'setMaterial');
    const parameters = Array.from(material!.parameters);
    expect(parameters.slice(MaterialOffset.baseColor, MaterialOffset.baseColor + 4)).toEqual([1, 0.5, 0, 1]);
    expect(parameters.slice(MaterialOffset.emissive, MaterialOffset.emissive + 3)).toEqual([0, 0, 0]);
    const { alphaCutoff, metallic, roughness } = MaterialOffset;
    expect([alphaCutoff, metallic, roughness].map((at) => parameters[at])).toEqual([0.5, 0.25, 0.75]);
    level.unload();
    expect(send().map((record) => record.name)).toEqual([
      'destroyPrimitive',
      'destroyNode',
      'destroyNode',
      'destroyGeometry',
      'destroyMaterial',
    ]);
    expect(world.levels).toEqual([world.persistentLevel]);
  });

  it('creates hierarchies, several primitives, cameras and lights', async () => {
    const { world, nextRequest, send } = setUp();
    const promise = world.load(URL_A);
    const transform = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];
    const both = [
      { geometry: 0, material: 0 },
      { geometry: 0, material: -1 },
    ];
    (await nextRequest()).resolve(
      triangleScene({
        nodes: [
          { name: 'parent', parent: -1, transform, primitives: both },
          {
            name: 'eye',
            parent: 0,
            transform,
            primitives: [],
            camera: { kind: 'perspective', fovY: 0.5, near: 1, far: 9 },
          },
          {
            name: 'lamp',
            parent: 1,
            transform,
            primitives: [],
            light: {
              kind: 'spot',
              color: [1, 1, 1],
              intensity: 4,
              range: 0,
              innerConeAngle: 0.1,
              outerConeAngle: 0.2,
            },
          },
        ],
      }),
    );
    const level = await promise;
    expect(level.actors.map((actor) => actor.root.parent?.name)).toEqual([level.root!.name, 'parent', 'eye']);
    expect(level.actors[0]!.components).toHaveLength(3);
    expect(level.cameras).toEqual([level.actors[1]]);
    expect(world.activeCamera).toBe(level.actors[1]);
    const records = send();
    expect(valuesOf(records, 'createPrimitive')).toHaveLength(2);
    // The second primitive has glTF's default material: metallic 1, roughness 1.
    expect(Array.from(valuesOf(records, 'setMaterial')[1]!.parameters).slice(8, 10)).toEqual([1, 1]);
    expect(valuesOf(records, 'setLight')[0]).toMatchObject({ kind: 2, intensity: 4 });
  });

  it('draws cameras of a file with the aspect ratio of the surface', async () => {
    const { world, nextRequest, send } = setUp();
    const promise = world.load(URL_A);
    const node = { name: 'eye', parent: -1, transform: [0, 0, 0, 0, 0, 0, 1, 1, 1, 1], primitives: [] };
    const perspective = { kind: 'perspective', fovY: 0.5, near: 1, far: 9, aspect: 2 } as const;
    const orthographic = { kind: 'orthographic', halfWidth: 4, halfHeight: 1, near: 0, far: 9 } as const;
    const nodes = [perspective, orthographic].map((camera) => ({ ...node, camera }));
    (await nextRequest()).resolve(triangleScene({ nodes }));
    const level = await promise;
    expect(valuesOf(send(), 'setView')[0]).toMatchObject({ aspect: 0 });
    world.activeCamera = level.cameras[1]!;
    expect(valuesOf(send(), 'setView')[0]).toMatchObject({ extentX: 0, extentY: 1 });
  });

  it('keeps the active camera that the page added', async () => {
    const { world, nextRequest } = setUp();
    const own = world.addCamera();
    const promise = world.load(URL_A);
    const transform = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];
    const camera = { kind: 'orthographic', halfWidth: 1, halfHeight: 1, near: 0, far: 9 } as const;
    (await nextRequest()).resolve(
      triangleScene({ nodes: [{ name: 'eye', parent: -1, transform, primitives: [], camera }] }),
    );
    await promise;
    expect(world.activeCamera).toBe(own);
  });

  it('commits in call order, whichever file arrives first', async () => {
    const { world, nextRequest } = setUp();
    const order: string[] = [];
    const a = world.load(URL_A).then(() => order.push('a'));
    const b = world.load(URL_B).then(() => order.push('b'));
    const [first, second] = [await nextRequest(), await nextRequest()];
    second.resolve(triangleScene({ name: 'b' }));
    await Promise.resolve();
    expect(world.actors).toEqual([]);
    first.resolve(triangleScene({ name: 'a' }));
    await Promise.all([a, b]);
    expect(order).toEqual(['a', 'b']);
  });

  it('continues after a failed load, and keeps nothing of the failed file', async () => {
    const { world, nextRequest } = setUp();
    const failure = new StateError('made-up', 'No.');
    const a = codeOfRejection(world.load(URL_A));
    const b = world.load(URL_B);
    const [first, second] = [await nextRequest(), await nextRequest()];
    second.resolve(triangleScene());
    first.reject(failure);
    expect(await a).toBe('made-up');
    const level = await b;
    expect(world.levels).toEqual([world.persistentLevel, level]);
  });

  it('adds nothing to the world if the description is invalid', async () => {
    const { world, nextRequest, send } = setUp();
    const a = codeOfRejection(world.load(URL_A));
    const scene = triangleScene();
    const [node] = scene.nodes;
    (await nextRequest()).resolve({
      ...scene,
      nodes: [node!, { ...node!, transform: [Number.NaN, 0, 0, 0, 0, 0, 1, 1, 1, 1] }],
    });
    expect(await a).toBe('transform-not-finite');
    expect(world.actors).toEqual([]);
    expect(send()).toEqual([]);
  });

  it('closes the images of an invalid description', async () => {
    const { world, nextRequest } = setUp();
    const a = codeOfRejection(world.load(URL_A));
    let closed = 0;
    const image = { close: () => closed++ };
    const scene = triangleScene();
    (await nextRequest()).resolve({
      ...scene,
      nodes: [{ ...scene.nodes[0]!, transform: [Number.NaN, 0, 0, 0, 0, 0, 1, 1, 1, 1] }],
      textures: [{ image, sampler: {} } as never],
    });
    expect([await a, closed]).toEqual(['transform-not-finite', 1]);
  });

  it('rejects an aborted load with AbortError, aborts the loader, and keeps nothing', async () => {
    const { world, nextRequest, send } = setUp();
    const controller = new AbortController();
    const progress: number[] = [];
    const promise = world.load(URL_A, {
      signal: controller.signal,
      onProgress: ({ loadedBytes }) => progress.push(loadedBytes),
    });
    const request = await nextRequest();
    request.options.onProgress({ loadedBytes: 10, totalBytes: 100 });
    controller.abort();
    request.options.onProgress({ loadedBytes: 20, totalBytes: 100 });
    await expect(promise).rejects.toMatchObject({ name: 'AbortError' });
    expect(request.options.signal.aborted).toBe(true);
    // The loader resolves after the abort.
    request.resolve(triangleScene());
    await world.whenReady();
    expect(progress).toEqual([10]);
    expect(world.levels).toEqual([world.persistentLevel]);
    expect(send()).toEqual([]);
    await expect(world.load(URL_A, { signal: controller.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it('aborts the load of an unloaded level', async () => {
    const { world, nextRequest } = setUp();
    const promise = world.load(URL_A, { name: 'hall' });
    const request = await nextRequest();
    const level = world.levels.find(({ name }) => name === 'hall');
    expect(level?.state).toBe('loading');
    level?.unload();
    await expect(promise).rejects.toMatchObject({ name: 'AbortError' });
    expect(request.options.signal.aborted).toBe(true);
    expect(level?.state).toBe('unloaded');
    expect(world.levels).toEqual([world.persistentLevel]);
  });

  it('rejects loads when the world is disposed', async () => {
    const { world, nextRequest } = setUp();
    const early = codeOfRejection(world.load(URL_A));
    await nextRequest();
    const late = codeOfRejection(world.load(URL_B));
    world.dispose();
    expect([await early, await late]).toEqual(['engine-disposed', 'engine-disposed']);
    expect(await codeOfRejection(world.load(URL_A))).toBe('engine-disposed');
  });

  it('reports an error thrown by onProgress', async () => {
    const { world, nextRequest, errors } = setUp();
    const mistake = new Error('mistake');
    const promise = world.load(URL_A, {
      onProgress: () => {
        throw mistake;
      },
    });
    const request = await nextRequest();
    request.options.onProgress({ loadedBytes: 1, totalBytes: 1 });
    request.resolve(triangleScene());
    await promise;
    expect(errors).toEqual([expect.objectContaining({ code: 'progress-failed', cause: mistake })]);
  });

  it("loads bytes and files, and leaves the caller's data unchanged", async () => {
    const { world, nextRequest } = setUp();
    const bytes = new Uint8Array([1, 2, 3]);
    for (const source of [bytes.buffer, bytes.subarray(1), new File([bytes], 'a.glb')]) {
      world.load(source).catch(() => {});
    }
    world.load([new File([bytes], 'a.gltf'), new File([], 'a.bin')]).catch(() => {});
    const sources: AssetSource[] = [];
    for (let index = 0; index < 4; index++) sources.push((await nextRequest()).source);
    const byName = (name: string) => sources.filter((source) => 'name' in source && source.name === name);
    const sizeOf = (source: AssetSource) =>
      'bytes' in source && (source.bytes instanceof Blob ? source.bytes.size : source.bytes.byteLength);
    expect(byName('an ArrayBuffer').map(sizeOf).sort()).toEqual([2, 3]);
    expect(byName('a.glb')).toHaveLength(1);
    world.load(new Blob([bytes]) as File).catch(() => {});
    expect((await nextRequest()).source).toMatchObject({ kind: 'bytes', name: 'a Blob' });
    expect(sources.find((source) => source.kind === 'files')).toMatchObject({
      files: [{ name: 'a.gltf' }, { name: 'a.bin' }],
    });
    expect(bytes.byteLength).toBe(3);
    world.dispose();
  });

  it('rejects invalid sources and unknown options', async () => {
    const { world } = setUp();
    expect(await codeOfRejection(world.load('//'))).toBe('load-url-invalid');
    expect(await codeOfRejection(world.load([]))).toBe('load-source-invalid');
    for (const wrong of [5, undefined, null, {}, [null]]) {
      expect(await codeOfRejection(world.load(wrong as never))).toBe('load-source-invalid');
    }
    expect(await codeOfRejection(world.load(URL_A, { onprogress() {} } as never))).toBe('option-unknown');
    const gone = new ArrayBuffer(8);
    const view = new Uint8Array(gone);
    structuredClone(gone, { transfer: [gone] });
    for (const detached of [gone, view])
      expect(await codeOfRejection(world.load(detached))).toBe('load-source-invalid');
    expect(world.levels).toEqual([world.persistentLevel]);
  });

  it('names setEnvironment in errors about its source', async () => {
    const { world } = setUp();
    await expect(world.setEnvironment('//')).rejects.toThrow(
      'setEnvironment was given "//", which is not a URL.',
    );
  });

  it('keeps a level texture that no material uses, and destroys it with the level', async () => {
    const { world, nextRequest, sendNames } = setUp();
    const promise = world.load(URL_A);
    const scene = triangleScene();
    const sampler = {
      wrapU: 'repeat',
      wrapV: 'repeat',
      magnify: 'linear',
      minify: 'linear',
      mipmap: 'none',
    } as const;
    (await nextRequest()).resolve({
      ...scene,
      materials: [{ ...scene.materials[0]!, textures: { baseColor: { texture: 0, uvSet: 0 } } }],
      textures: [{ label: 'white', image: new ArrayBuffer(4), width: 1, height: 1, srgb: true, sampler }],
    });
    const level = await promise;
    const names = sendNames();
    expect(names.filter((name) => name === 'createTexture')).toHaveLength(1);
    const { material } = level.actors[0]!.root as MeshComponent;
    const { baseColorTexture } = material;
    material.baseColorTexture = null;
    expect(sendNames()).toEqual(['setMaterial']);
    material.baseColorTexture = baseColorTexture;
    expect(sendNames()).toEqual(['setMaterial']);
    level.unload();
    expect(sendNames().at(-1)).toBe('destroyTexture');
  });
});

describe('an invalid transform of a load', () => {
  it('is rejected with a typed error, as are missing options of addMesh', async () => {
    const { world } = setUp();
    expect(await codeOfRejection(world.load(URL_A, { position: [Number.NaN, 0, 0] }))).toBe(
      'transform-not-finite',
    );
    expect(codeOf(() => world.addMesh(null as never))).toBe('option-invalid');
  });
});
