import type { ActivityRecord } from "@touchstone/gateway/api";

/** The server and the tool of a record or a call, as one name. */
export function serverToolName({ server, tool }: Pick<ActivityRecord, "server" | "tool">): string {
  return [server, tool].filter((name) => name !== null).join(" / ");
}
