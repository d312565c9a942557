/** Makes a glTF file of a square that faces the camera and shows a Basis Universal texture. */
import { Document, NodeIO } from '@gltf-transform/core';
import { KHRTextureBasisu } from '@gltf-transform/extensions';

/** Returns the file. @param ktx2 an image as a KTX2 file */
export async function texturedSquare(ktx2: Uint8Array): Promise<Buffer> {
  const document = new Document();
  document.createExtension(KHRTextureBasisu).setRequired(true);
  const buffer = document.createBuffer();
  const accessor = (type: 'VEC3' | 'VEC2', values: number[]) =>
    document.createAccessor().setBuffer(buffer).setType(type).setArray(new Float32Array(values));
  const material = document
    .createMaterial()
    .setBaseColorTexture(document.createTexture().setImage(Uint8Array.from(ktx2)).setMimeType('image/ktx2'))
    .setMetallicFactor(0)
    .setRoughnessFactor(1);
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]))
    .setAttribute('NORMAL', accessor('VEC3', [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]))
    .setAttribute('TEXCOORD_0', accessor('VEC2', [0, 1, 1, 1, 1, 0, 0, 0]))
    .setIndices(
      document
        .createAccessor()
        .setBuffer(buffer)
        .setArray(new Uint16Array([0, 1, 2, 0, 2, 3])),
    )
    .setMaterial(material);
  document
    .createScene()
    .addChild(document.createNode().setMesh(document.createMesh().addPrimitive(primitive)));
  return Buffer.from(await new NodeIO().registerExtensions([KHRTextureBasisu]).writeBinary(document));
}
