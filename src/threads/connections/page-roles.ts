import { ThreadRoles } from '../../rhi/record/thread-guard.js';

/** The roles of the page's thread: in `single` mode the render thread's work is one of them, whichever engine it belongs to. */
export const pageRoles = /* @__PURE__ */ new ThreadRoles('main');
