import {
  createElement,
  type ReactElement,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import { HtmlElements } from './html-elements.js';
import { PageContexts } from './page-contexts.js';
import { SceneHost } from './scene-host.js';
import { isElementProp, type SceneProps } from './scene-props.js';

const FILL = { position: 'relative', width: '100%', height: '100%' } as const;
const SURFACE = { width: '100%', height: '100%' } as const;
const OVER = { position: 'absolute', inset: 0 } as const;

/** React warns of layout effects on servers, where no effect runs. */
const useCommit = globalThis.document ? useLayoutEffect : useEffect;

/**
 * Shows a scene in the page. Its element contains the canvas, the elements of `<Html>`, and the fallback until the first
 * picture. On a server, only the element and the fallback are rendered.
 *
 * @throws the error that has ended the scene, unless `onError` is set
 * @example
 * <Scene background="#123">
 *   <Camera position={[3, 2, 4]} lookAt={[0, 0, 0]} />
 *   <DirectionalLight direction={[-1, -2, -1.5]} intensity={3} />
 *   <Mesh geometry={box} material={{ baseColor: '#ff7a1a' }} />
 * </Scene>
 */
export function Scene(props: SceneProps): ReactElement {
  const [host] = useState(() => new SceneHost());
  const { isReady, failure, elements } = useSyncExternalStore(host.subscribe, host.read, host.readOnServer);
  useCommit(() => host.update(props));
  useEffect(() => {
    host.mount();
    return () => host.unmount();
  }, [host]);
  if (failure) throw failure.thrown;
  const own = Object.fromEntries(Object.entries(props).filter(([name]) => isElementProp(name)));
  return createElement(
    'div',
    { ...own, style: { ...FILL, ...props.style } },
    createElement('div', { ref: host.surface, style: SURFACE }),
    createElement(HtmlElements, { elements, report: host.report }),
    isReady || props.fallback === undefined ? null : createElement('div', { style: OVER }, props.fallback),
    createElement(PageContexts, {
      use: (children) => createElement(Children, { host }, children),
      children: props.children,
    }),
  );
}

Scene.displayName = 'Scene';

/** Renders the children in the scene's own tree, in each commit of the page. */
function Children({ host, children }: { readonly host: SceneHost; readonly children?: ReactNode }): null {
  useCommit(() => host.render(children));
  return null;
}
