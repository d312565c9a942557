import { RENDERERS, type RenderCommandName } from '../../proxy/commands.js';
import { PictureCaptures } from '../../render/captures/picture-captures.js';
import { LightClusters } from '../../render/clusters/light-clusters.js';
import { Decals } from '../../render/decals/decals.js';
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
import { Particles } from '../../render/particles/particles.js';
import { Picking } from '../../render/picking/picking.js';
import { AddedViews } from '../../render/picture/added-views.js';
import { InstanceColors } from '../../render/scene/instance-colors.js';
import { ShadowCatchers } from '../../render/shadow-catchers/shadow-catchers.js';
import { ShadowMaps } from '../../render/shadows/shadow-maps.js';
import { hasFeature, usableFeatures } from '../../rhi/commands/capabilities.js';
import { publishViewCounts } from './followed-views.js';
import { LateFrames } from './late-frames.js';
import type { CreateFeature } from './world-feature.js';

/**
 * The features of a world, by the commands that they execute. The first such command creates the feature, unless
 * `NEEDS_EXISTING` contains the command.
 *
 *   setShadow ─► FEATURE_COMMANDS ─► 'shadows' ─► FEATURES.shadows(host) ─► ShadowMaps.execute
 *
 * A new feature is an entry in `FEATURES`, and an entry in `FEATURE_COMMANDS` per command. The renderer executes
 * commands without an entry, except `selectScene` (`render-worlds.ts`) and `callModule` (`world-features.ts`).
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

  captures: ({ renderer }) => {
    renderer.features.captures = new PictureCaptures(renderer);
    return renderer.features.captures;
  },

  effects: ({ renderer }) => {
    renderer.features.effects = new EffectsFeature(renderer.rhi, renderer.screenPipelines);
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

  deferred: ({ renderer, world }) => {
    const { pipelines } = world;
    const deferred = new DeferredRenderer(world.rhi, pipelines, renderer.screenPipelines);
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

  decals: ({ world }) => {
    world.features.decals = new Decals(world);
    return world.features.decals;
  },

  catchers: ({ world }) => {
    world.features.catchers = new ShadowCatchers(world);
    return world.features.catchers;
  },

  particles: ({ world }) => {
    world.features.particles = new Particles(world);
    return world.features.particles;
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
  capturePicture: 'captures',
  setCanvas: 'views',
  setEffect: 'effects',
  setEffectTable: 'effects',
  setEffectActors: 'effects',
  pick: 'picking',
  setSky: 'environment',
  setEnvironment: 'environment',
  setEnvironmentImage: 'environment',
  setAmbient: 'environment',
  setShadow: 'shadows',
  setParticles: 'particles',
  emitParticles: 'particles',
  destroyParticles: 'particles',
  setDecal: 'decals',
  destroyDecal: 'decals',
  setShadowCatcher: 'catchers',
  destroyShadowCatcher: 'catchers',
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
  'emitParticles',
  'destroyParticles',
  'destroyShadowCatcher',
  'destroyDecal',
  'clearMotion',
  'holdMotion',
  'destroyClip',
  'removePlayback',
]);
