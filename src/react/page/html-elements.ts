import {
  type CSSProperties,
  createElement,
  type ReactElement,
  type ReactNode,
  useLayoutEffect,
  useRef,
} from 'react';
import type { AttachElementOptions, Engine } from '../../index.js';
import { SceneContext } from '../scene-context.js';
import type { Instance } from '../tree/instance.js';

/** An element of `<Html>`. A change of its props makes another object, so that React renders it. */
export interface HtmlElementState {
  readonly id: number;
  readonly instance: Instance;
}

/** Hides an element until the engine has placed it. */
const UNPLACED = { position: 'absolute', left: 0, top: 0, visibility: 'hidden' } as const;

/** Draws the elements of all `<Html>` of a scene in the page's own tree. */
export function HtmlElements({
  elements,
  report,
}: {
  readonly elements: readonly HtmlElementState[];
  readonly report: (error: unknown) => void;
}): ReactNode {
  return elements.map((state) => createElement(HtmlElement, { key: state.id, state, report }));
}

function HtmlElement({
  state: { instance },
  report,
}: {
  readonly state: HtmlElementState;
  readonly report: (error: unknown) => void;
}): ReactElement {
  const { props, scene, isConcealed, ownActor } = instance;
  const ref = useRef<HTMLDivElement>(null);
  const { offset, occlude } = props as AttachElementOptions;
  const options = JSON.stringify({ offset, occlude });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element || !ownActor || isConcealed) return;
    return attach(scene.engine, element, instance, report);
  }, [scene, ownActor, isConcealed, options, instance, report]);
  const content = createElement(SceneContext.Provider, { value: scene }, props.content as ReactNode);
  const style = { ...(props.style as CSSProperties | undefined), ...UNPLACED };
  return createElement('div', { ref, className: props.className as string | undefined, style }, content);
}

/** Attaches the element to its actor. @returns a function that detaches it */
function attach(
  engine: Engine,
  element: HTMLElement,
  { props, ownActor }: Instance,
  report: (error: unknown) => void,
): (() => void) | undefined {
  const { offset, occlude } = props as AttachElementOptions;
  try {
    const attachment = engine.attachElement(element, ownActor as NonNullable<typeof ownActor>, {
      ...(offset && { offset }),
      ...(occlude !== undefined && { occlude }),
    });
    return () => attachment.dispose();
  } catch (error) {
    report(error);
    return undefined;
  }
}
