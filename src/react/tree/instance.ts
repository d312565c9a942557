import { type Actor, FencepostError, OptionError, type View } from '../../index.js';
import { isEventProp } from './events.js';
import type { Kind, Mounted, Props } from './kind.js';
import { isSame, snapshotOf } from './same.js';
import type { SceneState } from './scene-state.js';

/**
 * One component of a scene in the React tree. React creates instances while it renders, and may throw them away. So an
 * instance touches the engine only in a commit.
 *
 * An error of `mount` is kept for `finishMount`, because React then finds the error boundary around the instance. The
 * children of a failed instance are not mounted.
 */
export class Instance {
  readonly kind: Kind;
  readonly scene: SceneState;
  /** The props that are set, without those that React and the tree handle. */
  props: Props;
  parent: Instance | null = null;
  readonly children: Instance[] = [];
  /** `null` before the first commit, after the removal, and if `mount` has failed. */
  mounted: Mounted | null = null;
  isHidden = false;
  #error: { readonly thrown: unknown } | null = null;
  #isCommitted = false;
  /** Message of the last error that `attempt` has reported. */
  #reported = '';

  constructor(kind: Kind, props: Props, scene: SceneState) {
    this.kind = kind;
    this.props = settled(props);
    this.scene = scene;
    checkNames(kind, this.props);
  }

  /** The actor around this instance; `null` at the top of the scene. */
  get parentActor(): Actor | null {
    return this.parent?.ownActor ?? null;
  }

  /** The actor of this instance, or of the closest instance around it. */
  get ownActor(): Actor | null {
    return this.mounted?.actor ?? this.parentActor;
  }

  /** The closest instance of a kind around this one. */
  closest(kind: Kind): Instance | null {
    for (let up = this.parent; up; up = up.parent) if (up.kind === kind) return up;
    return null;
  }

  /** The closest view around this one; `null` outside of views, and until the view exists. */
  viewOf(kind: Kind): View | null {
    return (this.closest(kind)?.mounted?.handle as View | null | undefined) ?? null;
  }

  /** Places a child before another child, or at the end. */
  place(child: Instance, before: Instance | null): void {
    placeIn(this.children, child, before);
    child.parent = this;
    if (this.mounted) child.mountTree();
  }

  /** Mounts this instance and all instances in it, unless they are mounted already. */
  mountTree(): void {
    if (this.mounted || this.#error) return;
    try {
      this.mounted = this.kind.mount(this);
      if (this.isConcealed) this.mounted.hide?.(true);
    } catch (thrown) {
      this.#error = { thrown };
      return;
    }
    for (const child of this.children) child.mountTree();
  }

  /**
   * Runs work at the end of a commit. In the commit that mounts this instance, an error is kept for `finishMount`. Later
   * errors are reported, unless the previous one had the same message.
   */
  attempt(work: () => void): void {
    try {
      work();
      this.#reported = '';
    } catch (thrown) {
      if (!this.#isCommitted) this.#error ??= { thrown };
      else if (messageOf(thrown) !== this.#reported) {
        this.#reported = messageOf(thrown);
        this.scene.report(thrown);
      }
    }
  }

  /** Completes the commit that mounts this instance. @throws the error of `mount` or `attempt` */
  finishMount(): void {
    this.#isCommitted = true;
    if (this.#error) throw this.#error.thrown;
  }

  /** Replaces the props, and applies those that have changed. @throws OptionError, and all errors of the engine */
  update(props: Props): void {
    const before = this.props;
    this.props = settled(props);
    checkNames(this.kind, this.props);
    const changed = changedNames(before, this.props);
    if (changed.length > 0) this.mounted?.update(changed, before);
  }

  /** Whether React hides this instance, or one around it. */
  get isConcealed(): boolean {
    return this.isHidden || (this.parent?.isConcealed ?? false);
  }

  /** Hides or shows the instance, and all in it. React calls this only for the outermost instances. */
  hide(isHidden: boolean): void {
    this.isHidden = isHidden;
    this.#conceal();
  }

  #conceal(): void {
    this.mounted?.hide?.(this.isConcealed);
    for (const child of this.children) child.#conceal();
  }

  /** Removes this instance and all instances in it from the engine, the innermost first. */
  removeTree(): void {
    for (const child of [...this.children].reverse()) child.removeTree();
    const { mounted } = this;
    this.mounted = null;
    try {
      mounted?.remove();
    } catch (error) {
      // The engine was disposed of before the tree. Nothing is left to remove.
      if (!(error instanceof FencepostError)) throw error;
    }
  }
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** Places an item before another one, or at the end. An item that is in the list already is moved. */
export function placeIn(list: Instance[], child: Instance, before: Instance | null): void {
  takeFrom(list, child);
  list.splice(before ? list.indexOf(before) : list.length, 0, child);
}

export function takeFrom(list: Instance[], child: Instance): void {
  const at = list.indexOf(child);
  if (at >= 0) list.splice(at, 1);
}

/** Returns the props that are set, without `children` and `ref`. Vectors of actors are copied. */
function settled(props: Props): Props {
  const own: Record<string, unknown> = {};
  for (const name in props)
    if (name !== 'children' && name !== 'ref' && props[name] !== undefined)
      own[name] = snapshotOf(props[name]);
  return own;
}

/** Returns the names of all props that differ. Arrays and plain objects with the same content are equal. */
function changedNames(before: Props, after: Props): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isSame(before[name], after[name]));
}

/** @throws OptionError `option-unknown` */
function checkNames(kind: Kind, props: Props): void {
  for (const name in props) {
    if (Object.hasOwn(kind.props, name)) continue;
    if (kind.hasEvents && isEventProp(name)) continue;
    const known = Object.keys(kind.props).join(', ');
    const events = kind.hasEvents ? ', and events such as onClick' : '';
    const takes = known ? `It takes ${known}${events}.` : `It takes only children.`;
    throw new OptionError('option-unknown', `<${kind.name}> has no prop "${name}". ${takes}`);
  }
}
