import { errorFromData, errorToData, OptionError } from '../../core/errors.js';
import { shownValue } from '../../core/options/shown-value.js';
import { MeshComponent, type MeshOptions } from '../components/mesh-component.js';

/**
 * Creates the components of `world.addMeshes`. The caller adds them to the world once all of them were checked.
 *
 * Proxies of meshes are built on the page's thread, not in a worker. The main cost of a proxy is a copy of the
 * vertices. Sending the vertices to a worker would copy them as well (decision 43).
 *
 * @param check further check of each component before any is added
 * @throws OptionError if `list` is no array; otherwise the error of the first wrong description, with its index in the
 *   message
 */
export function createMeshes(
  list: readonly MeshOptions[],
  check: (component: MeshComponent) => void,
): MeshComponent[] {
  if (!Array.isArray(list)) {
    throw new OptionError(
      'option-invalid',
      `addMeshes was given ${shownValue(list)}; it takes a list of options, one object per mesh.`,
    );
  }
  // `Array.from` also visits gaps of the list.
  return Array.from(list, (options: MeshOptions, index) => {
    try {
      const component = new MeshComponent(options, 'addMeshes');
      check(component);
      return component;
    } catch (error) {
      const data = errorToData(error);
      throw errorFromData({ ...data, message: `Mesh ${index} of the list: ${data.message}`, stack: '' });
    }
  });
}
