// Files of a ball, plain and compressed by each of the extensions, with the same vertices: 'plain.glb', 'draco.glb',
// 'meshopt.glb' (EXT), 'khr-meshopt.glb'. Positions keep at least 16 bits, so that all balls look the same.
import { Document, NodeIO } from '@gltf-transform/core';
import { EXTMeshoptCompression, KHRDracoMeshCompression } from '@gltf-transform/extensions';
import draco from 'draco3dgltf';
import { MeshoptEncoder } from 'meshoptimizer/encoder';

const RINGS = 12;
const SEGMENTS = 24;

export async function makeCompressedFiles() {
  await MeshoptEncoder.ready;
  const io = new NodeIO()
    .registerExtensions([KHRDracoMeshCompression, EXTMeshoptCompression])
    .registerDependencies({
      'draco3d.encoder': await draco.createEncoderModule(),
      'meshopt.encoder': MeshoptEncoder,
    });
  const write = async (addExtension) => {
    const document = makeBall();
    addExtension(document);
    return io.writeBinary(document);
  };
  const meshopt = await write((document) =>
    document
      .createExtension(EXTMeshoptCompression)
      .setRequired(true)
      .setEncoderOptions({ method: EXTMeshoptCompression.EncoderMethod.QUANTIZE }),
  );
  return {
    'plain.glb': await write(() => {}),
    'draco.glb': await write((document) =>
      document
        .createExtension(KHRDracoMeshCompression)
        .setRequired(true)
        .setEncoderOptions({ quantizationBits: { POSITION: 16, NORMAL: 12 } }),
    ),
    'meshopt.glb': meshopt,
    'khr-meshopt.glb': renameExtension(meshopt, 'EXT_meshopt_compression', 'KHR_meshopt_compression'),
  };
}

/** Returns a smooth ball of radius 1, brighter towards +Y. */
function makeBall() {
  const positions = [];
  const colors = [];
  for (let ring = 0; ring <= RINGS; ring++) {
    for (let segment = 0; segment <= SEGMENTS; segment++) {
      const theta = (ring / RINGS) * Math.PI;
      const phi = (segment / SEGMENTS) * 2 * Math.PI;
      const height = Math.cos(theta);
      positions.push(Math.sin(theta) * Math.cos(phi), height, -Math.sin(theta) * Math.sin(phi));
      colors.push(255, Math.round(127.5 + 127.5 * height), 0, 255);
    }
  }
  const indices = [];
  for (let ring = 0; ring < RINGS; ring++) {
    for (let segment = 0; segment < SEGMENTS; segment++) {
      const a = ring * (SEGMENTS + 1) + segment;
      const b = a + SEGMENTS + 1;
      // At the poles one of the two triangles has no area.
      if (ring > 0) indices.push(a, b, a + 1);
      if (ring < RINGS - 1) indices.push(b, b + 1, a + 1);
    }
  }
  const document = new Document();
  const buffer = document.createBuffer();
  const accessor = (type, array) => document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
  const floats = new Float32Array(positions);
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', floats))
    .setAttribute('NORMAL', accessor('VEC3', floats.slice()))
    .setAttribute('COLOR_0', accessor('VEC4', new Uint8Array(colors)).setNormalized(true))
    .setIndices(accessor('SCALAR', new Uint16Array(indices)))
    .setMaterial(document.createMaterial().setRoughnessFactor(1).setMetallicFactor(0));
  const node = document.createNode('ball').setMesh(document.createMesh('ball').addPrimitive(primitive));
  document.createScene().addChild(node);
  return document;
}

/** Replaces the name of an extension in a .glb. Both names have the same length. */
function renameExtension(bytes, from, to) {
  const json = Buffer.from(bytes).toString('latin1').replaceAll(from, to);
  return new Uint8Array(Buffer.from(json, 'latin1'));
}
