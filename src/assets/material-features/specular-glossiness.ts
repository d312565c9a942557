/**
 * Converts KHR_materials_pbrSpecularGlossiness, an archived extension, to metallic-roughness factors that look as
 * similar as possible. A map of specular colour and glossiness can't be converted to factors, so it is left out with a
 * warning.
 */
import { orWarn } from '../asset-error.js';
import { extensionOf, GltfChecks, type JsonObject } from '../gltf/gltf-checks.js';
import type { MaterialFeatureReader } from './material-feature-reader.js';

const SPECULAR_GLOSSINESS = 'KHR_materials_pbrSpecularGlossiness';

export const specularGlossiness: MaterialFeatureReader = {
  extensions: [SPECULAR_GLOSSINESS],
  rewrite: convert,
};

/** Reflectance of a dielectric at normal incidence. */
const DIELECTRIC = 0.04;

/** Rewrites the materials in the JSON. */
function convert(root: JsonObject, file: string, warnings: string[]): void {
  const checks = new GltfChecks(file);
  checks.objects(root, 'materials').forEach((material, index) => {
    const jsonPath = `materials[${index}].extensions.${SPECULAR_GLOSSINESS}`;
    const extension = extensionOf(material, SPECULAR_GLOSSINESS, jsonPath, checks);
    if (!extension) return;
    const numbers = (key: string, length: number): number[] =>
      orWarn(warnings, '1 is used.', undefined, () =>
        checks.numbers(extension[key], length, `${jsonPath}.${key}`),
      ) ?? new Array(length).fill(1);
    const diffuse = numbers('diffuseFactor', 4);
    const glossiness = orWarn(warnings, '1 is used.', 1, () =>
      checks.finite(extension.glossinessFactor, 1, `${jsonPath}.glossinessFactor`),
    );
    const hasMap = extension.specularGlossinessTexture !== undefined;
    if (hasMap) {
      warnings.push(
        `"${file}", ${jsonPath}: Its specularGlossinessTexture is left out; use metallic and roughness.`,
      );
    }
    // The values of the map are unknown. Assume half the glossiness, and a dielectric, because most surfaces are not
    // metal.
    const specular = hasMap ? new Array(3).fill(DIELECTRIC) : numbers('specularFactor', 3);
    const { baseColor, metallic } = metalOf(diffuse, specular);
    material.pbrMetallicRoughness = {
      baseColorFactor: [...baseColor, diffuse[3]],
      metallicFactor: metallic,
      roughnessFactor: 1 - Math.min(Math.max(glossiness, 0), 1) * (hasMap ? 0.5 : 1),
      ...(extension.diffuseTexture !== undefined && { baseColorTexture: extension.diffuseTexture }),
    };
  });
}

/**
 * Returns the base colour and metalness for a diffuse and a specular colour, as the extension's example computes
 * them.
 */
function metalOf(diffuse: readonly number[], specular: readonly number[]) {
  const strength = Math.max(...specular);
  const left = 1 - strength;
  const metallic = solveMetallic(brightness(diffuse), brightness(specular), left);
  const baseColor = [0, 1, 2].map((channel) => {
    const fromDiffuse =
      ((diffuse[channel] as number) * left) / (1 - DIELECTRIC) / Math.max(1 - metallic, 1e-6);
    const fromSpecular =
      ((specular[channel] as number) - DIELECTRIC * (1 - metallic)) / Math.max(metallic, 1e-6);
    const mixed = fromDiffuse + (fromSpecular - fromDiffuse) * metallic * metallic;
    return Math.min(Math.max(mixed, 0), 1);
  });
  return { baseColor, metallic };
}

function solveMetallic(diffuse: number, specular: number, left: number): number {
  if (specular < DIELECTRIC) return 0;
  const b = (diffuse * left) / (1 - DIELECTRIC) + specular - 2 * DIELECTRIC;
  const c = DIELECTRIC - specular;
  const root = Math.sqrt(Math.max(b * b - 4 * DIELECTRIC * c, 0));
  return Math.min(Math.max((-b + root) / (2 * DIELECTRIC), 0), 1);
}

/** Returns the perceived brightness of a colour. */
function brightness([red = 0, green = 0, blue = 0]: readonly number[]): number {
  return Math.sqrt(0.299 * red * red + 0.587 * green * green + 0.114 * blue * blue);
}
