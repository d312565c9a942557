/** Kinds that set one value of the world, the engine or a view: environment, sky, ambient light and effects. */
import type {
  AmbientColor,
  ColorLike,
  EffectsOptions,
  EnvironmentOptions,
  EnvironmentSource,
  SkyOptions,
  WeightedEnvironment,
} from '../../index.js';
import type { Instance } from '../tree/instance.js';
import type { Kind, PropNames } from '../tree/kind.js';
import type { SceneState } from '../tree/scene-state.js';
import { view } from './view.js';

/** A kind without an actor. @param place returns the owner of the value, its name, and the function that applies it */
function settingKind(
  name: string,
  props: Readonly<Record<string, true>>,
  place: (instance: Instance) => [owner: object, name: string, apply: (instance: Instance | null) => void],
): Kind {
  return {
    name,
    props,
    mount: (instance) => {
      const slot = instance.scene.slot(...place(instance));
      let isHidden = false;
      slot.add(instance);
      return {
        handle: null,
        actor: null,
        update: () => slot.change(instance),
        hide: (value) => {
          if (value === isHidden) return;
          isHidden = value;
          if (isHidden) slot.remove(instance);
          else slot.add(instance);
        },
        remove: () => slot.remove(instance),
      };
    },
  };
}

export interface EnvironmentKindOptions extends Omit<EnvironmentOptions, 'signal'> {
  readonly source: EnvironmentSource | readonly WeightedEnvironment[];
}

const ENVIRONMENT: PropNames<EnvironmentKindOptions> = {
  source: true,
  intensity: true,
  rotation: true,
  background: true,
  backgroundBlur: true,
  sunDirection: true,
};

/** Environments and skies replace each other. */
function applySurroundings({ world, report }: SceneState): (instance: Instance | null) => void {
  return (instance) => {
    if (instance?.kind === sky) {
      world.setSky(instance.props as SkyOptions);
      return;
    }
    const { source = null, ...options } = instance?.props ?? {};
    world.setEnvironment(source as EnvironmentSource, options).catch((error: unknown) => {
      if (!world.disposed.aborted) report(error);
    });
  };
}

export const environment: Kind = settingKind('Environment', ENVIRONMENT, ({ scene }) => [
  scene.world,
  'environment',
  applySurroundings(scene),
]);

const SKY: PropNames<SkyOptions> = {
  sunDirection: true,
  latitude: true,
  longitude: true,
  date: true,
  turbidity: true,
  groundAlbedo: true,
  stars: true,
  intensity: true,
  background: true,
  light: true,
};

export const sky: Kind = settingKind('Sky', SKY, ({ scene }) => [
  scene.world,
  'environment',
  applySurroundings(scene),
]);

export interface AmbientKindOptions {
  /** One colour from everywhere, or `{ sky, ground }`. Default white. */
  readonly color?: AmbientColor;
  /** Lux, from 0. Default 1. */
  readonly intensity?: number;
}

const AMBIENT: PropNames<AmbientKindOptions> = { color: true, intensity: true };
const DARK: ColorLike = [0, 0, 0];

export const ambientLight: Kind = settingKind('AmbientLight', AMBIENT, ({ scene: { world } }) => [
  world,
  'ambient',
  (instance) => {
    const { color = '#fff', intensity = 1 } = (instance?.props ?? { color: DARK }) as AmbientKindOptions;
    world.setAmbient(color, intensity);
  },
]);

const EFFECTS: PropNames<EffectsOptions> = {
  ambientOcclusion: true,
  ssr: true,
  fog: true,
  depthOfField: true,
  bloom: true,
  autoExposure: true,
  outline: true,
  vignette: true,
  colorGrading: true,
  chromaticAberration: true,
  grain: true,
};

/**
 * Effects of the closest view, or of the engine. Missing effects are off. In a view, missing effects are those of the
 * engine.
 */
export const effects: Kind = settingKind('Effects', EFFECTS, (instance) => {
  const around = instance.closest(view);
  const { scene } = instance;
  return [
    around ?? scene.engine,
    'effects',
    (chosen) => {
      const options: EffectsOptions = chosen?.props ?? {};
      if (!around) scene.engine.effects = chosen ? options : scene.baseEffects;
      // The view is created at the end of the commit.
      else scene.afterSettle(chosen ?? instance, () => assignEffects(around, options));
    },
  ];
});

function assignEffects({ mounted }: Instance, effects: EffectsOptions): void {
  if (mounted?.handle) Object.assign(mounted.handle, { effects });
}
