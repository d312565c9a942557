import { errorFromData, errorToData, OptionError } from '../../core/errors.js';
import { shownValue } from '../../core/options/shown-value.js';
import { MeshComponent, type MeshOptions } from '../components/mesh-component.js';

/**
 * Creates the components of `world.addMeshes`, which enter the world after all of them were checked.
 *
 * Their proxies are built on the page: a proxy is a copy of the vertices, and handing the vertices to a worker would
 * copy them as well (decision 43).
 *
 * @param check further check of each component before any is added
 * @throws the error of the first wrong description, which names the description by its index
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
