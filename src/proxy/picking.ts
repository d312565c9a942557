/** Bytes per row of the result for one picked pixel. The result has two texels of four floats, each in its own row. */
export const PICK_ROW_BYTES = 256;
export const PICK_BYTES = 2 * PICK_ROW_BYTES;

export interface PickedSurface {
  /** Id of the primitive. */
  readonly primitive: number;
  /** Metres from the camera; for an orthographic camera, along its direction. */
  readonly distance: number;
  readonly uv: [number, number];
  /** Unit length, towards the viewer. */
  readonly normal: [number, number, number];
}

/** Bytes per texel: four floats. */
const TEXEL_BYTES = 16;
/** Returns the bytes per row of a picked rectangle, a multiple of `PICK_ROW_BYTES`. */
export const pickRowBytes = (columns: number): number =>
  Math.ceil((columns * TEXEL_BYTES) / PICK_ROW_BYTES) * PICK_ROW_BYTES;

/** Returns the ids of the primitives that are visible in a rectangle. */
export function readPicks(bytes: ArrayBuffer, columns: number, rows: number): ReadonlySet<number> {
  const seen = new Set<number>();
  if (bytes.byteLength < pickRowBytes(columns) * rows) return seen;
  const floats = new Float32Array(bytes);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const id = floats[(row * pickRowBytes(columns) + column * TEXEL_BYTES) / 4] as number;
      if (id > 0) seen.add(id - 1);
    }
  }
  return seen;
}

/** Returns the surface in the picked pixel, or `null` when the pixel shows none or was not drawn. */
export function readPick(bytes: ArrayBuffer): PickedSurface | null {
  if (bytes.byteLength < PICK_BYTES) return null;
  const [id = 0, distance = 0, u = 0, v = 0] = new Float32Array(bytes, 0, 4);
  const [x = 0, y = 0, z = 0] = new Float32Array(bytes, PICK_ROW_BYTES, 3);
  return id > 0 ? { primitive: id - 1, distance, uv: [u, v], normal: [x, y, z] } : null;
}
