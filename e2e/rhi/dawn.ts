/**
 * WebGPU in Node: Dawn of the package `webgpu`, on the software driver that comes with Chromium, so that both
 * browsers and Node compute the same pixels. Where the package or the driver is missing, it says so.
 */
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { findChromium } from '../../scripts/find-chromium.mjs';

export interface Dawn {
  readonly gpu: GPU;
  /** Call it at the end, and keep no GPU object: Node does not exit before. */
  close(): void;
}

/** Keeps a library in the process after its handle is closed (glibc). */
const RTLD_NODELETE = 0x1000;

/** @returns why there is no Dawn, where there is none */
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

/** Debian's /usr/bin/chromium is a script beside nothing. */
function driverFolder(chromium: string): string | undefined {
  const folders = [dirname(realpathSync(chromium)), '/usr/lib/chromium', '/usr/lib/chromium-browser'];
  return folders.find((folder) => existsSync(join(folder, 'vk_swiftshader_icd.json')));
}

/** Dawn looks for Vulkan's loader where the system has it; Chromium brings its own, which is found once it is loaded. */
function preload(library: string): void {
  if (!existsSync(library)) return;
  try {
    process.dlopen({ exports: {} }, library, constants.dlopen.RTLD_NOW | RTLD_NODELETE);
  } catch {
    // It is no Node module, which is all that is wrong: it stays loaded.
  }
}
