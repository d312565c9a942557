import { isTyped, StateError } from '../../core/errors.js';
import type { GraphPicture } from '../../graph/description/graph-picture.js';
import type { RenderConnection } from '../../threads/connections/connection.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import type { ThreadControl } from '../../threads/control/thread-control.js';
import type { FrameProducer } from './frame-producer.js';

/**
 * Calls of the engine to its threads, beside the frames. Where threads end before they have answered, the call is made
 * again to the threads that follow.
 */
export class ThreadCalls {
  readonly #pipeline: Pipeline;
  readonly #producer: FrameProducer;

  constructor(pipeline: Pipeline, producer: FrameProducer) {
    this.#pipeline = pipeline;
    this.#producer = producer;
  }

  async purge(): Promise<void> {
    await this.#control((control) => control.purge());
  }

  /** GPU times are there some frames after the first call. */
  async describeGraph(): Promise<GraphPicture> {
    return this.#control(async (control) => {
      await control.measureGpu();
      return control.describeGraph();
    });
  }

  /** Where the engine is disposed of before the threads have answered there is nothing to capture, and nothing wrong. */
  async startCapture(): Promise<void> {
    this.#pipeline.isCapturing = true;
    try {
      await this.#control((control) => control.startCapture());
    } catch (error) {
      if (!isTyped(error) || error.code !== 'engine-disposed') throw error;
    }
  }

  async stopCapture(): Promise<ArrayBuffer> {
    this.#pipeline.isCapturing = false;
    const file = await this.#control((control) => control.stopCapture());
    if (!file)
      throw new StateError(
        'no-capture',
        'stopCapture came without startCapture. Start one, and draw a frame.',
      );
    return file;
  }

  /** Asks the threads there are, and where they end before they have answered, those that follow them. */
  async ask<T>(call: (connection: RenderConnection) => Promise<T>): Promise<T> {
    for (;;) {
      await this.#producer.held;
      const { connection, completed } = this.#pipeline;
      // Of threads that were given up, those on the page's own thread could still answer.
      if (completed.error) throw completed.error;
      try {
        return await call(connection);
      } catch (error) {
        await this.#producer.held;
        if (completed.error) throw completed.error;
        if (connection === this.#pipeline.connection) throw error;
      }
    }
  }

  #control<T>(call: (control: ThreadControl) => Promise<T>): Promise<T> {
    return this.ask((connection) => call(connection.control));
  }
}
