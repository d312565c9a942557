/**
 * A generated figure, which all engines of B14 show. It has 19 joints like the walking man of a well-known sample file,
 * about 1,000 vertices, and two clips of one second. The clips turn every joint and move the hips, with 20 tracks of 31
 * keys. Units are metres and radians, quaternions are xyzw, and Y is up.
 */
export const CHARACTER_COUNT = 100;
/** Places of the figures, and the camera. */
export const GRID = { columns: 10, spacing: 1.2 } as const;
export const CHARACTER_CAMERA = { position: [0, 7, 16], target: [0, 0.5, 0], fovY: 0.8 } as const;

export const PARENTS = [-1, 0, 1, 2, 3, 2, 5, 6, 7, 2, 9, 10, 11, 0, 13, 14, 0, 16, 17] as const;
type Triple = readonly [number, number, number];
const HEADS: readonly Triple[] = [
  ...([
    [0, 0.52, 0],
    [0, 0.6, 0],
    [0, 0.7, 0],
    [0, 0.82, 0],
    [0, 0.9, 0],
  ] as const),
  ...([
    [0.05, 0.78, 0],
    [0.12, 0.77, 0],
    [0.14, 0.62, 0],
    [0.15, 0.47, 0],
  ] as const),
  ...([
    [-0.05, 0.78, 0],
    [-0.12, 0.77, 0],
    [-0.14, 0.62, 0],
    [-0.15, 0.47, 0],
  ] as const),
  ...([
    [0.06, 0.5, 0],
    [0.06, 0.28, 0],
    [0.06, 0.06, 0],
  ] as const),
  ...([
    [-0.06, 0.5, 0],
    [-0.06, 0.28, 0],
    [-0.06, 0.06, 0],
  ] as const),
];
const SIDES = 8;
const RINGS = 6;
const RADIUS = 0.04;
const KEYS = 31;

export interface CharacterClip {
  readonly name: string;
  /** Times of the keys in seconds, rising from 0. */
  readonly times: Float32Array;
  /** Rotations by joint: 4 numbers per key. */
  readonly rotations: readonly Float32Array[];
  /** Positions of the first joint: 3 numbers per key. */
  readonly hips: Float32Array;
}

export interface Character {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  /** Joint indices: 4 numbers per vertex. */
  readonly joints: Uint8Array;
  readonly weights: Float32Array;
  readonly indices: Uint16Array;
  /** Rest position of each joint in the world. */
  readonly heads: readonly (readonly [number, number, number])[];
  /** Rest position of each joint, relative to its parent. */
  readonly offsets: readonly (readonly [number, number, number])[];
  readonly clips: readonly CharacterClip[];
}

export function makeCharacter(): Character {
  const [positions, normals, joints, weights, indices]: [number[], number[], number[], number[], number[]] = [
    [],
    [],
    [],
    [],
    [],
  ];
  PARENTS.forEach((parent, joint) => {
    const [from, to] = [HEADS[Math.max(parent, 0)] as Triple, HEADS[joint] as Triple];
    const first = positions.length / 3;
    for (let ring = 0; ring < RINGS; ring++) {
      const share = ring / (RINGS - 1);
      for (let side = 0; side <= SIDES; side++) {
        const angle = (side / SIDES) * 2 * Math.PI;
        const [x, z] = [Math.cos(angle), Math.sin(angle)];
        const middle = from.map((value, axis) => value + ((to[axis] as number) - value) * share);
        // A limb extends from a joint's parent to the joint. The first joint has no parent, so its limb is 8 cm long.
        const lift = parent < 0 ? share * 0.08 : 0;
        positions.push(
          (middle[0] as number) + x * RADIUS,
          (middle[1] as number) + lift,
          (middle[2] as number) + z * RADIUS,
        );
        normals.push(x, 0, z);
        joints.push(Math.max(parent, 0), joint, 0, 0);
        weights.push(1 - share * 0.5, share * 0.5, 0, 0);
        if (ring === RINGS - 1 || side === SIDES) continue;
        const at = first + ring * (SIDES + 1) + side;
        indices.push(at, at + SIDES + 1, at + 1, at + 1, at + SIDES + 1, at + SIDES + 2);
      }
    }
  });
  return {
    positions: Float32Array.from(positions),
    normals: Float32Array.from(normals),
    joints: Uint8Array.from(joints),
    weights: Float32Array.from(weights),
    indices: Uint16Array.from(indices),
    heads: HEADS,
    offsets: PARENTS.map((parent, joint) => {
      const [head, before] = [HEADS[joint] as Triple, parent < 0 ? [0, 0, 0] : (HEADS[parent] as Triple)];
      return head.map((value, axis) => value - (before[axis] as number)) as [number, number, number];
    }),
    clips: [makeClip('walk', 0.5, 0.03), makeClip('idle', 0.08, 0.01)],
  };
}

/**
 * Makes a clip in which every joint swings and the hips bounce.
 * @param swing radians
 * @param bounce metres
 */
function makeClip(name: string, swing: number, bounce: number): CharacterClip {
  const times = Float32Array.from({ length: KEYS }, (_, key) => key / (KEYS - 1));
  const phase = (key: number): number => (times[key] as number) * 2 * Math.PI;
  const rotations = PARENTS.map((_, joint) => {
    const keys = new Float32Array(KEYS * 4);
    for (let key = 0; key < KEYS; key++) {
      const half = (Math.sin(phase(key) + joint) * swing) / 2;
      keys.set([Math.sin(half), 0, 0, Math.cos(half)], key * 4);
    }
    return keys;
  });
  const hips = new Float32Array(KEYS * 3);
  for (let key = 0; key < KEYS; key++) hips.set([0, 0.52 + Math.sin(phase(key) * 2) * bounce, 0], key * 3);
  return { name, times, rotations, hips };
}

/** Returns the place of a figure by its index. */
export function placeOf(index: number): readonly [number, number, number] {
  const { columns, spacing } = GRID;
  const [column, row] = [index % columns, Math.floor(index / columns)];
  return [(column - (columns - 1) / 2) * spacing, 0, (row - (columns - 1) / 2) * spacing];
}

/** B14's scene, implemented by each engine. */
export interface CharacterScene {
  readonly name: string;
  readonly version: string;
  /** Opens the engine and shows the figures. Each figure plays both clips at half weight, from its own start time. */
  start(canvas: HTMLCanvasElement, modelUrl: string): Promise<void>;
  /**
   * Advances the time by 1/60 s and draws a frame. Resolves when the GPU has completed the frame.
   *
   * @returns milliseconds, by thread
   */
  frame(): Promise<{ readonly main: number; readonly render: number; readonly rhi: number }>;
  /**
   * Makes `count` picks while frames are drawn. Returns, for each pick, the number of frames from the call to the
   * result. Engines without asynchronous picks lack the method.
   */
  pickFrames?(count: number): Promise<number[]>;
}
