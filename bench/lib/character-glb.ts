/** Writes the figure of B14 as a glTF file. */
import { Document, NodeIO } from '@gltf-transform/core';
import { makeCharacter, PARENTS } from './character.js';

export async function characterGlb(): Promise<Uint8Array> {
  const { positions, normals, joints, weights, indices, heads, offsets, clips } = makeCharacter();
  const document = new Document();
  const buffer = document.createBuffer();
  const accessor = (
    type: 'SCALAR' | 'VEC3' | 'VEC4' | 'MAT4',
    array: Float32Array<ArrayBuffer> | Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer>,
  ) => document.createAccessor().setBuffer(buffer).setType(type).setArray(array);
  const copy = (values: Float32Array): Float32Array<ArrayBuffer> => Float32Array.from(values);
  const material = document
    .createMaterial('coat')
    .setBaseColorFactor([0.7, 0.3, 0.1, 1])
    .setMetallicFactor(0);
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', copy(positions)))
    .setAttribute('NORMAL', accessor('VEC3', copy(normals)))
    .setAttribute('JOINTS_0', accessor('VEC4', Uint8Array.from(joints)))
    .setAttribute('WEIGHTS_0', accessor('VEC4', copy(weights)))
    .setIndices(accessor('SCALAR', Uint16Array.from(indices)))
    .setMaterial(material);
  const scene = document.createScene();
  const nodes = PARENTS.map((_, joint) =>
    document.createNode(`joint ${joint}`).setTranslation([...(offsets[joint] as [number, number, number])]),
  );
  PARENTS.forEach((parent, joint) => {
    const node = nodes[joint] as (typeof nodes)[number];
    if (parent < 0) scene.addChild(node);
    else nodes[parent]?.addChild(node);
  });
  const matrices = heads.flatMap(([x, y, z]) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1]);
  const skin = document.createSkin().setInverseBindMatrices(accessor('MAT4', Float32Array.from(matrices)));
  for (const node of nodes) skin.addJoint(node);
  scene.addChild(
    document.createNode('figure').setMesh(document.createMesh().addPrimitive(primitive)).setSkin(skin),
  );
  for (const { name, times, rotations, hips } of clips) {
    const animation = document.createAnimation(name);
    const input = accessor('SCALAR', copy(times));
    const add = (joint: number, path: 'rotation' | 'translation', values: Float32Array): void => {
      const output = accessor(path === 'rotation' ? 'VEC4' : 'VEC3', copy(values));
      const sampler = document.createAnimationSampler().setInput(input).setOutput(output);
      const channel = document.createAnimationChannel().setSampler(sampler).setTargetPath(path);
      animation.addSampler(sampler).addChannel(channel.setTargetNode(nodes[joint] ?? null));
    };
    for (const [joint, values] of rotations.entries()) add(joint, 'rotation', values);
    add(0, 'translation', hips);
  }
  return new NodeIO().writeBinary(document);
}
