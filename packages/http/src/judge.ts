import {
  type Check,
  type Deadline,
  type Issue,
  type PathStyle,
  SchemaCache,
} from "@touchstone/core";

/** A check, and what is odd in the schema itself. */
export interface Judgement extends Check {
  readonly schemaWarnings: readonly Issue[];
}

/** Judges a JSON text by a schema. Never rejects. */
export type Judge = (schema: unknown, text: Uint8Array, maxIssues?: number) => Promise<Judgement>;

/** Limits of a {@link Judge}. */
export interface JudgeOptions {
  readonly maxBytes: number;
  readonly maxIssues: number;
  readonly paths: PathStyle;
}

/**
 * What ends a check that takes too long: on Node, a timer outside of the script; elsewhere nothing,
 * and the engine's step budget alone bounds a check.
 */
async function findDeadline(): Promise<Deadline | undefined> {
  if (globalThis.process?.versions?.node === undefined) return undefined;
  try {
    const { nodeDeadline } = await import("@touchstone/core/node");
    return nodeDeadline;
  } catch {
    return undefined;
  }
}

/**
 * A judge with a cache of its own. Schemas are compiled once for each content, whichever object
 * they come in, since hosts may build their tools anew for every request.
 */
export function createJudge({ maxBytes, maxIssues, paths }: JudgeOptions): Judge {
  let cache: Promise<SchemaCache> | undefined;
  const open = async (): Promise<SchemaCache> => {
    const deadline = await findDeadline();
    return new SchemaCache(deadline === undefined ? {} : { deadline });
  };
  return async (schema, text, most = maxIssues) => {
    cache ??= open();
    const compiled = (await cache).get({ value: schema });
    const check = compiled.check(text, { maxBytes, maxIssues: most, paths });
    return { ...check, schemaWarnings: compiled.warnings };
  };
}
