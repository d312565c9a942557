import { addBox, box, dataUri, GltfFile, png, webpCheckerboard } from './gltf-file.mjs';

/** Returns a checkerboard of two colours as a PNG. */
const checker = (first, second) =>
  png(8, (x, y) => (((x >> 1) + (y >> 1)) % 2 ? [...second, 255] : [...first, 255]));

const ORANGE = [255, 140, 40];
const DARK = [40, 40, 60];
const factor = (baseColorFactor, rest = {}) => ({
  pbrMetallicRoughness: { baseColorFactor, metallicFactor: 0, roughnessFactor: 0.6 },
  ...rest,
});

/** Returns a hexagon in every primitive mode. */
function modes(isIndexed) {
  const file = new GltfFile();
  const ring = Array.from({ length: 6 }, (_, i) => [
    Math.cos((i * Math.PI) / 3) * 0.45,
    Math.sin((i * Math.PI) / 3) * 0.45,
    0,
  ]);
  const centre = [0, 0, 0];
  const orders = [
    ring,
    ring,
    ring,
    ring,
    [centre, ring[0], ring[1], centre, ring[2], ring[3], centre, ring[4], ring[5]],
    [ring[0], ring[1], ring[5], ring[2], ring[4], ring[3]],
    [centre, ...ring, ring[0]],
  ];
  const material = file.add('materials', factor([1, 0.6, 0.1, 1], { doubleSided: true }));
  orders.forEach((order, mode) => {
    const positions = isIndexed ? [...order].reverse() : order;
    const primitive = {
      attributes: { POSITION: file.accessor(Float32Array.from(positions.flat()), 'VEC3') },
      mode,
      material,
    };
    if (isIndexed) {
      const indices = Uint8Array.from(order, (_, i) => order.length - 1 - i);
      primitive.indices = file.accessor(indices, 'SCALAR');
    }
    file.show(primitive, { name: `mode ${mode}`, translation: [mode - 3, 0, 0] });
  });
  return file.glb();
}

function sparse() {
  const file = new GltfFile();
  const primitive = addBox(file);
  const position = file.json.accessors[primitive.attributes.POSITION];
  // Moves the first two vertices. The triangle below has no base data, so its third vertex stays at the
  // origin.
  const indices = file.bufferView(new Uint8Array(Uint16Array.from([0, 1]).buffer));
  const values = file.bufferView(new Uint8Array(Float32Array.from([-0.8, -0.8, 0.2, 0.9, -0.9, 0.1]).buffer));
  position.sparse = {
    count: 2,
    indices: { bufferView: indices, componentType: 5123 },
    values: { bufferView: values },
  };
  file.show(primitive);
  const triangle = file.add('accessors', {
    componentType: 5126,
    count: 3,
    type: 'VEC3',
    sparse: { ...position.sparse },
  });
  file.show({ attributes: { POSITION: triangle } }, { translation: [1.5, 0, 0] });
  return file.glb();
}

function quantized() {
  const file = new GltfFile();
  file.use('KHR_mesh_quantization', { required: true });
  const { positions, normals, uvs, indices } = box();
  const pack = (Type, source, from, to, scale) => {
    const packed = new Type((source.length / from) * to);
    source.forEach((value, i) => {
      packed[Math.floor(i / from) * to + (i % from)] = Math.round(value * scale);
    });
    return packed;
  };
  const variants = [
    [Int16Array, 32767, true],
    [Int8Array, 127, true],
    [Int8Array, 2, false],
  ];
  variants.forEach(([Type, scale, normalized], i) => {
    const byteStride = 4 * Type.BYTES_PER_ELEMENT;
    const primitive = {
      attributes: {
        POSITION: file.accessor(pack(Type, positions, 3, 4, scale), 'VEC3', { byteStride, normalized }),
        NORMAL: file.accessor(pack(Int8Array, normals, 3, 4, 127), 'VEC3', {
          byteStride: 4,
          normalized: true,
        }),
        TEXCOORD_0: file.accessor(pack(Uint16Array, uvs, 2, 2, 65535), 'VEC2', { normalized: true }),
      },
      indices: file.accessor(indices, 'SCALAR'),
    };
    const node = { translation: [(i - 1) * 1.5, 0, 0] };
    if (!normalized) node.scale = [0.5, 0.5, 0.5];
    file.show(primitive, node);
  });
  return file.glb();
}

function samplersAndTransforms() {
  const file = new GltfFile();
  file.use('KHR_texture_transform');
  const image = file.image(checker(ORANGE, DARK));
  const samplers = [
    undefined,
    { magFilter: 9728, minFilter: 9728, wrapS: 33071, wrapT: 33071 },
    { magFilter: 9729, minFilter: 9985, wrapS: 33648, wrapT: 33648 },
    { magFilter: 9728, minFilter: 9986, wrapS: 10497, wrapT: 33071 },
  ];
  const transforms = [
    undefined,
    { offset: [0.25, 0], scale: [2, 2] },
    { rotation: Math.PI / 6, scale: [0.5, 1] },
    { offset: [-0.5, 0.5], rotation: -0.4, scale: [3, 1.5], texCoord: 0 },
  ];
  samplers.forEach((sampler, i) => {
    const index = file.texture(image, sampler);
    const extensions = transforms[i] && { KHR_texture_transform: transforms[i] };
    const material = file.add('materials', {
      pbrMetallicRoughness: {
        baseColorTexture: { index, ...(extensions && { extensions }) },
        metallicFactor: 0,
      },
    });
    file.show(addBox(file, material), { translation: [(i - 1.5) * 1.4, 0, 0] });
  });
  return file.glb();
}

function allMaps() {
  const file = new GltfFile();
  const texture = (pixel) => file.texture(file.image(png(8, pixel)));
  const occlusionRoughnessMetal = texture((x, y) => [200, 40 + y * 25, x * 30, 255]);
  const material = file.add('materials', {
    name: 'all maps',
    pbrMetallicRoughness: {
      baseColorTexture: { index: texture((x, y) => [255, 80 + x * 20, 80 + y * 20, 255]) },
      metallicRoughnessTexture: { index: occlusionRoughnessMetal },
    },
    normalTexture: { index: texture((x) => [128 + (x % 2 ? 40 : -40), 128, 240, 255]), scale: 0.7 },
    occlusionTexture: { index: occlusionRoughnessMetal, strength: 0.5 },
    emissiveTexture: {
      index: texture((x, y) => (x === y ? [255, 255, 255, 255] : [0, 0, 0, 255])),
      texCoord: 1,
    },
    emissiveFactor: [0.2, 0.5, 1],
  });
  const primitive = addBox(file, material);
  const uvs = box().uvs.map((value) => value * 2);
  primitive.attributes.TEXCOORD_1 = file.accessor(uvs, 'VEC2');
  file.show(primitive, { rotation: [0.25, 0.4, 0, Math.sqrt(1 - 0.25 ** 2 - 0.4 ** 2)] });
  return file.glb();
}

function alphaModes() {
  const file = new GltfFile();
  const image = file.image(png(8, (x, y) => [255, 255, 255, (x + y) * 18]));
  ['OPAQUE', 'MASK', 'BLEND'].forEach((alphaMode, i) => {
    const material = file.add('materials', {
      alphaMode,
      ...(alphaMode === 'MASK' && { alphaCutoff: 0.3 }),
      doubleSided: true,
      pbrMetallicRoughness: {
        baseColorTexture: { index: file.texture(image) },
        baseColorFactor: [0.2, 0.8, 0.4, 0.9],
        metallicFactor: 0,
      },
    });
    file.show(addBox(file, material), { translation: [(i - 1) * 1.5, 0, 0] });
  });
  return file.glb();
}

function vertexColors() {
  const file = new GltfFile();
  const colors = box().positions.map((value) => value + 0.5);
  const rgba = (Type, scale) =>
    Type.from({ length: 24 * 4 }, (_, i) =>
      i % 4 === 3 ? scale : Math.round(colors[Math.floor(i / 4) * 3 + (i % 4)] * scale),
    );
  [
    [colors, 'VEC3', {}],
    [rgba(Uint8Array, 255), 'VEC4', { normalized: true }],
    [rgba(Uint16Array, 65535), 'VEC4', { normalized: true }],
  ].forEach(([array, type, options], i) => {
    const primitive = addBox(file, i ? undefined : file.add('materials', factor([1, 1, 1, 1])));
    primitive.attributes.COLOR_0 = file.accessor(array, type, options);
    file.show(primitive, { translation: [(i - 1) * 1.5, 0, 0] });
  });
  return file.glb();
}

function cameras() {
  const file = new GltfFile();
  file.show(addBox(file));
  const add = (camera) => file.add('cameras', camera);
  const infinite = { type: 'perspective', perspective: { yfov: 0.9, znear: 0.1 } };
  const finite = { type: 'perspective', perspective: { yfov: 0.5, znear: 0.2, zfar: 50, aspectRatio: 1.5 } };
  const flat = { type: 'orthographic', orthographic: { xmag: 2, ymag: 1.5, znear: 0, zfar: 20 } };
  [infinite, finite, flat].forEach((camera, i) => {
    file.node({ name: `camera ${i}`, camera: add(camera), translation: [i - 1, 0.5, 4] });
  });
  return file.gltf();
}

function lights() {
  const file = new GltfFile();
  file.use('KHR_lights_punctual');
  file.json.extensions = {
    KHR_lights_punctual: {
      lights: [
        { type: 'directional', color: [1, 0.9, 0.8], intensity: 2 },
        { type: 'point', color: [0.2, 0.4, 1], intensity: 8, range: 10 },
        { type: 'spot', intensity: 20, spot: { innerConeAngle: 0.2, outerConeAngle: 0.5 } },
        { type: 'spot' },
      ],
    },
  };
  const box = addBox(file, file.add('materials', factor([0.8, 0.8, 0.8, 1])));
  file.show(box);
  file.show(box, { translation: [0, -0.6, 0], scale: [6, 0.2, 6] });
  const places = [
    { rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] },
    { translation: [1.5, 0.5, 1] },
    { translation: [-1, 2, 0], rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] },
    { translation: [0, 1, 2] },
  ];
  for (const [light, place] of places.entries()) {
    file.node({ ...place, extensions: { KHR_lights_punctual: { light } } });
  }
  return file.glb();
}

function hierarchy() {
  const file = new GltfFile();
  // The small blue box reaches into the red one. If it stood on top, some pixels would belong to both faces, and depend
  // on the order of drawing.
  const second = addBox(file, file.add('materials', factor([0.2, 0.5, 1, 1])));
  const positions = box().positions.map((value, i) => value / 2 + (i % 3 === 1 ? 0.6875 : 0));
  second.attributes.POSITION = file.accessor(positions, 'VEC3');
  const mesh = file.add('meshes', {
    name: 'two parts',
    primitives: [
      addBox(file, file.add('materials', factor([1, 0.3, 0.2, 1]))),
      { ...second, extras: { note: 'second part' } },
    ],
  });
  const leaf = file.add('nodes', { name: 'leaf', mesh, translation: [0, 1.2, 0], scale: [0.5, 0.5, 0.5] });
  const mirrored = file.add('nodes', {
    name: 'mirrored',
    mesh,
    translation: [1.2, 0, 0],
    scale: [-1, 1, 1],
    children: [leaf],
  });
  const half = Math.SQRT1_2;
  // A quarter turn about Z, then a step along X, column by column.
  const matrix = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, -1.2, 0, 0, 1];
  const turned = file.add('nodes', { name: 'turned by matrix', mesh, matrix });
  file.node({ name: 'root', rotation: [0, half, 0, half], children: [mirrored, turned] });
  return file.glb();
}

function unlit() {
  const file = new GltfFile();
  file.use('KHR_materials_unlit');
  const extensions = { KHR_materials_unlit: {} };
  const index = file.texture(file.image(checker([255, 255, 255], ORANGE)));
  const colored = file.add('materials', factor([0.9, 0.1, 0.4, 1], { extensions }));
  const textured = file.add('materials', {
    pbrMetallicRoughness: { baseColorTexture: { index } },
    extensions,
  });
  file.show(addBox(file, colored), { translation: [-0.8, 0, 0] });
  file.show(addBox(file, textured), { translation: [0.8, 0, 0] });
  return file.glb();
}

function emissiveStrength() {
  const file = new GltfFile();
  file.use('KHR_materials_emissive_strength');
  [0.25, 1, 4].forEach((emissiveStrength, i) => {
    const extensions = { KHR_materials_emissive_strength: { emissiveStrength } };
    const material = factor([0, 0, 0, 1], { emissiveFactor: [0.4, 0.2, 0.05], extensions });
    file.show(addBox(file, file.add('materials', material)), { translation: [(i - 1) * 1.5, 0, 0] });
  });
  return file.glb();
}

function webp() {
  const file = new GltfFile();
  file.use('EXT_texture_webp');
  const fallback = file.image(checker([255, 0, 0], [120, 0, 0]));
  const picture = webpCheckerboard(8, { red: 30, greens: [60, 220], blue: 90 });
  const source = file.image(picture, 'image/webp');
  const index = file.add('textures', { source: fallback, extensions: { EXT_texture_webp: { source } } });
  const pbrMetallicRoughness = { baseColorTexture: { index }, metallicFactor: 0 };
  file.show(addBox(file, file.add('materials', { pbrMetallicRoughness })));
  return file.glb();
}

function texturedBox(uri) {
  const file = new GltfFile();
  const source = file.add('images', { uri });
  const pbrMetallicRoughness = { baseColorTexture: { index: file.texture(source) }, metallicFactor: 0 };
  file.show(addBox(file, file.add('materials', { pbrMetallicRoughness })));
  return file;
}

function scenes() {
  const file = new GltfFile();
  const primitive = addBox(file);
  file.show(primitive, { name: 'in the first scene' });
  const index = file.add('nodes', { name: 'in the default scene', mesh: 0, scale: [1, 2, 1] });
  file.json.scene = file.add('scenes', { name: 'default', nodes: [index] });
  return file.glb();
}

/** Returns a file with a skin, a morph target and an animation. */
function deformed() {
  const file = new GltfFile();
  const primitive = addBox(file);
  const shift = file.accessor(new Float32Array(72).fill(0.25), 'VEC3');
  primitive.targets = [{ POSITION: shift }];
  primitive.attributes.JOINTS_0 = file.accessor(new Uint8Array(96), 'VEC4');
  const weights = Float32Array.from({ length: 96 }, (_, i) => (i % 4 ? 0 : 1));
  primitive.attributes.WEIGHTS_0 = file.accessor(weights, 'VEC4');
  const joint = file.node({ name: 'joint' });
  const skin = file.add('skins', { joints: [joint] });
  file.node({ mesh: file.add('meshes', { primitives: [primitive], weights: [0] }), skin });
  const input = file.accessor(Float32Array.of(0, 1), 'SCALAR', { min: [0], max: [1] });
  const output = file.accessor(Float32Array.of(0, 0, 0, 0, 1, 0), 'VEC3');
  file.add('animations', {
    samplers: [{ input, output }],
    channels: [{ sampler: 0, target: { node: joint, path: 'translation' } }],
  });
  return file.glb();
}

/** Returns the valid files by path, about one per feature of the loader. */
export function validFiles() {
  const picture = checker(ORANGE, DARK);
  const external = texturedBox('textures/two%20colours.png');
  return {
    'modes.glb': modes(false),
    'modes-indexed.glb': modes(true),
    'sparse.glb': sparse(),
    'quantized.glb': quantized(),
    'samplers-and-transforms.glb': samplersAndTransforms(),
    'all-maps.glb': allMaps(),
    'alpha-modes.glb': alphaModes(),
    'vertex-colors.glb': vertexColors(),
    'cameras.gltf': cameras(),
    'lights.glb': lights(),
    'hierarchy.glb': hierarchy(),
    'unlit.glb': unlit(),
    'emissive-strength.glb': emissiveStrength(),
    'webp.glb': webp(),
    'data-uri.gltf': texturedBox(dataUri(picture, 'image/png')).gltf(),
    'external.gltf': external.gltf('external.bin'),
    'external.bin': external.binary(),
    'textures/two colours.png': picture,
    'scenes.glb': scenes(),
    'deformed.glb': deformed(),
  };
}
