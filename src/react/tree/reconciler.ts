/**
 * Connects React's reconciler to instances. One host configuration serves React 18 (react-reconciler 0.29) and React 19
 * (0.31 and later): each generation calls the methods that it knows. The differences:
 *
 *   18   prepareUpdate, then commitUpdate(instance, payload, type, before, after);  getCurrentEventPriority
 *   19   commitUpdate(instance, type, before, after);                               priorities, suspensible commits
 *
 * React renders instances at any time and may throw them away. Only the methods of the commit mount, change and remove
 * them: those that append, insert, remove, hide and update.
 */
import { createContext, type ReactNode } from 'react';
import createReconciler from 'react-reconciler';
import { ConcurrentRoot, DefaultEventPriority } from 'react-reconciler/constants.js';
import { OptionError } from '../../index.js';
import { kinds } from '../kinds/index.js';
import { Instance, placeIn, takeFrom } from './instance.js';
import type { Props } from './kind.js';
import type { SceneState } from './scene-state.js';

/** First argument of `commitUpdate` in React 18. React 19 passes the element's type, a string, there. */
const CHANGED = { isUpdate: true };
const NO_PRIORITY = 0;
const NO_CONTEXT = {};
const doNothing = (): void => {};
const returnNull = (): null => null;
const returnFalse = (): false => false;

let priority = NO_PRIORITY;

const host = {
  supportsMutation: true,
  supportsPersistence: false,
  supportsHydration: false,
  supportsMicrotasks: true,
  isPrimaryRenderer: false,
  noTimeout: -1,
  scheduleTimeout: setTimeout,
  cancelTimeout: clearTimeout,
  scheduleMicrotask: queueMicrotask,
  getRootHostContext: () => NO_CONTEXT,
  getChildHostContext: () => NO_CONTEXT,
  shouldSetTextContent: returnFalse,

  createInstance: (type: string, props: Props, scene: SceneState): Instance => {
    const kind = kinds.get(type);
    if (kind) return new Instance(kind, props, scene);
    throw new OptionError(
      'element-unknown',
      `<${type}> is no part of a scene. Place elements of the page in <Html>, or outside of the <Scene>.`,
    );
  },
  createTextInstance: (text: string): never => {
    throw new OptionError(
      'text-misplaced',
      `The text ${JSON.stringify(text)} is no part of a scene. Place texts in <Html>.`,
    );
  },
  appendInitialChild: (parent: Instance, child: Instance) => parent.place(child, null),
  // True makes React call commitMount, for the errors of instances.
  finalizeInitialChildren: () => true,
  getPublicInstance: ({ mounted }: Instance) => mounted?.handle ?? null,

  appendChild: (parent: Instance, child: Instance) => parent.place(child, null),
  insertBefore: (parent: Instance, child: Instance, before: Instance) => parent.place(child, before),
  removeChild: (parent: Instance, child: Instance) => {
    takeFrom(parent.children, child);
    child.removeTree();
  },
  appendChildToContainer: (scene: SceneState, child: Instance) => placeAtTop(scene, child, null),
  insertInContainerBefore: placeAtTop,
  removeChildFromContainer: (scene: SceneState, child: Instance) => {
    takeFrom(scene.children, child);
    child.removeTree();
  },
  clearContainer: (scene: SceneState) => {
    for (const child of scene.children.splice(0)) child.removeTree();
  },
  commitMount: (instance: Instance) => instance.finishMount(),
  prepareUpdate: () => CHANGED,
  commitUpdate: (instance: Instance, first: unknown, _second: unknown, third: Props, fourth: unknown) =>
    instance.update(first === CHANGED ? (fourth as Props) : third),
  hideInstance: (instance: Instance) => instance.hide(true),
  unhideInstance: (instance: Instance) => instance.hide(false),
  prepareForCommit: returnNull,
  resetAfterCommit: (scene: SceneState) => scene.settle(),

  resolveUpdatePriority: () => priority || DefaultEventPriority,
  getCurrentUpdatePriority: () => priority,
  setCurrentUpdatePriority: (next: number) => {
    priority = next;
  },
  getCurrentEventPriority: () => DefaultEventPriority,
  resolveEventType: returnNull,
  resolveEventTimeStamp: () => -1,
  shouldAttemptEagerTransition: returnFalse,
  maySuspendCommit: returnFalse,
  maySuspendCommitOnUpdate: returnFalse,
  maySuspendCommitInSyncRender: returnFalse,
  preloadInstance: () => true,
  startSuspendingCommit: returnNull,
  suspendInstance: doNothing,
  suspendOnActiveViewTransition: doNothing,
  waitForCommitToBeReady: returnNull,
  getSuspendedCommitReason: returnNull,
  NotPendingTransition: null,
  HostTransitionContext: createContext(null),

  getInstanceFromNode: returnNull,
  getInstanceFromScope: returnNull,
  prepareScopeUpdate: doNothing,
  beforeActiveInstanceBlur: doNothing,
  afterActiveInstanceBlur: doNothing,
  detachDeletedInstance: doNothing,
  preparePortalMount: doNothing,
  requestPostPaintCallback: doNothing,
  resetFormInstance: doNothing,
  resetTextContent: doNothing,
  trackSchedulerEvent: doNothing,
  hideTextInstance: doNothing,
  unhideTextInstance: doNothing,
  commitTextUpdate: doNothing,
};

function placeAtTop(scene: SceneState, child: Instance, before: Instance | null): void {
  placeIn(scene.children, child, before);
  child.mountTree();
}

/** The methods of React's reconciler that the tree uses, in React 18 and 19. */
interface Reconciler {
  createContainer(...options: readonly unknown[]): unknown;
  updateContainer(element: ReactNode, root: unknown, parent: null, callback: (() => void) | null): void;
  /** Only in React 19. */
  updateContainerSync?(element: ReactNode, root: unknown, parent: null, callback: null): void;
  flushSyncWork?(): void;
  /** Only in React 18. */
  flushSync?(work: () => void): void;
  flushPassiveEffects(): boolean;
}

let shared: Reconciler | null = null;

/** Returns React's reconciler. It is created for the first scene, so that an import has no side effects. */
function reconciler(): Reconciler {
  shared ??= (createReconciler as (config: object) => unknown)(host) as Reconciler;
  return shared;
}

/** Creates React's root of a scene. */
export function openTree(scene: SceneState): unknown {
  // The functions receive errors. They do nothing, because a boundary around the scene's children catches all errors.
  const onError = [doNothing, doNothing, doNothing, doNothing];
  return reconciler().createContainer(scene, ConcurrentRoot, null, false, null, '', ...onError, null);
}

/** Renders an element. @param callback called after the commit */
export function renderTree(tree: unknown, element: ReactNode, callback: () => void): void {
  reconciler().updateContainer(element, tree, null, callback);
}

/** Removes everything at once, and runs the cleanups of all effects. */
export function closeTree(tree: unknown): void {
  const react = reconciler();
  if (react.updateContainerSync) {
    react.updateContainerSync(null, tree, null, null);
    react.flushSyncWork?.();
  } else react.flushSync?.(() => react.updateContainer(null, tree, null, null));
  react.flushPassiveEffects();
}
