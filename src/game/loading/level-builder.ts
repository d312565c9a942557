/**
 * Creates the actors of a loaded file: one per node, attached as in the file. If a node has exactly one
 * component (a mesh primitive, camera or light) and no instances, that component is the actor's root. A camera is
 * always the root. Otherwise the node's components are attached to a plain root.
 */
import { eventTurn } from '../../core/events/event-turn.js';
import {
  MaterialFlag,
  MaterialOffset,
  RECORD_PARAMETERS,
  TEXTURE_SLOTS,
} from '../../proxy/materials/material-layout.js';
import {
  type LightDescription,
  type MaterialDescription,
  type NodeDescription,
  placeCount,
  type SceneDescription,
} from '../../proxy/scene-description.js';
import { MorphWeights } from '../animation/morph-weights.js';
import { Skin } from '../animation/skin.js';
import { Actor } from '../components/actor.js';
import { CameraComponent } from '../components/camera-component.js';
import { LodLevel } from '../components/lod-level.js';
import { MeshComponent } from '../components/mesh-component.js';
import { SceneComponent } from '../components/scene-component.js';
import { Geometry } from '../geometry/updatable-geometry.js';
import {
  DirectionalLightComponent,
  type LightComponent,
  PointLightComponent,
  SpotLightComponent,
} from '../lights/light-component.js';
import { Material } from '../materials/material.js';
import { LevelTexture } from '../textures/level-texture.js';
import type { Texture } from '../textures/texture.js';
import type { Level } from '../world/level.js';
import { LevelVariants, type VariantPart } from './level-variants.js';

/** Data that a file's level shares with its clones. */
export interface LevelSource {
  readonly scene: SceneDescription;
  readonly geometries: readonly Geometry[];
  readonly textures: readonly Texture[];
  /** Materials in the order of the file. */
  readonly materials: readonly Material[];
  readonly materialAt: (index: number) => Material;
  /** The level itself and its clones, unless unloaded. */
  readonly levels: Set<Level>;
  /**
   * Closes images that have not been sent. A sent image belongs to the stream. In mode `single` the renderer
   * uses the same image object, so it must not be closed here.
   */
  closeImages(): void;
}

export function createLevelSource(scene: SceneDescription): LevelSource {
  const geometries = scene.geometries.map((description) => new Geometry(description));
  const textures = scene.textures.map((description) => new LevelTexture(description));
  const materials = scene.materials.map((description) => materialFrom(description, textures));
  let defaultMaterial: Material | null = null;
  const materialAt = (index: number): Material => {
    const material = materials[index];
    if (material) return material;
    // glTF's default material: a white, rough metal.
    if (!defaultMaterial) {
      defaultMaterial = new Material('glTF default material');
      defaultMaterial.metallic = 1;
      defaultMaterial.roughness = 1;
    }
    return defaultMaterial;
  };
  const closeImages = (): void => {
    for (const texture of textures) texture.closeImage();
  };
  return { scene, geometries, textures, materials, materialAt, levels: new Set(), closeImages };
}

/** Number of nodes between two checks of the clock. */
const NODES_AT_A_TIME = 32;
/** Milliseconds that one task of the page may spend on nodes. */
const TASK_MILLISECONDS = 4;

/**
 * Works like `buildActors`, but in several tasks, so that the page can do other work in between.
 * @throws the signal's reason
 */
export async function buildActorsInTurns(
  source: LevelSource,
  root: Actor,
  signal: AbortSignal,
): Promise<readonly Actor[]> {
  const parts = actorParts(source, root);
  let began = performance.now();
  for (let step = parts.next(); ; step = parts.next()) {
    if (step.done) return step.value;
    if (performance.now() - began < TASK_MILLISECONDS) continue;
    await eventTurn();
    signal.throwIfAborted();
    began = performance.now();
  }
}

/**
 * Creates the actors, which are not spawned yet, and returns them in the file's order of nodes.
 * @param root actor to which nodes without a parent are attached
 */
export function buildActors(source: LevelSource, root: Actor): readonly Actor[] {
  const parts = actorParts(source, root);
  let step = parts.next();
  while (!step.done) step = parts.next();
  return step.value;
}

function* actorParts(source: LevelSource, levelRoot: Actor): Generator<void, readonly Actor[]> {
  const { scene } = source;
  const actors: Actor[] = [];
  for (const node of scene.nodes) {
    const components = componentsOf(node, source);
    const [only] = components;
    const isSingle = components.length === 1 && !node.instances;
    const camera = components.find((component) => component instanceof CameraComponent);
    const root = camera ?? (isSingle && only ? only : new SceneComponent());
    place(root, node.transform, 0);
    if (node.isHidden) root.visible = false;
    const actor = new Actor(root, node.name);
    for (const component of components) if (component !== root) actor.addComponent(component);
    // The actor is attached before it has children, because attaching visits all descendants.
    actor.attachTo(actors[node.parent] ?? levelRoot);
    if (actors.push(actor) % NODES_AT_A_TIME === 0) yield;
  }
  assignSkins(scene, actors);
  assignLods(scene, actors);
  return actors;
}

/** Writes a transform to a component. @param at index of the first of its 10 numbers */
function place(component: SceneComponent, transforms: ArrayLike<number>, at: number): void {
  const number = (index: number): number => transforms[at + index] as number;
  component.position.set(number(0), number(1), number(2));
  component.rotation.set(number(3), number(4), number(5), number(6));
  component.scale.set(number(7), number(8), number(9));
}

/** Creates the skins after all actors exist, because joints may come after their meshes in the file. */
function assignSkins(scene: SceneDescription, actors: readonly Actor[]): void {
  const skins = scene.skins.map(
    (skin) =>
      new Skin(
        skin.joints.map((joint) => (actors[joint] as Actor).root),
        skin,
      ),
  );
  scene.nodes.forEach(({ skin }, index) => {
    if (skin === undefined) return;
    for (const component of (actors[index] as Actor).components) {
      if (component instanceof MeshComponent && component.geometry.jointBoxes) {
        component.skin = skins[skin] ?? null;
      }
    }
  });
}

function assignLods(scene: SceneDescription, actors: readonly Actor[]): void {
  scene.nodes.forEach(({ lod }, index) => {
    const base = lod && actors[lod.group.base];
    if (!base) return;
    for (const component of (actors[index] as Actor).components) {
      if (component instanceof MeshComponent) component.lod = new LodLevel(lod.group, lod.level, base.root);
    }
  });
}

/** Returns the material variants; null if the file has none. */
export function variantsOf(
  { scene, materialAt }: LevelSource,
  actors: readonly Actor[],
): LevelVariants | null {
  if (scene.variants.length === 0) return null;
  const parts = scene.nodes.flatMap((node, index) => {
    const meshes = (actors[index] as Actor).components.filter((each) => 'material' in each);
    return Array.from({ length: placeCount(node) }, () => node.primitives)
      .flat()
      .flatMap(({ material, variants }, at): VariantPart[] => {
        if (!variants) return [];
        const others = new Map([...variants].map(([variant, other]) => [variant, materialAt(other)]));
        return [{ component: meshes[at] as MeshComponent, material: materialAt(material), others }];
      });
  });
  return new LevelVariants(scene.variants, parts);
}

/** Returns a material with a description's numbers, which the loader has checked. */
function materialFrom(description: MaterialDescription, textures: readonly Texture[]): Material {
  const material = new Material(description.label, description.unlit ? MaterialFlag.unlit : 0);
  const { parameters } = material;
  for (const name of RECORD_PARAMETERS) {
    const value = description[name];
    parameters.set(typeof value === 'number' ? [value] : value, MaterialOffset[name]);
  }
  material.setLinearEmissive(description.emissive);
  material.alphaMode = description.alphaMode;
  material.doubleSided = description.doubleSided;
  TEXTURE_SLOTS.forEach((slot, index) => {
    const use = description.textures[slot];
    const texture = use && textures[use.texture];
    if (texture) material.writeTexture(index, texture, use.transform, use.uvSet);
  });
  return material;
}

function componentsOf(node: NodeDescription, { geometries, materialAt }: LevelSource): SceneComponent[] {
  const components: SceneComponent[] = [];
  const { primitives, instances } = node;
  for (let instance = 0; instance < placeCount(node); instance++) {
    for (const { geometry, material } of primitives) {
      const shape = geometries[geometry];
      if (!shape) continue;
      const mesh = new MeshComponent({ geometry: shape, material: materialAt(material) });
      mesh.instance = instance;
      if (shape.morph) mesh.morph = new MorphWeights(shape.morph, node.weights ?? []);
      if (instances) place(mesh, instances, instance * 10);
      components.push(mesh);
    }
  }
  if (node.camera) {
    const { kind, near, far } = node.camera;
    // The camera uses the aspect ratio of the surface, because the file's would stretch the picture.
    components.push(
      kind === 'perspective'
        ? new CameraComponent({ fovY: node.camera.fovY, near, far })
        : new CameraComponent({ orthographic: { halfHeight: node.camera.halfHeight }, near, far }),
    );
  }
  if (node.light) components.push(lightFrom(node.light));
  return components;
}

function lightFrom(light: LightDescription): LightComponent {
  const { kind, color, intensity, range, innerConeAngle, outerConeAngle } = light;
  if (kind === 'directional') return new DirectionalLightComponent({ color, intensity });
  if (kind === 'point') return new PointLightComponent({ color, intensity, range });
  return new SpotLightComponent({ color, intensity, range, innerConeAngle, outerConeAngle });
}
