import {
  type Actor,
  CameraComponent,
  OptionError,
  StateError,
  type View,
  type ViewOptions,
} from '../../index.js';
import type { Instance } from '../tree/instance.js';
import type { Kind, PropNames } from '../tree/kind.js';

/** A canvas or another element, or a ref of one. */
export type ElementOrRef = HTMLElement | { readonly current: HTMLElement | null };

export interface ViewKindOptions extends Omit<ViewOptions, 'camera' | 'canvas'> {
  /** Another canvas to draw to, an element in which a canvas is created, or a ref of one of them. */
  readonly canvas?: ElementOrRef | OffscreenCanvas;
}

const VIEW: PropNames<ViewKindOptions> = {
  rect: true,
  target: true,
  canvas: true,
  layers: true,
  shadows: true,
  enabled: true,
  effects: true,
  exposure: true,
  toneMapping: true,
  background: true,
  antialias: true,
  debugView: true,
  transparency: true,
};

/** Props that need another view. */
const FIXED = ['target', 'canvas'];
/** Values of props that are removed, where `undefined` does not mean the engine's own setting. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  rect: { x: 0, y: 0, width: 1, height: 1 },
  layers: 0xffffffff,
  shadows: true,
  enabled: true,
  effects: {},
};

/** Returns the element of a prop. @throws OptionError `canvas-missing` for a ref without an element, or a string */
export function elementOf(
  what: string,
  value: ElementOrRef | OffscreenCanvas,
): HTMLElement | OffscreenCanvas {
  if (typeof value !== 'object' || value === null) {
    const given = typeof value === 'function' ? 'a function' : JSON.stringify(value);
    const found = `the element that document.querySelector(${typeof value === 'string' ? given : '"#view"'}) finds`;
    throw new OptionError('canvas-missing', `canvas of ${what} is ${given}. Pass ${found}, or a ref.`);
  }
  const element = 'current' in value ? value.current : value;
  if (element) return element;
  throw new OptionError(
    'canvas-missing',
    `canvas of ${what} is a ref without an element. Render the element first.`,
  );
}

/** A view shows the scene through the first camera in it, or through the camera of the canvas. */
export const view: Kind = {
  name: 'View',
  props: VIEW,
  mount: (instance) => {
    const { scene } = instance;
    let shown: View | null = null;
    const open = (camera: Actor): View => {
      const { canvas, ...options } = instance.props as ViewKindOptions;
      return scene.engine.addView({
        ...options,
        camera,
        ...(canvas !== undefined && { canvas: elementOf('<View>', canvas) }),
      });
    };
    const settle = (): void => {
      instance.attempt(() => {
        const camera = cameraIn(instance) ?? scene.world.activeCamera;
        if (!camera)
          throw new StateError(
            'camera-missing',
            'A <View> needs a <Camera>, in it or elsewhere in the scene.',
          );
        if (!shown) shown = open(camera);
        else if (shown.camera !== camera) shown.camera = camera;
        // A write draws the view again, so nothing is written that is the same.
        const isEnabled = instance.isConcealed
          ? false
          : ((instance.props.enabled as boolean | undefined) ?? true);
        if (shown.enabled !== isEnabled) shown.enabled = isEnabled;
      });
    };
    scene.settlers.add(settle);
    return {
      get handle() {
        return shown;
      },
      actor: null,
      update: (changed) => {
        if (changed.some((name) => FIXED.includes(name))) {
          shown?.dispose();
          shown = null;
          return;
        }
        for (const name of changed)
          if (shown && name !== 'enabled')
            Object.assign(shown, { [name]: instance.props[name] ?? DEFAULTS[name] });
      },
      remove: () => {
        scene.settlers.delete(settle);
        shown?.dispose();
      },
    };
  },
};

/** Returns the first camera in an instance, without those in views of its own. */
function cameraIn({ children }: Instance): Actor | null {
  for (const child of children) {
    if (child.kind === view) continue;
    const camera = child.mounted?.actor?.component(CameraComponent)?.actor ?? cameraIn(child);
    if (camera) return camera;
  }
  return null;
}
