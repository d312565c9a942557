/**
 * The code of a decoding helper: a task in the background set of the engine's pool (SYSTEMS T8, T14). It decodes one
 * job after another, and receives retractions between jobs.
 *
 *   asset worker ── port: begin, decode, retract, ping, end ──► task ── ready, done, failed, pong ──► asset worker
 *   page ────────── control: any message ends the task ───────►
 */
import { errorToData } from '../../core/errors.js';
import { eventTurn } from '../../core/events/event-turn.js';
import { hearLosses } from '../../core/streams/port-messages.js';
import type { TaskContext } from '../../tasks/execution/task-context.js';
import type { LoadDecoder } from '../decoders/decoders.js';
import type { DecoderUrls } from '../loading/asset-protocol.js';
import { buffersIn, type DecodingReply, type DecodingRequest } from './decoding-messages.js';

/** The end of the channel to the asset worker. */
interface DecodingPort {
  postMessage(message: DecodingReply, transfer: Transferable[]): void;
}

type Piece = Extract<DecodingRequest, { kind: 'decode' }>;

/** Ports of the task. */
interface DecodingPorts {
  readonly port: MessagePort;
  readonly control: MessagePort;
}

/** Returns the tasks of `DECODING_MODULE`. @param decodersAt returns the loader of decoders with these addresses */
export function decodingTasks(decodersAt: (urls: DecoderUrls) => LoadDecoder) {
  return {
    /** Decodes pieces until the asset worker or the page ends the task. */
    serve({ port, control }: DecodingPorts, _begin: number, _end: number, task: TaskContext): Promise<void> {
      let hear: ((request: DecodingRequest) => void) | null = null;
      const ended = new Promise<void>((resolve, reject) => {
        control.onmessage = () => resolve();
        hearLosses(port, 'pieces to decode', reject);
        port.onmessage = ({ data }: MessageEvent<DecodingRequest>) => {
          if (data.kind === 'end') resolve();
          else if (data.kind !== 'begin') hear?.(data);
          else {
            hear = serveDecoding(port, decodersAt(data.urls), (fraction) => task.progress(fraction));
            port.postMessage({ kind: 'ready' } satisfies DecodingReply);
          }
        };
      });
      return ended.finally(() => {
        port.close();
        control.close();
      });
    },
  };
}

/**
 * Serves decoding requests.
 * @param onProgress receives the decoded fraction of all pieces so far
 * @returns a function that receives the requests
 */
function serveDecoding(
  port: DecodingPort,
  loadDecoder: LoadDecoder,
  onProgress: (fraction: number) => void,
): (request: DecodingRequest) => void {
  let isWorking = false;
  let decoded = 0;
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
      onProgress(++decoded / (decoded + waiting.length));
      await eventTurn();
    }
    isWorking = false;
  }

  function retract(id: number): void {
    const at = waiting.findIndex((piece) => piece.id === id);
    if (at < 0) return;
    waiting.splice(at, 1);
    port.postMessage({ kind: 'done', id, result: undefined }, []);
  }

  function hear(request: DecodingRequest): void {
    if (request.kind === 'ping') port.postMessage({ kind: 'pong' }, []);
    else if (request.kind === 'retract') retract(request.id);
    else if (request.kind === 'decode') {
      waiting.push(request);
      void work();
    }
  }

  return hear;
}
