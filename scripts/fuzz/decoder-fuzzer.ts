/**
 * Cases of compressed files, textures and environments. Each case chooses a file, changes its compressed bytes, and
 * loads it. The file has to load, or be rejected with a typed error. A trap in a decoder's WebAssembly must neither
 * escape nor affect the next file. A seed and the case's index determine everything.
 *
 *   seed, index ─► file ─► changes behind its JSON ─► loadScene, with the real decoders ─► outcome: codes, findings
 */

import { deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { loadScene } from '../../src/assets/builders/load-scene.js';
import type { Decoders, LoadDecoder } from '../../src/assets/decoders/decoders.js';
import { loadEnvironment } from '../../src/assets/environments/load-environment.js';
import { AssetError } from '../../src/core/errors.js';
import { levelSizeOf, unpackTexels } from '../../src/proxy/images/texels.js';
import { basisPictures } from '../test-assets/basis-pictures.mjs';
import { makeCompressedFiles } from '../test-assets/compressed-files.mjs';
import { ktx2File, storedZstandard } from '../test-assets/ktx2-file.mjs';
import { mipmappedBasis } from '../test-assets/mipmapped-basis.mjs';
import { createRandom, pick, type Random } from './random.js';

export const decoderTargets = ['draco', 'meshopt', 'basis', 'ktx2', 'radiance', 'environment-cube'] as const;

export interface DecoderCase {
  readonly target: (typeof decoderTargets)[number];
  readonly recording: string;
  readonly codes: readonly string[];
  readonly findings: readonly string[];
  readonly input: Uint8Array;
}

interface Sample {
  readonly target: DecoderCase['target'];
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Index of the first byte that may be changed. */
  readonly first: number;
}

const DECODERS: { [Name in keyof Decoders]: () => Promise<Decoders[Name]> } = {
  basis: () => import('../../src/assets/decoders/basis.js'),
  draco: () => import('../../src/assets/decoders/draco.js'),
  'environment-cube': () => import('../../src/assets/decoders/environment-cube.js'),
  ktx2: () => import('../../src/assets/decoders/ktx2.js'),
  meshopt: () => import('../../src/assets/decoders/meshopt.js'),
};
const loadDecoder: LoadDecoder = (name) => DECODERS[name]();

/** Features of the devices for which textures are loaded. */
const DEVICES = ['', 'bc', 'etc2', 'astc'].map((family) => [`texture-compression-${family}`]);

/** One of this many cases also loads the unchanged file afterwards, to check that the decoder still works. */
const CHECKED = 16;

export class DecoderFuzzer {
  readonly #seed: number;
  readonly #samples: readonly Sample[];
  readonly #targets: readonly DecoderCase['target'][];

  private constructor(seed: number, samples: readonly Sample[]) {
    this.#seed = seed;
    this.#samples = samples;
    this.#targets = decoderTargets.filter((target) => samples.some((each) => each.target === target));
    if (samples.length === 0) throw new Error(`The decoders are ${decoderTargets.join(', ')}.`);
  }

  /** Creates a fuzzer. @param only one of `decoderTargets`; default: all of them */
  static async create(seed: number, only?: string): Promise<DecoderFuzzer> {
    const files = await makeCompressedFiles();
    const samples: Sample[] = Object.entries(files)
      .filter(([name]) => name !== 'plain.glb')
      .map(([name, bytes]) => ({
        target: name === 'draco.glb' ? 'draco' : 'meshopt',
        name,
        bytes,
        // Changes begin behind the header, the JSON and the header of the binary chunk.
        first: 28 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true),
      }));
    const colors = [
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
    ] as const;
    const pictures: [string, Uint8Array][] = Object.entries(basisPictures).map(([name, base64]) => [
      name,
      Buffer.from(base64, 'base64'),
    ]);
    for (const [name, picture] of [...pictures, ['levels', mipmappedBasis(16, colors)] as const]) {
      const bytes = Uint8Array.from(picture);
      samples.push({ target: 'basis', name, bytes, first: 12 });
    }
    for (const [name, bytes] of Object.entries(ktx2Files()))
      samples.push({ target: 'ktx2', name, bytes, first: 12 });
    // Radiance files have their size in the header, which is changed as well.
    for (const [name, bytes] of Object.entries(radianceFiles()))
      samples.push({ target: 'radiance', name, bytes, first: 12 });
    // Changes begin behind a PNG's signature and the length of its header.
    for (const [name, bytes] of Object.entries(pngFiles()))
      samples.push({ target: 'environment-cube', name, bytes, first: 12 });
    return new DecoderFuzzer(
      seed,
      samples.filter(({ target }) => only === undefined || target === only),
    );
  }

  /** Number of files with meshes, and number of files with pictures. */
  get baseCount(): readonly [number, number] {
    const isMesh = ({ target }: Sample): boolean => target === 'draco' || target === 'meshopt';
    const pictures = this.#samples.filter((each) => !isMesh(each)).length;
    return [this.#samples.length - pictures, pictures];
  }

  async run(index: number): Promise<DecoderCase> {
    const random = createRandom(this.#seed, index);
    const target = pick(random, this.#targets);
    const sample = pick(
      random,
      this.#samples.filter((each) => each.target === target),
    );
    const input = change(sample, random);
    const codes: string[] = [];
    const findings: string[] = [];
    const features = target === 'ktx2' ? DEVICES.flat() : pick(random, DEVICES);
    await load({ ...sample, bytes: input }, features, codes, findings);
    if (random(CHECKED) === 0) {
      const after: string[] = [];
      await load(sample, features, after, findings);
      if (after.length > 0) findings.push(`the unchanged file was rejected afterwards: ${after.join()}`);
    }
    return { target, recording: sample.name, codes, findings, input };
  }
}

/**
 * Changes some bytes or words to values that are likely to cause errors, copies a range over another, or
 * fills the end with zeros.
 */
function change({ bytes, first }: Sample, random: Random): Uint8Array {
  const changed = Uint8Array.from(bytes);
  const view = new DataView(changed.buffer);
  const length = changed.length - first;
  for (let count = 1 + random(4); count > 0; count--) {
    const at = first + random(length);
    const kind = random(5);
    if (kind === 0) changed[at] = random(256);
    else if (kind === 1) changed[at] = (changed[at] as number) ^ (1 << random(8));
    else if (kind === 2 && at + 4 <= changed.length) {
      view.setUint32(at, pick(random, [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, random(0x10000)]), true);
    } else if (kind === 3) {
      changed.copyWithin(at, first + random(length), first + random(length));
    } else if (random(8) === 0) changed.fill(0, at);
  }
  return changed;
}

async function load(
  sample: Sample,
  deviceFeatures: readonly string[],
  codes: string[],
  findings: string[],
): Promise<void> {
  try {
    if (sample.target === 'radiance' || sample.target === 'environment-cube')
      return await loadRadiance(sample, findings);
    const bytes = isPicture(sample) ? pictureFile(sample.bytes) : Uint8Array.from(sample.bytes);
    const source = { kind: 'bytes', name: sample.name, bytes: bytes.buffer as ArrayBuffer } as const;
    const { geometries, textures, warnings } = await loadScene(source, { loadDecoder, deviceFeatures });
    for (const { minimum, maximum } of geometries) {
      const isBox = minimum.every((low, axis) => low <= (maximum[axis] as number) && Number.isFinite(low));
      if (!isBox) findings.push(`a box from ${minimum.join()} to ${maximum.join()}`);
    }
    for (const { width, height, image, texels = 0 } of textures) {
      const { byteLength } = image as ArrayBuffer;
      const { format, levelCount } = unpackTexels(texels);
      let needed = 0;
      for (let level = 0; level < Math.max(1, levelCount); level++)
        needed += levelSizeOf(format, width, height, level).byteLength;
      if (byteLength !== needed)
        findings.push(
          `${byteLength} bytes for ${width} × ${height} pixels of ${format} in ${levelCount} levels`,
        );
    }
    // A picture that can't be decoded is omitted, and the file is shown without it.
    if (warnings.length > 0) codes.push('left out');
    if (isPicture(sample) && warnings.length + textures.length !== 1) {
      findings.push(`${textures.length} textures, with the warnings: ${warnings.join('; ')}`);
    }
  } catch (error) {
    if (error instanceof AssetError) codes.push(error.code);
    else findings.push(`it threw ${(error as Error)?.stack ?? error}`);
  }
}

async function loadRadiance({ target, name, bytes }: Sample, findings: string[]): Promise<void> {
  const file = new Blob([Uint8Array.from(bytes)]);
  const faces = Array<Blob>(6).fill(file);
  const source =
    target === 'environment-cube'
      ? ({ kind: 'environment-cube', name, place: '', faces } as const)
      : ({ kind: 'bytes', name, bytes: await file.arrayBuffer() } as const);
  const image = await loadEnvironment(source, { loadDecoder });
  const { width, height, data } = image;
  const needed = width * height * image.faces * 8;
  if (data.byteLength !== needed)
    findings.push(`${data.byteLength} bytes for ${image.faces} × ${width} × ${height} texels`);
}

const isPicture = ({ target }: Sample): boolean => target === 'basis' || target === 'ktx2';

/**
 * Returns environments: Radiance files with flat and run-length encoded rows, and cubes in KTX2, packed and unpacked.
 */
function radianceFiles(): Record<string, Uint8Array> {
  const head = (width: number, height: number) =>
    Buffer.from(`#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ${height} +X ${width}\n`);
  const plane = [128 + 3, 77, 5, 1, 2, 3, 4, 5];
  const row = [2, 2, 0, 8, ...plane, ...plane, ...plane, ...plane];
  const faces = Uint8Array.from({ length: 6 * 4 * 8 }, (_, index) => index * 5);
  const cube = { width: 2, height: 2, faces: 6 };
  return {
    'plain.hdr': Buffer.concat([head(4, 8), Uint8Array.from({ length: 128 }, (_, index) => index * 3)]),
    'runs.hdr': Buffer.concat([head(8, 4), Uint8Array.from([...row, ...row, ...row, ...row])]),
    'halves.ktx2': ktx2File({ ...cube, format: 97, levels: [faces] }),
    'exponents.ktx2': ktx2File({ ...cube, format: 123, levels: [faces.subarray(0, 96)] }),
    'Zstandard.ktx2': ktx2File({ ...cube, format: 97, scheme: 2, levels: [faces], pack: storedZstandard }),
    'ZLIB.ktx2': ktx2File({
      ...cube,
      format: 122,
      scheme: 3,
      levels: [faces.subarray(0, 96)],
      pack: deflateSync,
    }),
  };
}

/** Returns RGBD images with all row filters, and with 16 bits per channel. */
function pngFiles(): Record<string, Uint8Array> {
  const picture = (bitDepth: 8 | 16, filterType: number): Uint8Array => {
    const image = new PNG({ width: 8, height: 8 });
    for (let at = 0; at < image.data.length; at++) image.data[at] = (at * 37) & 255;
    const data = bitDepth === 16 ? new Uint16Array(image.data) : image.data;
    return PNG.sync.write({ ...image, data } as PNG, { bitDepth, filterType });
  };
  const filters = [0, 1, 2, 3, 4].map((filter) => [`filter ${filter}`, picture(8, filter)] as const);
  return { ...Object.fromEntries(filters), 'of 16 bits': picture(16, 4) };
}

/** Returns textures: uncompressed and in blocks, with mip levels, packed and unpacked, and an array of one layer. */
function ktx2Files(): Record<string, Uint8Array> {
  const texels = [256, 64, 16].map((length) => Uint8Array.from({ length }, (_, index) => index * 7));
  const size = { width: 8, height: 8, levels: texels };
  return {
    RGBA8: ktx2File({ ...size, format: 37 }),
    'RGBA8, Zstandard': ktx2File({ ...size, format: 37, scheme: 2, pack: storedZstandard }),
    'RGBA8, ZLIB': ktx2File({
      ...size,
      format: 43,
      layers: 1,
      scheme: 3,
      pack: (level) => deflateSync(level),
    }),
    'R8, swizzled': ktx2File({
      ...{ format: 9, width: 4, height: 4, metadata: { KTXorientation: 'rd', KTXswizzle: 'rrr1' } },
      levels: [texels[2] as Uint8Array],
    }),
    RGB32F: ktx2File({ format: 106, width: 2, height: 2, levels: [new Uint8Array(48)] }),
    BC1: ktx2File({ format: 131, width: 8, height: 8, levels: [new Uint8Array(32), new Uint8Array(8)] }),
    ETC2: ktx2File({ format: 151, width: 4, height: 4, levels: [new Uint8Array(16)] }),
    ASTC: ktx2File({ format: 165, width: 6, height: 6, levels: [new Uint8Array(16)] }),
  };
}

/** Returns a glTF file with one point whose material shows the picture. */
function pictureFile(picture: Uint8Array): Uint8Array {
  const data = Buffer.from(picture).toString('base64');
  const json = {
    asset: { version: '2.0' },
    extensionsRequired: ['KHR_texture_basisu'],
    buffers: [{ byteLength: 12, uri: 'data:application/octet-stream;base64,AAAAAAAAAAAAAAAA' }],
    bufferViews: [{ buffer: 0, byteLength: 12 }],
    accessors: [
      { bufferView: 0, componentType: 5126, type: 'VEC3', count: 1, min: [0, 0, 0], max: [0, 0, 0] },
    ],
    images: [{ uri: `data:image/ktx2;base64,${data}` }],
    textures: [{ extensions: { KHR_texture_basisu: { source: 0 } } }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
    meshes: [{ primitives: [{ mode: 0, attributes: { POSITION: 0 }, material: 0 }] }],
    nodes: [{ mesh: 0 }],
  };
  return new TextEncoder().encode(JSON.stringify(json));
}
