import { expect, it } from "vitest";
import { REVISIONS } from "../revisions/revisions.ts";
import { MESSAGE_TABLES, messagesOf } from "./tables.ts";

it("each revision has a message table", () => {
  expect(MESSAGE_TABLES.map(({ version }) => version)).toEqual(
    REVISIONS.map(({ version }) => version),
  );
  for (const table of MESSAGE_TABLES) expect(messagesOf(table.version)).toBe(table);
});
