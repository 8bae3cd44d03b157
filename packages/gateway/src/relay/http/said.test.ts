import { describe, expect, it } from "vitest";
import { httpErrorText } from "./client-answers.ts";

const said = (body: string, type = "application/json"): string =>
  httpErrorText(Buffer.from(body), type);

describe("httpErrorText", () => {
  it.each([
    ['{"error":"invalid_token","error_description":"The token expired"}', "The token expired"],
    ['{"error":"Missing Mcp-Session-Id header"}', "Missing Mcp-Session-Id header"],
    [
      '{"error":{"code":401,"message":"No credentials","status":"UNAUTHENTICATED"}}',
      "No credentials",
    ],
    ['{"title":"Forbidden","detail":"Not yours"}', "Not yours"],
    ['{"title":"Forbidden","detail":7}', "Forbidden"],
    ['"Bad Request"', "Bad Request"],
  ])("finds the message in %s", (body, words) => {
    expect(said(body)).toBe(words);
  });

  it("reads problem details and plain text, on one line", () => {
    expect(said('{"title":"Gone"}', "application/problem+json")).toBe("Gone");
    expect(said(" Bad Request:\r\n no\u001b[31m session ", "text/plain")).toBe(
      "Bad Request: no\\u{1b}[31m session",
    );
    expect(said("a".repeat(300), "text/plain")).toBe(`${"a".repeat(200)}…`);
  });

  it.each([
    ["<h1>Bad Request</h1>", "text/html"],
    ["{", "application/json"],
    ["[1]", "application/json"],
    ["null", "application/json"],
    ["", "text/plain"],
    ["Bad Request", ""],
    ["a".repeat(65_537), "text/plain"],
    [`${'{"error":'.repeat(7_000)}1${"}".repeat(7_000)}`, "application/json"],
  ])("finds nothing in %j of type %j", (body, type) => {
    expect(said(body, type)).toBe("");
  });
});
