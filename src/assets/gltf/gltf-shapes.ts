/**
 * Repairs the types of the JSON parts that geometry does not need, before the rest is read. A list that is not an array
 * is removed. An item that is not an object becomes an empty object, so that the other items keep their numbers.
 * Extensions, names and weights of a wrong type are removed. Each repair adds a warning.
 *
 *   animations, their channels and samplers, cameras, images, materials, samplers, skins, textures ─► lists of objects
 *   weights of nodes and meshes ─► arrays
 *   extensions, outside extras ─► an object of objects               except those with compressed geometry
 *   names, outside extras ─► strings
 */
import { orWarn } from '../asset-error.js';
import { DRACO, MESHOPT } from './decompress.js';
import { GltfChecks, type JsonObject } from './gltf-checks.js';

const OPTIONAL_LISTS = ['animations', 'cameras', 'images', 'materials', 'samplers', 'skins', 'textures'];
const LEFT_OUT = 'It is left out.';

/** Repairs the JSON in place. */
export function repairShapes(root: JsonObject, file: string, warnings: string[]): void {
  const checks = new GltfChecks(file);
  for (const key of OPTIONAL_LISTS) repairList(root, key, '', checks, warnings);
  for (const [index, animation] of ((root.animations ?? []) as JsonObject[]).entries()) {
    for (const key of ['channels', 'samplers'])
      repairList(animation, key, `animations[${index}].`, checks, warnings);
  }
  for (const key of ['nodes', 'meshes']) repairWeights(root[key], key, checks, warnings);
  repairObjects(root, '', checks, warnings);
}

function repairList(
  holder: JsonObject,
  key: string,
  before: string,
  checks: GltfChecks,
  warnings: string[],
): void {
  const items = holder[key];
  if (items === undefined) return;
  const jsonPath = `${before}${key}`;
  if (!orWarn(warnings, LEFT_OUT, null, () => checks.array(items, jsonPath))) {
    delete holder[key];
    return;
  }
  const list = items as unknown[];
  for (const [index, item] of list.entries())
    list[index] = orWarn(warnings, LEFT_OUT, {}, () => checks.object(item, `${jsonPath}[${index}]`));
}

/** Removes weights of morph targets that are not arrays. */
function repairWeights(holders: unknown, key: string, checks: GltfChecks, warnings: string[]): void {
  if (!Array.isArray(holders)) return;
  for (const [index, holder] of holders.entries()) {
    if (holder?.weights === undefined) continue;
    const jsonPath = `${key}[${index}].weights`;
    if (!orWarn(warnings, LEFT_OUT, null, () => checks.array(holder.weights, jsonPath)))
      delete holder.weights;
  }
}

function repairObjects(value: unknown, jsonPath: string, checks: GltfChecks, warnings: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      repairObjects(item, `${jsonPath}[${index}]`, checks, warnings);
    return;
  }
  const holder = value as JsonObject;
  const at = (key: string): string => (jsonPath ? `${jsonPath}.${key}` : key);
  for (const key of Object.keys(holder)) {
    // Extras belong to the file's author, so leave them alone.
    if (key === 'extras') continue;
    if (key === 'extensions') repairExtensions(holder, at(key), checks, warnings);
    if (key === 'name' && !orWarn(warnings, LEFT_OUT, false, () => checks.isText(holder.name, at(key))))
      delete holder.name;
    repairObjects(holder[key], at(key), checks, warnings);
  }
}

function repairExtensions(
  holder: JsonObject,
  jsonPath: string,
  checks: GltfChecks,
  warnings: string[],
): void {
  const extensions = orWarn(warnings, LEFT_OUT, null, () => checks.object(holder.extensions, jsonPath));
  if (!extensions) {
    delete holder.extensions;
    return;
  }
  for (const name of Object.keys(extensions)) {
    if (name === DRACO || (MESHOPT as readonly string[]).includes(name)) continue;
    const isSound = orWarn(warnings, LEFT_OUT, null, () =>
      checks.object(extensions[name], `${jsonPath}.${name}`),
    );
    if (!isSound) delete extensions[name];
  }
}
