/**
 * Builds the nodes of a file, with their cameras and lights. Numbers of cameras and lights are clamped to the engine's
 * ranges, with a warning.
 */
import {
  type Accessor,
  type Camera,
  type Document,
  MathUtils,
  type Node,
  type Skin,
} from '@gltf-transform/core';
import type { CameraDescription, LightDescription, NodeDescription } from '../../proxy/scene-description.js';
import { invalidGltf, orWarn } from '../asset-error.js';
import { extensionOf, GltfChecks, type JsonObject } from '../gltf/gltf-checks.js';
import { readInstances } from './node-instances.js';
import { readLods } from './node-lods.js';

const LIGHTS = 'KHR_lights_punctual';

/** The inputs of the node builder. */
interface NodeContext {
  readonly document: Document;
  readonly json: JsonObject;
  readonly file: string;
  readonly warnings: string[];
  readonly skinNumbers: ReadonlyMap<Skin, number>;
  /** Returns the drawable primitives of the node's mesh. */
  readonly primitivesOf: (node: Node) => NodeDescription['primitives'];
}

export interface BuiltNodes {
  readonly nodes: readonly NodeDescription[];
  /** Index of each node in `nodes`. The map lacks the nodes of other scenes. */
  readonly indexOf: ReadonlyMap<Node, number>;
}

interface Pending {
  readonly node: Node;
  /** Index of the parent in the result; −1 for a root. */
  readonly parent: number;
  readonly lod?: NodeDescription['lod'] | undefined;
}

/**
 * Builds the nodes of the default scene, else of the first scene, else all nodes. Their coarser levels of detail are
 * included. Parents precede their children.
 */
export function buildNodes(context: NodeContext): BuiltNodes {
  const checks = new GltfChecks(context.file);
  const root = context.document.getRoot();
  const all = root.listNodes();
  const numberOf = new Map(all.map((node, index) => [node, index]));
  const nodesJson = checks.objects(context.json, 'nodes');
  const accessors = root.listAccessors();
  const scene = root.getDefaultScene() ?? root.listScenes()[0];
  const cameras = readCameras(context, checks);
  const lights = readLights(context, checks);
  const lodsOf = nodesJson.map((json, number) =>
    orWarn(context.warnings, 'Its levels of detail are left out.', undefined, () =>
      readLods(json, `nodes[${number}]`, all.length, checks, context.warnings),
    ),
  );
  const coarser = lodsOf.flatMap((lods) => lods?.ids ?? []).map((id) => all[id] as Node);
  const children = new Set(scene ? [] : [...all.flatMap((node) => node.listChildren()), ...coarser]);
  const roots = scene ? scene.listChildren() : all.filter((node) => !children.has(node));

  const result: NodeDescription[] = [];
  const indexOf = new Map<Node, number>();
  const pending = roots.map((node): Pending => ({ node, parent: -1 })).reverse();
  for (let entry = pending.pop(); entry; entry = pending.pop()) {
    const { node, parent } = entry;
    const number = numberOf.get(node) ?? 0;
    const jsonPath = `nodes[${number}]`;
    // Skip a node that was already added. A level of detail can belong to several groups, and also be part of the
    // scene.
    if (indexOf.has(node)) continue;
    const camera = cameras.get(node.getCamera());
    const light = lightOf(nodesJson[number], jsonPath, lights, checks, context.warnings);
    const index = result.length;
    indexOf.set(node, index);
    const lods = entry.lod ? undefined : lodsOf[number];
    const group = lods && { base: index, sizes: lods.sizes, sphere: [0, 0, 0, 0] };
    const lod = group ? { group, level: 0 } : entry.lod;
    result.push({
      name: String(node.getName() || jsonPath),
      parent,
      transform: transformOf(node, nodesJson[number], jsonPath, context),
      primitives: context.primitivesOf(node),
      ...weightsOf(node),
      ...(isHidden(nodesJson[number], jsonPath, checks) && { isHidden: true }),
      ...instancesOf(nodesJson[number], jsonPath, accessors, context),
      ...skinOf(node, context),
      ...(lod && { lod }),
      ...(camera && { camera }),
      ...(light && { light }),
    });
    const nested = node.listChildren();
    for (let i = nested.length - 1; i >= 0; i--) {
      const child = nested[i];
      if (child) pending.push({ node: child, parent: index, lod });
    }
    lods?.ids.forEach((id, finer) => {
      const shown = all[id];
      if (shown && group) pending.push({ node: shown, parent, lod: { group, level: finer + 1 } });
    });
  }
  return { nodes: result, indexOf };
}

/**
 * Returns the weights of morph targets: the node's, else the mesh's, else zeros. Their count is the mesh's target
 * count.
 */
function weightsOf(node: Node): { weights?: readonly number[] } {
  const mesh = node.getMesh();
  const count = Math.max(0, ...(mesh?.listPrimitives() ?? []).map((each) => each.listTargets().length));
  if (!mesh || count === 0) return {};
  const own = node.getWeights();
  const given = own.length > 0 ? own : mesh.getWeights();
  return {
    weights: Array.from({ length: count }, (_, target) => {
      const value: unknown = given[target];
      const weight = Math.fround(typeof value === 'number' ? value : 0);
      return Number.isFinite(weight) ? weight : 0;
    }),
  };
}

function isHidden(node: JsonObject | undefined, jsonPath: string, checks: GltfChecks): boolean {
  const path = `${jsonPath}.extensions.KHR_node_visibility`;
  return extensionOf(node, 'KHR_node_visibility', path, checks)?.visible === false;
}

function instancesOf(
  node: JsonObject | undefined,
  jsonPath: string,
  accessors: readonly Accessor[],
  { file, warnings }: NodeContext,
): { instances?: Float32Array } {
  const instances = orWarn(warnings, 'Its mesh is shown once.', null, () =>
    readInstances(node, jsonPath, accessors, file),
  );
  return instances ? { instances } : {};
}

/** Returns the skin of a node. A node without a mesh has no skin. */
function skinOf(node: Node, { skinNumbers }: NodeContext): { skin?: number } {
  const skin = node.getSkin();
  const number = skin && skinNumbers.get(skin);
  return number !== undefined && number !== null && node.getMesh() ? { skin: number } : {};
}

/**
 * Returns the transform as 10 numbers: position, unit rotation, scale.
 * @throws AssetError `gltf-invalid` for numbers that a 32-bit float can't hold
 */
function transformOf(
  node: Node,
  json: JsonObject | undefined,
  jsonPath: string,
  context: NodeContext,
): number[] {
  const rotation = node.getRotation();
  const length = Math.hypot(...rotation);
  const isUsable = length > 0 && Number.isFinite(length);
  const unit = isUsable ? rotation.map((value) => value / length) : [0, 0, 0, 1];
  const transform = [...node.getTranslation(), ...unit, ...node.getScale()];
  const beyond = transform.find((value) => !Number.isFinite(Math.fround(value)));
  if (beyond !== undefined) {
    throw invalidGltf(
      context.file,
      jsonPath,
      `Its transform has ${beyond}, which a 32-bit float can't hold.`,
    );
  }
  const matrix = json?.matrix as number[] | undefined;
  if (matrix && !isSameMatrix(matrix, transform)) {
    context.warnings.push(
      `"${context.file}", ${jsonPath}: Its matrix skews or flattens, which position, rotation and scale cannot express. The nearest transform is shown.`,
    );
  }
  return transform;
}

function isSameMatrix(matrix: readonly number[], transform: readonly number[]): boolean {
  const [x = 0, y = 0, z = 0, rx = 0, ry = 0, rz = 0, rw = 1, sx = 1, sy = 1, sz = 1] = transform;
  const composed = MathUtils.compose([x, y, z], [rx, ry, rz, rw], [sx, sy, sz], [
    1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
  ] as Parameters<typeof MathUtils.compose>[3]);
  const tolerance = 1e-3 * Math.max(Math.abs(sx), Math.abs(sy), Math.abs(sz), 1e-6);
  // Compare only rotation and scale, because the position is always exact.
  return [0, 1, 2, 4, 5, 6, 8, 9, 10].every(
    (i) => Math.abs((matrix[i] ?? 0) - (composed[i] ?? 0)) <= tolerance,
  );
}

function readCameras(
  context: NodeContext,
  checks: GltfChecks,
): Map<Camera | null, CameraDescription | undefined> {
  const all = context.document.getRoot().listCameras();
  const json = checks.objects(context.json, 'cameras');
  return new Map(
    all.map((camera, i) => [
      camera,
      orWarn(context.warnings, 'The camera is left out.', undefined, () =>
        buildCamera(camera, json[i] ?? {}, `cameras[${i}]`, checks, context),
      ),
    ]),
  );
}

/** Clamps a number to its range. A number out of range adds a warning, so that the rest of the file is shown. */
function clamp({ file, warnings }: NodeContext, value: number, low: number, high: number, jsonPath: string) {
  const clamped = Math.min(Math.max(value, low), high);
  if (clamped !== value) {
    warnings.push(`"${file}", ${jsonPath}: It is ${value}, which is out of range; ${clamped} is shown.`);
  }
  return clamped;
}

function buildCamera(
  camera: Camera,
  json: JsonObject,
  jsonPath: string,
  checks: GltfChecks,
  context: NodeContext,
): CameraDescription {
  const read = (value: number, key: string, low: number, high: number) =>
    clamp(context, checks.finite(value ?? null, 0, `${jsonPath}.${key}`), low, high, `${jsonPath}.${key}`);
  const isPerspective = camera.getType() === 'perspective';
  const near = read(camera.getZNear(), 'znear', isPerspective ? 1e-6 : -1e8, 1e8);
  const perspective = isPerspective ? checks.object(json.perspective, `${jsonPath}.perspective`) : {};
  // Without zfar the projection is infinite, but the parser returns 100.
  const isInfinite = isPerspective && perspective.zfar === undefined;
  let far = isInfinite ? Infinity : read(camera.getZFar(), 'zfar', -1e9, 1e9);
  // The projection needs at least this distance between near and far.
  if (far < near + 1e-6) {
    const instead = isPerspective ? Infinity : near + 1000;
    context.warnings.push(
      `"${context.file}", ${jsonPath}.zfar: It is ${far}, not beyond znear (${near}); ${instead} is shown.`,
    );
    far = instead;
  }
  if (!isPerspective) {
    return {
      kind: 'orthographic',
      halfWidth: read(Math.abs(camera.getXMag()), 'xmag', 1e-9, 1e9),
      halfHeight: read(Math.abs(camera.getYMag()), 'ymag', 1e-9, 1e9),
      near,
      far,
    };
  }
  const aspect = perspective.aspectRatio;
  return {
    kind: 'perspective',
    fovY: read(camera.getYFov(), 'yfov', 1e-4, Math.PI - 1e-4),
    near,
    far,
    ...(aspect !== undefined && { aspect: checks.finite(aspect, 1, `${jsonPath}.aspectRatio`) }),
  };
}

function readLights(context: NodeContext, checks: GltfChecks): (LightDescription | undefined)[] {
  const { json, warnings } = context;
  const jsonPath = `extensions.${LIGHTS}`;
  const lights = orWarn(warnings, 'Its lights are left out.', [], () =>
    checks.objects(extensionOf(json, LIGHTS, jsonPath, checks) ?? {}, 'lights', jsonPath),
  );
  return lights.map((light, i) =>
    orWarn(warnings, 'The light is left out.', undefined, () =>
      buildLight(light, `${jsonPath}.lights[${i}]`, checks, context),
    ),
  );
}

function lightOf(
  node: JsonObject | undefined,
  jsonPath: string,
  lights: readonly (LightDescription | undefined)[],
  checks: GltfChecks,
  warnings: string[],
): LightDescription | undefined {
  const reference = extensionOf(node, LIGHTS, `${jsonPath}.extensions.${LIGHTS}`, checks);
  if (!reference) return undefined;
  const number = orWarn(warnings, 'It has no light.', undefined, () =>
    checks.index(reference.light ?? null, lights.length, `${jsonPath}.extensions.${LIGHTS}.light`, 'lights'),
  );
  return number === undefined ? undefined : lights[number];
}

/** Returns the number of the node's light. */
export function lightNumber(node: JsonObject): unknown {
  return ((node.extensions as JsonObject | undefined)?.[LIGHTS] as JsonObject | undefined)?.light;
}

/**
 * Returns the largest channel of a light's colour, or 1 if no channel exceeds 1. Some exporters store brightness in the
 * colour. The caller moves this factor from the colour to the intensity.
 * @param color the colour in the file's JSON
 */
export function excessOf(color: unknown): number {
  const channels = Array.isArray(color) && color.length === 3 ? color.map(Number) : [];
  return channels.every(Number.isFinite) ? Math.max(1, ...channels) : 1;
}

function buildLight(
  light: JsonObject,
  jsonPath: string,
  checks: GltfChecks,
  context: NodeContext,
): LightDescription {
  const { warnings } = context;
  const kind = light.type;
  if (kind !== 'directional' && kind !== 'point' && kind !== 'spot') {
    throw invalidGltf(checks.file, `${jsonPath}.type`, 'It should be directional, point or spot.');
  }
  const finite = (value: unknown, fallback: number, key: string): number =>
    orWarn(warnings, `${fallback} is used.`, fallback, () =>
      checks.finite(value, fallback, `${jsonPath}.${key}`),
    );
  const read = (value: unknown, fallback: number, key: string, low: number, high: number) =>
    clamp(context, finite(value, fallback, key), low, high, `${jsonPath}.${key}`);
  const color = orWarn(warnings, 'White is used.', undefined, () =>
    checks.numbers(light.color, 3, `${jsonPath}.color`),
  );
  const [red = 1, green = 1, blue = 1] = color ?? [];
  const spot = orWarn(warnings, 'The default cone is used.', {} as JsonObject, () =>
    checks.object(light.spot ?? {}, `${jsonPath}.spot`),
  );
  const outer = read(spot.outerConeAngle, Math.PI / 4, 'spot.outerConeAngle', 1e-4, Math.PI / 2);
  const excess = excessOf(color);
  const channel = (value: number) => clamp(context, value / excess, 0, 1, `${jsonPath}.color`);
  const intensity = finite(light.intensity, 1, 'intensity') * excess;
  return {
    kind,
    color: [channel(red), channel(green), channel(blue)],
    intensity: clamp(context, intensity, 0, 1e30, `${jsonPath}.intensity`),
    range: read(light.range, 0, 'range', 0, 1e30),
    innerConeAngle: read(spot.innerConeAngle, 0, 'spot.innerConeAngle', 0, outer),
    outerConeAngle: outer,
  };
}
