import { expect, it } from "vitest";
import type { MessageTable } from "../messages/message-table.ts";
import { findRepeatedTexts } from "./repeated-texts.ts";

it("keeps a text that was valid by itself, and not the memory that it came in", () => {
  const known = findRepeatedTexts({ $defs: {} } as unknown as MessageTable, { type: "integer" });
  const memory = Buffer.from("[1, 2]");
  expect(known.accepts(memory, 1, 2)).toBe(true);
  memory.write("x", 1);
  expect(known.accepts(memory, 1, 2)).toBe(false);
  expect(known.accepts(Buffer.from("x"), 0, 1)).toBe(false);
});
