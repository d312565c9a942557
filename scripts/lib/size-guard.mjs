// Finds growth since the sizes in `scripts/recorded-sizes.json`. Sizes are in bytes of gzip.

/** Growth up to which a size counts as unchanged, as a share of the recorded size. */
export const SLACK = 0.05;
/** Bytes by which even a small file may grow. */
const LEAST_SLACK = 100;

/**
 * @typedef {object} Sizes
 * @property {Readonly<Record<string, number>>} files bytes of each script of dist/
 * @property {Readonly<Record<string, PageSize>>} pages by name
 *
 * @typedef {object} PageSize
 * @property {number} bytes size of all scripts that the page fetches
 * @property {readonly string[]} packageFiles fetched scripts outside of the page's bundle: workers
 */

/**
 * Compares sizes with the recorded sizes.
 *
 * @param {Sizes} recorded
 * @param {Sizes} measured
 * @returns {string[]} a sentence for each size that has grown by more than the slack, for each file or page that only
 *   one of the two has, and for each additional file of the package that a page fetches
 */
export function findGrowth(recorded, measured) {
  const problems = [];
  const compare = (name, before, now) => {
    if (before === undefined) problems.push(`${name} is not recorded.`);
    else if (now === undefined) problems.push(`${name} is recorded, and missing.`);
    else if (now - before > Math.max(before * SLACK, LEAST_SLACK))
      problems.push(`${name}: ${now} bytes, ${growthOf(before, now)} the recorded ${before}.`);
  };
  for (const name of namesOf(recorded.files, measured.files))
    compare(name, recorded.files[name], measured.files[name]);
  for (const name of namesOf(recorded.pages, measured.pages)) {
    const [before, now] = [recorded.pages[name], measured.pages[name]];
    compare(`Page "${name}"`, before?.bytes, now?.bytes);
    if (!before || !now) continue;
    const further = now.packageFiles.filter((file) => !before.packageFiles.includes(file));
    if (further.length > 0) problems.push(`Page "${name}" now fetches ${further.join(', ')} as well.`);
  }
  return problems;
}

function growthOf(before, now) {
  return `${((now / before - 1) * 100).toFixed(1)} % more than`;
}

function namesOf(a, b) {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}
