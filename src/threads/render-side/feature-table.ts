import { RENDERERS, type RenderCommandName } from '../../proxy/commands.js';
import { LightClusters } from '../../render/clusters/light-clusters.js';
import { DeferredRenderer } from '../../render/deferred/deferred-renderer.js';
import { Deformers } from '../../render/deformers/deformers.js';
import { morphedVertices } from '../../render/deformers/morphed-vertices.js';
import { skinnedVertices } from '../../render/deformers/skinned-vertices.js';
import { EffectsFeature } from '../../render/effects/effects.js';
import { EnvironmentLight } from '../../render/environment/environment.js';
import { Sky } from '../../render/environment/sky.js';
import { LodStore } from '../../render/lods/lod-store.js';
import { MaterialShaders } from '../../render/materials/material-shaders.js';
import { MaterialTextures } from '../../render/materials/material-textures.js';
import { Occlusion } from '../../render/occlusion/occlusion.js';
import { Picking } from '../../render/picking/picking.js';
import { AddedViews } from '../../render/picture/added-views.js';
import { InstanceColors } from '../../render/scene/instance-colors.js';
import { ShadowMaps } from '../../render/shadows/shadow-maps.js';
import { hasFeature, usableFeatures } from '../../rhi/commands/capabilities.js';
import { publishViewCounts } from './followed-views.js';
import { LateFrames } from './late-frames.js';
import type { CreateFeature } from './world-feature.js';

/**
 * The features of a world, by the commands that they execute. The first such command creates the feature.
 *
 *   setShadow ─► FEATURE_COMMANDS ─► 'shadows' ─► FEATURES.shadows(host) ─► ShadowMaps.execute
 *
 * A new feature is an entry in `FEATURES`, and an entry in `FEATURE_COMMANDS` per command. The renderer itself executes
 * commands without an entry.
 */
export const FEATURES = {
  textures: ({ renderer }) => {
    const { rhi, largestSize, capabilities } = renderer;
    renderer.materials.textures = new MaterialTextures(rhi, largestSize, usableFeatures(capabilities));
    return { execute: (reader) => renderer.execute(reader) };
  },

  shaders: ({ renderer: { materials } }) => {
    materials.shaders = new MaterialShaders(materials);
    return materials.shaders;
  },

  views: ({ renderer, world }) => {
    // One object for all worlds, because their views share the surface.
    renderer.features.views ??= new AddedViews(renderer);
    const { views } = renderer.features;
    return {
      execute: (reader) => views.execute(reader, world),
      endList: () => publishViewCounts(renderer),
    };
  },

  effects: ({ renderer }) => {
    renderer.features.effects = new EffectsFeature(renderer.rhi);
    return renderer.features.effects;
  },
  picking: ({ world }) => {
    world.features.picking = new Picking(world);
    return world.features.picking;
  },

  environment: ({ renderer, world }) => {
    const { rhi, largestSize, capabilities } = renderer;
    const { layout, pipelines, features } = world;
    const hasBlocks = hasFeature(capabilities, 'texture-compression-bc');
    features.environment = new EnvironmentLight(rhi, new Sky(rhi, layout, pipelines), largestSize, hasBlocks);
    layout.extend(features.environment);
    pipelines.add(features.environment);
    return features.environment;
  },

  shadows: ({ renderer: { largestSize }, world }) => {
    const { rhi, stores, layout, pipelines, createPass, features } = world;
    features.shadows = new ShadowMaps(rhi, stores, layout, createPass, largestSize);
    layout.extend(features.shadows);
    pipelines.add(features.shadows);
    return features.shadows;
  },

  clusters: ({ world }) => {
    const clusters = new LightClusters(world.rhi);
    world.features.clusters = clusters;
    world.layout.extend(clusters);
    world.pipelines.add(clusters);
    // The command has no data. It only creates the feature, which scenes with many lights need.
    return { execute: () => {} };
  },

  deferred: ({ world }) => {
    const { layout, pipelines } = world;
    const deferred = new DeferredRenderer(world.rhi, layout, pipelines);
    world.features.deferred = deferred;
    pipelines.add(deferred);
    return {
      execute({ words, fields }) {
        deferred.isOn = RENDERERS[words[fields] as number] === 'deferred';
      },
    };
  },

  deformers: ({ world }) => {
    const { scene, geometries } = world.stores;
    const deformers = new Deformers(scene, geometries);
    scene.deformers = deformers;
    scene.features.push(deformers);
    for (const policy of [skinnedVertices(deformers), morphedVertices(deformers)]) {
      scene.vertexPolicies[policy.number] = policy;
    }
    world.layout.extend(deformers);
    return deformers;
  },

  colors: ({ world: { scene } }) => new InstanceColors(scene.gpuScene, scene.primitives),

  lods: ({ world: { scene } }) => {
    const lods = new LodStore(scene);
    scene.lods = lods;
    scene.features.push(lods);
    return lods;
  },

  occlusion: ({ world: { scene, stores, features } }) => {
    const occlusion = new Occlusion(stores);
    features.occlusion = occlusion;
    scene.features.push(occlusion);
    return occlusion;
  },

  motion: ({ world, isIdle, recordAgain }) => new LateFrames({ scene: world.scene, isIdle, recordAgain }),
} as const satisfies Record<string, CreateFeature>;

export type FeatureName = keyof typeof FEATURES;

/** The feature of each command that has one. */
export const FEATURE_COMMANDS: Readonly<Partial<Record<RenderCommandName, FeatureName>>> = {
  createTexture: 'textures',
  updateTexture: 'textures',
  createRenderTexture: 'textures',
  setMaterialShader: 'shaders',
  setAddedView: 'views',
  removeAddedView: 'views',
  readView: 'views',
  setCanvas: 'views',
  setEffect: 'effects',
  pick: 'picking',
  setEnvironment: 'environment',
  setEnvironmentImage: 'environment',
  setAmbient: 'environment',
  setShadow: 'shadows',
  clusterLights: 'clusters',
  setRenderer: 'deferred',
  createSkin: 'deformers',
  destroySkin: 'deformers',
  attachSkin: 'deformers',
  setMorphTargets: 'deformers',
  setMorphWeights: 'deformers',
  setColors: 'colors',
  setLods: 'lods',
  setOccluder: 'occlusion',
  declareMotion: 'motion',
  clearMotion: 'motion',
  holdMotion: 'motion',
  createClip: 'motion',
  destroyClip: 'motion',
  setPlayback: 'motion',
  removePlayback: 'motion',
  followGoal: 'motion',
};

/** Commands that change nothing without their feature, so they do not create it. */
export const NEEDS_EXISTING: ReadonlySet<RenderCommandName> = new Set([
  'updateTexture',
  'removeAddedView',
  'destroySkin',
  'clearMotion',
  'holdMotion',
  'destroyClip',
  'removePlayback',
]);
