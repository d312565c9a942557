/** The code of a decoding helper. It decodes one job after another, and receives retractions between jobs. */
import { errorToData } from '../../core/errors.js';
import { eventTurn } from '../../core/events/event-turn.js';
import { endWorker, hearLosses } from '../../core/streams/port-messages.js';
import type { LoadDecoder } from '../decoders/decoders.js';
import { buffersIn, type DecodingReply, type DecodingRequest } from './decoding-messages.js';

/** The helper's global scope, or a MessagePort. */
export interface DecodingPort {
  postMessage(message: DecodingReply, transfer: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<DecodingRequest>) => void): void;
  onmessageerror?: ((event: MessageEvent) => void) | null;
  start?(): void;
}

type Piece = Extract<DecodingRequest, { kind: 'decode' }>;

/** Serves decoding requests of a port. */
export function serveDecoding(port: DecodingPort, loadDecoder: LoadDecoder): void {
  let isWorking = false;
  const waiting: Piece[] = [];

  async function decode({ id, decoder, method, parameters }: Piece): Promise<void> {
    try {
      const module = (await loadDecoder(decoder)) as unknown as Record<
        string,
        (...parameters: readonly unknown[]) => Promise<unknown>
      >;
      const result = await module[method]?.(...parameters);
      port.postMessage({ kind: 'done', id, result }, [...buffersIn(result)]);
    } catch (error) {
      port.postMessage({ kind: 'failed', id, error: errorToData(error) }, []);
    }
  }

  async function work(): Promise<void> {
    if (isWorking) return;
    isWorking = true;
    for (let piece = waiting.shift(); piece; piece = waiting.shift()) {
      await decode(piece);
      await eventTurn();
    }
    isWorking = false;
  }

  port.addEventListener('message', ({ data }) => {
    if (data.kind === 'ping') port.postMessage({ kind: 'pong' }, []);
    else if (data.kind === 'retract') {
      const at = waiting.findIndex(({ id }) => id === data.id);
      if (at < 0) return;
      waiting.splice(at, 1);
      port.postMessage({ kind: 'done', id: data.id, result: undefined }, []);
    } else if (data.kind === 'decode') {
      waiting.push(data);
      void work();
    }
  });
  hearLosses(port, 'pictures to decode', endWorker, 'The worker ends, and another one decodes them.');
  port.start?.();
  port.postMessage({ kind: 'ready' }, []);
}
