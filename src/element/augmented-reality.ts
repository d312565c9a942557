/**
 * Augmented reality by the viewers of the system: Quick Look on iOS, Scene Viewer on Android. WebXR cannot show the
 * pictures of WebGPU yet.
 *
 *   iOS      ios-src="lamp.usdz"  ─► <a rel="ar"> ─► Quick Look
 *   Android  src="lamp.glb"       ─► intent:       ─► Scene Viewer
 */

/** The system's viewer: `null` if there is none. */
export type ArViewer = 'quick-look' | 'scene-viewer' | null;

/** The browser's properties by which a viewer is recognised. */
interface Browser {
  readonly userAgent: string;
  /** Whether links support the relation `ar`. */
  readonly supportsQuickLook: boolean;
}

/** Files that an element offers to viewers, as absolute addresses; `null` for none. */
export interface ArFiles {
  readonly src: string | null;
  readonly iosSrc: string | null;
}

export function browserOf(): Browser {
  const { relList } = document.createElement('a');
  return { userAgent: navigator.userAgent, supportsQuickLook: relList.supports?.('ar') ?? false };
}

/** Returns the viewer of the system that can show one of the files. */
export function arViewerOf({ userAgent, supportsQuickLook }: Browser, { src, iosSrc }: ArFiles): ArViewer {
  if (supportsQuickLook && iosSrc) return 'quick-look';
  // Firefox opens no intents. Scene Viewer fetches the file itself, so it needs an address of the web.
  const isAndroid = /android/i.test(userAgent) && !/firefox|oculusbrowser/i.test(userAgent);
  return isAndroid && src && /^https?:/.test(src) ? 'scene-viewer' : null;
}

/**
 * Returns the address that opens Scene Viewer.
 * @param page address of the page, which is shown if there is no Scene Viewer
 */
export function sceneViewerAddress(src: string, title: string | null, page: string): string {
  const query = new URLSearchParams({ file: src, mode: 'ar_preferred', ...(title && { title }) });
  const parts = [
    'scheme=https',
    'package=com.google.android.googlequicksearchbox',
    'action=android.intent.action.VIEW',
    `S.browser_fallback_url=${encodeURIComponent(page)}`,
  ];
  return `intent://arvr.google.com/scene-viewer/1.2?${query}#Intent;${parts.join(';')};end;`;
}

/** Opens the viewer, in an event of the user. */
export function openArViewer(viewer: ArViewer, { src, iosSrc }: ArFiles, title: string | null): void {
  const link = document.createElement('a');
  if (viewer === 'quick-look' && iosSrc) {
    link.rel = 'ar';
    link.href = iosSrc;
    // Quick Look opens only from links that contain an image.
    link.append(document.createElement('img'));
  } else if (viewer === 'scene-viewer' && src) {
    link.href = sceneViewerAddress(src, title, location.href);
  } else return;
  link.click();
}
