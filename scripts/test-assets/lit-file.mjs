// A glTF file that contains only an image-based light (EXT_lights_image_based).
import { GltfFile, png } from './gltf-file.mjs';

const EXTENSION = 'EXT_lights_image_based';

/**
 * Returns the file.
 *
 * @param {{ light?: object, pictures?: readonly Uint8Array[] }} [options] `light`: further properties of the light;
 *   `pictures`: image files, +X −X +Y −Y +Z −Z; white by default
 */
export function litFile({ light = {}, pictures = Array(6).fill(png(4, () => [255, 255, 255, 255])) } = {}) {
  const file = new GltfFile();
  const specularImages = [pictures.map((picture) => file.image(picture))];
  const lights = [{ specularImages, specularImageSize: 4, irradianceCoefficients: [], ...light }];
  file.use(EXTENSION, { required: true });
  file.node({ name: 'nothing' });
  file.json.extensions = { [EXTENSION]: { lights } };
  file.json.scenes[0].extensions = { [EXTENSION]: { light: 0 } };
  return file.glb();
}
