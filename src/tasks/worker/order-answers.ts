/** How a worker answers orders: each once, by its number. What can't be sent is told in words. */
import { failureOf } from '../failure.js';
import { resultRefused } from '../task-errors.js';
import type { NumberedAnswer, TaskAnswer } from '../task-messages.js';

/** The order that an answer is to. */
interface Answered {
  readonly number: number;
  /** Of the task. */
  readonly name?: string;
}

export class OrderAnswers {
  readonly #post: (message: unknown) => void;

  constructor(post: (message: unknown) => void) {
    this.#post = post;
  }

  give(message: TaskAnswer, { number, name }: Answered): void {
    try {
      this.#post({ ...message, number });
    } catch (refusal) {
      this.#post({
        kind: 'failed',
        ...failureOf(resultRefused(`the task "${name}"`, refusal)),
        ...{ changes: message.changes, ran: message.ran, number },
      } satisfies NumberedAnswer);
    }
  }

  /** Of an order that has not begun, and so has left nothing behind. */
  giveFailure(thrown: unknown, order: Answered): void {
    this.give({ ...{ kind: 'failed', ...failureOf(thrown) }, changes: [] }, order);
  }
}
