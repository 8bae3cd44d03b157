import { compileSchema, type JsonObject } from "@touchstone/core";
import { unthrown } from "../../validators/wire.ts";
import type { Provider, ProviderName } from "../providers/provider.ts";
import { providersOf } from "../providers/table.ts";
import { compareSchemas } from "./disagreement.ts";
import { REWRITE_STEPS } from "./steps.ts";

/** What came of a schema. */
export interface RewrittenSchema {
  /** The one that came if nothing was done. */
  readonly schema: JsonObject;
  /** What was done, for people. */
  readonly changes: readonly string[];
  /** What was not done, since a value was found on which the two schemas disagree. */
  readonly refused: readonly { readonly step: string; readonly value: unknown }[];
  /** How many values both schemas were asked about, and how many of them both accepted. */
  readonly samples: { readonly judged: number; readonly accepted: number };
}

/**
 * Writes a schema so that providers object to less of it, and accepts the same values as before. Each
 * step is one that keeps them, and is tried besides: on values made from both schemas, about and
 * beyond their bounds. What cannot be kept stays as it is; whatever the schema is, nothing is thrown for it.
 * @throws TypeError for a provider that is not known, or no list of them
 */
export function rewriteSchema(
  schema: JsonObject,
  providers: readonly ProviderName[],
): RewrittenSchema {
  const takers = providersOf(providers);
  return unthrown(
    () => rewritten(schema, takers),
    () => ({ schema, changes: [], refused: [], samples: { judged: 0, accepted: 0 } }),
  );
}

function rewritten(schema: JsonObject, takers: readonly Provider[]): RewrittenSchema {
  const before = compileSchema({ value: schema });
  const changes: string[] = [];
  const refused: { readonly step: string; readonly value: unknown }[] = [];
  const samples = { judged: 0, accepted: 0 };
  let current = schema;
  if (before.fault !== undefined) return { schema, changes, refused, samples };
  for (const step of REWRITE_STEPS) {
    for (const taker of takers) {
      const next = step.apply(current, taker);
      if (same(next, current)) continue;
      const trial = compareSchemas(schema, before, next);
      samples.judged += trial.judged;
      samples.accepted += trial.accepted;
      if (trial.disagreement !== undefined) {
        refused.push({ step: step.name, value: trial.disagreement.value });
        continue;
      }
      current = next;
      if (!changes.includes(step.did)) changes.push(step.did);
    }
  }
  return { schema: current, changes, refused, samples };
}

function same(a: JsonObject, b: JsonObject): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
