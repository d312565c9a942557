import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectStreamWriter } from '../../core/streams/page-stream.js';
import { ManualChannel } from '../../core/testing/manual-channel.js';
import { renderCommands } from '../../proxy/command-table.js';
import { boxGeometry } from '../geometry/shapes.js';
import { standardMaterial } from '../materials/material.js';
import { texture } from '../textures/texture.js';
import { World } from '../world/world.js';
import { resend } from './resend.js';

/** If an object can't be transferred with the stream, only that object fails. */

afterEach(() => vi.unstubAllGlobals());

/** Returns a writer as between threads: its port rejects objects that can't be transferred. */
const connect = () =>
  connectStreamWriter(new ManualChannel().port1, { table: renderCommands, shared: false });

function setUp() {
  const errors: { code: string; message: string }[] = [];
  const world = new World(connect(), {
    loadScene: () => Promise.reject(new Error('no loader')),
    reportError: (error) => errors.push(error as { code: string; message: string }),
  });
  return { world, errors };
}

/** Returns a geometry whose copy fails, as if it were too large for the browser. */
function hugeGeometry() {
  const huge = Object.assign(boxGeometry(), { label: 'terrain' });
  vi.spyOn(huge.data, 'slice').mockImplementation(() => {
    throw new RangeError('Array buffer allocation failed');
  });
  return huge;
}

describe("an attachment that can't be sent", () => {
  it('is reported, closed and left out if it is an image, and the next image is sent', async () => {
    const close = vi.fn();
    // The decoded object can't be transferred, like a tainted image.
    vi.stubGlobal('createImageBitmap', async () => ({ width: 1, height: 1, close }));
    const { world, errors } = setUp();
    const material = standardMaterial({ baseColorTexture: texture(new Blob(), { name: 'foreign' }) });
    world.addMesh({ geometry: boxGeometry(), material });
    world.sendUpdates();
    await world.whenReady();
    world.sendUpdates();
    expect(errors).toMatchObject([
      { code: 'texture-load-failed', message: expect.stringContaining('"foreign"') },
    ]);
    expect(close).toHaveBeenCalledOnce();
    material.baseColorTexture = texture({ width: 1, height: 1, data: new Uint8Array(4) });
    world.sendUpdates();
    expect(errors).toHaveLength(1);
  });

  it('is reported with its name and not kept if it is a geometry, and other geometries are sent', () => {
    const { world, errors } = setUp();
    const mesh = world.addMesh({ geometry: hugeGeometry() });
    const box = world.addMesh({ geometry: boxGeometry() });
    world.sendUpdates();
    expect(errors).toMatchObject([
      { code: 'limit-exceeded', message: expect.stringMatching(/"terrain".*Split it/) },
    ]);
    expect(world.retainedBytes).toBe(box.root.geometry.data.byteLength);
    mesh.destroy();
    box.destroy();
    world.sendUpdates();
    expect(world.retainedBytes).toBe(0);
    expect(errors).toHaveLength(1);
  });

  it("is reported once if it is a geometry that can't be sent again to a new stream", () => {
    const { world, errors } = setUp();
    const huge = Object.assign(boxGeometry(), { label: 'terrain' });
    const mesh = world.addMesh({ geometry: huge });
    world.addMesh({ geometry: boxGeometry() });
    world.sendUpdates();
    vi.spyOn(huge.data, 'slice').mockImplementation(() => {
      throw new RangeError('Array buffer allocation failed');
    });
    resend(world, connect());
    expect(errors).toMatchObject([{ code: 'limit-exceeded' }]);
    mesh.destroy();
    world.sendUpdates();
    expect(errors).toHaveLength(1);
  });
});
