/** A turn of the event loop: behind what waits there by now. Messages come before timers, and are not held up where those are. */
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
