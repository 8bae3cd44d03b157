import { compileSchema, type JsonObject, takeSteps } from "@touchstone/core";
import { unthrown } from "../../validators/wire.ts";
import type { Provider, ProviderName } from "../providers/provider.ts";
import { providersOf } from "../providers/table.ts";
import { type CompareOptions, compareSteps } from "./disagreement.ts";
import { REWRITE_STEPS, type RewriteStep } from "./steps.ts";

/** The result of rewriting a schema. */
export interface RewrittenSchema {
  /** The original schema if nothing was changed. */
  readonly schema: JsonObject;
  /** What was changed, in words for people. */
  readonly changes: readonly string[];
  /** The steps that were not taken, because a value was found on which the two schemas disagree. */
  readonly refused: readonly { readonly step: string; readonly value: unknown }[];
  /** How many values were checked against both schemas, and how many of them both accepted. */
  readonly samples: { readonly judged: number; readonly accepted: number };
}

/** Options for rewriting a schema. */
export interface RewriteOptions {
  /** The schema is for the arguments of calls, which are always objects (MCP, `tools/call`). Default false. */
  readonly ofArguments?: boolean;
  /**
   * Whether nulls that the schema refuses are taken out of what is checked by it, so that an optional property may be
   * listed as a required one that may be null. Default false.
   */
  readonly dropsNulls?: boolean;
  /** Which steps to take. Default: all. */
  readonly only?: (step: string) => boolean;
  /** Whether nothing else is waiting, so that the check of one value may take long. */
  readonly isPatient?: boolean;
}

/** How many values may be made for one schema, including nested ones. */
const MAX_MADE = 600_000;

/**
 * Rewrites a schema so that providers object to less of it, while it accepts the same values as before. Each step is
 * designed to preserve them, and is also tested: on values made from both schemas, within and beyond their bounds.
 * What cannot be preserved stays unchanged. No schema makes this throw.
 * @throws TypeError if a provider is unknown, or if the providers are not a list
 */
export function rewriteSchema(
  schema: JsonObject,
  providers: readonly ProviderName[],
  options: RewriteOptions = {},
): RewrittenSchema {
  const takers = providersOf(providers);
  return unthrown(
    () => takeSteps(rewritten(schema, takers, { isPatient: true, ...options })),
    () => untouched(schema),
  );
}

/** {@link rewriteSchema} in steps. A step takes a few milliseconds; most schemas take a few dozen steps. */
export function* rewriteSchemaSteps(
  schema: JsonObject,
  providers: readonly ProviderName[],
  options: RewriteOptions = {},
): Generator<void, RewrittenSchema, void> {
  const takers = providersOf(providers);
  try {
    return yield* rewritten(schema, takers, options);
  } catch {
    return untouched(schema);
  }
}

function untouched(schema: JsonObject): RewrittenSchema {
  return { schema, changes: [], refused: [], samples: { judged: 0, accepted: 0 } };
}

function* rewritten(
  schema: JsonObject,
  takers: readonly Provider[],
  { ofArguments = false, dropsNulls = false, only = () => true, isPatient = false }: RewriteOptions,
): Generator<void, RewrittenSchema, void> {
  const steps = REWRITE_STEPS.filter(
    ({ name, needsArguments, needsNullsDropped }) =>
      only(name) &&
      (ofArguments || needsArguments !== true) &&
      (dropsNulls || needsNullsDropped !== true),
  );
  const wanted = yield* all(schema, takers, steps);
  if (wanted.changes.length === 0) return untouched(schema);
  const before = compileSchema({ value: schema });
  if (before.fault !== undefined) return untouched(schema);
  yield;
  const samples = { judged: 0, accepted: 0 };
  let left = MAX_MADE;
  function* disagreement(next: JsonObject): Generator<void, { value: unknown } | undefined, void> {
    if (left <= 0) return { value: "there are too many values to try" };
    const options: CompareOptions = { ofArguments, dropsNulls, most: left, isPatient };
    const { judged, accepted, made, disagreement } = yield* compareSteps(
      schema,
      before,
      next,
      options,
    );
    samples.judged += judged;
    samples.accepted += accepted;
    left -= made;
    return disagreement;
  }
  // Usually all steps together preserve what the schema accepts. Then they need not be tried one by one.
  if ((yield* disagreement(wanted.schema)) === undefined) {
    return { ...wanted, refused: [], samples };
  }
  const changes: string[] = [];
  const refused: { readonly step: string; readonly value: unknown }[] = [];
  let current = schema;
  for (const step of steps) {
    for (const taker of takers) {
      const next = step.apply(current, taker);
      yield;
      if (same(next, current)) continue;
      const found = yield* disagreement(next);
      if (found !== undefined) {
        refused.push({ step: step.name, value: found.value });
        continue;
      }
      current = next;
      if (!changes.includes(step.did)) changes.push(step.did);
    }
  }
  return { schema: current, changes, refused, samples };
}

/** Returns the schema after all steps, without testing any of them. */
function* all(
  schema: JsonObject,
  takers: readonly Provider[],
  steps: readonly RewriteStep[],
): Generator<void, Pick<RewrittenSchema, "schema" | "changes">, void> {
  const changes: string[] = [];
  let current = schema;
  for (const { apply, did } of steps) {
    for (const taker of takers) {
      const next = apply(current, taker);
      if (same(next, current)) continue;
      yield;
      current = next;
      if (!changes.includes(did)) changes.push(did);
    }
  }
  return { schema: current, changes };
}

function same(a: JsonObject, b: JsonObject): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
