import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anything, HOSTILE } from "../testing/hostile.ts";
import type { MessageType } from "./kind.ts";
import { JSONRPC_VERSION, MessageValidator, validateMessage } from "./message.ts";

const V = { jsonrpc: JSONRPC_VERSION };

describe("validateMessage", () => {
  it.each<[string, unknown, readonly string[], readonly string[]]>([
    ["request", { ...V, id: 1, method: "x" }, [], []],
    ["request", { ...V, id: null, method: "x" }, [], ["/id: id should not be null"]],
    ["request", { ...V, id: 1.5, method: "x" }, [], ["/id: id should not have a fraction"]],
    [
      "request",
      { ...V, id: true, method: "x" },
      ["/id must be a string or an integer (got a boolean)"],
      [],
    ],
    ["request", { ...V, method: "x" }, ["/id: Missing required field: id"], []],
    ["request", { ...V, id: 1 }, ["/method: Missing required field: method"], []],
    ["request", { ...V, id: 1, method: 5 }, ["/method must be a string (got a number)"], []],
    [
      "request",
      { ...V, id: 1, method: "x", params: null },
      ["/params must be an object or an array (got null)"],
      [],
    ],
    ["request", { jsonrpc: "1.0", id: 1, method: "x" }, ['/jsonrpc must be "2.0"'], []],
    ["request", { ...V, id: 1, result: {} }, ["/method: Missing required field: method"], []],
    ["request", [], ["A batch must contain at least one message", "a batch is not a request"], []],
    ["request", 5, ["A message must be an object"], []],
    ["response", null, ["A message must be an object"], []],
    ["auto", '"x"', ["A message must be an object"], []],
    ["notification", { ...V, method: "x" }, [], []],
    ["notification", { ...V, id: 1, method: "x" }, ["/id: A notification must have no id"], []],
    ["response", { ...V, id: 1, result: 5 }, [], []],
    ["response", { ...V, result: 5 }, ["/id is required"], []],
    [
      "response",
      { ...V, id: 1, result: 5, error: { code: 1, message: "" } },
      ["/error: A response must have either result or error, not both"],
      [],
    ],
    ["response", { ...V, id: 1 }, ["A response must have either result or error"], []],
    ["response", { ...V, id: 1, method: "x" }, ["/method: A response must have no method"], []],
    ["response", { ...V, id: 1, error: [] }, ["/error must be an object (got an array)"], []],
    [
      "response",
      { ...V, id: 1, error: {} },
      ["/error/code is required", "/error/message is required"],
      [],
    ],
    [
      "response",
      { ...V, id: 1, error: { code: true, message: 5 } },
      [
        "/error/code must be an integer (got a boolean)",
        "/error/message must be a string (got a number)",
      ],
      [],
    ],
    ["response", { ...V, id: null, error: { code: 1, message: "" } }, [], []],
    [
      "response",
      { ...V, error: { code: 1, message: "" } },
      ["/id: An error must have the id of its request, or null where it could not be read"],
      [],
    ],
    ["auto", { ...V, method: "x" }, [], []],
    [
      "auto",
      [
        { ...V, method: "x" },
        { ...V, id: true, method: "y" },
      ],
      ["/1/id must be a string or an integer (got a boolean)"],
      [],
    ],
    [
      "auto",
      "{}",
      ["/jsonrpc is required", "A message must have a method, a result or an error"],
      [],
    ],
    [
      "reply",
      {},
      ['the message type must be request, response, notification or auto, found "reply"'],
      [],
    ],
  ])("checks as %s: %j", (type, message, errors, warnings) => {
    const result = validateMessage(message, type);
    expect(result.errorMessages).toEqual(errors);
    expect(result.warningMessages).toEqual(warnings);
    expect(result.valid).toBe(errors.length === 0);
  });

  it.each<[unknown, readonly string[]]>([
    [{ ...V, id: 1, method: "x" }, []],
    [{ ...V, method: "notifications/initialized" }, []],
    [{ ...V, method: 5 }, ["/method must be a string (got a number)"]],
    [{ ...V, id: 1, result: {} }, ["/method: Missing required field: method"]],
    [{ ...V, id: 1 }, ["/method: Missing required field: method"]],
    [[{ ...V, method: "x" }], ["a batch is not a request"]],
  ])("treats %j as a request or notification by default", (message, errors) => {
    expect(validateMessage(message).errorMessages).toEqual(errors);
    expect(new MessageValidator().validate(message).errorMessages).toEqual(errors);
  });

  it("accepts text and bytes", () => {
    expect(validateMessage('{"jsonrpc":"2.0","id":1,"method":"x"}').valid).toBe(true);
    expect(validateMessage(new TextEncoder().encode("{")).errors).toMatchObject([{ path: "" }]);
    const twice = validateMessage('{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}');
    expect(twice.errors).toMatchObject([{ path: "/id", rule: "duplicate" }]);
  });
});

describe("MessageValidator", () => {
  it("checks by a revision's message schemas if one is given", () => {
    const validator = new MessageValidator({ revision: "2025-11-25" });
    const call = { ...V, id: 1, method: "tools/call", params: {} };
    expect(validator.validateRequest(call).errorMessages).toEqual(["/params/name is required"]);
    expect(validator.validateRequest({ ...V, id: null, method: "x" }).valid).toBe(false);
    const list = { ...V, id: 1, result: { tools: [{}] } };
    expect(validator.validateResponse(list).valid).toBe(true);
    expect(validator.validateResponse(list, "tools/list").errors).toMatchObject([
      { path: "/result/tools/0/name" },
      { path: "/result/tools/0/inputSchema" },
    ]);
    const roots = { ...V, id: 1, result: {} };
    expect(validator.validateResponse(roots, "roots/list").errors).toMatchObject([
      { path: "/result/roots" },
    ]);
    const updated = { ...V, method: "notifications/resources/updated", params: {} };
    expect(validator.validateNotification(updated).errors).toMatchObject([{ path: "/params/uri" }]);
  });

  it("uses the revision that the request names", () => {
    const validator = new MessageValidator({ profile: "mcp" });
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    const { errors } = validator.validateRequest({
      ...V,
      id: 1,
      method: "tools/list",
      params: { _meta },
    });
    expect(errors).toMatchObject([
      { path: "/params/_meta/io.modelcontextprotocol~1clientCapabilities" },
    ]);
  });

  it("reports a value that is not an object with one issue", () => {
    const validator = new MessageValidator({ profile: "mcp" });
    expect(validator.validateRequest(null).errorMessages).toEqual(["A message must be an object"]);
  });

  it("refuses an unknown revision", () => {
    const validator = new MessageValidator({ revision: "2027-01-01" });
    expect(validator.validateRequest({ ...V, id: 1, method: "x" }).errorMessages).toEqual([
      'MCP has no revision "2027-01-01"; it has 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28',
    ]);
  });

  it.each([
    ["MCP", '"MCP"'],
    [null, "a value of type object"],
  ])("refuses the profile %j, and every check with it", (profile, found) => {
    const validator = new MessageValidator({ profile: profile as never });
    expect(validator.validateRequest({ ...V, id: 1, method: "ping" }).errorMessages).toEqual([
      `the profile must be jsonrpc or mcp, found ${found}`,
    ]);
  });

  it("refuses an unknown message type", () => {
    const { errors } = new MessageValidator().validate({ ...V, id: 1 }, "req" as MessageType);
    const message = 'the message type must be request, response, notification or auto, found "req"';
    expect(errors).toEqual([{ path: "", message, rule: "protocol", keyword: "enum" }]);
  });

  it("checks the first thousand messages of a batch, with the place of each fault", () => {
    const batch = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ ...V, id: i === 999 ? null : 1, method: "x" }));
    const whole = validateMessage(batch(1_000), "auto");
    expect(whole.errorMessages).toEqual([]);
    expect(whole.warningMessages).toEqual(["/999/id: id should not be null"]);
    const more = validateMessage([...batch(1_000), 5, 5], "auto");
    expect(more.errorMessages).toEqual(["the batch contains more than 1000 messages"]);
    expect(more.errors[0]).toMatchObject({ rule: "guard", keyword: "maxBatch" });
  });

  it.each(HOSTILE)("does not throw on %s", (_, make) => {
    for (const options of [undefined, { revision: "2025-11-25" }, make() as never]) {
      const validator = new MessageValidator(options);
      for (const type of ["request", "response", "notification", "auto"] as const) {
        expect(validator.validate(make(), type).valid).toBeTypeOf("boolean");
      }
    }
    expect(validateMessage({}, make() as never).valid).toBe(false);
  });

  it("does not throw on any input", () => {
    fc.assert(
      fc.property(anything, fc.constantFrom("request", "response", "auto"), (message, type) => {
        const result = validateMessage(message(), type);
        expect(result.valid).toBe(result.errorMessages.length === 0);
        const judged = new MessageValidator({ profile: "mcp" }).validateResponse(
          message(),
          "tools/call",
        );
        expect(judged.valid).toBe(judged.errors.length === 0);
      }),
    );
  });
});
