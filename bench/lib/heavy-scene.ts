/**
 * B15's file: hilly patches compressed by Draco, and pictures of UASTC with all their levels, about 20 MB together. All of it from
 * numbers, so that no file has to be fetched.
 */
import { Document, NodeIO } from '@gltf-transform/core';
import { KHRDracoMeshCompression, KHRTextureBasisu } from '@gltf-transform/extensions';
import draco from 'draco3dgltf';
import { mipmappedBasis } from '../../scripts/test-assets/mipmapped-basis.mjs';
import { xorshift } from '../../src/rhi/memory/suballocator.test-support.js';

const PATCHES = 20;
/** Vertices of a patch, each way. */
const EDGE = 200;
const PICTURES = 10;
/** Pixels, each way. */
const PICTURE_SIZE = 1024;

/** A patch is 2 m wide; they lie in rows of five. */
export async function heavyScene(): Promise<Uint8Array> {
  const random = xorshift(0x20);
  const document = new Document();
  document
    .createExtension(KHRDracoMeshCompression)
    .setRequired(true)
    .setEncoderOptions({ quantizationBits: { POSITION: 14, NORMAL: 10, TEX_COORD: 12 } });
  document.createExtension(KHRTextureBasisu).setRequired(true);
  const scene = document.createScene();
  const materials = Array.from({ length: PICTURES }, (_, index) => {
    const image = mipmappedBasis(
      PICTURE_SIZE,
      Array.from(
        { length: Math.log2(PICTURE_SIZE) + 1 },
        () => () => Array.from({ length: 3 }, () => Math.floor(random() * 256)),
      ),
    );
    const texture = document
      .createTexture(`picture ${index}`)
      .setImage(new Uint8Array(image))
      .setMimeType('image/ktx2');
    return document.createMaterial(`material ${index}`).setBaseColorTexture(texture).setMetallicFactor(0);
  });
  const buffer = document.createBuffer();
  for (let patch = 0; patch < PATCHES; patch++) {
    const primitive = patchPrimitive(document, buffer, random).setMaterial(
      materials[patch % PICTURES] ?? null,
    );
    const node = document.createNode(`patch ${patch}`).setMesh(document.createMesh().addPrimitive(primitive));
    scene.addChild(node.setTranslation([((patch % 5) - 2) * 2, 0, (Math.floor(patch / 5) - 2) * 2]));
  }
  return new NodeIO()
    .registerExtensions([KHRDracoMeshCompression, KHRTextureBasisu])
    .registerDependencies({ 'draco3d.encoder': await draco.createEncoderModule() })
    .writeBinary(document);
}

function patchPrimitive(
  document: Document,
  buffer: ReturnType<Document['createBuffer']>,
  random: () => number,
): ReturnType<Document['createPrimitive']> {
  const positions = new Float32Array(EDGE * EDGE * 3);
  const normals = new Float32Array(EDGE * EDGE * 3);
  const uvs = new Float32Array(EDGE * EDGE * 2);
  const indices = new Uint32Array((EDGE - 1) * (EDGE - 1) * 6);
  const step = 2 / (EDGE - 1);
  let at = 0;
  for (let row = 0; row < EDGE; row++) {
    for (let column = 0; column < EDGE; column++) {
      const vertex = row * EDGE + column;
      const [x, z] = [column * step - 1, row * step - 1];
      const height = Math.sin(x * 5) * Math.cos(z * 7) * 0.2 + random() * 0.01;
      positions.set([x, height, z], vertex * 3);
      const slope = [
        -Math.cos(x * 5) * Math.cos(z * 7) + random() * 0.1,
        1,
        Math.sin(x * 5) * Math.sin(z * 7) * 1.4,
      ];
      const length = Math.hypot(...slope);
      normals.set(
        slope.map((value) => value / length),
        vertex * 3,
      );
      uvs.set([column / (EDGE - 1), row / (EDGE - 1)], vertex * 2);
      if (row === EDGE - 1 || column === EDGE - 1) continue;
      indices.set([vertex, vertex + EDGE, vertex + 1, vertex + 1, vertex + EDGE, vertex + EDGE + 1], at);
      at += 6;
    }
  }
  const accessor = (
    type: 'SCALAR' | 'VEC2' | 'VEC3',
    array: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>,
  ) => document.createAccessor().setBuffer(buffer).setType(type).setArray(array);
  return document
    .createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', positions))
    .setAttribute('NORMAL', accessor('VEC3', normals))
    .setAttribute('TEXCOORD_0', accessor('VEC2', uvs))
    .setIndices(accessor('SCALAR', indices));
}
