import { OptionError } from '../../core/errors.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { type TriangleSource, trianglesOf } from '../geometry/triangles.js';
import type { Geometry, GeometryObserver } from '../geometry/updatable-geometry.js';
import { checkGeometry } from './mesh-lods.js';

/** Triangles that an occluder may have. */
const MOST_TRIANGLES = 4096;

/** What a mesh hides others with: triangles that lie within what is drawn of it, on the render thread. */
export class MeshOccluder implements GeometryObserver {
  readonly geometry: Geometry;
  /** Its triangles are others: they are to be sent again. */
  readonly markGeometry: () => void;

  /** @throws OptionError `option-invalid` where there are no triangles, or too many */
  constructor(call: string, geometry: Geometry, onChange: () => void) {
    this.geometry = checkGeometry(geometry);
    this.markGeometry = onChange;
    const corners = trianglesOf(geometry)?.corners.length ?? 0;
    if (corners > 0 && corners <= MOST_TRIANGLES * 3) return;
    throw new OptionError(
      'option-invalid',
      `occluder of ${call}: geometry "${geometry.label}" has ${corners / 3} triangles, not 1 to ${MOST_TRIANGLES}. Give a simpler geometry that lies within it.`,
    );
  }

  /** Behind the records of its primitives. */
  send(writer: StreamWriter, primitives: readonly number[]): void {
    const { corners, floats, stride } = trianglesOf(this.geometry) as TriangleSource;
    const vertices = floats.length / stride;
    const count = primitives.length;
    const at = writer.reserve(RenderOpcode.setOccluder, 3 + count + corners.length + vertices * 3);
    const positions = at + 3 + count + corners.length;
    const { words } = writer;
    words[at] = count;
    words.set(primitives, at + 1);
    words[at + 1 + count] = corners.length;
    words.set(corners, at + 2 + count);
    words[positions - 1] = vertices * 3;
    for (let vertex = 0; vertex < vertices; vertex++) {
      for (let axis = 0; axis < 3; axis++) {
        writer.floats[positions + vertex * 3 + axis] = floats[vertex * stride + axis] as number;
      }
    }
    this.geometry.watchers.add(this);
  }

  /** What was sent is there no longer. */
  release(): void {
    this.geometry.watchers.delete(this);
  }
}
