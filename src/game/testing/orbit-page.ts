/** A page with a canvas, an engine that is a plain object, and controls. For unit tests only. */
import { afterEach, beforeEach, vi } from 'vitest';
import type { CameraOptions } from '../components/camera-component.js';
import type { ControlsSource } from '../controls/controls-host.js';
import { orbitControls } from '../controls/orbit-controls.js';
import type { OrbitControlsOptions } from '../controls/orbit-options.js';
import { createTestWorld } from './test-world.js';

/** Requested animation frames; a test runs them explicitly. */
export const frames = new Map<number, (milliseconds: number) => void>();

export function runFrame(milliseconds: number): void {
  const callbacks = [...frames.values()];
  frames.clear();
  for (const callback of callbacks) callback(milliseconds);
}

beforeEach(() => {
  let last = 0;
  frames.clear();
  vi.stubGlobal('requestAnimationFrame', (callback: (milliseconds: number) => void) => {
    frames.set(++last, callback);
    return last;
  });
  vi.stubGlobal('cancelAnimationFrame', (request: number) => frames.delete(request));
});
afterEach(() => vi.unstubAllGlobals());

/** A canvas of 200 × 100 CSS pixels at the window's top left. */
export class FakeCanvas extends EventTarget {
  readonly tagName = 'CANVAS';
  style = { touchAction: '' };
  clientHeight = 100;
  readonly attributes = new Map<string, string>();
  set tabIndex(value: number) {
    this.attributes.set('tabindex', String(value));
  }
  hasAttribute(name: string): boolean {
    return this.attributes.has(name);
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  getBoundingClientRect(): object {
    return { left: 0, top: 0, width: 200, height: 100 };
  }
  setPointerCapture(): void {}
  /** Returns a copy without listeners, as the engine makes it. */
  copy(): FakeCanvas {
    const copy = new FakeCanvas();
    copy.style = { ...this.style };
    for (const [name, value] of this.attributes) copy.attributes.set(name, value);
    return copy;
  }
  fire(type: string, fields: object = {}): Event {
    const event = Object.assign(new Event(type, { cancelable: true }), {
      pointerId: 1,
      clientX: 0,
      clientY: 0,
      button: 0,
      buttons: 1,
      shiftKey: false,
      ...fields,
    });
    this.dispatchEvent(event);
    return event;
  }
}

/** Creates the page without controls. */
export function createPage(lens: CameraOptions = { position: [0, 0, 5] }) {
  const { world, sendNames, errors } = createTestWorld();
  const camera = world.addCamera(lens);
  const invalidate = vi.fn();
  const engine = Object.assign(new EventTarget(), { world, canvas: new FakeCanvas(), invalidate });
  const host = engine as unknown as ControlsSource;
  const position = (): number[] => [camera.position.x, camera.position.y, camera.position.z];
  return { world, camera, engine, host, position, sendNames, invalidate, errors };
}

export function setUp(options: OrbitControlsOptions = {}, lens?: CameraOptions) {
  const page = createPage(lens);
  return { ...page, controls: orbitControls(page.host, page.camera, { damping: 0, ...options }) };
}
