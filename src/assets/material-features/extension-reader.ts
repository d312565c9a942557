import {
  MATERIAL_FEATURES,
  type MaterialFeatureDeclaration,
  type MaterialFeatureName,
} from '../../proxy/materials/material-features.js';
import type { JsonObject } from '../gltf/gltf-checks.js';
import type { MaterialFeatureReader, MaterialSource } from './material-feature-reader.js';

/**
 * Returns the reader of a feature whose parameters and textures are all in one extension. The feature's declaration
 * names their paths.
 *
 *   clearcoatRoughness: { pointer: 'extensions/KHR_materials_clearcoat/clearcoatRoughnessFactor' }  ─► read at that path
 */
export function extensionReader(feature: MaterialFeatureName): MaterialFeatureReader {
  const { parameters, slots }: MaterialFeatureDeclaration = MATERIAL_FEATURES[feature];
  const [first] = Object.values(parameters);
  const name = first?.pointer.split('/')[1] as string;
  return {
    extensions: [name],
    defaults: Object.fromEntries(Object.entries(parameters).map(([key, each]) => [key, each.default])),
    read(source) {
      const values: Record<string, number | number[]> = {};
      if (source.extension(name) === undefined) return values;
      for (const [key, each] of Object.entries(parameters)) {
        const found = valueAt(source, each.pointer);
        if (found === undefined) continue;
        const at = each.pointer.replaceAll('/', '.');
        values[key] =
          typeof each.default === 'number'
            ? source.number(found, each.default, at)
            : source.numbers(found as readonly number[], each.size, each.default[0] as number, at);
      }
      return values;
    },
    textures(source) {
      if (source.extension(name) === undefined) return {};
      const found = Object.entries(slots).map(([slot, { pointer }]) => [
        slot,
        source.texture(valueAt(source, pointer)),
      ]);
      return Object.fromEntries(found);
    },
  };
}

/** Returns the value at a path within a material; undefined if it is missing. */
function valueAt({ json }: MaterialSource, pointer: string): unknown {
  let value: unknown = json;
  for (const key of pointer.split('/')) value = (value as JsonObject | undefined)?.[key];
  return value;
}
