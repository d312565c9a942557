/** The part that checks every RHI command, loaded where the option `validation` asks for it. */
export { validate } from '../../rhi/validation/validate.js';
