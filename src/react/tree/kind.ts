/**
 * Kinds of things in a scene, such as meshes and lights. A component of `fencepost/react` names a kind; the React tree
 * then mounts, changes and removes instances of it.
 *
 *   <Mesh position={…}>  ──render──►  Instance { kind: mesh, props }     a plain object, without an actor
 *                        ──commit──►  kind.mount(instance) ──► Mounted   actor in the world
 *                        ──change──►  mounted.update(names of changed props)
 *                        ──remove──►  mounted.remove()
 */
import type { Actor } from '../../index.js';
import type { Instance } from './instance.js';

export type Props = Readonly<Record<string, unknown>>;

/** A table of the props of a kind. The compiler checks that it has all names of `Options`, and no others. */
export type PropNames<Options> = { readonly [Name in keyof Required<Options>]: true };

/** The part of a mounted instance that lies in the engine. */
export interface Mounted {
  /** The value of refs: an actor, a view or controls; `null` for kinds without one. */
  readonly handle: object | null;
  /** The actor to which children are attached; `null` if they are attached to the parent's actor. */
  readonly actor: Actor | null;
  /** Applies changed props. @throws the engine's errors for wrong values */
  update(changed: readonly string[], before: Props): void;
  /** Shows or hides the instance, while React shows the fallback of a `<Suspense>` in its place. */
  hide?(isHidden: boolean): void;
  remove(): void;
}

export interface Kind {
  /** Name of the component, without brackets. */
  readonly name: string;
  readonly props: Readonly<Record<string, true>>;
  /** Whether the component takes event props, such as `onClick`. */
  readonly hasEvents?: true;
  /** Adds the instance to the engine. @throws the engine's errors for wrong values */
  mount(instance: Instance): Mounted;
}
