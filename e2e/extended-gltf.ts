/**
 * Returns a glTF file with unlit squares, 1 m wide, and a lamp.
 * The square at x = −2 has the variants "red" and "green". At x = 0 are three instances, at y = −1, 0 and 1;
 * the topmost is turned by 45° and scaled by √½. The square at x = 2 is hidden.
 * The lamp at (2, −1) has levels of detail by its screen height: white down to 0.3, red down to 0.1, green down
 * to 0.01.
 */
export function extendedGltf(): ArrayBuffer {
  const h = Math.SQRT1_2;
  const floats = new Float32Array([
    ...[-0.5, -0.5, 0, 0.5, -0.5, 0, -0.5, 0.5, 0, 0.5, 0.5, 0],
    ...[0, -1, 0, 0, 0, 0, 0, 1, 0],
    ...[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, Math.sin(Math.PI / 8), Math.cos(Math.PI / 8)],
    ...[1, 1, 1, 1, 1, 1, h, h, h],
  ]);
  const view = (byteOffset: number, floats: number): object => ({
    buffer: 0,
    byteOffset,
    byteLength: floats * 4,
  });
  const vec = (bufferView: number, size: number, count: number): object => ({
    bufferView,
    componentType: 5126,
    type: `VEC${size}`,
    count,
  });
  const unlit = (color: readonly number[]): object => ({
    pbrMetallicRoughness: { baseColorFactor: [...color, 1] },
    extensions: { KHR_materials_unlit: {} },
  });
  const bytes = new Uint8Array(floats.buffer);
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const variants = {
    mappings: [
      { material: 1, variants: [0] },
      { material: 2, variants: [1] },
    ],
  };
  const attributes = { TRANSLATION: 1, ROTATION: 2, SCALE: 3 };
  const json = {
    asset: { version: '2.0' },
    extensionsRequired: ['KHR_materials_variants', 'EXT_mesh_gpu_instancing', 'KHR_node_visibility'],
    extensions: { KHR_materials_variants: { variants: [{ name: 'red' }, { name: 'green' }] } },
    buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${btoa(binary)}` }],
    bufferViews: [view(0, 12), view(48, 9), view(84, 12), view(132, 9)],
    accessors: [
      { ...vec(0, 3, 4), min: [-0.5, -0.5, 0], max: [0.5, 0.5, 0] },
      vec(1, 3, 3),
      vec(2, 4, 3),
      vec(3, 3, 3),
    ],
    materials: [unlit([1, 1, 1]), unlit([1, 0, 0]), unlit([0, 1, 0])],
    meshes: [
      {
        primitives: [
          {
            mode: 5,
            attributes: { POSITION: 0 },
            material: 0,
            extensions: { KHR_materials_variants: variants },
          },
        ],
      },
      ...[0, 1, 2].map((material) => ({ primitives: [{ mode: 5, attributes: { POSITION: 0 }, material }] })),
    ],
    nodes: [
      { name: 'shoe', mesh: 0, translation: [-2, 0, 0] },
      { name: 'row', mesh: 1, extensions: { EXT_mesh_gpu_instancing: { attributes } } },
      {
        name: 'ghost',
        translation: [2, 0, 0],
        children: [3],
        extensions: { KHR_node_visibility: { visible: false } },
      },
      { name: 'sheet', mesh: 1 },
      {
        name: 'lamp',
        mesh: 1,
        translation: [2, -1, 0],
        extensions: { MSFT_lod: { ids: [5, 6] } },
        extras: { MSFT_screencoverage: [0.3, 0.1, 0.01] },
      },
      ...[2, 3].map((mesh) => ({ mesh, translation: [2, -1, 0] })),
    ],
    scenes: [{ nodes: [0, 1, 2, 4] }],
    scene: 0,
  };
  return new TextEncoder().encode(JSON.stringify(json)).buffer as ArrayBuffer;
}
