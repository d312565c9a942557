/**
 * WebGPU in Node: Dawn from the package `webgpu`, on Chromium's software driver, so that Chromium and Node compute
 * the same pixels. Without the package or the driver, `openDawn` returns the reason.
 */
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { findChromium } from '../../scripts/find-chromium.mjs';

export interface Dawn {
  readonly gpu: GPU;
  /** Closes Dawn. Release every GPU object first. While one is referenced, Node cannot exit. */
  close(): void;
}

/** Keeps a library in the process after its handle is closed (glibc). */
const RTLD_NODELETE = 0x1000;

/** Opens Dawn. @returns the reason if it is missing */
export async function openDawn(): Promise<Dawn | string> {
  const chromium = findChromium();
  const folder = chromium && driverFolder(chromium);
  if (!folder) return 'No vk_swiftshader_icd.json was found beside Chromium.';
  process.env.VK_ICD_FILENAMES = join(folder, 'vk_swiftshader_icd.json');
  preload(join(folder, 'libvulkan.so.1'));
  let create: (options: string[]) => GPU;
  try {
    const dawn = await import('webgpu');
    create = dawn.create;
    Object.assign(globalThis, dawn.globals);
  } catch (error) {
    return `The package "webgpu" can't be loaded: ${(error as Error).message}`;
  }
  let gpu: GPU | null = create(['backend=vulkan']);
  if ((await gpu.requestAdapter()) === null) return 'Dawn found no adapter.';
  return {
    get gpu() {
      if (gpu === null) throw new Error('Dawn was closed.');
      return gpu;
    },
    close: () => {
      gpu = null;
    },
  };
}

/** Returns the folder of Chromium's software driver. Debian's /usr/bin/chromium is a script in another folder. */
function driverFolder(chromium: string): string | undefined {
  const folders = [dirname(realpathSync(chromium)), '/usr/lib/chromium', '/usr/lib/chromium-browser'];
  return folders.find((folder) => existsSync(join(folder, 'vk_swiftshader_icd.json')));
}

/**
 * Loads a library into the process. Dawn searches the system for Vulkan's loader. Once Chromium's copy of it is
 * loaded, Dawn finds that copy.
 */
function preload(library: string): void {
  if (!existsSync(library)) return;
  try {
    process.dlopen({ exports: {} }, library, constants.dlopen.RTLD_NOW | RTLD_NODELETE);
  } catch {
    // Loading fails only because the library is not a Node module. It stays loaded.
  }
}
