/**
 * Checks the extensions of a file. An unsupported *required* extension is an error. An unsupported optional extension
 * is left out with a warning. Unsupported extensions `KHR_materials_…` are left out even if required, because the
 * geometry and most of the look are complete without them.
 */
import type { JSONDocument } from '@gltf-transform/core';
import { TEXTURE_SLOT_DECLARATIONS } from '../../proxy/materials/material-layout.js';
import { assetError, orWarn } from '../asset-error.js';
import { materialReaders } from '../material-features/index.js';
import { extensionOf, GltfChecks, type JsonObject } from './gltf-checks.js';

/** Extensions that the loader supports. */
export const SUPPORTED_EXTENSIONS: readonly string[] = [
  'EXT_lights_image_based',
  'EXT_mesh_gpu_instancing',
  'EXT_meshopt_compression',
  'KHR_animation_pointer',
  'KHR_draco_mesh_compression',
  'KHR_lights_punctual',
  'KHR_materials_unlit',
  'KHR_materials_variants',
  'KHR_mesh_quantization',
  'KHR_meshopt_compression',
  'KHR_node_visibility',
  'KHR_texture_basisu',
  'EXT_texture_avif',
  'EXT_texture_webp',
  'MSFT_lod',
  ...materialReaders.flatMap(({ extensions = [] }) => extensions),
];

/** Extensions with invisible metadata. They are left out without a warning, unless the file requires them. */
export const INVISIBLE_EXTENSIONS = ['KHR_xmp', 'KHR_xmp_json_ld'];

/**
 * Checks the file's extensions.
 * @param warnings receives a warning for each extension that is left out, except `INVISIBLE_EXTENSIONS`
 * @throws AssetError `extension-unsupported`
 */
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

const TEXTURE_SOURCES = ['EXT_texture_webp', 'EXT_texture_avif', 'KHR_texture_basisu'];
const NO_TEXTURE = 'The texture is left out.';

/**
 * Rewrites the JSON so that the parser accepts it. The lists of extensions are removed. Each texture refers to the
 * image of its preferred format. Invalid textures and sampler values are left out with a warning.
 */
export function preferSupportedSources(root: JsonObject, file: string, warnings: string[]): void {
  const checks = new GltfChecks(file);
  delete root.extensionsRequired;
  delete root.extensionsUsed;
  const textures = checks.objects(root, 'textures');
  const counts = {
    images: checks.objects(root, 'images').length,
    samplers: checks.objects(root, 'samplers').length,
  };
  checks.objects(root, 'samplers').forEach((sampler, index) => {
    for (const key of ['magFilter', 'minFilter', 'wrapS', 'wrapT']) {
      const isSound = orWarn(warnings, 'The default is used.', false, () => {
        checks.integer(sampler, key, `samplers[${index}]`, 0);
        return true;
      });
      if (!isSound) delete sampler[key];
    }
  });
  textures.forEach((texture, index) => {
    const place = `textures[${index}]`;
    const read = (value: unknown, at: string, target: keyof typeof counts, consequence: string) =>
      orWarn(warnings, consequence, undefined, () => checks.index(value, counts[target], at, target));
    let source = read(texture.source, `${place}.source`, 'images', NO_TEXTURE);
    for (const name of TEXTURE_SOURCES) {
      const at = `${place}.extensions.${name}`;
      const preferred = extensionOf(texture, name, at, checks)?.source;
      source = read(preferred, `${at}.source`, 'images', 'It is left out.') ?? source;
    }
    texture.source = source;
    const usual = 'The default sampler is used.';
    texture.sampler = read(texture.sampler, `${place}.sampler`, 'samplers', usual);
  });
  checks.objects(root, 'materials').forEach((material, index) => {
    const place = `materials[${index}]`;
    const readObject = (holder: JsonObject, key: string, at: string): JsonObject | undefined => {
      if (holder[key] === undefined) return undefined;
      const found = orWarn(warnings, 'It is left out.', undefined, () => checks.object(holder[key], at));
      if (!found) delete holder[key];
      return found;
    };
    for (const { pointer } of Object.values(TEXTURE_SLOT_DECLARATIONS)) {
      const path = pointer.split('/');
      const key = path.pop() as string;
      let holder: JsonObject | undefined = material;
      for (const [depth, name] of path.entries()) {
        holder = holder && readObject(holder, name, [place, ...path.slice(0, depth + 1)].join('.'));
      }
      if (!holder) continue;
      if (holder[key] === undefined) continue;
      const at = [place, ...path, key].join('.');
      const info = readObject(holder, key, at);
      const texture =
        info &&
        orWarn(warnings, NO_TEXTURE, undefined, () =>
          checks.index(info.index ?? null, textures.length, `${at}.index`, 'textures'),
        );
      // A texture without a supported source is left out.
      if (texture !== undefined && textures[texture]?.source !== undefined) continue;
      delete holder[key];
      if (key === 'emissiveTexture') delete material.emissiveFactor;
    }
  });
}

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function isSupported(name: string): boolean {
  return SUPPORTED_EXTENSIONS.includes(name);
}
