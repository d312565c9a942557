/**
 * STREAM's file: 100 MB of uncompressed glTF, patches with their own geometries, and images of noise. It is generated
 * from numbers, so that nothing has to be fetched. There are few triangles for the number of vertices. So the result
 * depends on the upload to the GPU rather than on the drawing speed of a software adapter.
 */
import { GltfFile, png } from '../../scripts/test-assets/gltf-file.mjs';
import { xorshift } from '../../src/rhi/memory/suballocator.test-support.js';
import { hillyPatch } from './hilly-patch.js';

const PATCHES = 180;
/** Vertices along each side of a patch, which takes 0.38 MB. */
const EDGE = 109;
const STRIDE = 12;
const PICTURES = 37;
/** Width and height of an image in pixels. It takes 0.8 MB as PNG and 1 MiB decoded. */
const PICTURE_SIZE = 512;
const PER_ROW = 20;

export function longScene(): Uint8Array {
  const random = xorshift(0x57);
  const byte = (): number => Math.floor(random() * 256);
  const file = new GltfFile();
  const materials = Array.from({ length: PICTURES }, (_, index) => {
    const picture = file.image(png(PICTURE_SIZE, () => [byte(), byte(), byte(), 255]));
    const baseColorTexture = { index: file.texture(picture) };
    return file.add('materials', {
      name: `material ${index}`,
      pbrMetallicRoughness: { baseColorTexture, metallicFactor: 0 },
    });
  });
  for (let patch = 0; patch < PATCHES; patch++) {
    const { positions, normals, uvs, indices } = hillyPatch(EDGE, random, STRIDE);
    const attributes = {
      POSITION: file.accessor(positions, 'VEC3'),
      NORMAL: file.accessor(normals, 'VEC3'),
      TEXCOORD_0: file.accessor(uvs, 'VEC2'),
    };
    const material = materials[patch % PICTURES];
    const [column, row] = [patch % PER_ROW, Math.floor(patch / PER_ROW)];
    file.show(
      { attributes, indices: file.accessor(indices, 'SCALAR'), material },
      { name: `patch ${patch}`, translation: [(column - PER_ROW / 2) * 2, -2, (row - 4.5) * 2] },
    );
  }
  return file.glb();
}
