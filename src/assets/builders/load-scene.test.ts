import { describe, expect, it } from 'vitest';
import { makeTestAssets } from '../../../scripts/make-test-assets.mjs';
import {
  BASE_VERTEX_BYTES,
  VertexFormat,
  vertexAttributeOffset,
  vertexStride,
} from '../../proxy/geometry/vertex-format.js';
import { gltfText, indicesOf, loadBytes, vertex } from '../testing/load-file.js';
import { sceneTransferables } from './load-scene.js';
import { DEFAULT_MATERIAL } from './material-builder.js';

const testAssets = makeTestAssets();
const loadTestAsset = (name: string) => loadBytes(name, testAssets[name]!);

const near = (numbers: readonly number[]) => numbers.map((value) => expect.closeTo(value, 5));

describe('geometry', () => {
  it('converts all seven primitive modes, with and without indices', async () => {
    const plain = await loadTestAsset('modes.glb');
    expect(plain.geometries.map((geometry) => geometry.topology)).toEqual([
      'point-list',
      'line-list',
      'line-strip',
      'line-strip',
      'triangle-list',
      'triangle-list',
      'triangle-list',
    ]);
    // A loop repeats the index of its first vertex. Triangles without normals are flat and share no vertices.
    expect(plain.geometries.map(({ vertexCount, indexCount }) => [vertexCount, indexCount])).toEqual([
      [6, 0],
      [6, 0],
      [6, 7],
      [6, 0],
      [9, 0],
      [12, 0],
      [18, 0],
    ]);
    expect(indicesOf(plain.geometries[2]!)).toEqual([0, 1, 2, 3, 4, 5, 0]);
    const indexed = await loadTestAsset('modes-indexed.glb');
    expect(indexed.geometries.map((geometry) => geometry.topology)).toEqual(
      plain.geometries.map((geometry) => geometry.topology),
    );
    expect(indicesOf(indexed.geometries[2]!)).toEqual([5, 4, 3, 2, 1, 0, 5]);
    // The triangles are the same with and without indices.
    for (const mode of [4, 5, 6]) {
      expect(new Float32Array(indexed.geometries[mode]!.data)).toEqual(
        new Float32Array(plain.geometries[mode]!.data),
      );
    }
  });

  it('computes flat normals that face the viewer for lists, strips and fans without normals', async () => {
    const scene = await loadTestAsset('modes.glb');
    for (const mode of [4, 6]) {
      const geometry = scene.geometries[mode]!;
      for (let i = 0; i < geometry.vertexCount; i++)
        expect(vertex(geometry, i).slice(3, 6)).toEqual(near([0, 0, 1]));
    }
    const strip = scene.geometries[5]!;
    const normals = Array.from({ length: strip.vertexCount }, (_, i) => vertex(strip, i)[5]);
    expect(normals).toEqual(new Array(12).fill(1));
  });

  it('draws points and lines without normals unlit, with their own material', async () => {
    const scene = await loadTestAsset('modes.glb');
    const unlit = scene.nodes.map((node) => scene.materials[node.primitives[0]!.material]!.unlit);
    expect(unlit).toEqual([true, true, true, true, false, false, false]);
    expect(scene.materials).toHaveLength(2);
  });

  it('keeps a strip with normals as a strip', async () => {
    const floats = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0);
    const json = {
      bufferViews: [{ buffer: 0, byteLength: 48 }],
      accessors: [{ bufferView: 0, componentType: 5126, count: 4, type: 'VEC3' }],
      meshes: [{ primitives: [{ mode: 5, attributes: { POSITION: 0, NORMAL: 0 } }] }],
      nodes: [{ mesh: 0 }],
    };
    const scene = await loadBytes('strip.gltf', gltfText(json, new Uint8Array(floats.buffer)));
    expect(scene.geometries[0]).toMatchObject({ topology: 'triangle-strip', vertexCount: 4, indexCount: 0 });
  });

  it('leaves out an indexed fan of fewer than three corners', async () => {
    const bytes = new Uint8Array(40);
    const json = {
      bufferViews: [
        { buffer: 0, byteLength: 36 },
        { buffer: 0, byteOffset: 36, byteLength: 4 },
      ],
      accessors: [
        { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' },
        { bufferView: 1, componentType: 5123, count: 2, type: 'SCALAR' },
      ],
      meshes: [{ primitives: [{ mode: 6, indices: 1, attributes: { POSITION: 0, NORMAL: 0 } }] }],
      nodes: [{ mesh: 0 }],
    };
    const scene = await loadBytes('fan.gltf', gltfText(json, bytes));
    expect([scene.geometries, scene.warnings.length]).toEqual([[], 1]);
  });

  it('applies sparse values to accessors with and without base data', async () => {
    const [box, triangle] = (await loadTestAsset('sparse.glb')).geometries;
    expect(vertex(box!, 0).slice(0, 3)).toEqual(near([-0.8, -0.8, 0.2]));
    expect(vertex(box!, 2).slice(0, 3)).toEqual([-0.5, -0.5, 0.5]);
    expect(box!.minimum).toEqual(near([-0.8, -0.9, -0.5]));
    expect(vertex(triangle!, 1).slice(0, 3)).toEqual(near([0.9, -0.9, 0.1]));
    expect(vertex(triangle!, 2).slice(0, 3)).toEqual([0, 0, 0]);
  });

  it('decodes normalised integers of 8 and 16 bits, and plain integers', async () => {
    const { geometries } = await loadTestAsset('quantized.glb');
    for (const [index, scale] of [1, 1, 2].entries()) {
      const geometry = geometries[index]!;
      const [x, y, z, nx, ny, nz, u, v] = vertex(geometry, 0);
      expect(Math.abs(x! / scale)).toBeCloseTo(0.5, 2);
      expect([y, z].map((value) => Math.abs(value! / scale))).toEqual([
        expect.closeTo(0.5, 2),
        expect.closeTo(0.5, 2),
      ]);
      expect([nx, ny, nz]).toEqual([-1, 0, 0]);
      expect([u, v]).toEqual([0, 1]);
    }
  });

  it('interleaves in the order of the vertex format: second texture coordinates and colours last', async () => {
    const maps = (await loadTestAsset('all-maps.glb')).geometries[0]!;
    expect(maps.vertexFormat).toBe(VertexFormat.uv1);
    const uv1 = vertexAttributeOffset(maps.vertexFormat, VertexFormat.uv1) / 4;
    expect(vertex(maps, 2).slice(6, 8)).toEqual([1, 0]);
    expect(vertex(maps, 0).slice(uv1, uv1 + 2)).toEqual([0, 2]);
    const colored = (await loadTestAsset('vertex-colors.glb')).geometries;
    expect(colored.map((geometry) => geometry.vertexFormat)).toEqual([4, 4, 4]);
    // Float RGB, RGBA bytes and RGBA shorts give the same colours; a missing alpha is 1.
    for (const geometry of colored) {
      expect(vertex(geometry, 4).slice(BASE_VERTEX_BYTES / 4)).toEqual(
        vertex(geometry, 4)
          .slice(0, 3)
          .map((value) => expect.closeTo(value + 0.5, 2))
          .concat(1),
      );
    }
  });

  it('keeps tangents of vertices with normals, and drops them without normals', async () => {
    const floats = new Float32Array(9 + 12).fill(0.5);
    const json = (attributes: object) => ({
      bufferViews: [
        { buffer: 0, byteLength: 36 },
        { buffer: 0, byteOffset: 36, byteLength: 48 },
      ],
      accessors: [
        { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' },
        { bufferView: 1, componentType: 5126, count: 3, type: 'VEC4' },
      ],
      meshes: [{ primitives: [{ attributes }] }],
      nodes: [{ mesh: 0 }],
    });
    const load = async (attributes: object) =>
      (await loadBytes('t.gltf', gltfText(json(attributes), new Uint8Array(floats.buffer)))).geometries[0]!;
    const kept = await load({ POSITION: 0, NORMAL: 0, TANGENT: 1 });
    expect(kept.vertexFormat).toBe(VertexFormat.tangents);
    expect(vertex(kept, 1).slice(8)).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect((await load({ POSITION: 0, TANGENT: 1 })).vertexFormat).toBe(0);
  });

  it('creates one buffer per geometry with exactly its vertices and indices, and computes the bounds from the vertices', async () => {
    const scene = await loadTestAsset('hierarchy.glb');
    for (const geometry of scene.geometries) {
      expect(geometry.data.byteLength).toBe(24 * vertexStride(geometry.vertexFormat) + 36 * 4);
    }
    expect(scene.geometries.map(({ minimum, maximum }) => [minimum, maximum])).toEqual([
      [
        [-0.5, -0.5, -0.5],
        [0.5, 0.5, 0.5],
      ],
      [
        [-0.25, 0.4375, -0.25],
        [0.25, 0.9375, 0.25],
      ],
    ]);
    // Three nodes show the same mesh of two primitives.
    expect(scene.geometries).toHaveLength(2);
  });
});

describe('nodes', () => {
  it('lists parents before children, with transforms from TRS and from a matrix', async () => {
    const { nodes, warnings } = await loadTestAsset('hierarchy.glb');
    expect(nodes.map(({ name, parent }) => [name, parent])).toEqual([
      ['root', -1],
      ['mirrored', 0],
      ['leaf', 1],
      ['turned by matrix', 0],
    ]);
    expect(nodes[1]!.transform).toEqual([1.2, 0, 0, 0, 0, 0, 1, -1, 1, 1]);
    const half = Math.SQRT1_2;
    expect(nodes[3]!.transform).toEqual(near([-1.2, 0, 0, 0, 0, half, half, 1, 1, 1]));
    expect(nodes[1]!.primitives).toEqual([
      { geometry: 0, material: 0 },
      { geometry: 1, material: 1 },
    ]);
    expect(warnings).toEqual([]);
  });

  it('warns of a matrix with skew or zero scale, and stays finite', async () => {
    const skew = [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    const flat = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 3, 0, 0, 1];
    const scene = await loadBytes('m.gltf', gltfText({ nodes: [{ matrix: skew }, { matrix: flat }] }));
    expect(scene.warnings[0]).toContain('nodes[0]: Its matrix skews');
    for (const node of scene.nodes) expect(node.transform.every(Number.isFinite)).toBe(true);
    expect(scene.nodes[1]!.transform.slice(0, 3)).toEqual([3, 0, 0]);
  });

  it('shows the default scene, else the first, else every root', async () => {
    expect((await loadTestAsset('scenes.glb')).nodes.map(({ name }) => name)).toEqual([
      'in the default scene',
    ]);
    const nodes = [{ name: 'a', children: [1] }, { name: 'b' }, { name: 'c' }];
    const first = await loadBytes('s.gltf', gltfText({ nodes, scenes: [{ nodes: [2] }, { nodes: [0] }] }));
    expect(first.nodes.map(({ name }) => name)).toEqual(['c']);
    const all = await loadBytes('s.gltf', gltfText({ nodes }));
    expect(all.nodes.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('reads cameras; a perspective camera without zfar is infinite', async () => {
    const cameras = (await loadTestAsset('cameras.gltf')).nodes.flatMap(({ camera }) => camera ?? []);
    expect(cameras).toEqual([
      { kind: 'perspective', fovY: 0.9, near: 0.1, far: Infinity },
      { kind: 'perspective', fovY: 0.5, near: 0.2, far: 50, aspect: 1.5 },
      { kind: 'orthographic', halfWidth: 2, halfHeight: 1.5, near: 0, far: 20 },
    ]);
  });

  it('reads KHR_lights_punctual with its defaults', async () => {
    const lights = (await loadTestAsset('lights.glb')).nodes.flatMap(({ light }) => light ?? []);
    const angles = { innerConeAngle: 0, outerConeAngle: Math.PI / 4 };
    expect(lights).toEqual([
      { kind: 'directional', color: [1, 0.9, 0.8], intensity: 2, range: 0, ...angles },
      { kind: 'point', color: [0.2, 0.4, 1], intensity: 8, range: 10, ...angles },
      { kind: 'spot', color: [1, 1, 1], intensity: 20, range: 0, innerConeAngle: 0.2, outerConeAngle: 0.5 },
      { kind: 'spot', color: [1, 1, 1], intensity: 1, range: 0, ...angles },
    ]);
  });
});

describe('cameras and lights out of range', () => {
  it('are clamped, with a warning that names the file and the place', async () => {
    const lights = [
      { type: 'spot', intensity: -1, range: -2, spot: { innerConeAngle: 2, outerConeAngle: 3 } },
    ];
    const json = {
      extensionsUsed: ['KHR_lights_punctual'],
      extensions: { KHR_lights_punctual: { lights } },
      cameras: [
        { type: 'perspective', perspective: { yfov: 4, znear: 2, zfar: 1 } },
        { type: 'orthographic', orthographic: { xmag: 1, ymag: 0, znear: 5, zfar: 5 } },
      ],
      nodes: [{ camera: 0 }, { camera: 1, extensions: { KHR_lights_punctual: { light: 0 } } }],
    };
    const { nodes, warnings } = await loadBytes('odd.gltf', gltfText(json));
    expect(nodes[0]!.camera).toEqual({ kind: 'perspective', fovY: Math.PI - 1e-4, near: 2, far: Infinity });
    expect(nodes[1]!.camera).toMatchObject({ halfWidth: 1, halfHeight: 1e-9, near: 5, far: 1005 });
    const angles = { innerConeAngle: Math.PI / 2, outerConeAngle: Math.PI / 2 };
    expect(nodes[1]!.light).toMatchObject({ intensity: 0, range: 0, ...angles });
    expect(warnings).toHaveLength(8);
    expect(warnings.join()).toContain('"odd.gltf", cameras[0].zfar: It is 1');
    expect(warnings.join()).toContain(
      '"odd.gltf", extensions.KHR_lights_punctual.lights[0].intensity: It is -1',
    );
  });
});

it('moves the brightness of a light’s colour to its intensity', async () => {
  const lights = [{ type: 'point', color: [4, 2, 1], intensity: 10 }];
  const KHR_lights_punctual = { lights };
  const json = {
    extensionsUsed: ['KHR_lights_punctual'],
    extensions: { KHR_lights_punctual },
    nodes: [{ extensions: { KHR_lights_punctual: { light: 0 } } }],
  };
  const { nodes, warnings } = await loadBytes('bright.gltf', gltfText(json));
  expect(nodes[0]!.light).toMatchObject({ color: [1, 0.5, 0.25], intensity: 40 });
  expect(warnings).toEqual([]);
});

describe('materials and textures', () => {
  it('reads every map and factor; maps of one image and sampler share a texture', async () => {
    const { materials, textures } = await loadTestAsset('all-maps.glb');
    expect(materials[0]).toEqual({
      ...DEFAULT_MATERIAL,
      label: 'all maps',
      baseColor: [1, 1, 1, 1],
      emissive: [0.2, 0.5, 1],
      metallic: 1,
      roughness: 1,
      normalScale: 0.7,
      occlusionStrength: 0.5,
      alphaMode: 'opaque',
      alphaCutoff: 0.5,
      doubleSided: false,
      unlit: false,
      textures: {
        baseColor: { texture: 0, uvSet: 0 },
        metallicRoughness: { texture: 1, uvSet: 0 },
        normal: { texture: 2, uvSet: 0 },
        occlusion: { texture: 1, uvSet: 0 },
        emissive: { texture: 3, uvSet: 1 },
      },
    });
    expect(textures.map(({ srgb }) => srgb)).toEqual([true, false, false, true]);
  });

  it('reads samplers', async () => {
    const { textures } = await loadTestAsset('samplers-and-transforms.glb');
    expect(textures.map(({ sampler }) => Object.values(sampler).join(' '))).toEqual([
      'repeat repeat linear linear linear 16',
      'clamp-to-edge clamp-to-edge nearest nearest none',
      'mirror-repeat mirror-repeat linear linear nearest',
      'repeat clamp-to-edge nearest nearest linear',
    ]);
  });

  it('reads KHR_texture_transform as offset · rotation · scale, counter-clockwise on the picture', async () => {
    const { materials } = await loadTestAsset('samplers-and-transforms.glb');
    const transforms = materials.map(({ textures }) => textures.baseColor?.transform);
    expect(transforms[0]).toBeUndefined();
    expect(transforms[1]).toEqual(near([2, 0, 0.25, 0, 2, 0]));
    const [cosine, sine] = [Math.cos(Math.PI / 6), Math.sin(Math.PI / 6)];
    expect(transforms[2]).toEqual(near([cosine * 0.5, sine, 0, -sine * 0.5, cosine, 0]));
  });

  it('reads alpha modes, unlit and emissive strength', async () => {
    const alpha = (await loadTestAsset('alpha-modes.glb')).materials;
    expect(alpha.map((m) => [m.alphaMode, m.alphaCutoff, m.doubleSided])).toEqual([
      ['opaque', 0.5, true],
      ['mask', 0.3, true],
      ['blend', 0.5, true],
    ]);
    expect((await loadTestAsset('unlit.glb')).materials.map((m) => m.unlit)).toEqual([true, true]);
    const strong = (await loadTestAsset('emissive-strength.glb')).materials;
    expect(strong.map((m) => m.emissive)).toEqual([
      near([0.1, 0.05, 0.0125]),
      near([0.4, 0.2, 0.05]),
      near([1.6, 0.8, 0.2]),
    ]);
  });

  it('prefers the WebP image of a texture to its fallback', async () => {
    const { textures } = await loadTestAsset('webp.glb');
    expect(textures).toHaveLength(1);
    expect(new Uint8Array(textures[0]!.image as ArrayBuffer)[0]).toBe(2);
  });

  it('decodes an image again for another colour space or sampler, because each texture owns its picture', async () => {
    const { textures } = await loadTestAsset('samplers-and-transforms.glb');
    expect(new Set(textures.map(({ image }) => image)).size).toBe(4);
  });
});

describe('warnings', () => {
  it('names an optional extension that it leaves out', async () => {
    const scene = await loadBytes('x.gltf', gltfText({ extensionsUsed: ['ACME_teapots'] }));
    expect(scene.warnings).toEqual([
      '"x.gltf" uses ACME_teapots, which is not supported yet and is left out.',
    ]);
  });

  it.each([
    ['broken/undecodable-image.glb', 'cannot be decoded'],
    ['broken/missing-image.gltf', 'nowhere.png'],
  ])('%s: leaves the picture out and keeps the rest', async (name, text) => {
    const scene = await loadTestAsset(name);
    expect(scene.warnings).toHaveLength(1);
    expect(scene.warnings[0]).toContain(text);
    expect(scene.textures).toEqual([]);
    expect(scene.materials[0]!.textures).toEqual({});
    expect(scene.geometries).toHaveLength(1);
  });

  it('turns off an emission whose picture is missing', async () => {
    const json = {
      images: [{ uri: 'data:image/png;base64,AAAA' }],
      textures: [{ source: 0 }],
      materials: [{ emissiveFactor: [1, 1, 1], emissiveTexture: { index: 0 } }],
      bufferViews: [{ buffer: 0, byteLength: 36 }],
      accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
      nodes: [{ mesh: 0 }],
    };
    const scene = await loadBytes('e.gltf', gltfText(json, new Uint8Array(36)));
    expect(scene.materials[0]!.emissive).toEqual([0, 0, 0]);
    expect(scene.warnings).toHaveLength(1);
  });
});

it('lists every buffer and image for transfer', async () => {
  const scene = await loadTestAsset('all-maps.glb');
  const transferables = sceneTransferables(scene);
  expect(transferables).toHaveLength(scene.geometries.length + scene.textures.length);
  const copy = structuredClone(scene, { transfer: transferables });
  expect(copy.geometries[0]!.data.byteLength).toBeGreaterThan(0);
  expect(scene.geometries[0]!.data.byteLength).toBe(0);
});
