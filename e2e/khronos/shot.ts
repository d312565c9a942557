/** Describes a picture for all compared renderers: a file, an environment and a camera. */
import type { Triple } from '../parity/scene.js';

export interface Stand {
  readonly position: Triple;
  readonly target: Triple;
}

export interface Shot {
  /** Address of a .gltf or .glb. */
  readonly file: string;
  /** A copy of the file for the sample renderer, without the extensions that this renderer doesn't know. */
  readonly plainFile?: string;
  /** Address of an equirectangular .hdr. */
  readonly environment: string;
  /** Position and target of the camera. Default: a camera that sees the whole file. */
  readonly stand?: Stand;
  /** A moment of one of the file's animations. */
  readonly pose?: { readonly clip: number; readonly seconds: number };
  /** Name of one of the file's variants. */
  readonly variant?: string;
}

/** Vertical field of view, in radians. */
export const FOV_Y = 0.6;

/** Returns the camera's near and far distances for a stand, in metres. */
export function depthsOf({ position, target }: Stand): { readonly near: number; readonly far: number } {
  const distance = Math.hypot(...position.map((value, axis) => value - target[axis]!));
  return { near: distance / 100, far: distance * 10 };
}
