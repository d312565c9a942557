// The module of the dedicated threads that tests start. `kind` chooses a thread's behaviour.
const untilStopped = async (thread) => {
  while (!thread.isStopRequested) await new Promise((resolve) => setTimeout(resolve, 1));
};

let port;

export default {
  async init({ kind }, thread) {
    if (kind === 'reports') {
      port = thread.port;
      await new Promise((resolve) => setTimeout(resolve, 20));
      port.postMessage('init');
    }
    if (kind === 'throws') throw new RangeError('No luck.');
    return kind !== 'refuses';
  },
  async run({ kind, words }, thread) {
    switch (kind) {
      case 'reports':
        port.postMessage('run');
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
      // Counts its rounds in `words`, and blocks while the page suspends it. Never returns to the event loop.
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
  stop: () => port?.postMessage('stop'),
  exit: () => port?.postMessage('exit'),
};
