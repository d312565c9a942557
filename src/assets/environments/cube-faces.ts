/**
 * Assembles the six pictures of a glTF file's environment light into a cube. EXT_lights_image_based does not define the
 * orientation of the pictures in glTF's right-handed space. This file follows Babylon.js, whose author wrote the
 * extension, and Wicked Engine. Rows start at the bottom, and the cube is mirrored across the X/Y plane.
 *
 *   picture   +X  −X  +Y  −Y  +Z  −Z
 *   face      +X  −X  +Y  −Y  −Z  +Z        the four sides rotated by 180°
 */
import type { CubePictures, EnvironmentImage } from '../../proxy/scene-description.js';
import { invalidGltf } from '../asset-error.js';
import type { DecodedFace, DecodeFace } from '../decoders/environment-cube.js';

const FACE_OF_PICTURE = [0, 1, 2, 3, 5, 4] as const;

/**
 * Decodes and assembles the faces.
 * @param decodeFace runs on this thread or another
 * @throws AssetError `gltf-invalid`
 */
export async function loadFaces(
  { name: file, place: jsonPath, faces: pictures }: CubePictures,
  decodeFace: DecodeFace,
): Promise<EnvironmentImage> {
  const places = pictures.map((_, index) => `${jsonPath}.specularImages[0][${index}]`);
  const faces = await Promise.all(
    pictures.map(async (picture, index) => {
      const bytes = new Uint8Array(await picture.arrayBuffer());
      return decodeFace(bytes, { file, jsonPath: places[index] as string });
    }),
  );
  const size = (faces[0] as DecodedFace).size;
  const texels = new Uint16Array(6 * size * size * 4);
  for (const [index, face] of faces.entries()) {
    if (face.size !== size) {
      const text = `Its size is ${face.size} × ${face.size}, and that of the first face is ${size} × ${size}.`;
      throw invalidGltf(file, places[index] as string, text);
    }
    const isSide = index < 2 || index > 3;
    texels.set(
      isSide ? turned(face.texels) : face.texels,
      (FACE_OF_PICTURE[index] as number) * size * size * 4,
    );
  }
  return { width: size, height: size, faces: 6, format: 'rgba16float', data: texels.buffer };
}

/** Rotates a face by 180°, which reverses the order of its texels. */
function turned(texels: Uint16Array): Uint16Array {
  const result = new Uint16Array(texels.length);
  for (let at = 0; at < texels.length; at += 4)
    result.set(texels.subarray(at, at + 4), texels.length - 4 - at);
  return result;
}
