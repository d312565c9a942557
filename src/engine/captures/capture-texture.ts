import { writeWords } from '../../game/updates/write-record.js';
import type { View } from '../../game/world/view.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { type CapturedFrame, unpackCapture } from '../../proxy/unpack-capture.js';
import { renderTextureTooLarge } from '../../render/textures/texture-too-large.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import type { FrameSettings } from '../options/frame-settings.js';
import type { Captures } from './capture.js';

/** What it takes to have a texture read back. */
interface TextureCaptureHost {
  readonly captures: Captures;
  readonly settings: FrameSettings;
  readonly pipeline: Pipeline;
}

/**
 * Reads what the next frame draws into the texture of a view, with everything that has changed until now.
 * @throws AssetError `texture-too-large` where the device can't have it; RhiError `capture-failed`
 */
export async function captureTexture(
  { textureId, target }: View,
  { captures, settings, pipeline }: TextureCaptureHost,
): Promise<CapturedFrame> {
  const { width = 0, height = 0, name = '' } = target ?? {};
  const answer = await captures.askNextFrame(settings, (writer, request) =>
    writeWords(writer, RenderOpcode.readView, 3, textureId, 0, request),
  );
  // The device may be another one than that which was there when it was asked.
  const { maxTextureDimension2D = Infinity } = pipeline.capabilities.limits;
  if (Math.max(width, height) > maxTextureDimension2D) {
    throw renderTextureTooLarge(name, width, height, maxTextureDimension2D);
  }
  return unpackCapture(answer, width, height, 'rgba8unorm');
}
