import { encodeUtf8 } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { long, sample } from "../../../core/src/testing/sample.ts";
import { compiledMessage } from "../messages/compiled.ts";
import { messagesOf } from "../messages/tables.ts";
import { readFrame } from "../read.ts";
import { revisionOf } from "../revisions/revisions.ts";
import { fixturesOf } from "../testing/fixtures.ts";
import { mutationsOf } from "../testing/mutate.ts";
import { demandsOf } from "./message-parts.ts";
import { isValidOutline } from "./outline.ts";

const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/** Every nth mutation is tested. The number is prime, so that the mutations vary. */
const EVERY = sample(31, 7, 1);

/** Returns the verdicts of the outline and of the schema on the part of a message that is judged. */
function verdicts(
  message: unknown,
  version: string,
  sender: "client" | "server",
  method: string | undefined,
): { outlined: boolean; valid: boolean } | undefined {
  return verdictsOf(JSON.stringify(message), version, sender, method);
}

function verdictsOf(
  text: string,
  version: string,
  sender: "client" | "server",
  method: string | undefined,
): { outlined: boolean; valid: boolean } | undefined {
  const revision = revisionOf(version);
  const table = messagesOf(version);
  if (revision === undefined || table === undefined) return undefined;
  const frame = readFrame(encodeUtf8(text));
  const { part } = demandsOf(frame, { revision, table, sender, tasksExtension: false }, method);
  if (part === undefined) return undefined;
  const { at, definition, range } = part;
  const slice = frame.bytes.subarray(range.start, range.end);
  return {
    outlined: isValidOutline(frame, table, definition, at, range),
    valid: compiledMessage(table, definition).validateText(slice).valid,
  };
}

describe.each(REVISIONS)("the outline of messages of %s", (version) => {
  it("accepts nothing that the schema refuses, for any change to a message", long, () => {
    let outlined = 0;
    let seen = 0;
    for (const { message, sender, requestMethod } of fixturesOf(version)) {
      for (const { make } of mutationsOf(message)) {
        if (seen++ % EVERY !== 0) continue;
        const found = verdicts(make(), version, sender, requestMethod);
        if (found?.outlined !== true) continue;
        outlined += 1;
        if (!found.valid) expect({ found, message: make() }).toBeUndefined();
      }
    }
    expect(outlined).toBeGreaterThan(500 / EVERY);
  });
});

describe.each([
  ["2025-11-25", {}, { content: [{ type: "text", text: 'a "b" \\' }], isError: false }],
  [
    "2026-07-28",
    {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
      },
    },
    { resultType: "complete", content: [], structuredContent: [1] },
  ],
])("the outline of common messages of %s", (version, meta, result) => {
  it.each([
    ["a call", { method: "tools/call", params: { name: "t", arguments: { a: 1 }, ...meta } }, true],
    ["the same once more", { method: "tools/call", params: { name: "t", ...meta } }, true],
    ["a call without a name", { method: "tools/call", params: { arguments: {}, ...meta } }, false],
  ])("%s", (_, call, outlined) => {
    const message = { jsonrpc: "2.0", id: 1, ...call };
    const found = verdicts(message, version, "client", undefined);
    expect(found).toEqual({ outlined, valid: outlined });
  });

  it.each([
    ["a result", result, true],
    [
      "content of another type",
      { ...result, content: [{ type: "image", data: "", mimeType: "" }] },
      true,
    ],
    ["content that is wrong", { ...result, content: [{ type: "text" }] }, false],
  ])("%s", (_, given, outlined) => {
    const found = verdicts(
      { jsonrpc: "2.0", id: 1, result: given },
      version,
      "server",
      "tools/call",
    );
    expect(found).toEqual({ outlined, valid: outlined });
  });
});

describe("the outline with an escaped key, located by JavaScript", () => {
  it.each([
    ["a call", '"t"', true],
    ["a call with a name of another type", "5", false],
  ])("accepts and refuses as usual: %s", (_, name, outlined) => {
    const params = `{"n\\u0061me":${name},"arguments":{},"_meta":{"progressToken":"a"}}`;
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    const found = verdictsOf(text, "2025-11-25", "client", undefined);
    expect(found).toEqual({ outlined, valid: outlined });
  });
});
