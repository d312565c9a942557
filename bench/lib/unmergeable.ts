/**
 * The scene of B2: meshes that no renderer can merge, because each has its own geometry and material. The meshes form a
 * wall in front of the camera, and a sixth of them lies outside the picture. A turning camera sees another set of
 * meshes in nearly every frame.
 *
 *   │· ┌──────────────┐ ·│
 *   │· │ · picture  · │ ·│   6,000 triangles, about 5,000 of them in view
 *   │· └──────────────┘ ·│
 *            camera
 */

export const MESH_COUNT = 6000;
/** Side of the canvas in pixels. */
export const CANVAS_SIZE = 32;
/** Vertical field of view in radians. */
export const FOV_Y = 1;
export const NEAR = 0.1;
const COLUMNS = 100;
const ROWS = MESH_COUNT / COLUMNS;
/** Distance of the wall in metres. */
const DISTANCE = 10;

/** The movement from frame to frame. */
export const CASES = ['still', 'moving', 'turning'] as const;
export type Case = (typeof CASES)[number];

/** Half the width of the picture at the wall, in metres. */
const HALF_PICTURE = Math.tan(FOV_Y / 2) * DISTANCE;

/** Writes the position of a mesh, which sways in a moving scene. */
export function positionOf(index: number, frame: number, isMoving: boolean, position: Float32Array): void {
  const column = index % COLUMNS;
  const row = Math.floor(index / COLUMNS);
  const sway = isMoving ? Math.sin(frame * 0.1 + index) * 0.01 : 0;
  position[0] = ((column + 0.5) / COLUMNS - 0.5) * 2 * HALF_PICTURE * 1.2 + sway;
  position[1] = ((row + 0.5) / ROWS - 0.5) * 1.9 * HALF_PICTURE;
  position[2] = -DISTANCE;
}

/**
 * Returns the camera's turn around Y in radians. Nearly all successive frames of a turning camera see different sets of
 * meshes.
 */
export const yawOf = (frame: number, isTurning: boolean): number =>
  isTurning ? Math.sin(frame * 0.37) * 0.05 : 0;

/** Returns the extent of a mesh from its middle along each axis, in metres. */
export const reachOf = (index: number): number => 0.04 + (index % 7) * 0.004;

/** Returns the three vertices of a triangle of the mesh's own size. */
export function trianglePositions(index: number): Float32Array {
  const size = reachOf(index);
  return Float32Array.of(-size, -size, 0, size, -size, 0, 0, size, 0);
}

/** Returns a mesh's colour, linear. */
export const colorOf = (index: number): readonly [number, number, number] => [
  0.2 + (index % 10) / 20,
  0.2 + (index % 100) / 200,
  0.2 + (index % 1000) / 2000,
];
