/**
 * A glTF file with one white square, 1 m wide, on a node that animations move. Code makes the file, so the
 * tests know every number.
 */

export interface TestChannel {
  readonly node?: number;
  readonly path: 'translation' | 'rotation' | 'scale' | 'weights';
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly interpolation?: 'LINEAR' | 'STEP' | 'CUBICSPLINE';
}

export interface TestAnimation {
  readonly name: string;
  readonly channels: readonly TestChannel[];
}

const SIZES = { translation: 3, rotation: 4, scale: 3, weights: 1 } as const;
const TYPES = { 1: 'SCALAR', 3: 'VEC3', 4: 'VEC4' } as const;

/** Returns the bytes of the `.gltf` file. Node 0 has the square, and node 1 is its empty child. */
export function animatedGltf(animations: readonly TestAnimation[]): ArrayBuffer {
  const floats: number[] = [];
  const bufferViews: object[] = [];
  const accessors: object[] = [];
  const add = (values: readonly number[], size: keyof typeof TYPES, extra = {}): number => {
    bufferViews.push({ buffer: 0, byteOffset: floats.length * 4, byteLength: values.length * 4 });
    floats.push(...values);
    const bufferView = bufferViews.length - 1;
    accessors.push({
      bufferView,
      componentType: 5126,
      count: values.length / size,
      type: TYPES[size],
      ...extra,
    });
    return accessors.length - 1;
  };
  const corners = [-0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0];
  const POSITION = add(corners, 3, { min: [-0.5, -0.5, 0], max: [0.5, 0.5, 0] });
  const described = animations.map(({ name, channels }) => ({
    name,
    samplers: channels.map(({ path, times, values, interpolation = 'LINEAR' }) => ({
      input: add(times, 1, { min: [times[0]], max: [times.at(-1)] }),
      output: add(values, SIZES[path]),
      interpolation,
    })),
    channels: channels.map(({ node = 0, path }, sampler) => ({ sampler, target: { node, path } })),
  }));
  const bytes = new Uint8Array(new Float32Array(floats).buffer);
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const json = {
    asset: { version: '2.0' },
    extensionsUsed: ['KHR_materials_unlit'],
    buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${btoa(binary)}` }],
    bufferViews,
    accessors,
    materials: [{ extensions: { KHR_materials_unlit: {} }, doubleSided: true }],
    meshes: [{ primitives: [{ attributes: { POSITION }, material: 0 }] }],
    nodes: [
      { name: 'square', mesh: 0, children: [1] },
      { name: 'hand', translation: [0, 1, 0] },
    ],
    scenes: [{ nodes: [0] }],
    scene: 0,
    animations: described,
  };
  return new TextEncoder().encode(JSON.stringify(json)).buffer as ArrayBuffer;
}
