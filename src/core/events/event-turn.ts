/**
 * Resolves in a later turn of the event loop, after the tasks that are queued now. It uses a message, because browsers
 * throttle timers but not messages.
 */
export function eventTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
