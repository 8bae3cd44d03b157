import type { RefusedCall } from "@touchstone/http";
import { nextId } from "../activity/ids.ts";
import type { ActivityEntry } from "../activity/record.ts";
import { summarise } from "../policy/explain.ts";
import { CLIENT_INFO } from "./connection.ts";

/** A call that the HTTP tool API refused, and of which server. */
export interface RefusedOf {
  readonly server: string;
  /** The tool's name as its server lists it. */
  readonly tool: string;
  /** Hash of the input schema as the server wrote it, where the gateway knows it. */
  readonly schemaHash: string | undefined;
}

/**
 * The records of a call whose arguments the HTTP tool API has refused, in the shape of those that the
 * gateway blocks: the call and the decision, linked. It refuses whatever the mode is, as strict does.
 */
export function refusedEntries(
  { body, check }: Pick<RefusedCall, "body" | "check">,
  { server, tool, schemaHash }: RefusedOf,
  now: Date,
): readonly ActivityEntry[] {
  const { outcome, errors, guard } = check;
  const common = {
    source: "http",
    server,
    tool,
    direction: "input",
    mode: "strict",
    decision: "blocked",
    status: "blocked",
    outcome,
    reason: summarise(check, "the arguments"),
    client: `${CLIENT_INFO.name}/${CLIENT_INFO.version}`,
    request_id: nextId(now),
  } as const;
  return [
    {
      ...common,
      type: "policy_decision",
      issues: errors,
      ...(guard === undefined ? {} : { guard }),
      ...(schemaHash === undefined ? {} : { schema_hash: schemaHash }),
    },
    { ...common, type: "tool_call", bytes_in: body.length, arguments: body },
  ];
}
