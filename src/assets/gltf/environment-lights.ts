/** Reads EXT_lights_image_based: the environment light of a file's scene, with its encoded pictures. */
import type { LevelEnvironment } from '../../proxy/scene-description.js';
import { invalidGltf, orWarn } from '../asset-error.js';
import { extensionOf, GltfChecks, type JsonObject } from './gltf-checks.js';

const LIGHTS = 'EXT_lights_image_based';
const LEFT_OUT = 'The environment light is left out.';
/** Largest intensity that `setEnvironment` accepts. */
const MOST_INTENSITY = 1e6;

interface EnvironmentLightContext {
  readonly json: JsonObject;
  readonly file: string;
  /** Returns an image by its number; undefined if it does not exist. @throws Error if it could not be loaded */
  readonly fileOf: (image: number) => Blob | undefined;
  /** Receives a warning for each part that is left out. */
  readonly warnings: string[];
}

/** Reads the light of the default scene, else of the first scene. A faulty light is left out with a warning. */
export function readEnvironmentLight(context: EnvironmentLightContext): LevelEnvironment | undefined {
  return orWarn(context.warnings, LEFT_OUT, undefined, () => readLight(context));
}

/** Returns the light; undefined if the scene has none. @throws AssetError for a faulty light */
function readLight(context: EnvironmentLightContext): LevelEnvironment | undefined {
  const { json, file } = context;
  const checks = new GltfChecks(file);
  const scenes = checks.objects(json, 'scenes');
  const number = typeof json.scene === 'number' ? json.scene : 0;
  const used = extensionOf(scenes[number], LIGHTS, `scenes[${number}].extensions.${LIGHTS}`, checks);
  if (!used) return undefined;
  const all = `extensions.${LIGHTS}`;
  const lights = checks.objects(extensionOf(json, LIGHTS, all, checks) ?? {}, 'lights', all);
  const at = checks.index(
    used.light ?? null,
    lights.length,
    `scenes[${number}].extensions.${LIGHTS}.light`,
    'lights',
  );
  const light = lights[at ?? 0] as JsonObject;
  const jsonPath = `${all}.lights[${at ?? 0}]`;
  const intensity = checks.finite(light.intensity, 1, `${jsonPath}.intensity`);
  if (intensity < 0 || intensity > MOST_INTENSITY) {
    const text = `Its intensity is ${intensity}; 0 to ${MOST_INTENSITY} is possible.`;
    throw invalidGltf(file, jsonPath, text);
  }
  const turn = checks.numbers(light.rotation, 4, `${jsonPath}.rotation`) ?? [0, 0, 0, 1];
  const length = Math.hypot(...turn);
  if (!(length > 1e-6 && length < Infinity))
    throw invalidGltf(file, jsonPath, `Its rotation (${turn.join()}) is not valid.`);
  const rotation = turn.map((part) => part / length);
  const faces = picturesOf(light, jsonPath, context, checks).map((image) => {
    try {
      const picture = context.fileOf(image);
      if (picture) return picture;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw invalidGltf(file, jsonPath, `Its images[${image}] cannot be loaded: ${reason}`, cause);
    }
    throw invalidGltf(file, jsonPath, `There is no images[${image}].`);
  });
  return { name: String(light.name ?? jsonPath), file, place: jsonPath, intensity, rotation, faces };
}

/** Returns the numbers of the six sharpest images. The other levels may be blurred for another shading model. */
function picturesOf(
  light: JsonObject,
  jsonPath: string,
  { json, file }: EnvironmentLightContext,
  checks: GltfChecks,
): number[] {
  const { specularImages } = light;
  const at = `${jsonPath}.specularImages`;
  if (!Array.isArray(specularImages) || specularImages.length === 0)
    throw invalidGltf(file, at, 'It should be an array of levels, each of 6 images.');
  const count = checks.objects(json, 'images').length;
  const numbers = checks.indices(specularImages[0], count, `${at}[0]`, 'images');
  if (numbers.length !== 6)
    throw invalidGltf(file, `${at}[0]`, `It has ${numbers.length} images, and a cube has 6.`);
  return numbers;
}
