import {
  type EngineOptions,
  type LoadProgress,
  OptionError,
  type RendererName,
  type ThreadingMode,
  type ToneMapping,
} from '../index.js';
import { type CameraSettings, checkLimits } from './camera-aim.js';
import type { ModelStage } from './model-stage.js';
import { AUTO_ORBIT, AUTO_TARGET, parseFieldOfView, parseOrbit, parseTarget } from './orbit-syntax.js';
import type { EngineWishes } from './shared-engine.js';

/** Callbacks that attributes call on the element. */
export interface ViewerEvents {
  /** Sets a setting of the engine that all elements share. */
  choose<Name extends keyof EngineWishes>(name: Name, value: EngineWishes[Name] | null): Promise<void>;
  progress(progress: LoadProgress): void;
  /** Applies another attribute again, for example to a new file. */
  reapply(attribute: string): void;
  /** Applies another attribute again if it is missing, because its default may depend on the file. */
  reapplyDefault(attribute: string): void;
  loaded(): void;
}

type Apply = (stage: ModelStage, value: string | null, events: ViewerEvents) => void | Promise<void>;

/**
 * The attributes and their effects on the stage. A missing attribute has its default value. The engine checks values,
 * and its errors list the valid ones.
 */
export const viewerAttributes: Readonly<Record<string, Apply>> = {
  threading: (_stage, value, { choose }) => choose('threading', value as ThreadingMode | null),
  renderer: (_stage, value, { choose }) => choose('renderer', value as RendererName | null),
  background: ({ view }, value) => {
    view.background = value ?? 'transparent';
  },
  exposure: ({ view }, value) => {
    view.exposure = value === null ? 1 : numberOf('exposure', value);
  },
  'tone-mapping': ({ view }, value) => {
    view.toneMapping = (value ?? 'khronos-neutral') as ToneMapping;
  },
  controls: (stage, value) => {
    stage.isSteered = value !== null;
    stage.steer();
  },
  'auto-rotate': (stage, value) => {
    const isOn = value !== null;
    stage.autoRotate = isOn ? numberOf('auto-rotate', value || DEFAULT_AUTO_ROTATE) : 0;
    stage.steer();
  },
  'camera-orbit': (stage, value) => {
    stage.camera.orbit = value === null ? AUTO_ORBIT : parseOrbit('camera-orbit', value);
    stage.aim(FLIGHT_SECONDS);
  },
  'camera-target': (stage, value) => {
    stage.camera.target = value === null ? AUTO_TARGET : parseTarget('camera-target', value);
    stage.aim(FLIGHT_SECONDS);
  },
  'field-of-view': (stage, value) => {
    stage.camera.fieldOfView = value === null ? null : parseFieldOfView('field-of-view', value);
    stage.aim(0);
  },
  // A greatest value is compared with its least value, so a contradiction is reported once.
  'min-camera-orbit': (stage, value, { reapply }) => {
    stage.camera.minOrbit = value === null ? AUTO_ORBIT : parseOrbit('min-camera-orbit', value);
    reapply('max-camera-orbit');
  },
  'max-camera-orbit': (stage, value) => {
    stage.camera.maxOrbit = value === null ? AUTO_ORBIT : parseOrbit('max-camera-orbit', value);
    limit(stage, 'maxOrbit', AUTO_ORBIT);
  },
  'min-field-of-view': (stage, value, { reapply }) => {
    stage.camera.minFieldOfView = value === null ? null : parseFieldOfView('min-field-of-view', value);
    reapply('max-field-of-view');
  },
  'max-field-of-view': (stage, value) => {
    stage.camera.maxFieldOfView = value === null ? null : parseFieldOfView('max-field-of-view', value);
    limit(stage, 'maxFieldOfView', null);
  },
  'shadow-intensity': (stage, value) => {
    stage.shadow.intensity = value === null ? 0 : numberOf('shadow-intensity', value, 0, 1);
    stage.refresh();
  },
  'shadow-softness': (stage, value) => {
    stage.shadow.softness = value === null ? 1 : numberOf('shadow-softness', value, 0, 1);
    stage.refresh();
  },
  animation: (stage, value) => {
    stage.animation = value;
    stage.play();
  },
  variant: (stage, value) => {
    stage.variant = value;
    stage.chooseVariant();
  },
  'environment-intensity': (stage, value, { reapply }) => {
    const before = stage.environmentIntensity;
    stage.environmentIntensity = value === null ? undefined : numberOf('environment-intensity', value);
    if (stage.environmentIntensity !== before) reapply('environment');
  },
  'environment-image': (stage, value, { reapply }) => {
    const before = stage.environmentImage;
    stage.environmentImage = value;
    if (value !== before) reapply('environment');
  },
  // Without the attributes, a file without lights of its own gets the studio, and other files get no environment.
  environment: async (stage, value) => {
    const { level, isLit } = stage;
    const source = stage.environmentImage ?? value ?? (level && !isLit ? 'studio' : 'none');
    const { environmentIntensity = source === 'studio' ? STUDIO_INTENSITY : 1 } = stage;
    await stage.surround(source, environmentIntensity);
  },
  src: async (stage, value, { progress, reapply, reapplyDefault, loaded }) => {
    const level = await stage.show(value, progress);
    if (!level) return;
    reapplyDefault('environment');
    reapply('variant');
    reapply('animation');
    await stage.whenDrawn();
    if (stage.level === level) loaded();
  },
};

/**
 * Default intensity of the studio. At 1 the studio gives matte surfaces 2.3 times their colour. At this value the
 * middle of a grey sphere shows the sphere's colour. The brightest place of a white sphere stays below white.
 */
const STUDIO_INTENSITY = 0.6;

/** Duration of the camera's movement to another orbit or target. */
const FLIGHT_SECONDS = 1;

/** Default of `auto-rotate`, in radians per second. */
const DEFAULT_AUTO_ROTATE = '0.5';

/**
 * Parses a number of an attribute.
 *
 * @throws OptionError `option-invalid`, `option-out-of-range`
 */
function numberOf(name: string, value: string, least = -Infinity, most = Infinity): number {
  const number = Number(value);
  const isNumber = value.trim() !== '' && Number.isFinite(number);
  if (isNumber && number >= least && number <= most) return number;
  const range = isNumber ? ` from ${least} to ${most}` : '';
  throw new OptionError(
    isNumber ? 'option-out-of-range' : 'option-invalid',
    `The attribute ${name} of <fencepost-viewer> is ${JSON.stringify(value)}; it has to be a number${range}.`,
  );
}

/**
 * Applies the limits of the camera. A greatest value that contradicts its least value is ignored.
 *
 * @throws OptionError `option-out-of-range`
 */
function limit<Name extends 'maxOrbit' | 'maxFieldOfView'>(
  stage: ModelStage,
  name: Name,
  automatic: CameraSettings[Name],
): void {
  const { camera } = stage;
  try {
    checkLimits(camera);
  } catch (error) {
    camera[name] = automatic;
    throw error;
  } finally {
    stage.limit();
  }
}

const THREADING_MODES: readonly (string | null)[] = [
  'single',
  'render',
  'render+rhi',
] satisfies ThreadingMode[];

/**
 * Returns the options for `createEngine`. They include `threading`, because a later change would replace the threads
 * just started. An invalid value is left out here, and reported when the attribute is applied.
 */
export function initialOptions(element: Element): EngineOptions {
  const threading = element.getAttribute('threading');
  const isMode = THREADING_MODES.includes(threading);
  return isMode ? { threading: threading as ThreadingMode } : {};
}
