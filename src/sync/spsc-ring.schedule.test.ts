import { describe, expect, it } from 'vitest';
import { SpscRing } from '../core/streams/spsc-ring.js';
import type { listenToWord } from '../core/streams/word-listening.js';
import { replayThread, type Stepper, steppedAtomics } from './testing/replay-thread.js';
import { explore, type Program } from './testing/schedule-explorer.js';

/**
 * The real ring, interrupted before every atomic operation, in every schedule with a limited number of
 * preemptions. Only a message in its mailbox, or a change of the ring's signal word, wakes the consumer. So a
 * lost wake-up is a deadlock. The tests of capacity have no wake-ups: there each thread sees a change at once.
 */
const ENTRIES = [11, 12, 13];

type Body = (ring: SpscRing, stepper: Stepper, mailbox: Mailbox, received: number[]) => void;

class Mailbox {
  messages = 0;
  post(stepper: Stepper): void {
    stepper.act('post', () => {
      this.messages++;
    });
  }
  take(stepper: Stepper): void {
    stepper.wait('a message', () => this.messages > 0);
    stepper.act('message', () => {
      this.messages--;
    });
  }
}

function program(producer: Body, consumer: Body, mostMessages = Number.POSITIVE_INFINITY): () => Program {
  return () => {
    const words = new Int32Array(new SharedArrayBuffer(SpscRing.wordsFor(4) * 4));
    const mailbox = new Mailbox();
    let received: number[] = [];
    return {
      threads: {
        producer: replayThread((stepper) =>
          producer(new SpscRing(words, steppedAtomics(stepper)), stepper, mailbox, []),
        ),
        consumer: replayThread((stepper) => {
          const list: number[] = []; // created in the body, because the body runs again for each step
          const listen: typeof listenToWord = (ints, index, expected, onChange) => {
            stepper.wait('the ring', () => ints[index] !== expected);
            onChange();
          };
          consumer(new SpscRing(words, steppedAtomics(stepper), listen), stepper, mailbox, list);
          received = list;
        }),
      },
      invariant: () => {
        if (mailbox.messages > mostMessages) throw new Error(`${mailbox.messages} messages under way`);
      },
      atEnd: () => expect(received).toEqual(ENTRIES),
    };
  };
}

function drain(ring: SpscRing, stepper: Stepper, received: number[]): void {
  while (received.length < ENTRIES.length && ring.hasEntry) {
    received.push(stepper.act('read entry', () => ring.first));
    ring.take();
  }
}

const publishing: Body = (ring, stepper, mailbox) => {
  for (const entry of ENTRIES) {
    ring.push(entry, 0);
    if (ring.announce()) mailbox.post(stepper);
  }
};

const hearing: Body = (ring, stepper, mailbox, received) => {
  while (received.length < ENTRIES.length) {
    mailbox.take(stepper);
    ring.hear();
    drain(ring, stepper, received);
  }
};

describe('shared ring, coalesced wake-up, every schedule of at most four preemptions', () => {
  it('no wake-up and no entry is lost, with at most one message in flight', () => {
    const result = explore(program(publishing, hearing, 1), { maxPreemptions: 4 });
    expect(result.schedules).toBeGreaterThan(500);
  });

  it('the explorer catches a consumer that reads entries before it acknowledges the message', () => {
    const deaf: Body = (ring, stepper, mailbox, received) => {
      while (received.length < ENTRIES.length) {
        mailbox.take(stepper);
        drain(ring, stepper, received);
        ring.hear();
      }
    };
    expect(() => explore(program(publishing, deaf), { maxPreemptions: 2 })).toThrow(
      'Deadlock: consumer waits for a message',
    );
  });

  it('the explorer catches a producer that announces before it pushes', () => {
    const hasty: Body = (ring, stepper, mailbox) => {
      for (const entry of ENTRIES) {
        const mustPost = ring.announce();
        if (mustPost) mailbox.post(stepper);
        ring.push(entry, 0);
      }
    };
    expect(() => explore(program(hasty, hearing), { maxPreemptions: 2 })).toThrow('Deadlock');
  });
});

describe('shared ring, coalesced wake-up in memory, every schedule of at most four preemptions', () => {
  const ringing: Body = (ring) => {
    for (const entry of ENTRIES) {
      ring.push(entry, 0);
      if (ring.announce()) ring.ring();
    }
  };

  it('no wake-up and no entry is lost', () => {
    const listening: Body = (ring, stepper, _, received) => {
      while (received.length < ENTRIES.length) {
        let isRung = false;
        ring.listen(() => {
          isRung = true;
        });
        if (!isRung) throw new Error('The ring called no listener.');
        ring.hear();
        drain(ring, stepper, received);
      }
    };
    expect(explore(program(ringing, listening), { maxPreemptions: 4 }).schedules).toBeGreaterThan(500);
  });

  it('the explorer catches a consumer that reads entries before it acknowledges the ring', () => {
    const deaf: Body = (ring, stepper, _, received) => {
      while (received.length < ENTRIES.length) {
        ring.listen(() => {});
        drain(ring, stepper, received);
        ring.hear();
      }
    };
    expect(() => explore(program(ringing, deaf), { maxPreemptions: 2 })).toThrow(
      'Deadlock: consumer waits for the ring',
    );
  });
});

const answering: Body = (ring, stepper, mailbox) => {
  for (const entry of ENTRIES) {
    ring.push(entry, 0);
    if (ring.answer()) mailbox.post(stepper);
  }
};

describe('shared ring, wake-up on request, every schedule of at most four preemptions', () => {
  it('no wake-up and no entry is lost', () => {
    const asking: Body = (ring, stepper, mailbox, received) => {
      for (;;) {
        drain(ring, stepper, received);
        if (received.length === ENTRIES.length) return;
        ring.request();
        if (!ring.hasEntry) mailbox.take(stepper);
      }
    };
    const result = explore(program(answering, asking), { maxPreemptions: 4 });
    expect(result.schedules).toBeGreaterThan(500);
  });

  it('the explorer catches a consumer that does not check for entries after its request', () => {
    const trusting: Body = (ring, stepper, mailbox, received) => {
      for (;;) {
        drain(ring, stepper, received);
        if (received.length === ENTRIES.length) return;
        ring.request();
        mailbox.take(stepper);
      }
    };
    expect(() => explore(program(answering, trusting), { maxPreemptions: 2 })).toThrow('Deadlock');
  });

  it('the explorer catches a producer that answers before it pushes', () => {
    const hasty: Body = (ring, stepper, mailbox) => {
      for (const entry of ENTRIES) {
        if (ring.answer()) mailbox.post(stepper);
        ring.push(entry, 0);
      }
    };
    const asking: Body = (ring, stepper, mailbox, received) => {
      for (;;) {
        drain(ring, stepper, received);
        if (received.length === ENTRIES.length) return;
        ring.request();
        if (!ring.hasEntry) mailbox.take(stepper);
      }
    };
    expect(() => explore(program(hasty, asking), { maxPreemptions: 3 })).toThrow('Deadlock');
  });
});

describe('shared ring, capacity', () => {
  const small = (push: (ring: SpscRing, entry: number, waitForRoom: () => void) => void) => () => {
    const words = new Int32Array(new SharedArrayBuffer(SpscRing.wordsFor(2) * 4));
    let received: number[] = [];
    return {
      threads: {
        producer: replayThread((stepper) => {
          const ring = new SpscRing(words, steppedAtomics(stepper));
          const waitForRoom = () => stepper.wait('room', () => words[0] - words[1] < 2);
          for (const entry of ENTRIES) push(ring, entry, waitForRoom);
        }),
        consumer: replayThread((stepper) => {
          const ring = new SpscRing(words, steppedAtomics(stepper));
          const list: number[] = [];
          while (list.length < ENTRIES.length) {
            stepper.wait('an entry', () => words[0] !== words[1]);
            if (!ring.hasEntry) continue;
            list.push(stepper.act('read entry', () => ring.first));
            ring.take();
          }
          received = list;
        }),
      },
      atEnd: () => expect(received).toEqual(ENTRIES),
    };
  };

  it('a full ring rejects entries, and never overwrites an entry that was not taken', () => {
    const patient = (ring: SpscRing, entry: number, waitForRoom: () => void) => {
      while (!ring.push(entry, 0)) waitForRoom();
    };
    expect(explore(small(patient), { maxPreemptions: 3 }).schedules).toBeGreaterThan(50);
  });

  it('the explorer catches a producer that ignores a full ring', () => {
    const careless = (ring: SpscRing, entry: number) => void ring.push(entry, 0);
    expect(() => explore(small(careless), { maxPreemptions: 2 })).toThrow(/Deadlock|expected/);
  });
});
