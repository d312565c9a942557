/** What comes back of a pick: two texels of four floats, each in a row of its own. */
export const PICK_ROW_BYTES = 256;
export const PICK_BYTES = 2 * PICK_ROW_BYTES;

export interface PickedSurface {
  /** Id of a primitive. */
  readonly primitive: number;
  /** Metres from the camera; of an orthographic one, along the way it looks. */
  readonly distance: number;
  readonly uv: [number, number];
  /** Unit length, towards the viewer. */
  readonly normal: [number, number, number];
}

/** Null: nothing is there, or nothing was looked at. */
export function readPick(bytes: ArrayBuffer): PickedSurface | null {
  if (bytes.byteLength < PICK_BYTES) return null;
  const [id = 0, distance = 0, u = 0, v = 0] = new Float32Array(bytes, 0, 4);
  const [x = 0, y = 0, z = 0] = new Float32Array(bytes, PICK_ROW_BYTES, 3);
  return id > 0 ? { primitive: id - 1, distance, uv: [u, v], normal: [x, y, z] } : null;
}
