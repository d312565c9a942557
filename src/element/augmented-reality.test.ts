import { expect, it } from 'vitest';
import { arViewerOf, sceneViewerAddress } from './augmented-reality.js';

const ANDROID =
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36';
const files = { src: 'https://a.example/lamp.glb', iosSrc: 'https://a.example/lamp.usdz' };

it('recognises the viewers of systems by the files that they can show', () => {
  const iOS = { userAgent: 'iPhone', supportsQuickLook: true };
  const android = { userAgent: ANDROID, supportsQuickLook: false };
  expect(arViewerOf(iOS, files)).toBe('quick-look');
  expect(arViewerOf(iOS, { ...files, iosSrc: null })).toBeNull();
  expect(arViewerOf(android, files)).toBe('scene-viewer');
  expect(arViewerOf(android, { ...files, src: null })).toBeNull();
  expect(arViewerOf(android, { ...files, src: 'blob:https://a.example/1' })).toBeNull();
  expect(arViewerOf({ ...android, userAgent: `${ANDROID} Firefox/140` }, files)).toBeNull();
  expect(arViewerOf({ userAgent: 'Windows', supportsQuickLook: false }, files)).toBeNull();
});

it('passes the file, its title and the page to Scene Viewer', () => {
  const address = sceneViewerAddress(
    'https://a.example/a b.glb?x=1&y',
    'A lamp; red',
    'https://a.example/?p=1#top',
  );
  const [head = '', fragment = ''] = address.split('#Intent;');
  expect(head).toMatch(/^intent:\/\/arvr\.google\.com\/scene-viewer\/1\.2\?/);
  expect(Object.fromEntries(new URLSearchParams(head.split('?')[1]))).toEqual({
    file: 'https://a.example/a b.glb?x=1&y',
    mode: 'ar_preferred',
    title: 'A lamp; red',
  });
  expect(fragment).toContain(';S.browser_fallback_url=https%3A%2F%2Fa.example%2F%3Fp%3D1%23top;end;');
});
