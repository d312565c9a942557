import type { CSSProperties } from 'react';
import { type AttachElementOptions, SceneComponent, StateError } from '../../index.js';
import type { Kind, PropNames } from '../tree/kind.js';

export interface HtmlKindOptions extends AttachElementOptions {
  /** Class of the element around the children. */
  readonly className?: string;
  /** Style of the element around the children. The engine sets its place, transform and visibility. */
  readonly style?: CSSProperties;
}

const HTML: PropNames<HtmlKindOptions> = { offset: true, occlude: true, className: true, style: true };

/**
 * Elements of the page over the enclosing actor. The page's own renderer draws them (`page/html-elements.ts`), so the
 * children arrive as the prop `content`.
 */
export const html: Kind = {
  name: 'Html',
  props: { ...HTML, content: true },
  mount: (instance) => {
    const layer = instance.scene.html;
    if (!layer)
      throw new StateError('html-outside-scene', '<Html> needs a <Scene>, whose page draws its elements.');
    // At the top of a scene, the element is at the origin.
    const own = instance.parentActor ? null : instance.scene.world.spawn(new SceneComponent());
    layer.change(instance);
    return {
      handle: null,
      actor: own,
      update: () => layer.change(instance),
      hide: () => layer.change(instance),
      remove: () => {
        layer.remove(instance);
        own?.destroy();
      },
    };
  },
};
