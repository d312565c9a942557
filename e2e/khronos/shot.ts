/** What the renderers that are compared draw: a file under an environment, seen by a camera. */
import type { Triple } from '../parity/scene.js';

export interface Stand {
  readonly position: Triple;
  readonly target: Triple;
}

export interface Shot {
  /** Address of a .gltf or .glb. */
  readonly file: string;
  /** What the sample renderer is given instead: the same without extensions that it doesn't know. */
  readonly plainFile?: string;
  /** Address of an equirectangular .hdr. */
  readonly environment: string;
  /** Without it the camera sees the whole file. */
  readonly stand?: Stand;
  /** A moment of one of the file's animations. */
  readonly pose?: { readonly clip: number; readonly seconds: number };
  /** Name of one of the file's variants. */
  readonly variant?: string;
}

/** Radians. */
export const FOV_Y = 0.6;

/** Metres between which the camera of `stand` sees. */
export function depthsOf({ position, target }: Stand): { readonly near: number; readonly far: number } {
  const distance = Math.hypot(...position.map((value, axis) => value - target[axis]!));
  return { near: distance / 100, far: distance * 10 };
}
