/** Reads KHR_texture_transform and the texture coordinate set of a texture. */
import { textureTransform } from '../../proxy/images/texture-transform.js';
import type { MaterialTexture } from '../../proxy/scene-description.js';
import { orWarn } from '../asset-error.js';
import { extensionOf, type GltfChecks, type JsonObject } from '../gltf/gltf-checks.js';
import type { MaterialFeatureReader, SlotInfo } from './material-feature-reader.js';

const TRANSFORM = 'KHR_texture_transform';

export const textureTransforms: MaterialFeatureReader = { extensions: [TRANSFORM] };

/** Returns a texture with its coordinate set and transform. @param texture number in a `TextureSet` */
export function materialTexture(
  texture: number,
  info: SlotInfo | null,
  json: JsonObject,
  { checks, jsonPath, warnings }: { checks: GltfChecks; jsonPath: string; warnings: string[] },
): MaterialTexture {
  const transformJson = extensionOf(json, TRANSFORM, jsonPath, checks);
  const wanted = orWarn(warnings, '0 is used.', 0, () =>
    checks.integer(transformJson ?? {}, 'texCoord', jsonPath, info?.getTexCoord() ?? 0),
  );
  if (wanted > 1) {
    warnings.push(
      `"${checks.file}", ${jsonPath}: It reads TEXCOORD_${wanted}, and only 0 and 1 are supported; 0 is used.`,
    );
  }
  const uvSet = wanted === 1 ? 1 : 0;
  const transform =
    transformJson &&
    orWarn(warnings, 'The texture is shown without its transform.', undefined, () =>
      readTransform(transformJson, checks, jsonPath),
    );
  return transform ? { texture, uvSet, transform } : { texture, uvSet };
}

function readTransform(json: JsonObject, checks: GltfChecks, jsonPath: string): readonly number[] {
  const [offsetU = 0, offsetV = 0] = checks.numbers(json.offset, 2, `${jsonPath}.offset`) ?? [];
  const [scaleU = 1, scaleV = 1] = checks.numbers(json.scale, 2, `${jsonPath}.scale`) ?? [];
  const rotation = checks.finite(json.rotation, 0, `${jsonPath}.rotation`);
  return textureTransform([offsetU, offsetV], rotation, [scaleU, scaleV]);
}
