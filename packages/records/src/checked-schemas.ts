import type { CallFilter } from "./calls.ts";
import type { CheckedSchemas } from "./response-schemas.ts";
import type { ActivityReader } from "./store.ts";

/**
 * Returns the schemas by which a call was checked, as far as the decisions about it name them. The texts come from
 * the store, so they are those from the time of the call, and no server is asked.
 *
 * @param id of a call, or of a decision about one
 * @returns undefined if there is no such record
 */
export async function checkedSchemas(
  reader: Pick<ActivityReader, "call" | "declaredTexts">,
  id: string,
  filter: CallFilter,
): Promise<CheckedSchemas | undefined> {
  const found = await reader.call(id, filter);
  const records = found?.records ?? [];
  const named = records.find(({ type }) => type === "tool_call" || type === "policy_decision");
  if (named === undefined || named.server === null) return undefined;
  const { server, tool } = named;
  const hashOf = (wanted: "input" | "output"): string | undefined =>
    records.flatMap(({ type, direction, schema_hash }) =>
      type === "policy_decision" && direction === wanted ? (schema_hash ?? []) : [],
    )[0];
  const hashes = { input: hashOf("input"), output: hashOf("output") };
  const asked = Object.values(hashes).filter((hash) => hash !== undefined);
  const texts = asked.length === 0 ? undefined : await reader.declaredTexts(server, asked);
  const schemaOf = (hash: string | undefined): CheckedSchemas["input"] =>
    hash === undefined ? null : { hash, text: texts?.get(hash)?.text ?? null };
  return { id, server, tool, input: schemaOf(hashes.input), output: schemaOf(hashes.output) };
}
