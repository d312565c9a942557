import { errorFromData, errorToData, ThreadError } from '../../core/errors.js';
import { hearLosses } from '../../core/streams/port-messages.js';
import {
  FIRST_MODULE_READBACK,
  type PointNotice,
  type PointRequest,
  type RhiPoint,
} from '../../render-modules/render-module-messages.js';
import type { RhiSide } from './rhi-side.js';

/**
 * Points of the RHI's work that the render thread awaits (SYSTEMS H7): a frame's submission or completion,
 * and the bytes of a read-back. The RHI reports them by a callback, or by a message if it runs on another
 * thread. The render thread continues to record frames meanwhile, and the game is not involved.
 *
 *   render  … 7 │ 8 │ 9 │ 10 …            whenCompleted(8), called in 7, resolves between 9 and 10
 *   RHI       … 7 │ 8 ┘
 */
export interface RhiPoints {
  whenReached(point: RhiPoint, frame: number): Promise<void>;
  /** Resolves to the bytes of the read-back with this number, which is recorded after this call. */
  bytesOf(request: number): Promise<ArrayBuffer>;
  end(): void;
}

interface Awaited<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

export const renderThreadEnded = (): ThreadError =>
  new ThreadError(
    'render-thread-ended',
    'The render thread has ended, or other threads have replaced it. Once the module has been loaded again, it can wait again.',
  );

/** Pending promises by number. `end` rejects the remaining promises. */
class Answers<T> {
  readonly #awaited = new Map<number, Awaited<T>>();

  expect(key: number): Promise<T> {
    return new Promise((resolve, reject) => this.#awaited.set(key, { resolve, reject }));
  }

  take(key: number): Awaited<T> | undefined {
    const awaited = this.#awaited.get(key);
    this.#awaited.delete(key);
    return awaited;
  }

  end(error = renderThreadEnded()): void {
    for (const { reject } of this.#awaited.values()) reject(error);
    this.#awaited.clear();
  }
}

/** Read-backs and points that the render thread awaits, independent of how they are requested. */
class AwaitedPoints implements RhiPoints {
  readonly #readBacks = new Answers<ArrayBuffer>();
  readonly #points = new Answers<void>();
  readonly #ask: (request: PointRequest) => void;
  readonly #close: () => void;
  #count = 0;

  constructor(ask: (request: PointRequest) => void, close: () => void) {
    this.#ask = ask;
    this.#close = close;
  }

  whenReached(point: RhiPoint, frame: number): Promise<void> {
    const id = this.#count++;
    const reached = this.#points.expect(id);
    this.#ask({ id, point, frame });
    return reached;
  }

  bytesOf(request: number): Promise<ArrayBuffer> {
    return this.#readBacks.expect(request);
  }

  answer(id: number, error: Error | null): void {
    const awaited = this.#points.take(id);
    if (error) awaited?.reject(error);
    else awaited?.resolve();
  }

  readonly answerReadBack = (request: number, bytes: ArrayBuffer): void =>
    this.#readBacks.take(request)?.resolve(bytes);

  end(): void {
    this.#close();
    this.reject();
  }

  /** Rejects all waits. @param error default: the render thread has ended */
  reject(error?: ThreadError): void {
    this.#readBacks.end(error);
    this.#points.end(error);
  }
}

/** Creates the points for a render thread that also runs the RHI. */
export function localRhiPoints(rhi: RhiSide): RhiPoints {
  const points = new AwaitedPoints(
    ({ id, point, frame }) =>
      rhi.frames[point].whenReached(frame).then(
        () => points.answer(id, null),
        (error: Error) => points.answer(id, error),
      ),
    () => {},
  );
  rhi.takeReadBacks(FIRST_MODULE_READBACK, points.answerReadBack);
  return points;
}

/**
 * Creates the points for a render thread that is not the RHI thread. The RHI thread answers by `serveRhiPoints`.
 */
export function remoteRhiPoints(port: MessagePort, onLoss: (error: ThreadError) => void): RhiPoints {
  const points = new AwaitedPoints(
    (request) => port.postMessage(request),
    () => port.close(),
  );
  port.onmessage = ({ data }: MessageEvent<PointNotice>) => {
    if (data.kind === 'readBack') points.answerReadBack(data.request, data.bytes);
    else points.answer(data.id, data.error && errorFromData(data.error));
  };
  const lose = (error: ThreadError): void => {
    points.reject(error);
    onLoss(error);
  };
  hearLosses(
    port,
    'points of the RHI thread',
    lose,
    'Pending waits of modules for the RHI reject. Wait again.',
  );
  return points;
}

/** Answers the requests of a render thread, on the RHI thread. */
export function serveRhiPoints(rhi: RhiSide, port: MessagePort, onLoss: (error: ThreadError) => void): void {
  hearLosses(port, 'points that the render thread awaits', onLoss);
  const notify = (notice: PointNotice, transferred: Transferable[] = []): void =>
    port.postMessage(notice, transferred);
  rhi.takeReadBacks(FIRST_MODULE_READBACK, (request, bytes) =>
    notify({ kind: 'readBack', request, bytes }, [bytes]),
  );
  port.onmessage = ({ data: { id, point, frame } }: MessageEvent<PointRequest>) => {
    rhi.frames[point].whenReached(frame).then(
      () => notify({ kind: 'reached', id, error: null }),
      (error: unknown) => notify({ kind: 'reached', id, error: errorToData(error) }),
    );
  };
}
