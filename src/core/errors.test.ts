import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import {
  AssetError,
  asStreamError,
  errorFromData,
  errorToData,
  FencepostError,
  StreamError,
  ThreadError,
} from './errors.js';

describe('the name of an error', () => {
  it('is its class, with which its stack begins, in builds that shorten the names of classes, too', async () => {
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
    for (const [name, exported] of classes) {
      const ErrorClass = exported as typeof FencepostError;
      const error = new ErrorClass('a-code', 'What happened.');
      expect(error.stack).toMatch(new RegExp(`^${name}: What happened\\.`));
      expect([error.name, ErrorClass.name, String(error)]).toEqual([name, name, `${name}: What happened.`]);
    }
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

  it('keep their details, where there are any', () => {
    const details = { reason: 'unknown', message: 'Gone.' };
    const lost = new ThreadError('device-lost', 'The device was lost.', { details });
    expect(errorFromData(structuredClone(errorToData(lost))).details).toEqual(details);
    expect(errorFromData(errorToData(new Error('no'))).details).toBeUndefined();
  });

  it('foreign errors and thrown values become `internal`', () => {
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

  it('a stream keeps our errors as its reason, and wraps others', () => {
    const ours = new ThreadError('hung', 'The render thread hangs.');
    expect(asStreamError(ours)).toBe(ours);
    const foreign = new Error('no');
    const wrapped = asStreamError(foreign);
    expect(wrapped).toBeInstanceOf(StreamError);
    expect(wrapped).toBeInstanceOf(FencepostError);
    expect(wrapped.cause).toBe(foreign);
  });
});
