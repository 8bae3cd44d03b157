import { emitSchema } from "./graph/emit.ts";
import type { SchemaGraph } from "./graph/node.ts";
import type { makeVerdict, Verdict } from "./verdict.ts";

let make: typeof makeVerdict | undefined;
let loading: Promise<void> | undefined;

/**
 * Loads the compiler of verdicts, Ajv, which is the larger part of what this package takes to start.
 * It is loaded in the background once a schema has judged several values, and the interpreter judges
 * until it is there: the same verdicts, more slowly. A program that judges much before it first gives
 * way to the event loop may wait for it, and one that has nothing to do just now may load it early.
 * @returns when it is there, or it is known that there is none; never rejects
 */
export function engineReady(): Promise<void> {
  loading ??= import("./verdict.ts").then(
    (loaded) => {
      make = loaded.makeVerdict;
    },
    // Where it cannot be loaded the interpreter goes on.
    () => {},
  );
  return loading;
}

/** Whether {@link compileVerdict} may be called. */
export function hasCompiler(): boolean {
  return make !== undefined;
}

/**
 * A verdict by Ajv, where there is one that is right.
 * @throws what Ajv throws where it cannot compile the schema
 */
export function compileVerdict(graph: SchemaGraph): Verdict | undefined {
  const emitted = emitSchema(graph);
  return emitted.needsInterpreter === undefined ? make?.(emitted) : undefined;
}
