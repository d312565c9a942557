import { afterEach, describe, expect, it, vi } from 'vitest';
import { messageOf } from '../../core/errors.js';
import { waitFor } from '../../core/testing/wait-for.js';
import { NO_ID } from '../../proxy/commands.js';
import { unpackSampler } from '../../proxy/images/sampler.js';
import {
  MATERIAL_FLOATS,
  MATERIAL_PARAMETERS,
  MaterialFlag,
  MaterialOffset,
  TEXTURE_SLOTS,
} from '../../proxy/materials/material-layout.js';
import type { MeshComponent } from '../components/mesh-component.js';
import { boxGeometry } from '../geometry/shapes.js';
import { codeOf, createTestWorld, valuesOf } from '../testing/test-world.js';
import { texture } from '../textures/texture.js';
import { linearFromSrgb, parseColor } from './color.js';
import { standardMaterial, unlitMaterial } from './material.js';

const PIXEL = { width: 1, height: 1, data: new Uint8Array([1, 2, 3, 4]) };

describe('colours', () => {
  it('are converted from sRGB to linear if they are CSS hex', () => {
    const half = linearFromSrgb(0x80 / 255);
    expect(half).toBeCloseTo(0.2158605, 7);
    expect(parseColor('test', 'color', '#fff')).toEqual([1, 1, 1, 1]);
    expect(parseColor('test', 'color', '#808080')).toEqual([half, half, half, 1]);
    expect(parseColor('test', 'color', ' #F008 ')).toEqual([1, 0, 0, 0x88 / 255]);
    expect(parseColor('test', 'color', '#ff000080')[3]).toBeCloseTo(0.50196, 5);
    // Below 0.04045 the curve is a line.
    expect(linearFromSrgb(0.04)).toBe(0.04 / 12.92);
  });

  it('keep linear numbers', () => {
    expect(parseColor('test', 'color', [0.25, 0.5, 1])).toEqual([0.25, 0.5, 1, 1]);
    expect(parseColor('test', 'color', new Float32Array([0, 0, 0, 0.5]))).toEqual([0, 0, 0, 0.5]);
  });

  it.each(['#12345', '#ggg', 'blu', '', [0, 1], [0, 0, Number.NaN], [-1, 0, 0], null])(
    'reject %j',
    (color) => {
      expect(codeOf(() => parseColor('test', 'color', color as never))).toBe('color-invalid');
    },
  );

  it('suggest rgb() for numbers from 0 to 255', () => {
    expect(() => parseColor('test', 'color', [255, 122, 26])).toThrow(/rgb\(255 122 26\)/);
  });
});

/** Returns the parameters of a record by name. */
const valuesIn = (parameters: ArrayLike<number>): Record<string, number[]> =>
  Object.fromEntries(
    Object.entries(MATERIAL_PARAMETERS).map(([name, { size }]) => {
      const offset = MaterialOffset[name as keyof typeof MATERIAL_PARAMETERS];
      return [name, Array.from(parameters).slice(offset, offset + size)];
    }),
  );

describe('materials', () => {
  it('have the documented defaults', () => {
    const { parameters, flags } = standardMaterial();
    expect(valuesIn(parameters)).toMatchObject({
      baseColor: [1, 1, 1, 1],
      emissive: [0, 0, 0],
      alphaCutoff: [0.5],
      metallic: [0],
      roughness: [0.5],
      normalScale: [1],
      occlusionStrength: [1],
    });
    const first = MaterialOffset.textureTransforms;
    expect(Array.from(parameters).slice(first, first + 8)).toEqual([1, 0, 0, 0, 1, 0, 0, 0]);
    expect(parameters).toHaveLength(MATERIAL_FLOATS);
    expect(flags).toBe(0);
    expect(unlitMaterial().flags).toBe(MaterialFlag.unlit | MaterialFlag.unmapped);
  });

  it('write options to their offsets', () => {
    const material = standardMaterial({
      baseColor: [0.1, 0.2, 0.3],
      opacity: 0.5,
      emissive: [1, 0.5, 0],
      emissiveStrength: 4,
      metallic: 1,
      roughness: 0.25,
      normalScale: -2,
      occlusionStrength: 0.75,
      alphaCutoff: 0.125,
      doubleSided: true,
    });
    expect(valuesIn(material.parameters)).toMatchObject({
      baseColor: [0.1, 0.2, 0.3, 0.5].map(Math.fround),
      emissive: [4, 2, 0],
      alphaCutoff: [0.125],
      metallic: [1],
      roughness: [0.25],
      normalScale: [-2],
      occlusionStrength: [0.75],
    });
    expect(material.flags).toBe(MaterialFlag.doubleSided | MaterialFlag.alphaBlend);
    expect(standardMaterial({ opacity: 0.5, alphaMode: 'mask' }).alphaMode).toBe('mask');
  });

  it('blend while their opacity is below 1, unless alphaMode is set', () => {
    const material = standardMaterial();
    material.opacity = 0.5;
    expect(material.alphaMode).toBe('blend');
    const copy = material.clone();
    material.opacity = 1;
    copy.opacity = 1;
    expect([material.alphaMode, copy.alphaMode]).toEqual(['opaque', 'opaque']);

    material.alphaMode = 'blend';
    material.opacity = 0.5;
    material.opacity = 1;
    expect(material.alphaMode).toBe('blend');
    const cutOut = standardMaterial({ alphaMode: 'mask' });
    cutOut.opacity = 0.5;
    expect(cutOut.alphaMode).toBe('mask');
    expect(standardMaterial({ opacity: 0.5, alphaMode: 'opaque' }).alphaMode).toBe('opaque');
    expect(standardMaterial({ baseColor: [1, 1, 1, 0.5] }).alphaMode).toBe('blend');
  });

  it('change their alpha mode with the alpha of their base colour, as with their opacity', () => {
    const material = standardMaterial();
    material.baseColor = [1, 0, 0, 0.5];
    expect([material.alphaMode, material.opacity]).toEqual(['blend', 0.5]);
    material.baseColor = '#f00';
    expect(material.alphaMode).toBe('opaque');
    const chosen = standardMaterial({ baseColor: [1, 0, 0, 0.5], alphaMode: 'opaque' });
    chosen.baseColor = '#0f0';
    expect(chosen.alphaMode).toBe('opaque');
    chosen.alphaMode = 'mask';
    chosen.baseColor = [1, 0, 0, 0.5];
    expect(chosen.alphaMode).toBe('mask');
  });

  it('reject out-of-range and unknown options', () => {
    expect(codeOf(() => standardMaterial({ roughness: 2 }))).toBe('option-out-of-range');
    expect(codeOf(() => standardMaterial({ metallic: Number.NaN }))).toBe('option-out-of-range');
    expect(codeOf(() => standardMaterial({ metalness: 1 } as never))).toBe('option-unknown');
    expect(codeOf(() => unlitMaterial({ roughness: 1 } as never))).toBe('option-unknown');
    expect(codeOf(() => standardMaterial({ alphaMode: 'blended' as never }))).toBe('option-invalid');
    const material = standardMaterial({ roughness: 0.5 });
    expect(codeOf(() => (material.roughness = -1))).toBe('option-out-of-range');
    expect(material.roughness).toBe(0.5);
  });

  it('reject an invalid texture', () => {
    const material = standardMaterial({ name: 'bricks' });
    for (const wrong of ['a.png', {}, { texture: 'a.png' }]) {
      expect(() => Object.assign(material, { normalTexture: wrong })).toThrow(
        /normalTexture of "bricks".*texture\('/,
      );
    }
    expect(codeOf(() => standardMaterial({ baseColorTexture: 'a.png' as never }))).toBe('option-invalid');
    expect(material.normalTexture).toBe(null);
  });

  it('G4 are sent once per frame however often they change', () => {
    const { world, send } = createTestWorld();
    const material = standardMaterial();
    world.addMesh({ geometry: boxGeometry(), material });
    send();
    material.roughness = 0.1;
    material.roughness = 0.25;
    material.baseColor = '#000';
    const records = send();
    expect(records.map((record) => record.name)).toEqual(['setMaterial']);
    expect(valuesIn(valuesOf(records, 'setMaterial')[0]!.parameters)).toMatchObject({
      baseColor: [0, 0, 0, 1],
      roughness: [0.25],
    });
    expect(send()).toEqual([]);
  });
});

describe('textures', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('are sent with the material that uses them: sRGB for colour, linear for data', () => {
    const { world, reader, send } = createTestWorld();
    const pixels = texture(PIXEL, { sampler: { wrapU: 'clamp-to-edge' } });
    world.addMesh({
      geometry: boxGeometry(),
      material: standardMaterial({
        baseColorTexture: pixels,
        normalTexture: { texture: pixels, offset: [0.5, 0.25], scale: [2, 4], rotation: Math.PI / 2 },
      }),
    });
    const records = send();
    expect(records.map((record) => record.name).slice(2, 6)).toEqual([
      'createGeometry',
      'createTexture',
      'createTexture',
      'setMaterial',
    ]);
    const [asColor, asData] = valuesOf(records, 'createTexture');
    expect([asColor!.texels, asData!.texels]).toEqual([1, 0]);
    expect(unpackSampler(asColor!.sampler)).toMatchObject({ wrapU: 'clamp-to-edge', wrapV: 'repeat' });
    const { textures, parameters } = valuesOf(records, 'setMaterial')[0]!;
    expect(Array.from(textures)).toEqual([
      asColor!.texture,
      NO_ID,
      asData!.texture,
      ...new Array(TEXTURE_SLOTS.length - 3).fill(NO_ID),
    ]);
    const normal = MaterialOffset.textureTransforms + 2 * 8;
    // A quarter turn: u' = 4·v + 0.5, v' = −2·u + 0.25.
    expect(
      Array.from(parameters)
        .slice(normal, normal + 8)
        .map((value) => Math.round(value * 1e6) / 1e6 + 0),
    ).toEqual([0, 4, 0.5, -2, 0, 0.25, 0, 1]);
    expect(new Uint8Array(reader.attachment(asColor!.image) as ArrayBuffer)).toEqual(PIXEL.data);
  });

  it('of extensions are limited to seven per material, and the error for an eighth names the material', () => {
    const material = standardMaterial({ name: 'all' });
    const pixels = texture(PIXEL);
    const further = TEXTURE_SLOTS.slice(5);
    for (const slot of further.slice(0, 7)) material.setTexture(slot, pixels);
    const last = further[7]!;
    expect(() => material.setTexture(last, pixels)).toThrow(
      new RegExp(`^"all" has no room for ${last}Texture: .* at most 7`),
    );
    expect(codeOf(() => material.setTexture(last, pixels))).toBe('option-out-of-range');
    // There is room for a replacement, for the textures of core glTF, and after a removal.
    material.setTexture(further[0]!, texture(PIXEL));
    for (const slot of TEXTURE_SLOTS.slice(0, 5)) material.setTexture(slot, pixels);
    material.setTexture(further[0]!, null);
    material.setTexture(last, pixels);
  });

  it('and colours are tone-mapped in lit materials, and in unlit ones only with toneMapped', () => {
    expect(standardMaterial().toneMapped).toBe(true);
    expect(unlitMaterial().toneMapped).toBe(false);
    const asked = unlitMaterial({ toneMapped: true });
    expect(asked.toneMapped).toBe(true);
    expect(asked.flags).toBe(MaterialFlag.unlit);
    asked.toneMapped = false;
    expect(asked.flags).toBe(MaterialFlag.unlit | MaterialFlag.unmapped);
    const lit = standardMaterial({ name: 'brick' });
    expect(() => Object.assign(lit, { toneMapped: false })).toThrow(/"brick" is lit.*Use unlitMaterial/);
    expect(codeOf(() => unlitMaterial({ toneMapped: 1 as never }))).toBe('option-invalid');
  });

  it('are missing from the material while they load, and are sent with it once they have loaded', async () => {
    const image = { width: 2, height: 2, close() {} };
    vi.stubGlobal('fetch', async () => new Response(new Blob()));
    vi.stubGlobal('createImageBitmap', async () => image);
    const { world, send, errors } = createTestWorld();
    world.addMesh({
      geometry: boxGeometry(),
      material: standardMaterial({ baseColorTexture: texture('bricks.png') }),
    });
    expect(valuesOf(send(), 'setMaterial')[0]!.textures[0]).toBe(NO_ID);
    await world.whenReady();
    const records = send();
    expect(records.map((record) => record.name)).toEqual(['createTexture', 'setMaterial']);
    expect(valuesOf(records, 'createTexture')[0]).toMatchObject({ width: 2, texels: 1, label: 'bricks.png' });
    expect(valuesOf(records, 'setMaterial')[0]!.textures[0]).toBe(0);
    expect(errors).toEqual([]);
  });

  it('reject anisotropy without linear filters, and above 16', () => {
    const make = (sampler: object) => texture('bricks.png', { sampler });
    expect(unpackSampler(make({ anisotropy: 8 }).sampler)).toMatchObject({ anisotropy: 8 });
    expect(() => make({ anisotropy: 8, minify: 'nearest' })).toThrow(/anisotropy 8 needs linear filters/);
    expect(() => make({ anisotropy: 17 })).toThrow(/anisotropy/);
  });

  it('start to load when a mesh or material gets them, before its record is sent', async () => {
    const fetch = vi.fn(async (_url: string) => new Response(new Blob()));
    vi.stubGlobal('fetch', fetch);
    vi.stubGlobal('createImageBitmap', async () => ({ width: 2, height: 2, close() {} }));
    const { world, send } = createTestWorld();
    const fetched = () => fetch.mock.calls.map(([url]) => url);
    const showing = (url: string) => standardMaterial({ baseColorTexture: texture(url) });
    const actor = world.addMesh({ geometry: boxGeometry(), material: showing('mesh.png') });
    expect(fetched()).toEqual(['mesh.png']);
    expect(world.isPending).toBe(true);
    const material = showing('material.png');
    (actor.root as MeshComponent).material = material;
    expect(fetched()).toEqual(['mesh.png', 'material.png']);
    send();
    material.roughness = 0.1;
    material.emissiveTexture = texture('slot.png');
    expect(fetched()).toEqual(['mesh.png', 'material.png', 'slot.png']);
    await world.whenReady();
    expect(valuesOf(send(), 'createTexture').map(({ label }) => label)).toEqual(['material.png', 'slot.png']);
  });

  it('are sent in the order of their requests if they arrive before the same update', async () => {
    const arrive = new Map<string, () => void>();
    vi.stubGlobal('fetch', async (url: string) => {
      await new Promise<void>((resolve) => arrive.set(url, resolve));
      return new Response(new Blob());
    });
    vi.stubGlobal('createImageBitmap', async () => ({ width: 2, height: 2, close() {} }));
    const { world, send } = createTestWorld();
    for (const url of ['first.png', 'second.png']) {
      const material = standardMaterial({ baseColorTexture: texture(url) });
      world.addMesh({ geometry: boxGeometry(), material });
    }
    send();
    for (const [before, url] of ['second.png', 'first.png'].entries()) {
      arrive.get(url)?.();
      await waitFor(() => expect(world.arrivals).toBeGreaterThan(before));
    }
    await world.whenReady();
    expect(valuesOf(send(), 'createTexture').map(({ label }) => label)).toEqual(['first.png', 'second.png']);
    expect(valuesOf(send(), 'createTexture')).toEqual([]);
  });

  it('are reported if the fetch fails, and the mesh is drawn without them', async () => {
    vi.stubGlobal('fetch', async () => new Response(null, { status: 404, statusText: 'Not Found' }));
    const { world, send, errors } = createTestWorld();
    const actor = world.addMesh({
      geometry: boxGeometry(),
      material: standardMaterial({ baseColorTexture: texture('missing.png') }),
    });
    send();
    await world.whenReady();
    expect(errors).toMatchObject([
      { code: 'texture-load-failed', message: expect.stringMatching(/missing.png.*404/) },
    ]);
    expect(send()).toEqual([]);
    actor.destroy();
    expect(send().map((record) => record.name)).not.toContain('destroyTexture');
  });

  it.each(['The source image could not be decoded.', 'The source image could not be decoded'])(
    'that can’t be decoded are reported in whole sentences if the browser reports "%s"',
    async (text) => {
      vi.stubGlobal('createImageBitmap', async () => {
        throw new DOMException(text, 'InvalidStateError');
      });
      const { world, send, errors } = createTestWorld();
      const material = standardMaterial({
        baseColorTexture: texture(new Blob(['no image']), { name: 'logo' }),
      });
      world.addMesh({ geometry: boxGeometry(), material });
      send();
      await world.whenReady();
      expect(errors.map(messageOf)).toEqual([
        'Texture "logo" could not be loaded: The source image could not be decoded. Materials are drawn without it.',
      ]);
    },
  );

  it('are closed if they arrive after their last user was destroyed', async () => {
    let closed = 0;
    vi.stubGlobal('createImageBitmap', async () => ({ width: 1, height: 1, close: () => closed++ }));
    const { world, send } = createTestWorld();
    const actor = world.addMesh({
      geometry: boxGeometry(),
      material: standardMaterial({ emissiveTexture: texture(new Blob()) }),
    });
    send();
    actor.destroy();
    send();
    await world.whenReady();
    expect(send()).toEqual([]);
    expect(closed).toBe(1);
  });

  it('are closed if they arrive after the world was disposed', async () => {
    const close = vi.fn();
    vi.stubGlobal('createImageBitmap', async () => ({ width: 1, height: 1, close }));
    const { world, send } = createTestWorld();
    world.addMesh({
      geometry: boxGeometry(),
      material: standardMaterial({ emissiveTexture: texture(new Blob()) }),
    });
    send();
    world.dispose();
    send();
    await world.whenReady();
    expect(close).toHaveBeenCalledOnce();
  });

  it('are reported if their data was transferred away, and the mesh is drawn without them', async () => {
    const { world, send, errors } = createTestWorld();
    const data = new Uint8Array(4);
    const material = standardMaterial({ baseColorTexture: texture({ width: 1, height: 1, data }) });
    world.addMesh({ geometry: boxGeometry(), material });
    structuredClone(data.buffer, { transfer: [data.buffer] });
    expect(valuesOf(send(), 'createPrimitive')).toHaveLength(1);
    await world.whenReady();
    expect(errors).toMatchObject([
      { code: 'texture-load-failed', message: expect.stringMatching(/transferred away/) },
    ]);
  });

  it('reject invalid images and invalid sizes', () => {
    for (const wrong of [undefined, null, 5, '']) {
      expect(codeOf(() => texture(wrong as never))).toBe('option-invalid');
    }
    // Floats below 1 would be truncated to 0, which is black.
    const floats = { width: 1, height: 1, data: new Float32Array([0.5, 0.5, 0.5, 1]) };
    expect(() => texture(floats as never)).toThrow(/bytes.*is a Float32Array/);
    const data = new Uint8Array(6);
    const sized = (width: unknown) => () => texture({ width: width as number, height: 1, data });
    expect(sized(1.5)).toThrow(/^width of texture is 1\.5, which is not a whole number\.$/);
    expect(sized(0)).toThrow(/^width of texture is 0; it has to be a number from 1 to 16384\.$/);
    expect(sized('2')).toThrow(/^width of texture is "2"; it has to be a number/);
  });

  it('reject data of the wrong length and unknown sampler words', () => {
    expect(codeOf(() => texture({ ...PIXEL, width: 2 }))).toBe('texture-data-length');
    expect(codeOf(() => texture(PIXEL, { sampler: { wrapU: 'wrap' as never } }))).toBe('option-invalid');
    expect(codeOf(() => texture(PIXEL, { colourSpace: 'srgb' } as never))).toBe('option-unknown');
  });
});
