/**
 * Returns a glTF file with a white bar, 0.5 m wide and 2 m high. The bar is skinned to two joints, its foot
 * and its middle. Code makes the file, so the tests know every number. The mesh's own node is far away, and
 * skinning ignores it. The clip `bend` turns the middle by a quarter turn to the left.
 */
export function skinnedGltf(): ArrayBuffer {
  const chunks: Uint8Array[] = [];
  const bufferViews: object[] = [];
  const accessors: object[] = [];
  let length = 0;
  const add = (values: Float32Array | Uint16Array, type: string, count: number, extra = {}): number => {
    const bytes = new Uint8Array(values.buffer);
    bufferViews.push({ buffer: 0, byteOffset: length, byteLength: bytes.length });
    chunks.push(bytes);
    length += bytes.length;
    const componentType = values instanceof Float32Array ? 5126 : 5123;
    accessors.push({ bufferView: bufferViews.length - 1, componentType, type, count, ...extra });
    return accessors.length - 1;
  };
  const rows = [0, 1, 2];
  const positions = new Float32Array(rows.flatMap((y) => [-0.25, y, 0, 0.25, y, 0]));
  const normals = new Float32Array(rows.flatMap(() => [0, 0, 1, 0, 0, 1]));
  // The middle row follows both joints with weights of a half.
  const joints = new Uint16Array(rows.flatMap(() => [0, 1, 0, 0, 0, 1, 0, 0]));
  const weights = new Float32Array(rows.flatMap((y) => [1 - y / 2, y / 2, 0, 0, 1 - y / 2, y / 2, 0, 0]));
  const indices = new Uint16Array(
    rows.slice(1).flatMap((row) => [-2, -1, 1, -2, 1, 0].map((step) => row * 2 + step)),
  );
  const bind = (y: number): number[] => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -y, 0, 1];
  const attributes = {
    POSITION: add(positions, 'VEC3', 6, { min: [-0.25, 0, 0], max: [0.25, 2, 0] }),
    NORMAL: add(normals, 'VEC3', 6),
    JOINTS_0: add(joints, 'VEC4', 6),
    WEIGHTS_0: add(weights, 'VEC4', 6),
  };
  const primitive = { attributes, indices: add(indices, 'SCALAR', indices.length), material: 0 };
  const inverseBindMatrices = add(new Float32Array([...bind(0), ...bind(1)]), 'MAT4', 2);
  const input = add(new Float32Array([0, 1]), 'SCALAR', 2, { min: [0], max: [1] });
  const output = add(new Float32Array([0, 0, 0, 1, 0, 0, Math.SQRT1_2, Math.SQRT1_2]), 'VEC4', 2);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const json = {
    asset: { version: '2.0' },
    buffers: [{ byteLength: length, uri: `data:application/octet-stream;base64,${btoa(binary)}` }],
    bufferViews,
    accessors,
    materials: [{ doubleSided: true, pbrMetallicRoughness: { metallicFactor: 0 } }],
    meshes: [{ primitives: [primitive] }],
    skins: [{ joints: [1, 2], inverseBindMatrices }],
    nodes: [
      { name: 'bar', mesh: 0, skin: 0, translation: [100, 0, 0] },
      { name: 'foot', children: [2] },
      { name: 'middle', translation: [0, 1, 0] },
    ],
    scenes: [{ nodes: [0, 1] }],
    scene: 0,
    animations: [
      {
        name: 'bend',
        samplers: [{ input, output }],
        channels: [{ sampler: 0, target: { node: 2, path: 'rotation' } }],
      },
    ],
  };
  return new TextEncoder().encode(JSON.stringify(json)).buffer as ArrayBuffer;
}
