/** Computes the pose from which a camera shows a whole box. */
import type { Bounds } from '../components/bounds.js';
import { type ControlsHost, proportionsOf } from './controls-host.js';
import { checkBox } from './orbit-options.js';
import type { Pose } from './orbit-pose.js';

/** Space around a framed box, as a factor. */
const MARGIN = 1.1;

interface Framing {
  /** The pose without its direction, which stays the same. */
  readonly pose: Omit<Pose, 'azimuth' | 'polar'>;
  /** Half the height of an orthographic picture in metres; `null` for a perspective camera. */
  readonly halfHeight: number | null;
}

/** @throws OptionError `option-invalid`, `option-out-of-range` */
export function frameBox(host: ControlsHost, bounds: Bounds): Framing {
  const message = 'frame takes a box: controls.frame(actor.bounds), or level.bounds.';
  const { min, max } = checkBox('frame', bounds, message);
  const radius = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]) / 2 || 1;
  const { root } = host.camera;
  // On a canvas that is narrower than high, the box has to fit its width.
  const widthShare = Math.min(root.aspect > 0 ? root.aspect : proportionsOf(host), 1);
  return {
    pose: {
      x: (min[0] + max[0]) / 2,
      y: (min[1] + max[1]) / 2,
      z: (min[2] + max[2]) / 2,
      distance: (radius / Math.sin(Math.atan(Math.tan(root.fovY / 2) * widthShare))) * MARGIN,
    },
    halfHeight: root.orthographic ? (radius * MARGIN) / widthShare : null,
  };
}
