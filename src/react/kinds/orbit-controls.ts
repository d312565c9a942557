import {
  type Actor,
  type CameraComponent,
  orbitControls as createControls,
  OptionError,
  type OrbitControls,
  type OrbitControlsOptions,
  StateError,
} from '../../index.js';
import type { Instance } from '../tree/instance.js';
import type { Kind, PropNames } from '../tree/kind.js';
import { camera as cameraKind } from './camera.js';
import { view as viewKind } from './view.js';

export interface OrbitKindOptions extends OrbitControlsOptions {
  /** Whether pointers, the wheel and keys move the camera. Default true. */
  readonly isEnabled?: boolean;
  /** Metres from the target. A change moves the camera, as with `azimuth` and `polar`. */
  readonly distance?: number;
  /** Angle about +Y in radians, from +Z towards +X. */
  readonly azimuth?: number;
  /** Angle from +Y in radians. */
  readonly polar?: number;
  /** Called when a gesture of the user begins. */
  readonly onStart?: () => void;
  /** Called when the camera has moved. */
  readonly onChange?: () => void;
  /** Called when a gesture of the user ends. */
  readonly onEnd?: () => void;
}

const ORBIT: PropNames<OrbitKindOptions> = {
  target: true,
  minDistance: true,
  maxDistance: true,
  minPolar: true,
  maxPolar: true,
  minAzimuth: true,
  maxAzimuth: true,
  targetBounds: true,
  damping: true,
  autoRotate: true,
  enablePan: true,
  enableZoom: true,
  zoomToPointer: true,
  keys: true,
  clickAfterDrag: true,
  isEnabled: true,
  distance: true,
  azimuth: true,
  polar: true,
  onStart: true,
  onChange: true,
  onEnd: true,
};

const EVENTS = { onStart: 'start', onChange: 'change', onEnd: 'end' } as const;
/** Properties of the controls that are no options. */
const AFTERWARDS = ['isEnabled', 'distance', 'azimuth', 'polar'];

/**
 * Values of props that are removed. The defaults of `target` and `maxPolar` depend on the camera. `distance`, `azimuth`
 * and `polar` have no default: the camera stays.
 */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  minDistance: 0.01,
  maxDistance: Infinity,
  minPolar: 0,
  minAzimuth: -Infinity,
  maxAzimuth: Infinity,
  targetBounds: null,
  damping: 0.06,
  autoRotate: 0,
  enablePan: true,
  enableZoom: true,
  zoomToPointer: false,
  keys: false,
  clickAfterDrag: false,
  isEnabled: true,
};
/** Greatest default angle from +Y: slightly less than π/2, so that the camera stays above a floor. */
const FLOOR_POLAR = Math.PI / 2 - 0.01;
/** Pairs of limits, and the least value of the first. */
const LIMITS = [
  ['minDistance', 'maxDistance', 1e-9],
  ['minPolar', 'maxPolar', 0],
  ['minAzimuth', 'maxAzimuth', -Infinity],
] as const;

/** Controls move the enclosing camera, or else the camera of the canvas. Another camera gets new controls. */
export const orbitControls: Kind = {
  name: 'OrbitControls',
  props: ORBIT,
  mount: (instance) => {
    const { scene } = instance;
    let controls: OrbitControls | null = null;
    let controlled: Actor | null = null;
    const close = (): void => {
      controls?.dispose();
      controls = null;
    };
    const settle = (): void => {
      instance.attempt(() => {
        const camera = cameraFor(instance);
        const host = instance.viewOf(viewKind) ?? scene.engine;
        if (camera === controlled && controls) return;
        close();
        controlled = camera;
        controls = createControls(host, camera, optionsOf(instance, camera));
        for (const name of AFTERWARDS)
          if (instance.props[name] !== undefined) Object.assign(controls, { [name]: instance.props[name] });
        watchAll(instance, controls);
        if (instance.isConcealed) controls.isEnabled = false;
      });
    };
    scene.settlers.add(settle);
    return {
      get handle() {
        return controls;
      },
      actor: null,
      update: (changed) => {
        for (const name of changed) if (Object.hasOwn(EVENTS, name)) checkHandler(instance, name);
        if (!controls || !controlled) return;
        // Both limits of a pair may change, so the old minimum must not exceed the new maximum.
        for (const [minimum, maximum, least] of LIMITS)
          if (changed.includes(minimum) && changed.includes(maximum)) controls[minimum] = least;
        const names = [...changed].sort((one, other) => order(one) - order(other));
        for (const name of names) setProperty(instance, controls, controlled, name);
        watchAll(instance, controls);
        if (instance.isConcealed) controls.isEnabled = false;
      },
      hide: (isHidden) => {
        if (controls) controls.isEnabled = !isHidden && instance.props.isEnabled !== false;
      },
      remove: () => {
        scene.settlers.delete(settle);
        close();
      },
    };
  },
};

/** Returns the place of a prop among changed ones. Props that move the camera follow the limits. */
const order = (name: string): number =>
  name.startsWith('max') ? 0 : name.startsWith('min') ? 1 : AFTERWARDS.includes(name) ? 3 : 2;

/** Sets a property of controls to the prop of the same name, or to its default. @throws OptionError */
function setProperty(instance: Instance, controls: OrbitControls, camera: Actor, name: string): void {
  if (Object.hasOwn(EVENTS, name)) return;
  const value = instance.props[name] ?? defaultOf(instance, controls, camera, name);
  if (value !== undefined) Object.assign(controls, { [name]: value });
}

function defaultOf(instance: Instance, controls: OrbitControls, camera: Actor, name: string): unknown {
  const { props } = instance;
  if (props[name] === null) return null;
  if (name === 'target') return lookAtOf(instance, camera) ?? [0, 0, 0];
  if (name === 'maxPolar') return Math.max(FLOOR_POLAR, controls.polar, (props.minPolar as number) ?? 0);
  return DEFAULTS[name];
}

/** Names of the event props that controls have listeners for. */
const watched = new WeakMap<OrbitControls, Set<string>>();

/** Adds listeners that call the current event props. Nothing is listened to before a prop is set. */
function watchAll(instance: Instance, controls: OrbitControls): void {
  const names = watched.get(controls) ?? new Set();
  watched.set(controls, names);
  for (const name of Object.keys(EVENTS) as (keyof typeof EVENTS)[]) {
    checkHandler(instance, name);
    if (!instance.props[name] || names.has(name)) continue;
    names.add(name);
    controls.addEventListener(EVENTS[name], () => (instance.props[name] as (() => void) | undefined)?.());
  }
}

/** @throws OptionError `option-invalid` */
function checkHandler({ props }: Instance, name: string): void {
  if (props[name] === undefined || typeof props[name] === 'function') return;
  throw new OptionError(
    'option-invalid',
    `${name} of <OrbitControls> is ${String(props[name])}; it has to be a function.`,
  );
}

/** @throws StateError `camera-missing` */
function cameraFor(instance: Instance): Actor<CameraComponent> {
  const around = instance.closest(cameraKind)?.mounted?.actor;
  const inView = instance.viewOf(viewKind)?.camera;
  const camera = around ?? inView ?? instance.scene.world.activeCamera;
  if (camera) return camera as Actor<CameraComponent>;
  throw new StateError(
    'camera-missing',
    '<OrbitControls> needs a camera. Place it in a <Camera>, or add a <Camera> to the <Scene>.',
  );
}

/** Returns the options. The default target is the point that the camera looks at. */
function optionsOf(instance: Instance, camera: Actor): OrbitControlsOptions {
  const { props } = instance;
  const lookAt = lookAtOf(instance, camera);
  const options: Record<string, unknown> = lookAt ? { target: lookAt } : {};
  for (const name in ORBIT)
    if (!AFTERWARDS.includes(name) && !Object.hasOwn(EVENTS, name) && props[name] !== undefined)
      options[name] = props[name];
  return options;
}

/** Returns the point that the camera looks at, as its prop says. */
function lookAtOf({ scene }: Instance, camera: Actor): unknown {
  return findCamera(scene.children, camera)?.props.lookAt;
}

function findCamera(instances: readonly Instance[], camera: Actor): Instance | null {
  for (const each of instances) {
    const found = each.mounted?.actor === camera ? each : findCamera(each.children, camera);
    if (found) return found;
  }
  return null;
}
