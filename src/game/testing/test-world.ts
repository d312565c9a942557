/** A world on a local stream, with its decoded records. For tests only. */

import { type DecodedRecord, decodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import type { StreamReader, StreamWriter } from '../../core/streams/stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import type { MaterialValues } from '../../proxy/materials/material-features.js';
import { MATERIAL_PARAMETERS } from '../../proxy/materials/material-layout.js';
import { PLACE_POSITIONS, PLACE_ROTATIONS, PLACE_SCALES, PLACE_WORDS } from '../../proxy/place-record.js';
import type { SceneDescription } from '../../proxy/scene-description.js';
import {
  NODE_WORD,
  TRANSFORM_NUMBERS,
  TRANSFORM_WORDS,
  TransformArray,
} from '../../proxy/transform-array.js';
import type { LoadScene } from '../loading/load-queue.js';
import { resend as resendWorld } from '../updates/resend.js';
import { World } from '../world/world.js';

export type RenderRecord = DecodedRecord<(typeof renderCommands)['fields']>;

export interface TestWorld {
  readonly world: World;
  readonly errors: unknown[];
  /** Reader of the first stream. */
  readonly reader: StreamReader;
  /** Returns the records written since the last call. */
  read(): RenderRecord[];
  /** Sends an update and returns the records written since the last call. */
  send(): RenderRecord[];
  /** Sends an update and returns the names of the records written since the last call. */
  sendNames(): string[];
  /** Sends the world again into a new stream, which `read` and `send` then use. Returns the stream's reader. */
  resend(): StreamReader;
}

export function createTestWorld(
  loadScene: LoadScene = () => Promise.reject(new Error('no loader')),
): TestWorld {
  let { writer, reader } = createLocalStream({ table: renderCommands });
  const errors: unknown[] = [];
  const world = new World(writer, { loadScene, reportError: (error) => errors.push(error) });
  const read = (): RenderRecord[] => published(writer, reader);
  const send = (): RenderRecord[] => {
    world.sendUpdates();
    return read();
  };
  const resend = (): StreamReader => {
    // The old stream accepts no more records, as after a failure.
    writer.close();
    ({ writer, reader } = createLocalStream({ table: renderCommands }));
    resendWorld(world, writer);
    return reader;
  };
  const sendNames = (): string[] => send().map((record) => record.name);
  return { world, errors, reader, read, send, sendNames, resend };
}

/** Publishes, and returns the records written since the last call. */
export function published(writer: StreamWriter, reader: StreamReader): RenderRecord[] {
  writer.publish();
  const records: RenderRecord[] = [];
  while (reader.next()) records.push(decodeRecord(renderCommands, reader));
  return records;
}

/** Returns the values of the records of one name. */
export function valuesOf<N extends RenderRecord['name']>(
  records: readonly RenderRecord[],
  name: N,
): Extract<RenderRecord, { name: N }>['values'][] {
  return records.filter((record) => record.name === name).map((record) => record.values) as never;
}

/** Returns the last transform of each node in the records. */
export function transformsOf(records: readonly RenderRecord[]): Map<number, number[]> {
  return new Map([
    ...valuesOf(records, 'nodeTransforms').flatMap(({ transforms }) => unpackTransforms(transforms)),
    ...valuesOf(records, 'nodePlaces').flatMap(({ places }) => unpackPlaces(places)),
  ]);
}

/** Returns node and ten numbers of each transform in a record. */
export function unpackTransforms(words: ArrayLike<number>): [node: number, numbers: number[]][] {
  const count = words.length / TRANSFORM_WORDS;
  const array = new TransformArray(count);
  array.words.set(words);
  return Array.from({ length: count }, (_, index) => {
    const numbers = new Float64Array(TRANSFORM_NUMBERS);
    array.read(index, numbers);
    return [words[index * TRANSFORM_WORDS + NODE_WORD] as number, [...numbers]];
  });
}

/** Returns node and ten numbers of each place in a `nodePlaces` record. */
export function unpackPlaces(words: ArrayLike<number>): [node: number, numbers: number[]][] {
  const count = words.length / PLACE_WORDS;
  const floats = new Float32Array(Uint32Array.from(words).buffer);
  const part = (offset: number, size: number, index: number): number[] => {
    const first = count * offset + index * size;
    return [...floats.subarray(first, first + size)];
  };
  return Array.from({ length: count }, (_, index) => [
    words[index] as number,
    [...part(PLACE_POSITIONS, 3, index), ...part(PLACE_ROTATIONS, 4, index), ...part(PLACE_SCALES, 3, index)],
  ]);
}

/**
 * Returns the `code` of the error that a function throws. Returns the error's text if it has no code, and a message if
 * the function throws nothing.
 */
export function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
  return 'nothing was thrown';
}

/** Returns a file of one node with one triangle, moved to x = 2. */
export function triangleScene(changes: Partial<SceneDescription> = {}): SceneDescription {
  return {
    name: 'triangle',
    nodes: [
      {
        name: 'node',
        parent: -1,
        transform: [2, 0, 0, 0, 0, 0, 1, 1, 1, 1],
        primitives: [{ geometry: 0, material: 0 }],
      },
    ],
    geometries: [
      {
        label: 'triangle',
        vertexFormat: 0,
        topology: 'triangle-list',
        vertexCount: 3,
        indexCount: 0,
        data: new ArrayBuffer(96),
        minimum: [0, 0, 0],
        maximum: [1, 1, 0],
      },
    ],
    materials: [
      {
        ...(Object.fromEntries(
          Object.entries(MATERIAL_PARAMETERS).map(([name, each]) => [name, each.default]),
        ) as MaterialValues),
        label: 'material',
        baseColor: [1, 0.5, 0, 1],
        emissive: [0, 0, 0],
        metallic: 0.25,
        roughness: 0.75,
        normalScale: 1,
        occlusionStrength: 1,
        alphaMode: 'opaque',
        alphaCutoff: 0.5,
        doubleSided: true,
        unlit: false,
        textures: {},
      },
    ],
    textures: [],
    clips: [],
    skins: [],
    variants: [],
    warnings: [],
    ...changes,
  };
}
