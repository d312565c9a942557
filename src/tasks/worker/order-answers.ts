/**
 * Sends a worker's answers, one per order, each with the number of its order. A result that can't be cloned becomes an
 * error.
 */
import { failureOf } from '../failure.js';
import { resultRefused } from '../task-errors.js';
import type { NumberedAnswer, TaskAnswer } from '../task-messages.js';

/** The order of an answer. */
interface Answered {
  readonly number: number;
  /** Name of the task. */
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

  /** Answers an order that has failed before it began, and so has changed nothing. */
  giveFailure(thrown: unknown, order: Answered): void {
    this.give({ ...{ kind: 'failed', ...failureOf(thrown) }, changes: [] }, order);
  }
}
