import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import * as errors from './errors.js';
import {
  AssetError,
  asStreamError,
  errorFromData,
  errorToData,
  FencepostError,
  StreamError,
  ThreadError,
} from './errors.js';

/**
 * Builds a second copy of the error classes. In the package, several files of dist/ contain such a copy. The
 * build shortens the classes' names.
 */
async function importBuiltClasses(): Promise<[name: string, ErrorClass: typeof FencepostError][]> {
  const { outputFiles } = await build({
    entryPoints: [new URL('./errors.ts', import.meta.url).pathname],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  const text = outputFiles[0]?.text ?? '';
  const built: Record<string, unknown> = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  const classes = Object.entries(built).filter(([name]) => /^[A-Z]\w+Error$/.test(name));
  expect(classes.length).toBeGreaterThan(9);
  return classes as [string, typeof FencepostError][];
}

describe('the name of an error', () => {
  it('is the class name and begins the stack, also in builds that shorten class names', async () => {
    for (const [name, ErrorClass] of await importBuiltClasses()) {
      const error = new ErrorClass('a-code', 'What happened.');
      expect(error.stack).toMatch(new RegExp(`^${name}: What happened\\.`));
      expect([error.name, ErrorClass.name, String(error)]).toEqual([name, name, `${name}: What happened.`]);
    }
  });
});

describe('instanceof', () => {
  const classes: Readonly<Record<string, unknown>> = errors;

  it('is true for an error of another copy of the class, in both directions, and for the base class', async () => {
    for (const [name, OtherClass] of await importBuiltClasses()) {
      const OwnClass = classes[name] as typeof FencepostError;
      const own = new OwnClass('a-code', 'What happened.');
      const other = new OtherClass('a-code', 'What happened.');
      expect(OtherClass).not.toBe(OwnClass);
      expect([own, other].map((error) => error instanceof OwnClass)).toEqual([true, true]);
      expect([own, other].map((error) => error instanceof OtherClass)).toEqual([true, true]);
      expect(other).toBeInstanceOf(FencepostError);
    }
  });

  it('is false for another class of either copy, for foreign errors, and for values that are not errors', async () => {
    for (const [name, OtherClass] of await importBuiltClasses()) {
      const other = new OtherClass('a-code', 'What happened.');
      expect(other instanceof AssetError).toBe(name === 'AssetError');
      expect(new AssetError('a-code', 'What happened.') instanceof OtherClass).toBe(
        name === 'AssetError' || name === 'FencepostError',
      );
    }
    const foreign = Object.assign(new Error('no such file'), { code: 'ENOENT' });
    const disguised = { name: 'AssetError', code: 'a-code', message: 'What happened.' };
    for (const value of [foreign, disguised, new TypeError('no'), null, undefined, 'AssetError', 5]) {
      expect(value instanceof FencepostError).toBe(false);
      expect(value instanceof AssetError).toBe(false);
    }
  });

  it('distinguishes a subclass that a page defines from its base class', () => {
    class ShopError extends AssetError {}
    expect(new ShopError('a-code', 'Sold out.')).toBeInstanceOf(ShopError);
    expect(new ShopError('a-code', 'Sold out.')).toBeInstanceOf(AssetError);
    expect(new AssetError('a-code', 'What happened.') instanceof ShopError).toBe(false);
  });
});

describe('errors across threads', () => {
  it('keep class, code, message and stack through a structured clone', () => {
    const error = new AssetError('image-undecodable', 'The image "a.png" could not be decoded.');
    const copy = errorFromData(structuredClone(errorToData(error)));
    expect(copy).toBeInstanceOf(AssetError);
    expect(copy).toMatchObject({ name: 'AssetError', code: error.code, message: error.message });
    expect(copy.stack).toBe(error.stack);
  });

  it('keep their details', () => {
    const details = { reason: 'unknown', message: 'Gone.' };
    const lost = new ThreadError('device-lost', 'The device was lost.', { details });
    expect(errorFromData(structuredClone(errorToData(lost))).details).toEqual(details);
    expect(errorFromData(errorToData(new Error('no'))).details).toBeUndefined();
  });

  it('get the code `internal` if they are foreign errors or other thrown values', () => {
    expect(errorFromData(errorToData(new TypeError('x is undefined')))).toMatchObject({
      name: 'FencepostError',
      code: 'internal',
      message: 'x is undefined',
    });
    const coded = Object.assign(new Error('no such file'), { code: 'ENOENT' });
    expect(errorToData(coded)).toMatchObject({ name: 'Error', code: 'internal' });
    expect(asStreamError(coded)).toMatchObject({ name: 'StreamError', code: 'stream-closed' });
    expect(errorToData('just text')).toMatchObject({ code: 'internal', message: 'just text' });
  });

  it('asStreamError keeps errors of the engine, and wraps others', () => {
    const ours = new ThreadError('hung', 'The render thread hangs.');
    expect(asStreamError(ours)).toBe(ours);
    const foreign = new Error('no');
    const wrapped = asStreamError(foreign);
    expect(wrapped).toBeInstanceOf(StreamError);
    expect(wrapped).toBeInstanceOf(FencepostError);
    expect(wrapped.cause).toBe(foreign);
  });
});
