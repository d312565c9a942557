import { isTyped, StateError } from '../../core/errors.js';
import type { GraphPicture } from '../../graph/description/graph-picture.js';
import type { RenderConnection } from '../../threads/connections/connection.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import type { ThreadControl } from '../../threads/control/thread-control.js';
import type { FrameProducer } from './frame-producer.js';

/**
 * Calls from the engine to its threads outside of frames. If the threads end before they have answered, the call is
 * repeated with the threads that replace them.
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

  /** Describes the last frame. GPU times arrive some frames after the first call. */
  async describeGraph(): Promise<GraphPicture> {
    return this.#control(async (control) => {
      await control.measureGpu();
      return control.describeGraph();
    });
  }

  /** Starts a capture. The promise resolves even if the engine is disposed of before the threads have answered. */
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
        'stopCapture was called without startCapture. Call startCapture and draw a frame first.',
      );
    return file;
  }

  /** Calls the current threads. If they end before they have answered, it calls the threads that replace them. */
  async ask<T>(call: (connection: RenderConnection) => Promise<T>): Promise<T> {
    for (;;) {
      await this.#producer.held;
      const { connection, completed } = this.#pipeline;
      // After the engine has failed, reject: in `single` mode the ended threads could still answer.
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
