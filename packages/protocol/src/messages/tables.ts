import { MESSAGES_2024_11_05 } from "./2024-11-05.ts";
import { MESSAGES_2025_03_26 } from "./2025-03-26.ts";
import { MESSAGES_2025_06_18 } from "./2025-06-18.ts";
import { MESSAGES_2025_11_25 } from "./2025-11-25.ts";
import { MESSAGES_2026_07_28 } from "./2026-07-28.ts";
import type { MessageTable } from "./message-table.ts";

/** The message tables of the released revisions of MCP, oldest first. */
export const MESSAGE_TABLES: readonly MessageTable[] = [
  MESSAGES_2024_11_05,
  MESSAGES_2025_03_26,
  MESSAGES_2025_06_18,
  MESSAGES_2025_11_25,
  MESSAGES_2026_07_28,
];

const BY_VERSION: ReadonlyMap<string, MessageTable> = new Map(
  MESSAGE_TABLES.map((table) => [table.version, table]),
);

/** Returns the message table of the revision with this `protocolVersion`, or undefined if there is none. */
export function messagesOf(version: string | undefined): MessageTable | undefined {
  return version === undefined ? undefined : BY_VERSION.get(version);
}
