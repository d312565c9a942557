import { expect, it } from 'vitest';
import { ManualChannel } from '../../core/testing/manual-channel.js';
import { remoteRhiPoints, serveRhiPoints } from './rhi-points.js';
import type { RhiSide } from './rhi-side.js';

const lostOn = (port: string) => expect.objectContaining({ code: 'message-lost', details: { port } });
const event = new MessageEvent('messageerror');

it('rejects all waits of modules when an answer of the RHI thread could not be read', async () => {
  const { port1, port2 } = new ManualChannel();
  const losses: unknown[] = [];
  const points = remoteRhiPoints(port1 as unknown as MessagePort, (error) => losses.push(error));
  const awaited = [points.whenReached('completed', 7), points.bytesOf(1)].map((each) => each.catch((e) => e));
  port1.onmessageerror?.(event);
  const lost = lostOn('points of the RHI thread');
  expect(await Promise.all(awaited)).toEqual([lost, lost]);
  const rhi = { takeReadBacks: () => {} } as unknown as RhiSide;
  serveRhiPoints(rhi, port2 as unknown as MessagePort, (error) => losses.push(error));
  port2.onmessageerror?.(event);
  expect(losses).toEqual([lost, lostOn('points that the render thread awaits')]);
});
