/**
 * B15's file: hilly patches compressed by Draco, and UASTC images with all their mip levels, 16 MiB together. It is
 * generated from numbers, so that nothing has to be fetched.
 */
import { Document, NodeIO } from '@gltf-transform/core';
import { KHRDracoMeshCompression, KHRTextureBasisu } from '@gltf-transform/extensions';
import draco from 'draco3dgltf';
import { mipmappedBasis } from '../../scripts/test-assets/mipmapped-basis.mjs';
import { xorshift } from '../../src/rhi/memory/suballocator.test-support.js';
import { type HillyPatch, hillyPatch } from './hilly-patch.js';

export interface HeavySize {
  readonly patches: number;
  /** Vertices along each side of a patch. */
  readonly edge: number;
  readonly pictures: number;
  /** Width and height of an image in pixels. */
  readonly pictureSize: number;
}

const B15_SIZE: HeavySize = { patches: 20, edge: 200, pictures: 10, pictureSize: 1024 };

/** Makes the file. Patches lie in rows of five. */
export async function heavyScene({
  patches,
  edge,
  pictures,
  pictureSize,
}: HeavySize = B15_SIZE): Promise<Uint8Array> {
  const random = xorshift(0x20);
  const document = new Document();
  document
    .createExtension(KHRDracoMeshCompression)
    .setRequired(true)
    .setEncoderOptions({ quantizationBits: { POSITION: 14, NORMAL: 10, TEX_COORD: 12 } });
  document.createExtension(KHRTextureBasisu).setRequired(true);
  const scene = document.createScene();
  const materials = Array.from({ length: pictures }, (_, index) => {
    const image = mipmappedBasis(
      pictureSize,
      Array.from(
        { length: Math.log2(pictureSize) + 1 },
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
  for (let patch = 0; patch < patches; patch++) {
    const primitive = patchPrimitive(document, buffer, hillyPatch(edge, random)).setMaterial(
      materials[patch % pictures] ?? null,
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
  { positions, normals, uvs, indices }: HillyPatch,
): ReturnType<Document['createPrimitive']> {
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
