import { describe, expect, it } from "vitest";
import { isSessionGone } from "./client-session.ts";

const error = (message: string, id: unknown = null): string =>
  JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message }, id });

describe("an error response with status 400", () => {
  it.each([
    error("Bad Request: No valid session ID provided"),
    error("Bad Request: Server not initialized"),
    error("Session not found"),
    "Bad Request: No valid session ID provided",
    "Invalid or missing session ID",
    '{"error":"Unknown session"}',
    '{"error":"The session abc has expired"}',
  ])("means that the session has ended: %s", (text) => {
    expect(isSessionGone(400, Buffer.from(text))).toBe(true);
    expect(isSessionGone(401, Buffer.from(text))).toBe(false);
  });

  it.each([
    error("No valid session ID provided", 7),
    error("No valid session ID provided", "a"),
    error("Parse error"),
    error("Bad Request: Mcp-Session-Id header is required"),
    error("Bad Request: Unsupported protocol version"),
    "",
    "session",
    `{"jsonrpc":"2.0","id":null,"result":{"text":"session not found"}}`,
    `Session not found${" ".repeat(10_000)}`,
  ])("means something else: %s", (text) => {
    expect(isSessionGone(400, Buffer.from(text))).toBe(false);
  });
});
