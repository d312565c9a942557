// A desk lamp, which the guides' programs show. It has the nodes `base`, `arm`, `shade` and `bulb`, a clip `nod`, and a
// variant `night`.
import { Document, NodeIO } from '@gltf-transform/core';
import { KHRMaterialsEmissiveStrength, KHRMaterialsVariants } from '@gltf-transform/extensions';
import { lathe, sphere, tube } from '../demo-assets/shapes.mjs';

/** Points of the arm in metres: a pole, a quarter of a circle, and a horizontal end. */
const ARM = [
  [0, 0, 0],
  ...Array.from({ length: 13 }, (_, index) => {
    const angle = (index / 12) * (Math.PI / 2);
    return [0.12 - 0.12 * Math.cos(angle), 0.3 + 0.12 * Math.sin(angle), 0];
  }),
  [0.2, 0.42, 0],
];

/** Shapes of the nodes by name, in metres. */
const profiles = {
  base: lathe(
    [
      [0, 0.03],
      [0.11, 0.03],
      [0.12, 0.022],
      [0.12, 0],
      [0, 0],
    ],
    48,
  ),
  arm: tube(ARM, Array(ARM.length).fill(0.009), 16),
  shade: lathe(
    [
      [0.02, 0.02],
      [0.035, 0],
      [0.1, -0.11],
      [0.098, -0.112],
      [0.033, -0.004],
      [0, 0.01],
    ],
    48,
  ),
  bulb: sphere(0.032, 24, 16),
};

/** Makes the model. @returns {Promise<Uint8Array>} the bytes of a `.glb` file */
export async function makeLampModel() {
  const document = new Document();
  const buffer = document.createBuffer();
  const accessor = (type, array) => document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
  const material = (name, color, metallic, roughness) =>
    document
      .createMaterial(name)
      .setBaseColorFactor([...color, 1])
      .setMetallicFactor(metallic)
      .setRoughnessFactor(roughness)
      .setDoubleSided(true);
  const brass = material('brass', [0.9, 0.6, 0.25], 1, 0.25);
  const steel = material('steel', [0.6, 0.62, 0.65], 1, 0.3);
  const enamel = material('enamel', [0.75, 0.08, 0.05], 0, 0.25);
  const black = material('black', [0.02, 0.02, 0.025], 0, 0.35);
  const strength = document.createExtension(KHRMaterialsEmissiveStrength);
  const glass = material('glass', [1, 0.9, 0.7], 0, 0.4)
    .setEmissiveFactor([1, 0.75, 0.4])
    .setExtension(
      'KHR_materials_emissive_strength',
      strength.createEmissiveStrength().setEmissiveStrength(2),
    );

  const variants = document.createExtension(KHRMaterialsVariants);
  const night = variants.createVariant('night');
  const inNight = (usual) => ({ enamel: black, brass: steel })[usual.getName()];
  const node = (name, usual, position, parent) => {
    const shape = profiles[name];
    const primitive = document
      .createPrimitive()
      .setMaterial(usual)
      .setIndices(accessor('SCALAR', Uint16Array.from(shape.indices)))
      .setAttribute('POSITION', accessor('VEC3', Float32Array.from(shape.positions)))
      .setAttribute('NORMAL', accessor('VEC3', Float32Array.from(shape.normals)));
    const other = inNight(usual);
    if (other)
      primitive.setExtension(
        'KHR_materials_variants',
        variants
          .createMappingList()
          .addMapping(variants.createMapping().setMaterial(other).addVariant(night)),
      );
    const mesh = document.createMesh(name).addPrimitive(primitive);
    const made = document.createNode(name).setMesh(mesh).setTranslation(position);
    parent.addChild(made);
    return made;
  };
  const scene = document.createScene('lamp');
  const base = node('base', enamel, [0, 0, 0], scene);
  const arm = node('arm', brass, [0, 0.03, 0], base);
  const shade = node('shade', enamel, [0.2, 0.42, 0], arm);
  node('bulb', glass, [0, -0.07, 0], shade);

  const turn = (radians) => [0, 0, Math.sin(radians / 2), Math.cos(radians / 2)];
  const sampler = document
    .createAnimationSampler()
    .setInput(accessor('SCALAR', Float32Array.of(0, 0.5, 1)))
    .setOutput(accessor('VEC4', Float32Array.from([turn(0), turn(0.5), turn(0)].flat())));
  const channel = document
    .createAnimationChannel()
    .setTargetNode(shade)
    .setTargetPath('rotation')
    .setSampler(sampler);
  document.createAnimation('nod').addSampler(sampler).addChannel(channel);
  const io = new NodeIO().registerExtensions([KHRMaterialsEmissiveStrength, KHRMaterialsVariants]);
  return io.writeBinary(document);
}
