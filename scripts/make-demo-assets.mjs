// Generates the demo's scene, public/island.glb, and its walker, public/walker.glb (demo-assets/walker). The scene is a
// floating island at dusk, with a crooked fence, a lantern, a tree and the moon. `node scripts/make-demo-assets.mjs`
// writes the same bytes every time (for one version of Node). The files are committed, so the script rarely has to run.
//
//   shapes (demo-assets/shapes)  ─► occlusion baked into vertex colours ─┐
//   palette and normal textures (demo-assets/png) ───────────────────────┼─► one .glb with ten lights
//   scattered nodes that share meshes: grass, leaves, flowers ───────────┘
//
// Lengths are in metres, light is in KHR_lights_punctual units, colours are linear unless noted.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Document, NodeIO } from '@gltf-transform/core';
import {
  KHRLightsPunctual,
  KHRMaterialsEmissiveStrength,
  KHRMeshQuantization,
} from '@gltf-transform/extensions';
import { groundHeight, makeIsland } from './demo-assets/island-ground.mjs';
import { makeFence, makeLantern, makeRocks, makeTree, treeCrown } from './demo-assets/island-objects.mjs';
import {
  makeFlower,
  makeGrassClump,
  makeLeafClump,
  makeMushrooms,
  scatter,
} from './demo-assets/island-plants.mjs';
import { bakeOcclusion } from './demo-assets/occlusion.mjs';
import { normalTexture, paletteTexture } from './demo-assets/png.mjs';
import { createRandom, fractalNoise, noise } from './demo-assets/random.mjs';
import { bothFaces, eulerRotation, sphere } from './demo-assets/shapes.mjs';
import { makeWalker } from './demo-assets/walker.mjs';

const walkerOutput = join(dirname(fileURLToPath(import.meta.url)), '../public/walker.glb');
const output = join(dirname(fileURLToPath(import.meta.url)), '../public/island.glb');

const document = new Document();
document.getRoot().getAsset().generator = 'fencepost scripts/make-demo-assets.mjs';
const buffer = document.createBuffer();
const scene = document.createScene('Island');
const lights = document.createExtension(KHRLightsPunctual).setRequired(false);
const emissiveStrength = document.createExtension(KHRMaterialsEmissiveStrength);
document.createExtension(KHRMeshQuantization).setRequired(true);

const round = (value) => Math.round(value * 1000) / 1000;

/**
 * Adds a mesh. A vertex has 8 bytes of position (16-bit, scaled by the node), 4 of normal, 4 of colour, and 8 of
 * texture coordinates.
 */
function addMesh(name, shape, material, { hasUvs = false } = {}) {
  const primitive = makePrimitive(shape, hasUvs).setMaterial(material);
  const mesh = document.createMesh(name).addPrimitive(primitive);
  meshScales.set(mesh, extentOf(shape));
  return mesh;
}

/** Factors of meshes from normalised positions to metres. */
const meshScales = new Map();

function extentOf(shape) {
  return shape.positions.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
}

/** Primitives by shape, because meshes that differ only in material share their accessors. */
const primitives = new Map();

function makePrimitive(shape, hasUvs) {
  const known = primitives.get(shape);
  if (known) return known.clone();
  const count = shape.positions.length / 3;
  const accessor = (type, array, isNormalized = false) =>
    document.createAccessor().setType(type).setArray(array).setNormalized(isNormalized).setBuffer(buffer);
  const extent = extentOf(shape);
  const colors = Uint8Array.from({ length: count * 4 }, (_, i) =>
    i % 4 === 3 ? 255 : Math.round(Math.min(1, shape.colors[Math.floor(i / 4) * 3 + (i % 4)]) * 255),
  );
  const primitive = document
    .createPrimitive()
    .setIndices(accessor('SCALAR', Uint16Array.from(shape.indices)))
    .setAttribute(
      'POSITION',
      accessor(
        'VEC3',
        Int16Array.from(shape.positions, (value) => Math.round((value / extent) * 32767)),
        true,
      ),
    )
    .setAttribute(
      'NORMAL',
      accessor(
        'VEC3',
        Int8Array.from(shape.normals, (value) => Math.round(value * 127)),
        true,
      ),
    )
    .setAttribute('COLOR_0', accessor('VEC4', colors, true));
  if (hasUvs) primitive.setAttribute('TEXCOORD_0', accessor('VEC2', Float32Array.from(shape.uvs)));
  primitives.set(shape, primitive);
  return primitive;
}

function addNode(
  name,
  { mesh, position = [0, 0, 0], rotation = [0, 0, 0, 1], scale = 1, light, parent = scene },
) {
  const nodeScale = Number((scale * (meshScales.get(mesh) ?? 1)).toFixed(4));
  const node = document
    .createNode(name)
    .setTranslation(position.map(round))
    .setRotation(rotation.map(round))
    .setScale([nodeScale, nodeScale, nodeScale]);
  if (mesh) node.setMesh(mesh);
  if (light) node.setExtension('KHR_lights_punctual', light);
  parent.addChild(node);
  return node;
}

function addMaterial(
  name,
  { color = [1, 1, 1], metallic = 0, roughness = 0.8, emissive, strength = 1, alpha = 1 },
) {
  const material = document
    .createMaterial(name)
    .setBaseColorFactor([...color, alpha])
    .setMetallicFactor(metallic)
    .setRoughnessFactor(roughness);
  if (emissive) material.setEmissiveFactor(emissive);
  if (strength !== 1) {
    const extension = emissiveStrength.createEmissiveStrength().setEmissiveStrength(strength);
    material.setExtension('KHR_materials_emissive_strength', extension);
  }
  if (alpha < 1) material.setAlphaMode('BLEND').setDoubleSided(true);
  return material;
}

function addTexture(name, bytes) {
  return document.createTexture(name).setImage(bytes).setMimeType('image/png');
}

// Textures: the grain of a plank (rings stretched along it), and the seas and craters of the moon.
const grain = (u, v) => {
  const stretched = fractalNoise(u * 12, v * 2, 3, 4, 2);
  return (
    0.5 +
    0.5 * Math.sin((u * 9 + stretched * 1.6) * 2 * Math.PI) * 0.55 +
    0.45 * fractalNoise(u * 48, v * 3, 9, 2, 3)
  );
};
const woodColor = addTexture(
  'Wood grain',
  paletteTexture(
    256,
    256,
    16,
    [
      [74, 52, 44],
      [136, 98, 74],
      [176, 134, 100],
      [205, 168, 132],
    ],
    (u, v) => grain(u, v),
  ),
);
const woodNormal = addTexture('Wood relief', normalTexture(96, 96, 1.7, grain));

const random = createRandom(11);
const craters = Array.from({ length: 70 }, () => {
  const [y, angle] = [random.between(-0.95, 0.95), random.between(0, 2 * Math.PI)];
  const ring = Math.sqrt(1 - y * y);
  return {
    center: [ring * Math.cos(angle), y, ring * Math.sin(angle)],
    size: 0.05 + 0.2 * random.next() ** 3,
  };
});
const moonShade = (u, v) => {
  const [angle, polar] = [-u * 2 * Math.PI, v * Math.PI];
  const place = [Math.sin(polar) * Math.cos(angle), Math.cos(polar), Math.sin(polar) * Math.sin(angle)];
  let shade =
    0.72 + 0.5 * Math.min(0, fractalNoise(place[0] * 1.6 + 4, place[1] * 1.6, place[2] * 1.6, 4) * 1.5);
  for (const { center, size } of craters) {
    const distance = Math.hypot(...place.map((value, axis) => value - center[axis])) / size;
    if (distance < 1.25)
      shade += distance < 0.85 ? -0.14 * (1 - distance * 0.5) : 0.14 * (1 - Math.abs(distance - 1) * 4);
  }
  return shade + 0.05 * noise(place[0] * 24, place[1] * 24, place[2] * 24);
};
const moonColor = addTexture(
  'Moon',
  paletteTexture(
    224,
    112,
    24,
    [
      [120, 112, 128],
      [196, 186, 184],
      [255, 248, 232],
    ],
    moonShade,
  ),
);

const materials = {
  ground: addMaterial('Ground', { roughness: 0.95 }),
  rock: addMaterial('Rock', { color: [0.42, 0.4, 0.44], roughness: 0.75 }),
  wood: addMaterial('Wood', { roughness: 0.72 })
    .setBaseColorTexture(woodColor)
    .setNormalTexture(woodNormal)
    .setNormalScale(0.9),
  bark: addMaterial('Bark', { color: [0.5, 0.38, 0.36], roughness: 0.9 })
    .setNormalTexture(woodNormal)
    .setNormalScale(1.4),
  brass: addMaterial('Brass', { color: [0.95, 0.62, 0.26], metallic: 1, roughness: 0.32 }),
  iron: addMaterial('Iron', { color: [0.32, 0.32, 0.36], metallic: 0.9, roughness: 0.45 }),
  glass: addMaterial('Glass', {
    color: [1, 0.7, 0.35],
    roughness: 0.1,
    emissive: [1, 0.45, 0.12],
    strength: 0.4,
    alpha: 0.32,
  }),
  flame: addMaterial('Flame', { color: [1, 0.7, 0.3], emissive: [1, 0.56, 0.16], strength: 5 }),
  mushroom: addMaterial('Mushroom', { roughness: 0.22 }),
  moon: addMaterial('Moon', { color: [0.5, 0.5, 0.5], roughness: 1, emissive: [1, 1, 1], strength: 0.85 })
    .setBaseColorTexture(moonColor)
    .setEmissiveTexture(moonColor),
  firefly: addMaterial('Firefly', { color: [0.6, 0.9, 0.3], emissive: [0.75, 1, 0.25], strength: 5 }),
  petals: addMaterial('Petals', { roughness: 0.55 }),
};
const leaf = (name, color) => addMaterial(name, { color, roughness: 0.6 });
const leafMaterials = [
  leaf('Leaves, orange', [1, 0.3, 0.05]),
  leaf('Leaves, amber', [1, 0.52, 0.08]),
  leaf('Leaves, rose', [0.9, 0.14, 0.12]),
];
const grassMaterials = [
  leaf('Grass, moss', [0.3, 0.62, 0.1]),
  leaf('Grass, teal', [0.1, 0.55, 0.22]),
  leaf('Grass, straw', [0.72, 0.62, 0.14]),
];

// Shapes in world space, with the occlusion that they cast on one another.
const island = makeIsland();
const fence = makeFence();
const tree = makeTree();
const rocks = makeRocks();
const lantern = makeLantern();
const mushrooms = makeMushrooms();
const crown = treeCrown();
const crownShade = crown.map(({ position, scale }) => {
  const ball = sphere(0.2 * scale, 8, 6);
  for (let i = 0; i < ball.positions.length; i++) ball.positions[i] += position[i % 3];
  return ball;
});
bakeOcclusion([island.ground], [island.ground, fence, tree, rocks, mushrooms, ...crownShade], {
  reach: 1.4,
  strength: 0.8,
});
bakeOcclusion(
  [island.underside, fence, tree, rocks, mushrooms, lantern.brass],
  [island.ground, island.underside, fence, tree, rocks, mushrooms, ...crownShade],
  { reach: 0.9, strength: 0.75 },
);

addNode('Ground', { mesh: addMesh('Ground', island.ground, materials.ground) });
addNode('Underside', { mesh: addMesh('Underside', island.underside, materials.ground) });
addNode('Rocks', { mesh: addMesh('Rocks', rocks, materials.rock) });
addNode('Fence', { mesh: addMesh('Fence', fence, materials.wood, { hasUvs: true }) });
addNode('Tree', { mesh: addMesh('Tree', tree, materials.bark, { hasUvs: true }) });
addNode('Mushrooms', { mesh: addMesh('Mushrooms', mushrooms, materials.mushroom) });

const point = (name, color, intensity, range) =>
  lights
    .createLight(name)
    .setType('point')
    .setColor(color)
    .setIntensity(intensity)
    .setRange(range ?? null);
const lanternNode = addNode('Lantern', { position: lantern.position });
addNode('Lantern bracket', { mesh: addMesh('Bracket', lantern.bracket, materials.iron) });
addNode('Lantern frame', {
  mesh: addMesh('Lantern frame', lantern.brass, materials.brass),
  parent: lanternNode,
});
addNode('Lantern flame', { mesh: addMesh('Flame', lantern.flame, materials.flame), parent: lanternNode });
addNode('Lantern glass', { mesh: addMesh('Glass', lantern.glass, materials.glass), parent: lanternNode });
addNode('Lantern light', { light: point('Lantern', [1, 0.5, 0.16], 9), parent: lanternNode });

const leafClump = bothFaces(makeLeafClump());
const leafClumps = leafMaterials.map((material) => addMesh(material.getName(), leafClump, material));
for (const { position, rotation, scale, kind } of crown) {
  addNode('Leaves', { mesh: leafClumps[kind], position, rotation, scale });
}
const grassClump = bothFaces(makeGrassClump());
const grassClumps = grassMaterials.map((material) => addMesh(material.getName(), grassClump, material));
for (const { position, rotation, scale, kind } of scatter('grass', 240)) {
  addNode('Grass', { mesh: grassClumps[kind], position, rotation, scale });
}
const flowers = [
  [0.95, 0.75, 1],
  [1, 0.9, 0.5],
  [0.55, 0.65, 1],
].map((color) => addMesh('Flower', bothFaces(makeFlower(color)), materials.petals));
for (const { position, rotation, scale, kind } of scatter('flowers', 34)) {
  addNode('Flower', { mesh: flowers[kind], position, rotation, scale });
}
const firefly = addMesh('Firefly', sphere(0.013, 6, 5), materials.firefly);
const fireflies = createRandom(23);
for (let i = 0; i < 13; i++) {
  const [angle, distance] = [fireflies.between(0, 2 * Math.PI), fireflies.between(0.5, 1.75)];
  const [x, z] = [Math.cos(angle) * distance, Math.sin(angle) * distance];
  const position = [x, groundHeight(x, z) + fireflies.between(0.12, 0.75), z];
  const light = i % 4 === 0 ? point('Firefly', [0.7, 1, 0.25], 0.16, 1.2) : undefined;
  addNode('Firefly', { mesh: firefly, position, light, scale: fireflies.between(0.7, 1.3) });
}
addNode('Moon', {
  mesh: addMesh('Moon', sphere(0.62, 30, 16), materials.moon, { hasUvs: true }),
  position: [1.8, 1.95, -2.1],
  rotation: eulerRotation(0.3, 2.2, 0.2),
});

// The lights. A directional light shines along its node's −Z.
const directional = (name, color, intensity) =>
  lights.createLight(name).setType('directional').setColor(color).setIntensity(intensity);
const aim = (pitch, yaw) => multiply(eulerRotation(0, yaw, 0), eulerRotation(pitch, 0, 0));
function multiply([ax, ay, az, aw], [bx, by, bz, bw]) {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}
addNode('Moonlight', {
  light: directional('Moonlight', [0.5, 0.66, 1], 2.4),
  rotation: aim(-0.7, Math.PI + 0.6),
});
addNode('Dusk', { light: directional('Dusk', [1, 0.46, 0.4], 1.7), rotation: aim(-0.36, -1.2) });
addNode('Sky', { light: directional('Sky', [0.36, 0.44, 1], 0.9), rotation: aim(-1.0, 0.5) });
addNode('Bounce', { light: directional('Bounce', [0.55, 0.26, 0.6], 0.45), rotation: aim(1.1, 0.2) });
addNode('Front lamp', {
  light: lights
    .createLight('Front lamp')
    .setType('spot')
    .setColor([1, 0.72, 0.5])
    .setIntensity(18)
    .setInnerConeAngle(0.1)
    .setOuterConeAngle(0.42),
  position: [-2.4, 2.6, 3.4],
  rotation: aim(-0.52, -0.6),
});

mkdirSync(dirname(output), { recursive: true });
const bytes = await new NodeIO()
  .registerExtensions([KHRLightsPunctual, KHRMaterialsEmissiveStrength, KHRMeshQuantization])
  .writeBinary(document);
writeFileSync(output, bytes);
console.log(
  `public/island.glb: ${(bytes.length / 1000).toFixed(1)} kB, ${document.getRoot().listNodes().length} nodes`,
);

const walker = await makeWalker();
writeFileSync(walkerOutput, walker);
console.log(`public/walker.glb: ${(walker.length / 1000).toFixed(1)} kB`);
