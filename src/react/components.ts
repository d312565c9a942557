/** The components of a scene. Each creates an element of its kind for the reconciler (`tree/reconciler.ts`). */
import {
  createElement,
  type ForwardRefExoticComponent,
  forwardRef,
  type PropsWithoutRef,
  type ReactElement,
  type ReactNode,
  type RefAttributes,
} from 'react';
import type {
  Actor,
  CameraComponent,
  OrbitControls as Controls,
  DirectionalLightComponent,
  DirectionalLightOptions,
  EffectsOptions,
  View as EngineView,
  MeshComponent,
  PointLightComponent,
  PointLightOptions,
  SceneComponent,
  ShadowCatcherComponent,
  ShadowCatcherOptions,
  SkyOptions,
  SpotLightComponent,
  SpotLightOptions,
} from '../index.js';
import type { PlacedOptions } from './kinds/actor-kind.js';
import type { MeshKindOptions } from './kinds/actors.js';
import type { CameraKindOptions } from './kinds/camera.js';
import type { HtmlKindOptions } from './kinds/html.js';
import type { ModelKindOptions } from './kinds/model.js';
import type { OrbitKindOptions } from './kinds/orbit-controls.js';
import type { AmbientKindOptions, EnvironmentKindOptions } from './kinds/surroundings.js';
import type { ViewKindOptions } from './kinds/view.js';
import { useScene } from './scene-context.js';
import type { ActorEventProps } from './tree/events.js';

/** Optional props may be `undefined`, which is the same as a missing prop. */
type Loose<Options> = {
  readonly [Name in keyof Options]: object extends Pick<Options, Name>
    ? Options[Name] | undefined
    : Options[Name];
};
type Parent = { readonly children?: ReactNode };
type Placed<Options> = Loose<Omit<Options, keyof PlacedOptions>> &
  Loose<PlacedOptions> &
  ActorEventProps &
  Parent;

export type GroupProps = Placed<PlacedOptions>;
export type MeshProps = Placed<MeshKindOptions>;
export type ModelProps = Placed<ModelKindOptions>;
export type DirectionalLightProps = Placed<DirectionalLightOptions>;
export type PointLightProps = Placed<PointLightOptions>;
export type SpotLightProps = Placed<SpotLightOptions>;
export type ShadowCatcherProps = Placed<ShadowCatcherOptions>;
export type CameraProps = Placed<CameraKindOptions>;
export type OrbitControlsProps = Loose<OrbitKindOptions>;
export type ViewProps = Loose<ViewKindOptions> & Parent;
export type HtmlProps = Loose<HtmlKindOptions> & Parent;
export type AmbientLightProps = Loose<AmbientKindOptions>;
export type EnvironmentProps = Loose<EnvironmentKindOptions>;
export type SkyProps = Loose<SkyOptions>;
export type EffectsProps = EffectsOptions;

type Component<Handle, P> = ForwardRefExoticComponent<PropsWithoutRef<P> & RefAttributes<Handle>>;

/** Returns the component of a kind. Its ref receives the actor, the controls or the view. */
function component<Handle, P extends object>(kind: string): Component<Handle, P> {
  const made = forwardRef<Handle, P>((props, ref) => {
    useScene(`<${kind}>`);
    return createElement(kind, { ...props, ref });
  });
  made.displayName = kind;
  return made;
}

/** A mesh: one geometry with one material. The ref receives the actor. */
export const Mesh = /* @__PURE__ */ component<Actor<MeshComponent>, MeshProps>('Mesh');
/** An actor that moves, hides and shows everything in it. */
export const Group = /* @__PURE__ */ component<Actor<SceneComponent>, GroupProps>('Group');
/** A glTF file. The ref receives an actor around the file's actors, also while the file is loading. */
export const Model = /* @__PURE__ */ component<Actor<SceneComponent>, ModelProps>('Model');
/** Light from one direction, in lux. */
export const DirectionalLight = /* @__PURE__ */ component<
  Actor<DirectionalLightComponent>,
  DirectionalLightProps
>('DirectionalLight');
/** Light from a point, in candela. */
export const PointLight = /* @__PURE__ */ component<Actor<PointLightComponent>, PointLightProps>(
  'PointLight',
);
/** A cone of light, in candela. */
export const SpotLight = /* @__PURE__ */ component<Actor<SpotLightComponent>, SpotLightProps>('SpotLight');
/** A ground that shows only the soft shadow of what stands on it. */
export const ShadowCatcher = /* @__PURE__ */ component<Actor<ShadowCatcherComponent>, ShadowCatcherProps>(
  'ShadowCatcher',
);
/** A perspective camera, or an orthographic one with `orthographic`. */
export const Camera = /* @__PURE__ */ component<Actor<CameraComponent>, CameraProps>('Camera');
/** Moves the enclosing `<Camera>`, or else the camera of the canvas. The ref receives the controls. */
export const OrbitControls = /* @__PURE__ */ component<Controls, OrbitControlsProps>('OrbitControls');
/**
 * Another picture of the scene, through the first `<Camera>` in it, or else through the camera of the canvas. The ref
 * receives the view.
 */
export const View = /* @__PURE__ */ component<EngineView, ViewProps>('View');
/** Ambient light of one colour. The instance that was mounted last applies. */
export const AmbientLight = /* @__PURE__ */ component<never, AmbientLightProps>('AmbientLight');
/** Light from all directions, and optionally the background. The instance that was mounted last applies. */
export const Environment = /* @__PURE__ */ component<never, EnvironmentProps>('Environment');
/** A sky with a sun, in place of an environment. */
export const Sky = /* @__PURE__ */ component<never, SkyProps>('Sky');
/** Effects on the picture, or on the picture of the enclosing `<View>`. */
export const Effects = /* @__PURE__ */ component<never, EffectsProps>('Effects');

/** Elements of the page over the enclosing actor, placed by `engine.attachElement`. */
export function Html({ children, ...props }: HtmlProps): ReactElement {
  useScene('<Html>');
  return createElement('Html', { ...props, content: children });
}
Html.displayName = 'Html';
