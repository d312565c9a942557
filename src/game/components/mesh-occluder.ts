import { OptionError } from '../../core/errors.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { type TriangleSource, trianglesOf } from '../geometry/triangles.js';
import type { Geometry, GeometryObserver } from '../geometry/updatable-geometry.js';
import { checkGeometry } from './mesh-lods.js';

/** Maximum number of triangles of an occluder. */
const MAXIMUM_TRIANGLES = 4096;

/**
 * The triangles that the render thread tests to find objects behind a mesh. They have to lie within the mesh.
 */
export class MeshOccluder implements GeometryObserver {
  readonly geometry: Geometry;
  /** Called when the geometry's triangles have changed and have to be sent again. */
  readonly markGeometry: () => void;

  /** @throws OptionError `option-invalid` if there are no triangles, or too many */
  constructor(call: string, geometry: Geometry, onChange: () => void) {
    this.geometry = checkGeometry(geometry);
    this.markGeometry = onChange;
    const corners = trianglesOf(geometry)?.corners.length ?? 0;
    if (corners > 0 && corners <= MAXIMUM_TRIANGLES * 3) return;
    throw new OptionError(
      'option-invalid',
      `occluder of ${call}: geometry "${geometry.label}" has ${corners / 3} triangles, not 1 to ${MAXIMUM_TRIANGLES}. Pass a simpler geometry that lies within the mesh.`,
    );
  }

  /** Sends the triangles, after the records of the mesh's primitives. */
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

  /** Stops watching the geometry, because its sent triangles are no longer used. */
  release(): void {
    this.geometry.watchers.delete(this);
  }
}
