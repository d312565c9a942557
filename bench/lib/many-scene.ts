/**
 * What B11 asks of an engine: many lights, many casters, many meshes. Each case is one group that turns, or a camera that does;
 * the program's own part of a frame is one number. Metres, radians; right-handed, Y up.
 */
import { COLORS } from './scene.js';

export const MANY_CASES = ['500 lights', '2,000 casters', '3,000 meshes'] as const;
export type ManyCase = (typeof MANY_CASES)[number];

/** Milliseconds of one frame, by thread. */
export interface ThreadTimes {
  readonly mainMs: number;
  /** Engines without such threads have none. */
  readonly renderMs?: number;
  readonly rhiMs?: number;
}

export interface ManyScene {
  readonly name: string;
  readonly version: string;
  start(canvas: HTMLCanvasElement, of: ManyCase): Promise<void>;
  /** Draws the frame of this number. @param gpuIdle resolves when the page's device has nothing left to do */
  draw(frame: number, gpuIdle: () => Promise<unknown>): Promise<ThreadTimes>;
}

export const CAMERA = { position: [0, 14, 34], target: [0, 0, 0], fovY: 0.9, near: 0.5, far: 150 } as const;
export const FLOOR = 120;
export const SUN = { direction: [-1, -2, -1.5], intensity: 3 } as const;
export const CASCADES = { count: 4, mapSize: 512, distance: 100 } as const;
export const LAMP = { range: 5, intensity: 4 } as const;

export interface Box {
  readonly position: readonly [number, number, number];
  /** Of an edge. */
  readonly size: number;
  readonly color: readonly [number, number, number];
}

/** The turn of the group, or of the camera, in this frame. */
export const turnOf = (frame: number): number => frame * 0.02;

/** Boxes in rings around the middle: those that stand for themselves, or cast shadows. */
export function boxesOf(of: ManyCase): Box[] {
  const count = of === '500 lights' ? 200 : of === '2,000 casters' ? 2000 : 3000;
  return Array.from({ length: count }, (_, index) => {
    const angle = index * 2.39996;
    const radius = Math.sqrt(index / count) * 45 + 1;
    return {
      position: [Math.cos(angle) * radius, 0.5 + (index % 5) * 0.4, Math.sin(angle) * radius],
      // As many geometries, so that few meshes are alike.
      size: 0.5 + (index % 100) * 0.006,
      color: COLORS[index % COLORS.length] ?? [1, 1, 1],
    };
  });
}

export function lampsOf(of: ManyCase): (readonly [number, number, number])[] {
  if (of !== '500 lights') return [];
  return Array.from({ length: 500 }, (_, index) => {
    const angle = index * 2.39996;
    const radius = Math.sqrt(index / 500) * 40;
    return [Math.cos(angle) * radius, 1.5, Math.sin(angle) * radius];
  });
}
