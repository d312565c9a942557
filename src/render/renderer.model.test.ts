import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GpuPrimitive } from './buffers/gpu-layouts.js';
import { named, RendererBench, type RhiCommand } from './renderer.test-support.js';

/**
 * The GPU's buffers, as arrays of bytes. `apply` applies recorded creations, destructions and writes, except writes
 * from attachments. The test keeps its own list of primitives, and compares its visible part with the recorded draws.
 */
class Memory {
  readonly #buffers = new Map<number, Uint8Array>();
  readonly #bench: RendererBench;

  constructor(bench: RendererBench) {
    this.#bench = bench;
  }

  apply(commands: readonly RhiCommand[]): void {
    for (const { name, values } of commands) {
      const handle = (values.handle ?? values.buffer) as number;
      if (name === 'createBuffer') {
        this.#buffers.set(handle, new Uint8Array((values.descriptor as { byteLength: number }).byteLength));
      } else if (name === 'destroyResource') this.#buffers.delete(handle);
      else if (name === 'writeBuffer' || name === 'writeBufferUnordered') {
        this.#buffers.get(handle)!.set(values.data as Uint8Array, values.byteOffset as number);
      }
    }
  }

  words(label: string): Uint32Array {
    for (const [handle, bytes] of this.#buffers) {
      if (this.#bench.rhi.handles.label(handle) === label) return new Uint32Array(bytes.buffer);
    }
    throw new Error(`no buffer "${label}"`);
  }
}

interface Drawn {
  primitive: number;
  indexCount: number;
  x: number;
  material: number;
}

/** Returns the primitives of all indexed draws, by id. */
function drawn(memory: Memory, commands: readonly RhiCommand[]): Drawn[] {
  const result: Drawn[] = [];
  for (const draw of named(commands, 'drawIndexed')) {
    const first = draw.firstInstance as number;
    for (const primitive of memory
      .words('instances')
      .subarray(first, first + (draw.instanceCount as number))) {
      const slot = memory.words('gpu scene').subarray(primitive * GpuPrimitive.words);
      const x = new Float32Array(slot.buffer, slot.byteOffset)[GpuPrimitive.at.worldFromLocal + 3]!;
      const material = slot[GpuPrimitive.at.materialSlot]!;
      result.push({ primitive, indexCount: draw.indexCount as number, x, material });
    }
  }
  return result.sort((a, b) => a.primitive - b.primitive);
}

const PRIMITIVES = 6;
const MATERIALS = 3;
const GEOMETRIES = 3;

const id = fc.nat(PRIMITIVES - 1);
const command = fc.oneof(
  fc.record({
    kind: fc.constant('create' as const),
    id,
    geometry: fc.nat(GEOMETRIES - 1),
    material: fc.nat(MATERIALS - 1),
  }),
  fc.record({ kind: fc.constant('destroy' as const), id }),
  // The view is 90° wide, and primitives are 10 m away. So |x| ≤ 10 is visible, and 100 is not.
  fc.record({ kind: fc.constant('move' as const), id, x: fc.constantFrom(-5, 0, 3, 100) }),
  fc.record({
    kind: fc.constant('update' as const),
    id,
    material: fc.nat(MATERIALS - 1),
    isVisible: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('geometry' as const),
    geometry: fc.nat(GEOMETRIES - 1),
    exists: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('material' as const),
    material: fc.nat(MATERIALS - 1),
    exists: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('texture' as const), exists: fc.boolean() }),
  fc.record({ kind: fc.constant('camera' as const), x: fc.constantFrom(0, 5000) }),
  fc.record({ kind: fc.constant('frame' as const) }),
);

describe('R1 R13 R14 the renderer against a model', () => {
  it('draws exactly the visible primitives, with transform and material, after any commands', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40, size: 'max' }), (commands) => {
        const bench = new RendererBench();
        const memory = new Memory(bench);
        const primitives = new Map<number, { geometry: number; material: number; isVisible: boolean }>();
        const x = new Array<number>(PRIMITIVES).fill(0);
        const geometries = new Map<number, number>();
        const materials = new Set<number>();
        let cameraX = 0;
        let frame = 0;
        let indexCount = 3;

        bench.camera(0);
        for (let node = 0; node < PRIMITIVES; node++) bench.node(node + 1, [0, 0, 0]);
        bench.texture(0);
        const setMaterial = (material: number) =>
          bench.material(material, material === 2 ? 2 : 0, material ? 0 : undefined);
        for (let material = 0; material < MATERIALS; material++) {
          setMaterial(material);
          materials.add(material);
        }

        const check = () => {
          const recorded = bench.frame(++frame);
          memory.apply(recorded);
          const expected: Drawn[] = [];
          for (const [primitive, { geometry, material, isVisible }] of [...primitives].sort(
            (a, b) => a[0] - b[0],
          )) {
            const place = x[primitive]!;
            const indices = geometries.get(geometry);
            if (!isVisible || indices === undefined || !materials.has(material)) continue;
            if (Math.abs(place - cameraX) > 50) continue;
            const origin = cameraX > 2048 ? Math.round(cameraX / 1024) * 1024 : 0;
            expected.push({ primitive, indexCount: indices, x: place - origin, material });
          }
          expect(drawn(memory, recorded)).toEqual(expected);
          expect(bench.renderer.stats.visible).toBe(expected.length);
          expect(bench.renderer.stats.primitives).toBe(primitives.size);
        };

        for (const step of commands) {
          if (step.kind === 'frame') check();
          else if (step.kind === 'create') {
            bench.primitive(step.id, step.id + 1, step.geometry, step.material);
            primitives.set(step.id, { geometry: step.geometry, material: step.material, isVisible: true });
          } else if (step.kind === 'destroy') {
            bench.send('destroyPrimitive', { primitive: step.id });
            primitives.delete(step.id);
          } else if (step.kind === 'move') {
            bench.move(step.id + 1, [step.x, 0, 0]);
            x[step.id] = step.x;
          } else if (step.kind === 'update') {
            bench.send('updatePrimitive', {
              primitive: step.id,
              material: step.material,
              flags: step.isVisible ? 1 : 0,
              layers: 1,
            });
            const primitive = primitives.get(step.id);
            if (primitive) Object.assign(primitive, { material: step.material, isVisible: step.isVisible });
          } else if (step.kind === 'geometry') {
            if (step.exists) {
              indexCount += 3;
              bench.geometry(step.geometry, 3, indexCount);
              geometries.set(step.geometry, indexCount);
            } else {
              bench.send('destroyGeometry', { geometry: step.geometry });
              geometries.delete(step.geometry);
            }
          } else if (step.kind === 'material') {
            if (step.exists) {
              setMaterial(step.material);
              materials.add(step.material);
            } else {
              bench.send('destroyMaterial', { material: step.material });
              materials.delete(step.material);
            }
          } else if (step.kind === 'texture') {
            if (step.exists) bench.texture(0);
            else bench.send('destroyTexture', { texture: 0 });
          } else {
            // Once the camera is far away, it stays there, because the model handles only one move of the render
            // origin.
            cameraX = Math.max(cameraX, step.x);
            bench.move(0, [cameraX, 0, 10]);
          }
        }
        check();
        check();
      }),
      { numRuns: 200 },
    );
  });
});
