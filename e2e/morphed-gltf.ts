/**
 * Returns a glTF file whose node has two white squares of 1 m, at y = 1 and y = −1. Their morph targets are
 * "right" (2 m to +X) and "dark" (normals to −Z). The clip `go` raises "right" from 0 to 1 within a second.
 * @param isSkinned whether the upper square follows the joint "root"
 */
export function morphedGltf(isSkinned: boolean): ArrayBuffer {
  const chunks: Uint8Array[] = [];
  const bufferViews: object[] = [];
  const accessors: object[] = [];
  let length = 0;
  const add = (values: Float32Array | Uint16Array, type: string, count: number): number => {
    const bytes = new Uint8Array(values.buffer);
    bufferViews.push({ buffer: 0, byteOffset: length, byteLength: bytes.length });
    chunks.push(bytes);
    length += bytes.length;
    const componentType = values instanceof Float32Array ? 5126 : 5123;
    accessors.push({ bufferView: bufferViews.length - 1, componentType, type, count });
    return accessors.length - 1;
  };
  const four = (...value: readonly number[]): number[] => [0, 1, 2, 3].flatMap(() => value);
  const square = (y: number): object => {
    const corners = [-0.5, y - 0.5, 0, 0.5, y - 0.5, 0, -0.5, y + 0.5, 0, 0.5, y + 0.5, 0];
    return {
      mode: 5,
      material: 0,
      attributes: {
        POSITION: add(new Float32Array(corners), 'VEC3', 4),
        NORMAL: add(new Float32Array(four(0, 0, 1)), 'VEC3', 4),
        ...(isSkinned &&
          y > 0 && {
            JOINTS_0: add(new Uint16Array(four(0, 0, 0, 0)), 'VEC4', 4),
            WEIGHTS_0: add(new Float32Array(four(1, 0, 0, 0)), 'VEC4', 4),
          }),
      },
      targets: [
        { POSITION: add(new Float32Array(four(2, 0, 0)), 'VEC3', 4) },
        { NORMAL: add(new Float32Array(four(0, 0, -2)), 'VEC3', 4) },
      ],
    };
  };
  const primitives = [square(1), square(-1)];
  const input = add(new Float32Array([0, 1]), 'SCALAR', 2);
  const output = add(new Float32Array([0, 0, 1, 0]), 'SCALAR', 4);
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
    materials: [{ pbrMetallicRoughness: { metallicFactor: 0 } }],
    meshes: [{ primitives, weights: [0, 0], extras: { targetNames: ['right', 'dark'] } }],
    ...(isSkinned && { skins: [{ joints: [1] }] }),
    nodes: [{ name: 'face', mesh: 0, ...(isSkinned && { skin: 0 }) }, { name: 'root' }],
    scenes: [{ nodes: [0, 1] }],
    scene: 0,
    animations: [
      {
        name: 'go',
        samplers: [{ input, output }],
        channels: [{ sampler: 0, target: { node: 0, path: 'weights' } }],
      },
    ],
  };
  return new TextEncoder().encode(JSON.stringify(json)).buffer as ArrayBuffer;
}
