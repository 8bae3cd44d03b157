// The scanner in WebAssembly: the work of "src/json", for texts large enough to be worth the call.
import { TEXT } from "./layout";

export { accept } from "./accept";
export { endBase64 } from "./base64";
export { check } from "./check";
export { setMultiplier } from "./hash";
export {
  FOUND,
  IMAGES,
  IMAGES_END,
  MAX_LEVELS,
  MAX_PLAN_LEVELS,
  MAX_PLANNED,
  PLANS,
  PLANS_END,
  RESULT,
  TEXT,
} from "./layout";
export { locate } from "./locate";
export { pass } from "./pass";
export { endScalar } from "./skip";
export { endQuoted } from "./string";
export { begin, nesting, walk } from "./structure";

/** Puts zeros after a text of `size` bytes; every reader stops there. */
export function pad(size: i32): void {
  memory.fill(TEXT + <usize>size, 0, 64);
}
