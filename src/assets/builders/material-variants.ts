/** Reads KHR_materials_variants: the variants of a file, and the materials of each primitive by variant. */
import { orWarn } from '../asset-error.js';
import { extensionOf, GltfChecks, type JsonObject } from '../gltf/gltf-checks.js';

const VARIANTS = 'KHR_materials_variants';

/** Returns the names of the variants in the file's order. */
export function readVariants(json: JsonObject, file: string, warnings: string[]): string[] {
  const checks = new GltfChecks(file);
  const jsonPath = `extensions.${VARIANTS}`;
  const root = extensionOf(json, VARIANTS, jsonPath, checks) ?? {};
  const variants = orWarn(warnings, 'Its variants are left out.', [], () =>
    checks.objects(root, 'variants', jsonPath),
  );
  return variants.map(({ name }, index) => String(name ?? `variant ${index}`));
}

/**
 * Returns the materials of a primitive by variant, for the variants that replace its default material.
 * @param primitive JSON of the primitive
 * @param materials count of materials in the file
 * @param variants count of variants in the file
 */
export function readVariantMaterials(
  primitive: JsonObject | undefined,
  jsonPath: string,
  materials: number,
  variants: number,
  file: string,
  warnings: string[],
): ReadonlyMap<number, number> {
  const checks = new GltfChecks(file);
  const path = `${jsonPath}.extensions.${VARIANTS}`;
  const extension = extensionOf(primitive, VARIANTS, path, checks) ?? {};
  const result = new Map<number, number>();
  const mappings = orWarn(warnings, 'They are left out.', [], () =>
    checks.objects(extension, 'mappings', path),
  );
  mappings.forEach((mapping, index) => {
    const at = `${path}.mappings[${index}]`;
    orWarn(warnings, 'It is left out.', undefined, () => {
      const material = checks.index(mapping.material ?? null, materials, `${at}.material`, 'materials') ?? 0;
      const used = checks.indices(mapping.variants ?? null, variants, `${at}.variants`, 'variants');
      for (const variant of used) result.set(variant, material);
    });
  });
  return result;
}
