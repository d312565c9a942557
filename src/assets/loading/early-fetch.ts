/**
 * The page fetches the files of loads that begin while the asset worker's script is still loading. This saves one
 * network round trip. The page forwards a response chunk by chunk, so that the page's thread has no long task.
 *
 *   page    fetch(url) ──► answer ──► chunk ──► chunk ──► end          messages wait in the worker's port
 *   worker  ······· script is loading ······· ► Response ─► read like the response of an own fetch
 */
import { messageOf } from '../../core/errors.js';

/** Parts of a response, from the page to the worker. */
export type FetchedPiece =
  | {
      readonly kind: 'answer';
      readonly request: number;
      readonly url: string;
      readonly status: number;
      readonly statusText: string;
      readonly headers: readonly (readonly [name: string, value: string])[];
    }
  | { readonly kind: 'chunk'; readonly request: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'end'; readonly request: number }
  | { readonly kind: 'failed'; readonly request: number; readonly message: string };

/**
 * Fetches a file for the worker. The promise does not reject, because errors are posted to the worker. After an abort,
 * nothing is posted.
 */
export async function fetchForWorker(
  request: number,
  url: string,
  signal: AbortSignal | undefined,
  post: (piece: FetchedPiece, transfer: Transferable[]) => void,
): Promise<void> {
  try {
    const response = await fetch(url, { signal: signal ?? null });
    const { status, statusText } = response;
    const headers = [...response.headers];
    post({ kind: 'answer', request, url: response.url, status, statusText, headers }, []);
    const reader = response.body?.getReader();
    for (;;) {
      const step = await reader?.read();
      if (!step || step.done) break;
      post({ kind: 'chunk', request, bytes: step.value }, [step.value.buffer]);
    }
    post({ kind: 'end', request }, []);
  } catch (error) {
    if (!signal?.aborted) post({ kind: 'failed', request, message: messageOf(error) }, []);
  }
}

/** The worker's end: a response that the page forwards. */
export class ForwardedResponse {
  /** The response, as `fetch` would return it. */
  readonly response: Promise<Response>;
  #answer!: (response: Response) => void;
  #fail!: (error: Error) => void;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor() {
    this.response = new Promise((resolve, reject) => {
      this.#answer = resolve;
      this.#fail = reject;
    });
    // Prevent an unhandled rejection, because an aborted load does not await the response.
    this.response.catch(() => {});
  }

  receive(piece: FetchedPiece): void {
    switch (piece.kind) {
      case 'answer':
        this.#answer(this.#responseOf(piece));
        break;
      case 'chunk':
        this.#body?.enqueue(piece.bytes);
        break;
      case 'end':
        this.#body?.close();
        break;
      case 'failed': {
        const error = new TypeError(piece.message);
        this.#fail(error);
        this.#body?.error(error);
      }
    }
  }

  #responseOf({ url, status, statusText, headers }: Extract<FetchedPiece, { kind: 'answer' }>): Response {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
    });
    // Responses with these statuses must not have a body.
    const isEmpty = status === 204 || status === 205 || status === 304;
    const response = new Response(isEmpty ? null : body, {
      status,
      statusText,
      headers: Object.fromEntries(headers),
    });
    return Object.defineProperty(response, 'url', { value: url });
  }
}
