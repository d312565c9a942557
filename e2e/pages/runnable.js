// A dedicated thread as a test starts it. `kind` chooses its behaviour.
const untilStopped = async (thread) => {
  while (!thread.isStopRequested) await new Promise((resolve) => setTimeout(resolve, 1));
};

let told;

export default {
  async init({ kind }, thread) {
    if (kind === 'tells') {
      told = thread.port;
      await new Promise((resolve) => setTimeout(resolve, 20));
      told.postMessage('init');
    }
    if (kind === 'throws') throw new RangeError('No luck.');
    return kind !== 'refuses';
  },
  async run({ kind, words }, thread) {
    switch (kind) {
      case 'tells':
        told.postMessage('run');
        await untilStopped(thread);
        return 'ended';
      case 'echo':
        thread.port.onmessage = ({ data }) => thread.port.postMessage([data, typeof document]);
        await untilStopped(thread);
        return 'ended';
      // Pauses when the page suspends it, and answers each message with the number of its rounds.
      case 'steps': {
        let rounds = 0;
        thread.port.onmessage = () => thread.port.postMessage(rounds);
        while (!thread.isStopRequested) {
          rounds++;
          await thread.safePoint();
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
        return 'ended';
      }
      // The same without ever returning to the event loop.
      case 'blocks':
        while (!thread.isStopRequested) {
          words[1]++;
          thread.blockAtSafePoint();
        }
        return 'ended';
      // Never returns to the event loop.
      case 'spins':
        while (!thread.isStopRequested) words[1]++;
        return 'ended';
      case 'holds':
        new thread.tools.TaskMutex({ words, index: 0 }).lock();
        words[1] = 1;
        for (;;);
      case 'deaf':
        return new Promise(() => {});
      case 'breaks':
        setTimeout(() => {
          throw new Error('It broke.');
        });
        return new Promise(() => {});
      default:
        throw new RangeError('Later.');
    }
  },
  stop: () => told?.postMessage('stop'),
  exit: () => told?.postMessage('exit'),
};
