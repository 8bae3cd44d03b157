import {
  type CompileOptions,
  compileDeclared,
  pointerTokens,
  type SchemaError,
} from "@touchstone/core/advanced";

const MAX_FAULTS = 20;
const MAX_ROUNDS = 60;

type Container = Record<string, unknown> | unknown[];

function containerAt(root: unknown, tokens: readonly string[]): Container | undefined {
  let at = root;
  for (const token of tokens) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, token)) return undefined;
    at = (at as Record<string, unknown>)[token];
  }
  return typeof at === "object" && at !== null ? (at as Container) : undefined;
}

/** Removes what is at a place in the schema: a keyword is dropped, an item becomes `true`. */
function takeOut(root: unknown, tokens: readonly string[]): boolean {
  const name = tokens.at(-1);
  const parent = containerAt(root, tokens.slice(0, -1));
  if (name === undefined || parent === undefined || !Object.hasOwn(parent, name)) return false;
  if (Array.isArray(parent)) {
    parent[Number(name)] = true;
    return true;
  }
  return Reflect.deleteProperty(parent, name);
}

const keyOf = ({ code, path }: SchemaError): string => `${code} ${path}`;

function copyOf(schema: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(schema));
  } catch {
    return undefined;
  }
}

/**
 * Returns every reason why a schema cannot be used, at most 20, in the order found: each round removes the faults
 * found from a copy and compiles the rest again. Returns an empty list for a schema that can be used. Never throws,
 * and never changes the schema.
 */
export function schemaFaults(schema: unknown, options: CompileOptions): readonly SchemaError[] {
  const found = new Map<string, SchemaError>();
  let { error: fault } = compileDeclared({ value: schema }, options);
  if (fault === undefined) return [];
  const rest = copyOf(schema);
  for (let rounds = 0; fault !== undefined && rounds < MAX_ROUNDS; rounds += 1) {
    let progress = false;
    // A metaschema may report one place several times. Specific requirements come before the unions that include them.
    const round = new Map<string, SchemaError>();
    for (const one of fault.details ?? [fault]) {
      if (!round.has(keyOf(one))) round.set(keyOf(one), one);
    }
    for (const [key, one] of round) {
      const tokens = pointerTokens(one.path);
      const isNew = !found.has(key);
      if (isNew && found.size < MAX_FAULTS) found.set(key, one);
      // A fault that was found in an earlier round is still there: its item was removed, so something around it must be
      // removed too.
      progress = takeOut(rest, isNew ? tokens : tokens.slice(0, -1)) || progress;
    }
    if (!progress || found.size >= MAX_FAULTS) break;
    fault = compileDeclared({ value: rest }, options).error;
  }
  return [...found.values()];
}
