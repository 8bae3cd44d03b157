/** What is needed if no schema is read: loading it loads nothing else. */
export { messageOf, stackOf } from "./document/fault.ts";
export { RULES } from "./result.ts";
