import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SceneDescription } from '../../proxy/scene-description.js';
import type { MeshComponent } from '../components/mesh-component.js';
import { boxGeometry } from '../geometry/shapes.js';
import { standardMaterial } from '../materials/material.js';
import { RenderModel } from '../testing/render-model.js';
import { createTestWorld, triangleScene } from '../testing/test-world.js';
import { type TextureSource, texture } from '../textures/texture.js';
import { prepareResend } from './resend.js';

/** A resend to another stream decodes images from their files. Images without a file are resent from copies. */

/** State of the stubbed decoder. While `isWorking`, it makes an image whose pixels are the file's text. */
const decoder = { isWorking: true, decodes: 0 };

beforeEach(() => {
  decoder.isWorking = true;
  decoder.decodes = 0;
  vi.stubGlobal('createImageBitmap', async (source: Blob | { pixels: string; isClosed?: boolean }) => {
    decoder.decodes++;
    if (!decoder.isWorking) throw new Error('there is no memory');
    if (!(source instanceof Blob) && source.isClosed) throw new Error('it is closed');
    const pixels = source instanceof Blob ? await source.text() : source.pixels;
    return {
      width: 2,
      height: 3,
      pixels,
      isClosed: false,
      close() {
        this.isClosed = true;
      },
    };
  });
});
afterEach(() => vi.unstubAllGlobals());

function setUp(scene?: SceneDescription) {
  const test = createTestWorld(scene && (async () => scene));
  let model = new RenderModel();
  let { reader } = test;
  return {
    ...test,
    /** Sends an update and returns the state of the render side. */
    show: () => model.apply(test.send(), reader),
    resend: () => {
      reader = test.resend();
      model = new RenderModel().apply(test.read(), reader);
      return model;
    },
  };
}

const pixelsIn = (model: RenderModel): unknown[] => [...model.textures.values()].map(({ pixels }) => pixels);
const shownIn = (model: RenderModel): unknown =>
  (([...model.materials.values()][0]?.textures as number[]) ?? [])[0];

/** Returns a world with one box that shows an image, which was sent to the render side. */
async function showing(source: TextureSource) {
  const test = setUp();
  const material = standardMaterial({ baseColorTexture: texture(source, { name: 'bricks' }) });
  const actor = test.world.addMesh({ geometry: boxGeometry(), material });
  test.show();
  await test.world.whenReady();
  return { ...test, actor, before: test.show().snapshot() };
}

describe('G3 a resent image', () => {
  it('is decoded from its file, even if the server does not answer any more', async () => {
    const fetch = vi.fn(async () => new Response(new Blob(['from the server'])));
    vi.stubGlobal('fetch', fetch);
    const { world, resend, before } = await showing('bricks.png');
    fetch.mockRejectedValue(new Error('offline'));
    for (let time = 0; time < 2; time++) {
      await prepareResend(world);
      const model = resend();
      expect(model.snapshot()).toEqual(before);
      expect(pixelsIn(model)).toEqual(['from the server']);
    }
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('is created from a copy of a bitmap that the page has closed', async () => {
    const bitmap = { width: 2, height: 3, pixels: 'bitmap', isClosed: false };
    const { world, resend, before } = await showing(bitmap as never);
    bitmap.isClosed = true;
    await prepareResend(world);
    expect(resend().snapshot()).toEqual(before);
  });

  it('is created from a copy of pixels that the page has overwritten, or transferred away', async () => {
    const data = new Uint8Array([1, 2, 3, 4]);
    const { world, resend, before } = await showing({ width: 1, height: 1, data });
    data.fill(0);
    await prepareResend(world);
    expect(resend().snapshot()).toEqual(before);
    structuredClone(data, { transfer: [data.buffer] });
    await prepareResend(world);
    expect(resend().snapshot()).toEqual(before);
    expect(decoder.decodes).toBe(0);
  });

  it('of a loaded file is decoded again, in use or not, until the level is unloaded', async () => {
    const scene = triangleScene();
    const sampler = {
      wrapU: 'repeat',
      wrapV: 'repeat',
      magnify: 'linear',
      minify: 'linear',
      mipmap: 'none',
    } as const;
    const encoded = new Blob(['picture of the file']);
    const image = { pixels: 'picture of the file', close() {} } as unknown as ImageBitmap;
    const shared = { image, encoded, width: 2, height: 3, sampler };
    const test = setUp({
      ...scene,
      materials: [{ ...scene.materials[0]!, textures: { baseColor: { texture: 0, uvSet: 0 } } }],
      textures: [
        { ...shared, label: 'shown', srgb: true },
        { ...shared, label: 'not shown', srgb: false },
      ],
    });
    const { world, show, resend } = test;
    const level = await world.load('https://example.org/a.glb');
    const before = show().snapshot();
    await prepareResend(world);
    const model = resend();
    expect(model.snapshot()).toEqual(before);
    expect(pixelsIn(model)).toEqual(['picture of the file', 'picture of the file']);
    expect(world.retainedBytes).toBe(96 + encoded.size);
    // This call decodes the images again. The level is unloaded before they are resent, so they are not sent.
    await prepareResend(world);
    level.unload();
    expect(pixelsIn(resend())).toEqual([]);
    expect(world.retainedBytes).toBe(0);
    expect(test.errors).toEqual([]);
  });

  it('arrives even if streams were replaced before anything was read from them', async () => {
    const { world, resend, before } = await showing(new Blob(['blob']));
    resend();
    resend();
    await prepareResend(world);
    await prepareResend(world);
    resend();
    await prepareResend(world);
    expect(resend().snapshot()).toEqual(before);
  });

  it('arrives one frame later, if it was not prepared', async () => {
    const { world, resend, show, before } = await showing(new Blob(['blob']));
    expect(pixelsIn(resend())).toEqual([]);
    await world.whenReady();
    expect(show().snapshot()).toEqual(before);
  });

  it('is sent to the stream that exists when it is decoded', async () => {
    const { world, resend, show } = setUp();
    const material = standardMaterial({ baseColorTexture: texture(new Blob(['late'])) });
    world.addMesh({ geometry: boxGeometry(), material });
    show();
    await prepareResend(world);
    expect(shownIn(resend())).toBe(0xffffffff);
    await world.whenReady();
    const model = show();
    expect(shownIn(model)).toBe(0);
    expect(pixelsIn(model)).toEqual(['late']);
  });

  it("that can't be decoded causes an error, and is missing from its material until another resend", async () => {
    const { world, resend, show, errors, before } = await showing(new Blob(['blob']));
    decoder.isWorking = false;
    await prepareResend(world);
    expect(shownIn(resend())).toBe(0xffffffff);
    await world.whenReady();
    expect(pixelsIn(show())).toEqual([]);
    expect(errors).toMatchObject([
      {
        code: 'texture-load-failed',
        message: expect.stringMatching(/"bricks" could not be loaded again: there is no memory/),
      },
    ]);
    decoder.isWorking = true;
    await prepareResend(world);
    expect(resend().snapshot()).toEqual(before);
  });

  it('delays whenReady', async () => {
    const { world } = await showing(new Blob(['blob']));
    const log: string[] = [];
    let decoded: (image: object) => void = () => {};
    const image = new Promise((resolve) => {
      decoded = resolve;
    });
    vi.stubGlobal('createImageBitmap', () => image);
    const prepared = prepareResend(world);
    const ready = world.whenReady().then(() => log.push('ready'));
    await vi.dynamicImportSettled();
    log.push('decoded');
    decoded({ width: 2, height: 3, close() {} });
    await Promise.all([prepared, ready]);
    expect(log).toEqual(['decoded', 'ready']);
  });
});

describe('transferred vertices', () => {
  it('are reported by the name of their mesh, and only that mesh is not drawn', () => {
    const { world, errors, show, resend, sendNames } = setUp();
    const lost = boxGeometry();
    const gone = world.addMesh({ geometry: lost, name: 'gone' });
    const stays = world.addMesh({ geometry: boxGeometry() });
    show();
    structuredClone(lost.data, { transfer: [lost.data] });
    const model = resend();
    expect(model.primitives.size).toBe(1);
    expect(model.geometries.size).toBe(1);
    expect(errors).toMatchObject([{ code: 'geometry-detached', message: expect.stringContaining('"gone"') }]);
    (gone.root as MeshComponent).geometry = (stays.root as MeshComponent).geometry;
    expect(show().primitives.size).toBe(2);
    gone.destroy();
    stays.destroy();
    expect(show().snapshot()).toMatchObject({ nodes: [], geometries: [], materials: [], primitives: [] });
    expect(sendNames()).toEqual([]);
  });

  it('cause no error if the mesh has another geometry before the resend', () => {
    const { world, errors, show, resend } = setUp();
    const lost = boxGeometry();
    const actor = world.addMesh({ geometry: lost });
    show();
    structuredClone(lost.data, { transfer: [lost.data] });
    actor.root.geometry = boxGeometry();
    expect(resend().primitives.size).toBe(1);
    actor.destroy();
    expect(show().geometries.size).toBe(0);
    expect(errors).toEqual([]);
  });
});

describe('retainedBytes', () => {
  it('counts vertices and images once, while they are in use', async () => {
    const { world, show } = setUp();
    const geometry = boxGeometry();
    const blob = new Blob(['0123456789']);
    const materials = [blob, blob, { width: 1, height: 1, data: new Uint8Array(4) }].map((source) =>
      standardMaterial({ baseColorTexture: texture(source) }),
    );
    expect(world.retainedBytes).toBe(0);
    const actors = materials.map((material) => world.addMesh({ geometry, material }));
    show();
    await world.whenReady();
    expect(world.retainedBytes).toBe(geometry.data.byteLength + 10 + 4);
    for (const actor of actors) actor.destroy();
    show();
    expect(world.retainedBytes).toBe(0);
  });
});
