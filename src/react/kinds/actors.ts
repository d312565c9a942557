/** Meshes, groups, lights and other actors that the engine creates at once. */
import {
  DirectionalLightComponent,
  type DirectionalLightOptions,
  type Material,
  MeshComponent,
  type MeshOptions,
  PointLightComponent,
  type PointLightOptions,
  SceneComponent,
  ShadowCatcherComponent,
  type ShadowCatcherOptions,
  SpotLightComponent,
  type SpotLightOptions,
  type StandardMaterialOptions,
  standardMaterial,
  type TransformOptions,
} from '../../index.js';
import type { Kind, PropNames, Props } from '../tree/kind.js';
import { isPlain, isSame } from '../tree/same.js';
import { actorKind, PLACED } from './actor-kind.js';

export const group: Kind = actorKind({
  name: 'Group',
  props: PLACED,
  create: (options) => new SceneComponent(options as TransformOptions),
});

export interface MeshKindOptions extends Omit<MeshOptions, 'material'> {
  /** A material, or the options of a standard material, whose changes are applied one by one. */
  readonly material?: Material | StandardMaterialOptions;
}

const MESH: PropNames<MeshKindOptions> = {
  ...PLACED,
  geometry: true,
  lods: true,
  material: true,
  occluder: true,
  castShadow: true,
  receiveShadow: true,
  layers: true,
  renderOrder: true,
};

/** Options of the materials that meshes have created, by material. */
const ownOptions = new WeakMap<Material, Props>();

function materialOf(value: unknown): unknown {
  if (!isPlain(value)) return value;
  const material = standardMaterial(value as StandardMaterialOptions);
  ownOptions.set(material, value);
  return material;
}

/** Applies changed options to the material of a mesh. @throws OptionError */
function changeMaterial(mesh: MeshComponent, value: unknown): void {
  const before = ownOptions.get(mesh.material);
  if (!isPlain(value) || !before) {
    mesh.material = materialOf(value) as Material;
    return;
  }
  // A new material checks the options, and has the defaults of those that are missing now.
  const checked = standardMaterial(value as StandardMaterialOptions);
  for (const name of new Set([...Object.keys(before), ...Object.keys(value)]))
    if (!isSame(before[name], value[name]))
      Object.assign(mesh.material, { [name]: Reflect.get(checked, name) });
  ownOptions.set(mesh.material, value);
}

export const mesh: Kind = actorKind({
  name: 'Mesh',
  props: { ...PLACED, ...MESH },
  create: ({ material, ...options }) =>
    new MeshComponent({
      ...(options as MeshOptions),
      ...(material !== undefined && { material: materialOf(material) as Material }),
    }),
  set: ({ props }, { root }, name) => {
    if (name !== 'material' || props.material === undefined || !(root instanceof MeshComponent)) return false;
    changeMaterial(root, props.material);
    return true;
  },
});

const DIRECTIONAL: PropNames<DirectionalLightOptions> = {
  ...PLACED,
  color: true,
  intensity: true,
  castShadow: true,
  direction: true,
};
const POINT: PropNames<PointLightOptions> = {
  ...PLACED,
  color: true,
  intensity: true,
  castShadow: true,
  range: true,
};
const SPOT: PropNames<SpotLightOptions> = {
  ...DIRECTIONAL,
  range: true,
  innerConeAngle: true,
  outerConeAngle: true,
};

export const directionalLight: Kind = actorKind({
  name: 'DirectionalLight',
  props: { ...PLACED, ...DIRECTIONAL },
  create: (options) => new DirectionalLightComponent(options as DirectionalLightOptions),
  aim: 'direction',
});
export const pointLight: Kind = actorKind({
  name: 'PointLight',
  props: { ...PLACED, ...POINT },
  create: (options) => new PointLightComponent(options as PointLightOptions),
});
export const spotLight: Kind = actorKind({
  name: 'SpotLight',
  props: { ...PLACED, ...SPOT },
  create: (options) => new SpotLightComponent(options as SpotLightOptions),
  aim: 'direction',
});

const SHADOW_CATCHER: PropNames<ShadowCatcherOptions> = {
  ...PLACED,
  size: true,
  softness: true,
  opacity: true,
  height: true,
  layers: true,
};

export const shadowCatcher: Kind = actorKind({
  name: 'ShadowCatcher',
  props: { ...PLACED, ...SHADOW_CATCHER },
  create: (options) => new ShadowCatcherComponent(options as ShadowCatcherOptions),
});
