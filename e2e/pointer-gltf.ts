/**
 * Returns a glTF file with two squares of 1 m side by side, a lamp in front of them, and a camera. Code makes the
 * file, so the tests know every number. The clip `drive` lasts a second. It animates the left square's colour
 * (red to blue) and roughness, and the right square's emission (none to green) and texture offset (by a
 * half). It also animates the lamp's colour (white to yellow) and intensity, and the camera's half height (2
 * to 1).
 */
export function pointerGltf(texture: string): ArrayBuffer {
  const floats: number[] = [];
  const bufferViews: object[] = [];
  const accessors: object[] = [];
  const add = (values: readonly number[], size: number, extra = {}): number => {
    bufferViews.push({ buffer: 0, byteOffset: floats.length * 4, byteLength: values.length * 4 });
    floats.push(...values);
    const type = size === 1 ? 'SCALAR' : `VEC${size}`;
    const bufferView = bufferViews.length - 1;
    accessors.push({ bufferView, componentType: 5126, count: values.length / size, type, ...extra });
    return accessors.length - 1;
  };
  const corners = [-0.5, -0.5, 0, 0.5, -0.5, 0, -0.5, 0.5, 0, 0.5, 0.5, 0];
  const attributes = {
    POSITION: add(corners, 3, { min: [-0.5, -0.5, 0], max: [0.5, 0.5, 0] }),
    NORMAL: add([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1], 3),
    TEXCOORD_0: add([0, 1, 1, 1, 0, 0, 1, 0], 2),
  };
  const times = add([0, 1], 1, { min: [0], max: [1] });
  const offset = 'emissiveTexture/extensions/KHR_texture_transform/offset';
  const driven: Readonly<Record<string, readonly [number, readonly number[]]>> = {
    '/materials/0/pbrMetallicRoughness/baseColorFactor': [4, [1, 0, 0, 1, 0, 0, 1, 1]],
    '/materials/0/pbrMetallicRoughness/roughnessFactor': [1, [1, 0.2]],
    '/materials/1/emissiveFactor': [3, [0, 0, 0, 0, 1, 0]],
    [`/materials/1/${offset}`]: [2, [0, 0, 0.5, 0]],
    '/extensions/KHR_lights_punctual/lights/0/color': [3, [1, 1, 1, 1, 1, 0]],
    '/extensions/KHR_lights_punctual/lights/0/intensity': [1, [2, 6]],
    '/cameras/0/orthographic/ymag': [1, [2, 1]],
  };
  const animation = {
    name: 'drive',
    samplers: Object.values(driven).map(([size, values]) => ({ input: times, output: add(values, size) })),
    channels: Object.keys(driven).map((pointer, sampler) => ({
      sampler,
      target: { path: 'pointer', extensions: { KHR_animation_pointer: { pointer } } },
    })),
  };
  let binary = '';
  for (const byte of new Uint8Array(new Float32Array(floats).buffer)) binary += String.fromCharCode(byte);
  const emissiveTexture = { index: 0, extensions: { KHR_texture_transform: { offset: [0, 0] } } };
  const json = {
    asset: { version: '2.0' },
    extensionsUsed: ['KHR_animation_pointer', 'KHR_lights_punctual', 'KHR_texture_transform'],
    extensions: { KHR_lights_punctual: { lights: [{ type: 'point', intensity: 2 }] } },
    buffers: [{ byteLength: floats.length * 4, uri: `data:application/octet-stream;base64,${btoa(binary)}` }],
    bufferViews,
    accessors,
    images: [{ uri: texture }],
    textures: [{ source: 0 }],
    materials: [
      { pbrMetallicRoughness: { metallicFactor: 0.3, baseColorFactor: [1, 0, 0, 1] } },
      {
        pbrMetallicRoughness: { metallicFactor: 0, baseColorFactor: [0.2, 0.2, 0.2, 1] },
        emissiveFactor: [0, 0, 0],
        emissiveTexture,
      },
    ],
    meshes: [0, 1].map((material) => ({ primitives: [{ mode: 5, attributes, material }] })),
    cameras: [{ type: 'orthographic', orthographic: { xmag: 2, ymag: 2, znear: 0.1, zfar: 10 } }],
    nodes: [
      { name: 'left', mesh: 0, translation: [-0.55, 0, 0] },
      { name: 'right', mesh: 1, translation: [0.55, 0, 0] },
      { name: 'lamp', translation: [-0.2, 0.3, 1], extensions: { KHR_lights_punctual: { light: 0 } } },
      { name: 'camera', camera: 0, translation: [0, 0, 4] },
    ],
    scenes: [{ nodes: [0, 1, 2, 3] }],
    scene: 0,
    animations: [animation],
  };
  return new TextEncoder().encode(JSON.stringify(json)).buffer as ArrayBuffer;
}
