import { describe, expect, it } from 'vitest';
import { createRhi } from '../host/create-rhi.js';
import { CheckedDeferredContext as DeferredContext } from './checked-contexts.js';
import { guardThread, ThreadRoles } from './thread-guard.js';

const codeAndNames = (code: string, ...names: string[]): unknown =>
  expect.objectContaining({
    code,
    message: expect.stringMatching(names.map((name) => `"${name}"`).join('.*')),
  });

describe('R10 thread guard', () => {
  it('fails a call from another thread at once, and names both threads', () => {
    const roles = new ThreadRoles('main');
    const rhi = createRhi({ device: null });
    const context = guardThread(rhi.context, roles.identity('render'));
    expect(() => context.beginFrame(0)).toThrow(codeAndNames('wrong-thread', 'render', 'main'));
    expect(context.maxFramesInFlight).toBe(2); // properties can be read on any thread
    roles.run('render', () => {
      context.beginFrame(0);
      context.endFrame();
    });
    expect(roles.current).toBe('main');
  });

  it('returns to the former role if the action throws', () => {
    const roles = new ThreadRoles('main');
    expect(() =>
      roles.run('render', () => {
        throw new Error('oops');
      }),
    ).toThrow('oops');
    expect(roles.current).toBe('main');
  });

  it('supports nested roles', () => {
    const roles = new ThreadRoles('main');
    const order: string[] = [];
    roles.run('render', () => {
      roles.run('RHI', () => order.push(roles.current));
      order.push(roles.current);
    });
    expect(order).toEqual(['RHI', 'render']);
  });

  it('fails a deferred context on another thread, and puts the owner’s name into its list', () => {
    const roles = new ThreadRoles('render');
    const { context } = createRhi({ device: null });
    const deferred = guardThread(new DeferredContext(), roles.identity('task 2'));
    context.beginFrame(4);
    const list = context.openSubList('shadows');
    expect(() => deferred.begin(list)).toThrow(codeAndNames('wrong-thread', 'task 2', 'render'));
    roles.run('task 2', () => {
      deferred.begin(list);
      deferred.draw(3);
    });
    expect(() => deferred.draw(3)).toThrow(codeAndNames('wrong-thread', 'task 2', 'render'));
    expect(() => context.executeSubLists([list])).toThrow(codeAndNames('list-open', 'shadows', 'task 2'));
    expect(() => context.endFrame()).toThrow(codeAndNames('list-left-open', 'shadows', 'task 2'));
  });
});
