/**
 * Checks the references of parts that geometry does not need: images, cameras, skins, clips and the default scene. A
 * faulty part is left out with a warning. It keeps its place in its list, so that the other parts keep their numbers.
 */
import { checkSize, invalidGltf, orWarn } from '../asset-error.js';
import type { GltfChecks, JsonObject } from './gltf-checks.js';
import { EMPTY_RESOURCE } from './gltf-resources.js';

/** Checks and rewrites the optional parts. @param root JSON whose optional lists are lists of objects */
export function checkOptionalParts(root: JsonObject, checks: GltfChecks, warnings: string[]): void {
  checkImages(root, checks, warnings);
  const faulty = {
    camera: faultyCameras(root, checks, warnings),
    skin: faultySkins(root, checks, warnings),
  };
  checkNodeParts(root, 'camera', faulty.camera, checks, warnings);
  checkNodeParts(root, 'skin', faulty.skin, checks, warnings);
  checkAnimations(root, checks, warnings);
  const scenes = checks.objects(root, 'scenes').length;
  const scene = orWarn(warnings, 'The first scene is shown.', undefined, () =>
    checks.index(root.scene, scenes, 'scene', 'scenes'),
  );
  if (scene === undefined) delete root.scene;
}

function checkImages(root: JsonObject, checks: GltfChecks, warnings: string[]): void {
  const views = checks.objects(root, 'bufferViews');
  let totalBytes = 0;
  checks.objects(root, 'images').forEach((image, index) => {
    const jsonPath = `images[${index}].bufferView`;
    const view = orWarn(warnings, 'The image is left out.', null, () =>
      checks.index(image.bufferView, views.length, jsonPath, 'bufferViews'),
    );
    if (view === null) Object.assign(image, { bufferView: undefined, uri: EMPTY_RESOURCE });
    totalBytes += typeof view === 'number' ? Number(views[view]?.byteLength) : 0;
    checkSize(totalBytes, checks.file, jsonPath);
  });
}

/** Replaces faulty cameras by a valid one, and returns their indices. */
function faultyCameras(root: JsonObject, checks: GltfChecks, warnings: string[]): Set<unknown> {
  const faulty = new Set<unknown>();
  checks.objects(root, 'cameras').forEach((camera, index) => {
    const jsonPath = `cameras[${index}]`;
    const { type } = camera;
    const isSound = orWarn(warnings, 'The camera is left out.', false, () => {
      if (type !== 'perspective' && type !== 'orthographic')
        throw invalidGltf(checks.file, `${jsonPath}.type`, 'It should be perspective or orthographic.');
      checks.object(camera[type], `${jsonPath}.${type}`);
      return true;
    });
    if (isSound) return;
    // The parser requires a valid camera in this place.
    Object.assign(camera, { type: 'perspective', perspective: { yfov: 1, znear: 1 } });
    faulty.add(index);
  });
  return faulty;
}

/** Empties faulty skins, and returns their indices. */
function faultySkins(root: JsonObject, checks: GltfChecks, warnings: string[]): Set<unknown> {
  const nodes = checks.objects(root, 'nodes').length;
  const accessors = checks.objects(root, 'accessors').length;
  const faulty = new Set<unknown>();
  checks.objects(root, 'skins').forEach((skin, index) => {
    const jsonPath = `skins[${index}]`;
    const isSound = orWarn(warnings, 'The skin is left out.', false, () => {
      const joints = checks.indices(skin.joints ?? null, nodes, `${jsonPath}.joints`, 'nodes');
      if (joints.length === 0)
        throw invalidGltf(checks.file, `${jsonPath}.joints`, 'It should name a joint.');
      checks.index(skin.inverseBindMatrices, accessors, `${jsonPath}.inverseBindMatrices`, 'accessors');
      return true;
    });
    const skeleton = orWarn(warnings, 'It is left out.', undefined, () =>
      checks.index(skin.skeleton, nodes, `${jsonPath}.skeleton`, 'nodes'),
    );
    if (skeleton === undefined) delete skin.skeleton;
    if (isSound) return;
    Object.assign(skin, { joints: [], inverseBindMatrices: undefined });
    faulty.add(index);
  });
  return faulty;
}

function checkNodeParts(
  root: JsonObject,
  key: 'camera' | 'skin',
  faulty: ReadonlySet<unknown>,
  checks: GltfChecks,
  warnings: string[],
): void {
  const list = `${key}s`;
  const count = checks.objects(root, list).length;
  checks.objects(root, 'nodes').forEach((node, index) => {
    const found = orWarn(warnings, 'It is left out.', undefined, () =>
      checks.index(node[key], count, `nodes[${index}].${key}`, list),
    );
    if (found === undefined || faulty.has(found)) delete node[key];
  });
}

/** Removes the sampler of each faulty channel, and of each channel with a faulty sampler. */
function checkAnimations(root: JsonObject, checks: GltfChecks, warnings: string[]): void {
  const accessors = checks.objects(root, 'accessors').length;
  const nodes = checks.objects(root, 'nodes').length;
  checks.objects(root, 'animations').forEach((animation, index) => {
    const jsonPath = `animations[${index}]`;
    const samplers = checks.objects(animation, 'samplers', jsonPath);
    const isSound = samplers.map((sampler, number) => {
      const at = `${jsonPath}.samplers[${number}]`;
      const areFound = orWarn(warnings, 'Its channels are left out.', false, () => {
        checks.index(sampler.input ?? null, accessors, `${at}.input`, 'accessors');
        checks.index(sampler.output ?? null, accessors, `${at}.output`, 'accessors');
        return true;
      });
      if (!areFound) Object.assign(sampler, { input: undefined, output: undefined });
      return areFound;
    });
    checks.objects(animation, 'channels', jsonPath).forEach((channel, number) => {
      const at = `${jsonPath}.channels[${number}]`;
      const sampler = orWarn(warnings, 'The channel is left out.', null, () => {
        const target = checks.object(channel.target, `${at}.target`);
        checks.index(target.node, nodes, `${at}.target.node`, 'nodes');
        return checks.index(channel.sampler ?? null, samplers.length, `${at}.sampler`, 'samplers');
      });
      if (sampler === null) channel.target = {};
      if (typeof sampler !== 'number' || !isSound[sampler]) channel.sampler = undefined;
    });
  });
}
