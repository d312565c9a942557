import { OptionError } from '../../core/errors.js';
import { shownValue } from '../../core/options/shown-value.js';
import { isFloat } from '../transforms/transform-view.js';

/**
 * Checks a list of numbers that has `size` numbers for each item.
 * @param count number of items. Without it, any multiple of `size` numbers is valid.
 * @throws OptionError
 */
export function checkList(
  call: string,
  name: string,
  values: ArrayLike<number>,
  size: number,
  count?: number,
): ArrayLike<number> {
  const wanted = count ?? Math.ceil((values?.length ?? 0.5) / size);
  if (values?.length !== wanted * size) {
    throw new OptionError(
      'option-invalid',
      `${name} of ${call} has ${values?.length ?? 'no'} numbers; it has to have ${count === undefined ? `a multiple of ${size}` : count * size}.`,
    );
  }
  for (let index = 0; index < values.length; index++) {
    if (isFloat(values[index])) continue;
    throw new OptionError(
      'option-out-of-range',
      `${name} of ${call} has ${shownValue(values[index])} at ${index}; every number has to be finite.`,
    );
  }
  return values;
}

/** Checks colours of three or four numbers each. @throws OptionError */
export function checkColors(call: string, values: ArrayLike<number>, count: number): ArrayLike<number> {
  return checkList(call, 'colors', values, values?.length === count * 3 ? 3 : 4, count);
}

/** Writes linear red, green, blue and alpha of one item. Writes white if there are no colours. */
export function writeColor(
  floats: Float32Array,
  at: number,
  colors: ArrayLike<number> | null,
  index: number,
  count: number,
): void {
  const size = colors ? colors.length / count : 4;
  for (let channel = 0; channel < 4; channel++) {
    floats[at + channel] = colors && channel < size ? (colors[index * size + channel] as number) : 1;
  }
}
