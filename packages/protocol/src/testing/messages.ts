import fc from "fast-check";

const id = fc.oneof(
  fc.integer().map(String),
  fc.bigInt().map(String),
  fc.string({ unit: "binary", maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.constantFrom("null", "1.0", '"\\u0061"'),
);
const value = fc.jsonValue({ maxDepth: 3 }).map((json) => JSON.stringify(json, undefined, 1));
const params = fc
  .record({ name: value, arguments: value, progressToken: id, requestId: id, token: id })
  .map(
    (part) =>
      `{ "name":${part.name},\r\n"arguments" : ${part.arguments},"requestId":${part.requestId},` +
      `"progressToken":${part.progressToken},"_meta":{"progressToken":${part.token}}}`,
  );
const method = fc
  .constantFrom("tools/call", "notifications/progress", "notifications/cancelled", "x")
  .map((name) => JSON.stringify(name));
const result = fc
  .record({ structuredContent: value, isError: value })
  .map((part) => `{"structuredContent":${part.structuredContent},"isError":${part.isError}}`);
const error = fc
  .record({ code: fc.integer(), data: value })
  .map((part) => `{"code":${part.code},"message":"m","data":${part.data}}`);

/** The source texts of a message's members. A member without a text is absent. */
export interface MessageParts {
  readonly id?: string;
  readonly method?: string;
  readonly params?: string;
  readonly result?: string;
  readonly error?: string;
}

export const messageParts: fc.Arbitrary<MessageParts> = fc.oneof(
  fc.record({ id, method, params }),
  fc.record({ method, params }),
  fc.record({ id, result }),
  fc.record({ id, error }),
  fc.record({ id, method, params, result, error }, { requiredKeys: [] }),
);

/** The text of a message, with white space around it. */
export function messageText(parts: MessageParts): string {
  const members = Object.entries(parts).map(([name, text]) => `"${name}" :\n${text}`);
  return ` {${['"jsonrpc":"2.0"', ...members].join(" , ")}}\r\n`;
}
