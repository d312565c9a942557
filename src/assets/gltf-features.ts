/**
 * Decides what of a file can be shown. A *required* extension that is unknown is an error; an optional one is left out with a
 * warning that names it. Further features of materials are left out even where required, because the geometry and most of the look
 * are complete without them.
 */
import type { JSONDocument } from '@gltf-transform/core';
import { assetError } from './asset-error.js';
import { GltfChecks, type JsonObject } from './gltf-checks.js';

/** What the loader carries out. */
export const SUPPORTED_EXTENSIONS = [
  'EXT_lights_image_based',
  'EXT_mesh_gpu_instancing',
  'EXT_meshopt_compression',
  'KHR_animation_pointer',
  'KHR_draco_mesh_compression',
  'KHR_lights_punctual',
  'KHR_materials_emissive_strength',
  'KHR_materials_pbrSpecularGlossiness',
  'KHR_materials_unlit',
  'KHR_materials_variants',
  'KHR_mesh_quantization',
  'KHR_meshopt_compression',
  'KHR_node_visibility',
  'KHR_texture_basisu',
  'KHR_texture_transform',
  'EXT_texture_avif',
  'EXT_texture_webp',
  'MSFT_lod',
] as const;

/** Extensions that only add information nobody sees; leaving them out is no loss to tell of. */
export const INVISIBLE_EXTENSIONS = ['KHR_xmp', 'KHR_xmp_json_ld'];

/** Throws `extension-unsupported`; what is left out is added to `warnings`. */
export function checkFeatures({ json }: JSONDocument, file: string, warnings: string[]): void {
  const checks = new GltfChecks(file);
  const root = checks.object(json, 'the root');
  const required = names(root.extensionsRequired);
  const used = new Set([...names(root.extensionsUsed), ...required]);
  for (const name of required) {
    if (isSupported(name) || name.startsWith('KHR_materials_')) continue;
    throw assetError(
      'extension-unsupported',
      file,
      'extensionsRequired',
      `The file requires the extension ${name}, which is not supported. Export it without that extension.`,
    );
  }
  for (const name of used) {
    if (isSupported(name) || INVISIBLE_EXTENSIONS.includes(name)) continue;
    warnings.push(`"${file}" uses ${name}, which is not supported yet and is left out.`);
  }
}

/** Makes the JSON such that the parser accepts it: extensions that are read later are no longer required. */
export function preferSupportedSources({ json }: JSONDocument, file: string): void {
  const checks = new GltfChecks(file);
  const root = checks.object(json, 'the root');
  delete root.extensionsRequired;
  delete root.extensionsUsed;
  const images = checks.objects(root, 'images').length;
  const textures = checks.objects(root, 'textures');
  textures.forEach((texture, index) => {
    for (const name of ['EXT_texture_webp', 'EXT_texture_avif', 'KHR_texture_basisu']) {
      const place = `textures[${index}].extensions.${name}`;
      const source = extensionOf(texture, name, place, checks)?.source;
      if (source !== undefined) texture.source = checks.index(source, images, `${place}.source`, 'images');
    }
  });
  checks.objects(root, 'materials').forEach((material, index) => {
    const place = `materials[${index}]`;
    const inner = checks.object(material.pbrMetallicRoughness ?? {}, `${place}.pbrMetallicRoughness`);
    for (const [holder, key] of [
      [inner, 'baseColorTexture'],
      [inner, 'metallicRoughnessTexture'],
      [material, 'normalTexture'],
      [material, 'occlusionTexture'],
      [material, 'emissiveTexture'],
    ] as const) {
      if (holder[key] === undefined) continue;
      const info = checks.object(holder[key], `${place}.${key}`);
      const texture = checks.index(info.index ?? null, textures.length, `${place}.${key}.index`, 'textures');
      // A texture whose only source is of a kind left out.
      if (textures[texture ?? 0]?.source !== undefined) continue;
      delete holder[key];
      if (key === 'emissiveTexture') delete material.emissiveFactor;
    }
  });
}

export function extensionOf(
  holder: JsonObject | undefined,
  name: string,
  place: string,
  checks: GltfChecks,
): JsonObject | undefined {
  if (holder?.extensions === undefined) return undefined;
  const value = checks.object(holder.extensions, place)[name];
  return value === undefined ? undefined : checks.object(value, place);
}

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function isSupported(name: string): boolean {
  return (SUPPORTED_EXTENSIONS as readonly string[]).includes(name);
}
