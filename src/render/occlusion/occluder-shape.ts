/**
 * The triangles of an occluder, and how they are connected. Vertices at the same position are one vertex.
 * Each edge knows the triangles along it, and their directions.
 *
 *   entry   triangle · 2, plus 1 if the triangle runs from the edge's second vertex to its first
 *   edge    entries firstEntry[edge] up to but without firstEntry[edge + 1]
 *
 * An edge is a border of a set of triangles, unless equally many of the triangles run along it in each
 * direction.
 */
export class OccluderShape {
  /** Three numbers per vertex. */
  readonly positions: Float64Array;
  /** Three vertices per triangle. */
  readonly corners: Uint32Array;
  /** Two vertices per edge. */
  readonly edges: Uint32Array;
  readonly firstEntry: Uint32Array;
  readonly entries: Uint32Array;

  /** @param positions three numbers per vertex @param corners three vertices per triangle */
  constructor(positions: ArrayLike<number>, corners: ArrayLike<number>) {
    const welded = weld(positions);
    this.positions = welded.positions;
    this.corners = Uint32Array.from(corners, (corner) => welded.vertices[corner] as number);
    const byEdge = new Map<number, number[]>();
    const count = this.positions.length / 3;
    for (let at = 0; at < this.corners.length; at++) {
      const triangle = Math.floor(at / 3);
      const from = this.corners[at] as number;
      const to = this.corners[at % 3 === 2 ? at - 2 : at + 1] as number;
      const edge = Math.min(from, to) * count + Math.max(from, to);
      const entries = byEdge.get(edge) ?? [];
      entries.push(triangle * 2 + (from < to ? 0 : 1));
      byEdge.set(edge, entries);
    }
    this.edges = Uint32Array.from(
      [...byEdge.keys()].flatMap((edge) => [Math.floor(edge / count), edge % count]),
    );
    this.firstEntry = new Uint32Array(byEdge.size + 1);
    this.entries = Uint32Array.from([...byEdge.values()].flat());
    let edge = 0;
    for (const { length } of byEdge.values()) {
      this.firstEntry[edge + 1] = (this.firstEntry[edge] as number) + length;
      edge++;
    }
  }
}

function weld(positions: ArrayLike<number>): { positions: Float64Array; vertices: number[] } {
  const places = new Map<string, number>();
  const kept: number[] = [];
  const vertices: number[] = [];
  for (let at = 0; at < positions.length; at += 3) {
    // Adding 0 turns −0 into 0.
    const place = [0, 1, 2].map((axis) => (positions[at + axis] as number) + 0);
    const key = place.join();
    const vertex = places.get(key) ?? places.size;
    if (vertex === places.size) {
      places.set(key, vertex);
      kept.push(...place);
    }
    vertices.push(vertex);
  }
  return { positions: Float64Array.from(kept), vertices };
}
