import { CameraComponent, type CameraOptions, OptionError } from '../../index.js';
import type { Kind, PropNames } from '../tree/kind.js';
import { actorKind, PLACED } from './actor-kind.js';
import { view } from './view.js';

export interface CameraKindOptions extends CameraOptions {
  /**
   * Whether the canvas may show this camera. It shows the active camera that was mounted or activated last. Default
   * true. A camera in a `<View>` is shown only there.
   */
  readonly active?: boolean;
}

const CAMERA: PropNames<CameraKindOptions> = {
  ...PLACED,
  lookAt: true,
  fovY: true,
  near: true,
  far: true,
  aspect: true,
  orthographic: true,
  layers: true,
  active: true,
};

/** @throws OptionError `option-invalid` */
function checkActive(active: unknown): boolean {
  if (active === undefined || typeof active === 'boolean') return active ?? true;
  throw new OptionError(
    'option-invalid',
    `active of <Camera> is ${JSON.stringify(active)}; it has to be true or false.`,
  );
}

export const camera: Kind = actorKind({
  name: 'Camera',
  props: { ...PLACED, ...CAMERA },
  create: ({ active, ...options }) => {
    checkActive(active);
    return new CameraComponent(options as CameraOptions);
  },
  set: ({ props, scene }, actor, name) => {
    if (name !== 'active') return false;
    scene.cameras.activate(actor, checkActive(props.active));
    return true;
  },
  aim: 'lookAt',
  mounted: (instance, actor) =>
    instance.scene.cameras.add(actor, checkActive(instance.props.active), instance.closest(view) !== null),
  removed: ({ scene }, actor) => scene.cameras.remove(actor),
});
