/**
 * Kinds whose instances are actors. A prop is an option of the component's constructor, and later the property of the
 * same name. A prop that is removed gets the property's default back.
 */
import {
  type Actor,
  MeshComponent,
  type Motion,
  OptionError,
  type SceneComponent,
  type TransformOptions,
  type VectorLike,
} from '../../index.js';
import { isEventProp, listenTo } from '../tree/events.js';
import type { Instance } from '../tree/instance.js';
import type { Kind, PropNames, Props } from '../tree/kind.js';

/** Props of every component that is an actor. */
export interface PlacedOptions extends TransformOptions {
  /** A declared motion, such as `spin()`. */
  readonly motion?: Motion | null;
}

export const PLACED: PropNames<PlacedOptions> = {
  position: true,
  rotation: true,
  scale: true,
  name: true,
  visible: true,
  motion: true,
};

/** Properties of the actor; all others belong to its component. */
const ACTOR_PROPERTIES = new Set(Object.keys(PLACED));

interface ActorKindOptions {
  readonly name: string;
  readonly props: Readonly<Record<string, true>>;
  /** Creates the component from the given props. */
  readonly create: (options: Props, instance: Instance) => SceneComponent;
  /** Applies props that are no properties. @returns whether it has applied the prop */
  readonly set?: (instance: Instance, actor: Actor, name: string) => boolean;
  /** The prop that turns the actor: a point of the world, or a direction in it. */
  readonly aim?: 'lookAt' | 'direction';
  readonly mounted?: (instance: Instance, actor: Actor) => void;
  readonly removed?: (instance: Instance, actor: Actor) => void;
}

/** Returns a kind of actors. */
export function actorKind(options: ActorKindOptions): Kind {
  const { name, props, aim } = options;
  return {
    name,
    props,
    hasEvents: true,
    mount: (instance) => {
      const actor = spawn(options, instance);
      const events = listenTo(actor, instance);
      const handle = {
        handle: actor,
        actor,
        update: (changed: readonly string[]): void => {
          events.update(changed);
          for (const each of changed) if (!isEventProp(each)) setProperty(options, instance, actor, each);
          if (aim && changed.some((each) => each === aim || each === 'position')) turn(instance, actor, aim);
        },
        hide: () => setVisible(instance, actor),
        remove: () => {
          options.removed?.(instance, actor);
          actor.destroy();
        },
      };
      try {
        if (instance.props.motion) actor.motion = instance.props.motion as Motion;
        events.update(Object.keys(instance.props));
        if (aim && instance.parentActor) turn(instance, actor, aim);
        options.mounted?.(instance, actor);
      } catch (error) {
        handle.remove();
        throw error;
      }
      return handle;
    },
  };
}

function spawn(options: ActorKindOptions, instance: Instance): Actor {
  const { scene, props, parentActor } = instance;
  const given: Record<string, unknown> = {};
  for (const name in props)
    if (Object.hasOwn(options.props, name) && name !== 'motion') given[name] = props[name];
  checkVisible(instance);
  const actor = scene.world.spawn(options.create(given, instance));
  if (parentActor) actor.attachTo(parentActor);
  return actor;
}

function setProperty(options: ActorKindOptions, instance: Instance, actor: Actor, name: string): void {
  if (name === options.aim || options.set?.(instance, actor, name)) return;
  if (name === 'visible') {
    checkVisible(instance);
    setVisible(instance, actor);
    return;
  }
  const owner: object = ACTOR_PROPERTIES.has(name) ? actor : actor.root;
  const value = instance.props[name] ?? defaultOf(options, instance, actor, name);
  Object.assign(owner, { [name]: value });
}

/** Returns the default of a property: its value in a new component. */
function defaultOf(options: ActorKindOptions, instance: Instance, actor: Actor, name: string): unknown {
  if (instance.props[name] === null) return null;
  if (name === 'name') return '';
  if (name === 'motion') return null;
  const { root } = actor;
  // Only a mesh cannot be created without options.
  const required = root instanceof MeshComponent ? { geometry: root.geometry } : {};
  return Reflect.get(options.create(required, instance), name);
}

function setVisible({ props, isHidden }: Instance, actor: Actor): void {
  actor.visible = !isHidden && props.visible !== false;
}

/** @throws OptionError `option-invalid` */
function checkVisible({ kind, props: { visible } }: Instance): void {
  if (visible === undefined || typeof visible === 'boolean') return;
  throw new OptionError(
    'option-invalid',
    `visible of <${kind.name}> is ${JSON.stringify(visible)}; it has to be true or false.`,
  );
}

/** Turns an actor towards a point of the world, or in a direction of the world. */
function turn({ props }: Instance, actor: Actor, aim: 'lookAt' | 'direction'): void {
  const target = props[aim] as VectorLike | undefined;
  if (!target) {
    if (!props.rotation) actor.rotation = [0, 0, 0, 1];
    return;
  }
  if (aim === 'lookAt') {
    actor.lookAt(target);
    return;
  }
  Object.assign(actor.root, { direction: target });
}
