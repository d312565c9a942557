import { describe, expect, it } from 'vitest';
import { encodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { LightFlag, LightKind, NO_ID } from '../../proxy/commands.js';
import { PATH_SIZES, PlaybackMode } from '../../proxy/motion/clip.js';
import { CAMERA_PROPERTIES, LIGHT_PROPERTIES } from '../../proxy/motion/clip-properties.js';
import { ClipPath, pathWord } from '../../proxy/motion/clip-tracks.js';
import type { Deformers } from '../deformers/deformers.js';
import { Scene } from '../scene/scene.js';
import { ClipPlayer } from './clip-player.js';

/**
 * Returns a clip player, its scene, and functions that play clips and replace nodes. Clip 0 lasts one second. Its only
 * track drives `path` with the constant `values`.
 */
function setUp(path: number, size: number, values: readonly number[]) {
  const scene = new Scene(null as never, { has: () => false } as never, null as never);
  const weightsDriven: number[] = [];
  const morphs: { readonly sums: readonly number[]; readonly restShare: number }[] = [];
  const driveWeights = (node: number, sums: Float32Array, restShare: number): boolean => {
    morphs.push({ sums: [...sums], restShare });
    return weightsDriven.push(node) > 0;
  };
  scene.deformers = { driveWeights } as unknown as Deformers;
  const player = new ClipPlayer(scene);
  const { writer, reader } = createLocalStream({ table: renderCommands });
  const execute = (): void => {
    writer.publish();
    while (reader.next()) player.execute(reader);
  };
  const createClip = (clip: number, count: number, numbers: readonly number[]): void => {
    encodeRecord(writer, renderCommands, 'createClip', {
      clip,
      duration: 1,
      tracks: Uint32Array.of(pathWord(path, count), 1, 1, 0, 1),
      floats: Float32Array.of(0, ...numbers),
    });
  };
  createClip(0, size, values);
  const play = (playback: number, nodes: readonly number[], weight = 1, clip = 0): void => {
    encodeRecord(writer, renderCommands, 'setPlayback', {
      playback,
      clip,
      startSeconds: 0,
      offsetSeconds: 0,
      speed: 1,
      mode: PlaybackMode.repeat,
      fadeStart: 0,
      fadeSeconds: 0,
      weightFrom: weight,
      weightTo: weight,
      isAdditive: 0,
      nodes: Uint32Array.from(nodes),
    });
    execute();
  };
  /** Replaces a node with a new node of the same id. An id can be reused in the next frame, so `apply` runs between. */
  const replaceNode = (node: number): void => {
    scene.destroyNode(node);
    player.apply(0);
    scene.createNode(node, NO_ID);
  };
  return { scene, player, play, createClip, replaceNode, weightsDriven, morphs };
}

const xOf = ({ nodes }: Scene, node: number): number | undefined => nodes.local.doubles[node * 7];

describe('properties that clips drive', () => {
  it('are released with their node: a new node with the same id keeps its own transform, and can be driven', () => {
    const { scene, player, play, replaceNode } = setUp(ClipPath.position, PATH_SIZES[0], [5, 0, 0]);
    scene.createNode(0, NO_ID);
    play(0, [0]);
    expect(player.apply(0)).toBe(true);
    expect(xOf(scene, 0)).toBe(5);
    replaceNode(0);
    expect(player.apply(0)).toBe(false);
    expect(xOf(scene, 0)).toBe(0);
    play(1, [0]);
    player.apply(0);
    expect(xOf(scene, 0)).toBe(5);
    // The playback of the first node ends. The playback of the second node continues.
    play(0, [NO_ID]);
    player.apply(0);
    player.apply(0);
    expect(xOf(scene, 0)).toBe(5);
  });

  it('are released with their node: morph weights', () => {
    const { scene, player, play, replaceNode, weightsDriven } = setUp(ClipPath.weights, 1, [1]);
    scene.createNode(0, NO_ID);
    play(0, [0]);
    player.apply(0);
    replaceNode(0);
    player.apply(0);
    expect(weightsDriven).toEqual([0]);
  });

  it('are released with their node: a light', () => {
    const values = new Array<number>(LIGHT_PROPERTIES).fill(9);
    const { scene, player, play, replaceNode } = setUp(ClipPath.light, LIGHT_PROPERTIES, values);
    const light = (): void =>
      scene.lights.set(0, 0, LightKind.point, LightFlag.visible, new Float32Array(LIGHT_PROPERTIES), 0);
    scene.createNode(0, NO_ID);
    light();
    play(0, [0]);
    player.apply(0);
    expect(scene.lights.parameters[3]).toBe(9);
    replaceNode(0);
    light();
    expect(player.apply(0)).toBe(false);
    expect(scene.lights.parameters[3]).toBe(0);
  });

  it('are released with their node: a camera', () => {
    const values = new Array<number>(CAMERA_PROPERTIES).fill(9);
    const { scene, player, play, replaceNode } = setUp(ClipPath.camera, CAMERA_PROPERTIES, values);
    scene.createNode(0, NO_ID);
    scene.view.node = 0;
    scene.view.near = 1;
    play(0, [0]);
    player.apply(0);
    expect(scene.view.near).toBe(9);
    replaceNode(0);
    scene.view.near = 1;
    expect(player.apply(0)).toBe(false);
    expect(scene.view.near).toBe(1);
  });
});

describe('weights of morph targets', () => {
  it('are the weighted mean of the playbacks, and the game’s weights fill a total weight below 1', () => {
    const { scene, player, play, morphs } = setUp(ClipPath.weights, 2, [1, 0.5]);
    scene.createNode(0, NO_ID);
    play(0, [0], 0.25);
    player.apply(0);
    play(1, [0], 0.25);
    player.apply(0);
    play(2, [0], 3.5);
    player.apply(0);
    expect(morphs).toEqual([
      { sums: [0.25, 0.125], restShare: 0.75 },
      { sums: [0.5, 0.25], restShare: 0.5 },
      { sums: [1, 0.5], restShare: 0 },
    ]);
  });

  it('get nothing from a clip that has fewer weights', () => {
    const { scene, player, play, createClip, morphs } = setUp(ClipPath.weights, 3, [1, 2, 4]);
    createClip(1, 1, [8]);
    scene.createNode(0, NO_ID);
    play(0, [0], 0.25);
    play(1, [0], 0.25, 1);
    player.apply(0);
    expect(morphs).toEqual([{ sums: [2.25, 0.5, 1], restShare: 0.5 }]);
  });
});
