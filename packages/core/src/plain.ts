/** What callers need if they read no schema: loading this module loads nothing else. */
export { messageOf, stackOf } from "./document/fault.ts";
export { UNSAFE_CHARACTERS } from "./json/unsafe.ts";
export { editDistance } from "./report/issues/nearest.ts";
export { RULES } from "./result.ts";
