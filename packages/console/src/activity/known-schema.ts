import type { ActivityRecord } from "@touchstone/gateway/api";
import type { GatewayApi } from "../api/gateway.ts";
import { schemaOf } from "./places.ts";

/** The schema that the tool declares now. */
export interface KnownSchema {
  /** Absent if the tool no longer declares one. */
  readonly text?: string;
  /** Whether it differs from the schema that was applied. */
  readonly isOther: boolean;
}

/**
 * Requests the schema that a record was checked against.
 * @returns undefined if the check did not use a tool's schema
 * @throws ApiError if the request to the server fails
 */
export async function loadSchema(
  api: GatewayApi,
  { server, tool, direction, schema_hash }: ActivityRecord,
  signal: AbortSignal,
): Promise<KnownSchema | undefined> {
  if (server === null || tool === null) return undefined;
  if (direction !== "input" && direction !== "output") return undefined;
  const [description, { contracts }] = await Promise.all([
    api.describeTool(server, tool, signal),
    api.get("getServer", { server }, signal),
  ]);
  const hashes = contracts
    .filter((contract) => contract.tool === tool)
    .map((contract) => contract[`${direction}Hash`]);
  const isOther = schema_hash !== null && hashes.length > 0 && !hashes.includes(schema_hash);
  const text = schemaOf(description, direction);
  return text === undefined ? { isOther } : { text, isOther };
}
