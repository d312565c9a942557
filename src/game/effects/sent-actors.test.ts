import { describe, expect, it } from 'vitest';
import { decodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { EFFECT_NAMES } from '../../proxy/effects.js';
import { SentActors } from './sent-actors.js';

/** An actor in a scene, with a node; `undefined`: outside of any world. */
const actorIn = (scene: number | undefined, node: number) => ({
  isDestroyed: false,
  attachTo: () => {},
  root: { updates: scene === undefined ? null : { scene }, node },
});

function createSent(actors: readonly ReturnType<typeof actorIn>[]) {
  const sent = new SentActors('outline', actors);
  const { writer, reader } = createLocalStream({ table: renderCommands });
  /** Returns the pairs of each record since the last call. */
  return () => {
    sent.send(writer, 5);
    writer.publish();
    const records: number[][] = [];
    while (reader.next()) {
      const { name, values } = decodeRecord(renderCommands, reader);
      if (name !== 'setEffectActors') throw new Error(name);
      expect([values.view, EFFECT_NAMES[values.effect]]).toEqual([5, 'outline']);
      records.push(Array.from(values.pairs));
    }
    return records;
  };
}

describe('SentActors', () => {
  it('sends scenes and nodes once, and again when an actor has entered, left or changed its node', () => {
    const actors = [actorIn(0, 7), actorIn(2, 3), actorIn(undefined, 1)];
    const send = createSent(actors);
    expect(send()).toEqual([[0, 7, 2, 3]]);
    expect(send()).toEqual([]);
    Object.assign(actors[2]!.root, { updates: { scene: 0 } });
    expect(send()).toEqual([[0, 7, 2, 3, 0, 1]]);
    Object.assign(actors[0]!.root, { updates: null });
    expect(send()).toEqual([[2, 3, 0, 1]]);
    actors[1]!.root.node = 4;
    expect(send()).toEqual([[2, 4, 0, 1]]);
    expect(send()).toEqual([]);
  });

  it('sends an empty list, which replaces the one before', () => {
    const send = createSent([]);
    expect(send()).toEqual([[]]);
    expect(send()).toEqual([]);
  });

  it('accepts components', () => {
    const { root } = actorIn(1, 9);
    expect(createSent([root as never])()).toEqual([[1, 9]]);
  });
});
