import type { ActivityRecord } from "@touchstone/gateway/api";
import type { GatewayApi } from "../api/gateway.ts";
import { schemaOf } from "./places.ts";

/** The schema of a check. */
export interface KnownSchema {
  /** Absent if it is not kept, and the tool no longer declares one. */
  readonly text?: string;
  /** Whether the text is what was applied: it is kept, or the tool still declares it. */
  readonly isApplied: boolean;
  /** Whether the tool declares a different schema now. */
  readonly isOther: boolean;
}

/**
 * Returns the schema that a record was checked against, from the records; if it is not kept, the one that the tool
 * declares now.
 * @returns undefined if the check did not use a tool's schema
 * @throws ApiError if neither can be read
 */
export async function loadSchema(
  api: GatewayApi,
  { id, server, tool, direction, schema_hash }: ActivityRecord,
  signal: AbortSignal,
): Promise<KnownSchema | undefined> {
  if (server === null || tool === null) return undefined;
  if (direction !== "input" && direction !== "output") return undefined;
  const [kept, hashes] = await Promise.all([
    api.get("getCheckedSchemas", { id }, signal).then(
      (schemas) => schemas[direction]?.text ?? undefined,
      () => undefined,
    ),
    api.get("getServer", { server }, signal).then(
      ({ contracts }) =>
        contracts
          .filter((contract) => contract.tool === tool)
          .map((contract) => contract[`${direction}Hash`]),
      // A server that this gateway does not serve has no declared tools here.
      (): (string | null)[] => [],
    ),
  ]);
  const isOther = schema_hash !== null && hashes.length > 0 && !hashes.includes(schema_hash);
  if (kept !== undefined) return { text: kept, isApplied: true, isOther };
  const text = schemaOf(await api.describeTool(server, tool, signal), direction);
  return text === undefined
    ? { isApplied: false, isOther }
    : { text, isApplied: !isOther, isOther };
}
