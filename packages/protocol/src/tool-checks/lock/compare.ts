/** The comparison of tools. Unlike the lock file, whose hashes need Node.js, it also runs in browsers and on the edge. */
export type { Counterexample } from "../../inclusion/counterexample.ts";
export type { Change, ChangeClass } from "./change.ts";
export { compareTools } from "./compare-tools.ts";
export { definitionDiff } from "./definition-diff.ts";
