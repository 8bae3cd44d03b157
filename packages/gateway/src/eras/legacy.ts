import type { Era } from "./era.ts";

/** Revisions up to 2025-11-25 (MCP, Lifecycle; Transports). */
export const legacy: Era = {
  name: "legacy",
  hasHandshake: true,
  // The modern revision that a client tried before it fell back to a handshake. That revision is not agreed on.
  revisionAfter: ({ method }, current) => (method === "initialize" ? undefined : current),
  ownMeta: undefined,
  namesResultType: false,
  namesCacheScope: false,
  asksForInput: () => false,
  announcesTask: (frame, agreed, wanted) =>
    (agreed && frame.resultType === "task") ||
    (wanted && frame.range("/result/task") !== undefined),
  repeatsArguments: false,
  messageHeaders: () => ({}),
  headersFault: () => undefined,
  statusOf: () => 200,
  cancelsByClosing: false,
  hasServerStream: true,
};
