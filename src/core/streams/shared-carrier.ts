import type { FencepostError } from '../errors.js';
import { ignore, type PortLike, type ReaderCarrier, type WriterCarrier } from './carrier.js';
import { Page } from './page.js';
import { PagePool } from './page-pool.js';
import { closePort, closeReason, isBare, type PortMessage, PortMessageKind } from './port-messages.js';
import { SpscRing } from './spsc-ring.js';
import { type Attachment, PAGE_BYTES } from './stream.js';
import { canListenToWords, listenToWord } from './word-listening.js';

/** Bytes in a slab, which holds 16 ordinary pages. */
const SLAB_BYTES = 16 * PAGE_BYTES;

/**
 * Carries pages in shared memory (cross-origin isolated). Pages are parts of fixed-size slabs, which are added on
 * demand and announced on the port. A ring passes a page on as its number and its used words.
 *
 *   writer ── published ring: (page, used words) ──► reader      memory
 *          ◄── returned ring: (page, –) ────────────             slab 0 | page 0 … page 15 |
 *          ── port: slabs, attachments ────────────►             slab 1 | page 16 … page 31 |
 *          ◄── port: wake-up, on request ───────────             page 32: an oversize page, memory of its own
 *
 * Rings and port are independent: a page may arrive in the ring before its slab or attachment arrives on the port.
 * Then the reader waits. In the steady state, a frame costs the writer one notification of the ring's word and no
 * allocation. In browsers without `Atomics.waitAsync` it posts the message `wake` instead, which takes longer.
 */
export class SharedWriterCarrier implements WriterCarrier {
  onEvent: () => void = ignore;
  onLoss: () => void = ignore;
  onClose: (error: FencepostError | null) => void = ignore;
  readonly #port: PortLike;
  readonly #published: SpscRing;
  readonly #returned: SpscRing;
  readonly #pool = new PagePool();
  /** Pages by number; a dropped oversize page leaves a hole. */
  readonly #pages: (Page | undefined)[] = [];
  readonly #rings: boolean;
  readonly #ringBytes: number;
  readonly #control: PortMessage;
  #publishCount = 0;

  /**
   * @param fatalPages most pages in flight. The rings have at least this many entries, so they never overflow
   * @param rings whether the writer wakes the reader through memory. Otherwise it posts the message `wake`
   */
  constructor(port: PortLike, fatalPages: number, rings = canListenToWords) {
    this.#port = port;
    this.#rings = rings;
    const words = SpscRing.wordsFor(fatalPages);
    const memory = new SharedArrayBuffer(words * 8);
    this.#ringBytes = memory.byteLength;
    const published = new Int32Array(memory, 0, words);
    const returned = new Int32Array(memory, words * 4, words);
    this.#published = new SpscRing(published);
    this.#returned = new SpscRing(returned);
    this.#control = [PortMessageKind.control, published, returned, rings];
    port.onmessage = (event) => this.#receive(event.data);
    port.onmessageerror = () => this.onLoss();
    this.#post(this.#control);
  }

  get byteLength(): number {
    return this.#pool.byteLength + this.#ringBytes;
  }

  acquire(byteLength: number): Page {
    return this.#pool.take(byteLength) ?? this.#grow(byteLength);
  }

  send(page: Page): void {
    this.#published.push(page.id, page.usedWords);
  }

  flush(): void {
    this.#publishCount++;
    if (this.#published.announce()) {
      if (this.#rings) this.#published.ring();
      else this.#port.postMessage(PortMessageKind.wake);
    }
    for (let page = this.#pool.trim(this.#publishCount); page; page = this.#pool.trim(this.#publishCount)) {
      this.#pages[page.id] = undefined;
      this.#post([PortMessageKind.drop, page.id]);
    }
  }

  attach(number: number, attachment: Attachment): void {
    this.#port.postMessage([PortMessageKind.attachment, number, attachment] satisfies PortMessage, [
      attachment,
    ]);
  }

  collect(): number {
    let cost = 0;
    while (this.#returned.hasEntry) {
      const page = this.#pages[this.#returned.first];
      this.#returned.take();
      if (!page) continue;
      cost += page.cost;
      this.#pool.put(page, this.#publishCount);
    }
    return cost;
  }

  requestEvent(): void {
    this.#returned.request();
  }

  close(error: FencepostError | null): void {
    closePort(this.#port, error);
  }

  #grow(byteLength: number): Page {
    const memory = new SharedArrayBuffer(byteLength === PAGE_BYTES ? SLAB_BYTES : byteLength);
    this.#pool.byteLength += memory.byteLength;
    const firstPage = this.#pages.length;
    this.#post([PortMessageKind.slab, firstPage, byteLength, memory]);
    addPages(this.#pages, firstPage, byteLength, memory);
    for (let id = this.#pages.length - 1; id > firstPage; id--) this.#pool.put(this.#pages[id] as Page, 0);
    return this.#pages[firstPage] as Page;
  }

  #receive(message: PortMessage): void {
    if (message === PortMessageKind.wake) this.onEvent();
    else if (message === PortMessageKind.lost) this.#sendMemoryAgain();
    else if (!isBare(message) && message[0] === PortMessageKind.close) this.onClose(closeReason(message));
  }

  /** Posts all memory again. The reader ignores memory that it has already. */
  #sendMemoryAgain(): void {
    this.#post(this.#control);
    let sent: ArrayBufferLike | null = null;
    for (const page of this.#pages) {
      const memory = page?.words.buffer as SharedArrayBuffer | undefined;
      if (!page || !memory || memory === sent) continue;
      sent = memory;
      this.#post([PortMessageKind.slab, page.id, page.words.byteLength, memory]);
    }
  }

  #post(message: PortMessage): void {
    this.#port.postMessage(message);
  }
}

export class SharedReaderCarrier implements ReaderCarrier {
  onEvent: () => void = ignore;
  onLoss: () => void = ignore;
  onClose: (error: FencepostError | null) => void = ignore;
  attachmentsArrived = 0;
  readonly #port: PortLike;
  readonly #pages: (Page | undefined)[] = [];
  readonly #attachments = new Map<number, Attachment>();
  #published: SpscRing | undefined;
  #returned: SpscRing | undefined;
  readonly #listenToWord: typeof listenToWord;
  #isListening = false;

  /** @param listen tests replace it by an interleaving scheduler */
  constructor(port: PortLike, listen = listenToWord) {
    this.#port = port;
    this.#listenToWord = listen;
    port.onmessage = (event) => this.#receive(event.data);
    port.onmessageerror = () => {
      port.postMessage(PortMessageKind.lost);
      this.onLoss();
    };
    port.postMessage(PortMessageKind.hello);
  }

  receive(): Page | undefined {
    const published = this.#published;
    if (!published?.hasEntry) return undefined;
    const page = this.#pages[published.first];
    if (page === undefined) return undefined; // its slab is still in flight, and wakes this end when it arrives
    page.usedWords = published.second;
    published.take();
    return page;
  }

  giveBack(page: Page): void {
    if (this.#returned?.push(page.id, 0) && this.#returned.answer())
      this.#port.postMessage(PortMessageKind.wake);
  }

  flush(): void {}

  takeAttachment(number: number): Attachment | undefined {
    const attachment = this.#attachments.get(number);
    this.#attachments.delete(number);
    return attachment;
  }

  close(error: FencepostError | null): void {
    this.#attachments.clear();
    closePort(this.#port, error);
    this.#stopListening();
  }

  readonly #onRing = (): void => {
    if (!this.#isListening) return;
    this.#published?.hear();
    this.#published?.listen(this.#onRing);
    this.onEvent();
  };

  /** Wakes the pending listener, so that it ends. Otherwise it would keep this object alive for ever. */
  #stopListening(): void {
    if (!this.#isListening) return;
    this.#isListening = false;
    this.#published?.announce();
    this.#published?.ring();
  }

  #receive(message: PortMessage): void {
    if (message === PortMessageKind.wake) {
      this.#published?.hear();
    } else if (!isBare(message)) {
      switch (message[0]) {
        case PortMessageKind.control:
          if (this.#published) return;
          this.#published = new SpscRing(message[1], Atomics, this.#listenToWord);
          this.#returned = new SpscRing(message[2]);
          this.#isListening = message[3];
          // Acknowledge a wake-up that arrived before the rings.
          this.#published.hear();
          if (message[3]) this.#published.listen(this.#onRing);
          if (!this.#published.hasEntry || !this.#pages[this.#published.first]) return;
          break;
        case PortMessageKind.slab:
          if (!this.#pages[message[1]]) addPages(this.#pages, message[1], message[2], message[3]);
          break;
        case PortMessageKind.drop:
          this.#pages[message[1]] = undefined;
          return;
        case PortMessageKind.attachment:
          this.#attachments.set(message[1], message[2]);
          while (this.#attachments.has(this.attachmentsArrived)) this.attachmentsArrived++;
          break;
        case PortMessageKind.close:
          // The wake-up for the last pages may arrive after this message, so check for pages now.
          if (this.#isListening) this.onEvent();
          this.#stopListening();
          this.onClose(closeReason(message));
          return;
      }
    }
    this.onEvent();
  }
}

function addPages(
  pages: (Page | undefined)[],
  firstPage: number,
  pageBytes: number,
  memory: SharedArrayBuffer,
) {
  for (let byteOffset = 0, id = firstPage; byteOffset < memory.byteLength; byteOffset += pageBytes, id++) {
    pages[id] = new Page(id, memory, byteOffset, pageBytes);
  }
}
