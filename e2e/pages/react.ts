/** A page with a scene of `fencepost/react`, which e2e/react.spec.ts bundles with the packed library. */
import { boxGeometry, type Engine, type View as EngineView, unlitMaterial } from 'fencepost';
import { Camera, Html, Mesh, OrbitControls, Scene, type SceneProps, View } from 'fencepost/react';
import {
  Component,
  createContext,
  type FunctionComponent,
  createElement as h,
  type ReactNode,
  StrictMode,
  useContext,
  useMemo,
  useState,
} from 'react';
import { createRoot, type Root } from 'react-dom/client';

const box = boxGeometry();
const Color = createContext('#000');

/** The state that the test reads. */
const seen = {
  engines: [] as Engine[],
  errors: [] as string[],
  clicks: 0,
  view: null as EngineView | null,
  setColor: (_color: string): void => {},
  setMore: (_more: ReactNode): void => {},
};

const note = (error: unknown): void => {
  seen.errors.push((error as { code?: string }).code ?? String(error));
};

class PageBoundary extends Component<{ readonly children?: ReactNode }> {
  override state = { hasFailed: false };
  static getDerivedStateFromError(): object {
    return { hasFailed: true };
  }
  override componentDidCatch(error: unknown): void {
    note(error);
  }
  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children;
  }
}

function Box(): ReactNode {
  const color = useContext(Color);
  const material = useMemo(() => unlitMaterial({ baseColor: color }), [color]);
  return h(
    Mesh,
    { geometry: box, material, onClick: () => seen.clicks++ },
    h(Html, { className: 'label' }, h('b', null, color)),
  );
}

function Page({ map }: { readonly map: HTMLElement }): ReactNode {
  const [color, setColor] = useState('#f00');
  const [more, setMore] = useState<ReactNode>(null);
  Object.assign(seen, { setColor, setMore });
  const props: SceneProps = {
    start: 'changed',
    fallback: 'Loading',
    antialias: false,
    onError: note,
    onReady: (engine) => seen.engines.push(engine),
  };
  return h(
    Color.Provider,
    { value: color },
    h(
      Scene,
      props,
      h(Camera, { position: [0, 0, 3], lookAt: [0, 0, 0] }, h(OrbitControls)),
      h(Box),
      more,
      h(
        View,
        {
          ref: (view: EngineView | null) => void Object.assign(seen, { view }),
          canvas: map,
          background: '#00f',
        },
        h(Camera, { position: [0, 0, 9] }),
      ),
    ),
  );
}

let root: Root | null = null;
const render = (element: ReactNode): void => {
  root ??= createRoot(document.querySelector('#view') as HTMLElement);
  root.render(element);
};
const until = async (check: () => boolean): Promise<void> => {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 10));
};
/** Returns the middle pixel of a picture. */
const middleOf = ({
  data,
  width,
  height,
}: {
  data: Uint8ClampedArray | Uint8Array;
  width: number;
  height: number;
}): number[] => {
  const at = ((height >> 1) * width + (width >> 1)) * 4;
  return [...data.slice(at, at + 4)];
};
const canvases = (): number => document.querySelectorAll('canvas').length;

export const page = {
  seen,
  /** Shows the page in strict mode. @returns the number of canvases at the first picture */
  async show(): Promise<number> {
    render(h(StrictMode, null, h(Page, { map: document.querySelector('#map') as HTMLElement })));
    await until(() => seen.engines.length + seen.errors.length > 0);
    return canvases();
  },
  /**
   * Returns the middle pixel of the canvas, the middle pixel and the first one of the view, and the numbers of views and
   * actors, once all is drawn.
   */
  async pixels(): Promise<number[][]> {
    const engine = seen.engines[0] as Engine;
    await engine.whenReady();
    const { world } = engine;
    const shown = middleOf(await engine.captureFrame());
    const view = seen.view ? await seen.view.captureFrame() : null;
    const other = view ? [...middleOf(view), ...view.data.slice(0, 4)] : [];
    return [shown, other, [engine.stats().views.length, world.actors.length]];
  },
  /** Shows a scene in the canvas of the first one, and a scene with an unknown option. @returns their errors */
  async showFaults(): Promise<string[]> {
    const canvas = document.querySelector('#view canvas') as HTMLElement;
    const place = document.body.appendChild(document.createElement('div'));
    const other = createRoot(place);
    other.render([
      h(Scene, { key: 1, canvas, onError: note }),
      h(PageBoundary, { key: 2 }, h(Scene, { exposre: 2 } as SceneProps)),
    ]);
    await until(() => seen.errors.length >= 2);
    other.unmount();
    place.remove();
    return seen.errors.splice(0).sort();
  },
  /** Mounts scenes and removes them before their engines exist. @returns the number of canvases that are left */
  async showBriefly(): Promise<number> {
    const before = canvases();
    const place = document.body.appendChild(document.createElement('div'));
    for (let round = 0; round < 3; round++) {
      const other = createRoot(place);
      other.render(h(Scene, { onError: note }));
      await new Promise((resolve) => setTimeout(resolve, 10 * round));
      other.unmount();
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    place.remove();
    return canvases() - before;
  },
  /** Shows a component of the guide, which turns a mesh, for one frame. @returns the angle in radians */
  async spin(Spinner: FunctionComponent<object>): Promise<number> {
    const engine = seen.engines[0] as Engine;
    const before = engine.world.actors.length;
    // Only the step below ticks.
    engine.stop();
    seen.setMore(h(Spinner, { geometry: box, visible: false } as object));
    await until(() => engine.world.actors.length > before);
    await engine.step(0.5);
    const { y = 0, w = 1 } = engine.world.actors.at(-1)?.rotation ?? {};
    return 2 * Math.atan2(y, w);
  },
  /** Removes the page. @returns the resources that its engine has leaked, and the number of elements that are left */
  async close(): Promise<[leaks: number, elements: number]> {
    root?.unmount();
    await new Promise((resolve) => setTimeout(resolve));
    const { leaks } = await (seen.engines[0] as Engine).dispose();
    return [leaks.length, document.querySelectorAll('canvas, .label').length];
  },
};

declare global {
  interface Window {
    page: typeof page;
  }
}
window.page = page;
