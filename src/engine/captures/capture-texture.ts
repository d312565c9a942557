import { writeWords } from '../../game/updates/write-record.js';
import type { View } from '../../game/world/view.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { type CapturedFrame, unpackCapture } from '../../proxy/unpack-capture.js';
import { renderTextureTooLarge } from '../../render/textures/texture-too-large.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import type { FrameSettings } from '../options/frame-settings.js';
import type { Captures } from './capture.js';

/** The parts of the engine that a texture read-back needs. */
interface TextureCaptureHost {
  readonly captures: Captures;
  readonly settings: FrameSettings;
  readonly pipeline: Pipeline;
}

/**
 * Draws the next frame with all changes made so far, and reads the texture of a view back.
 * @throws AssetError `texture-too-large` if the device's limit is smaller; RhiError `capture-failed`
 */
export async function captureTexture(
  { textureId, target }: View,
  { captures, settings, pipeline }: TextureCaptureHost,
): Promise<CapturedFrame> {
  const { width = 0, height = 0, name = '' } = target ?? {};
  const answer = await captures.askNextFrame(settings, (writer, request) =>
    writeWords(writer, RenderOpcode.readView, 3, textureId, 0, request),
  );
  // Read the limit after the answer: a restart may have replaced the device since the request.
  const { maxTextureDimension2D = Infinity } = pipeline.capabilities.limits;
  if (Math.max(width, height) > maxTextureDimension2D) {
    throw renderTextureTooLarge(name, width, height, maxTextureDimension2D);
  }
  return unpackCapture(answer, width, height, 'rgba8unorm');
}
