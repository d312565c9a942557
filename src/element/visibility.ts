/** Watches which elements are in view, with one observer for all elements of the page. */

const listeners = new WeakMap<Element, (isInView: boolean) => void>();
let observer: IntersectionObserver | null = null;

/**
 * Calls the listener soon, and whenever the element enters or leaves the view.
 * @returns a function that ends the calls
 */
export function watchVisibility(element: Element, listener: (isInView: boolean) => void): () => void {
  observer ??= new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting);
  });
  const watching = observer;
  listeners.set(element, listener);
  watching.observe(element);
  return () => {
    watching.unobserve(element);
    listeners.delete(element);
  };
}
