import code from '../../../shaders/mesh-facing.wgsl?raw';
import pickCode from '../../../shaders/mesh-pick-facing.wgsl?raw';

/** Shaders of lines, points and sprites: their vertices are placed on the screen, by entry points of their own. */
export interface FacingShaders {
  /** Joined to the mesh shader. */
  readonly code: string;
  /** Joined to the shader of picking. */
  readonly pickCode: string;
}

export const facingShaders: FacingShaders = { code, pickCode };
