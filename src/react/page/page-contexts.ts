/**
 * Lets components of a scene read the contexts of the page around it. A scene is a tree of its own, which React does not
 * connect to the page's tree. So the contexts around the scene are found in React's fibers, read with `useContext`, and
 * provided again within the scene.
 *
 *   page   <Theme.Provider> … <Scene>          fiber ─return─► fiber ─return─► …
 *   scene                       <Theme.Provider value={useContext(Theme)}> … <Mesh>
 */
import { Component, type Context, createElement, type ReactNode, StrictMode, useContext } from 'react';

/** The members of React's fibers that are read here. React 18 and 19 have them. */
interface Fiber {
  readonly return: Fiber | null;
  readonly type: unknown;
}

const CONTEXT = Symbol.for('react.context');
const PROVIDER = Symbol.for('react.provider');

/** Surroundings of a scene in the page. */
interface Surroundings {
  readonly contexts: readonly Context<unknown>[];
  readonly isStrict: boolean;
}

/** Returns the context that a fiber provides. React 18 has a type for providers; in React 19 it is the context. */
function contextOf(type: unknown): Context<unknown> | null {
  const { $$typeof: kind, _context: context } = (type ?? {}) as { $$typeof?: symbol; _context?: unknown };
  return kind === PROVIDER || kind === CONTEXT ? ((context ?? type) as Context<unknown>) : null;
}

function surroundingsOf(fiber: Fiber | undefined): Surroundings {
  const contexts = new Set<Context<unknown>>();
  let isStrict = false;
  for (let up: Fiber | null = fiber ?? null; up; up = up.return) {
    if (up.type === StrictMode) isStrict = true;
    const context = contextOf(up.type);
    if (context) contexts.add(context);
  }
  return { contexts: [...contexts], isStrict };
}

interface Props {
  /** Receives the scene's children with the contexts around them, in each render. */
  readonly use: (children: ReactNode) => ReactNode;
  readonly children?: ReactNode;
}

/** Passes the children on with the contexts and the strict mode of the page. */
export class PageContexts extends Component<Props> {
  #surroundings: Surroundings | null = null;

  override render(): ReactNode {
    // The providers around a mounted component never change, only their values.
    this.#surroundings ??= surroundingsOf((this as { _reactInternals?: Fiber })._reactInternals);
    return createElement(ReadContexts, { ...this.props, surroundings: this.#surroundings });
  }
}

function ReadContexts({
  use,
  surroundings,
  children,
}: Props & { readonly surroundings: Surroundings }): ReactNode {
  const { contexts, isStrict } = surroundings;
  // Unlike other hooks, useContext may be called in a loop, because it has no state.
  const values = contexts.map((context) => useContext(context));
  let wrapped: ReactNode = isStrict ? createElement(StrictMode, null, children) : children;
  contexts.forEach((context, index) => {
    wrapped = createElement(context.Provider, { value: values[index] }, wrapped);
  });
  return use(wrapped);
}
