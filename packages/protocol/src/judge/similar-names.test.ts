import { encodeUtf8 } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { answer, bytes, faults, fromServer, legacy, request } from "../testing/judged.ts";

const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", arguments: {} } };
const content: readonly unknown[] = [];

describe("names that resemble those of the protocol", () => {
  it.each(["Method", "METHOD", "method\0", "me_thod"])(
    "reports a second method named %j",
    (name) => {
      expect(faults(bytes({ ...call, [name]: "tools/list" }), legacy)).toEqual([" propertyNames"]);
    },
  );

  it.each(["Arguments", "argumentſ", `arguments${"\0".repeat(1_000)}`, "argument\u017f"])(
    "reports second arguments named %j",
    (name) => {
      const params = { name: "t", arguments: {}, [name]: { path: "/" } };
      expect(faults(request("tools/call", params), legacy)).toEqual(["/params propertyNames"]);
    },
  );

  it("reports a name with escaped letters, even after large members", () => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","x":[{"a":"}]"},[1]],"\\u0041rguments":{}}}`;
    expect(faults(encodeUtf8(text), legacy)).toEqual(["/params propertyNames"]);
  });

  it.each(["StructuredContent", "structured_content", "structuredcontent"])(
    "reports second structured content named %j",
    (name) => {
      const result = { content, [name]: { n: "x" } };
      const found = faults(answer(result), fromServer("tools/call"));
      expect(found).toEqual(["/result propertyNames"]);
    },
  );

  it.each(["InputResponses", "input_responses", "RequestState", "inputResponseſ"])(
    "reports what a form got or belongs to, named %j",
    (name) => {
      const params = { name: "t", arguments: {}, [name]: {} };
      expect(faults(request("tools/call", params), legacy)).toEqual(["/params propertyNames"]);
    },
  );

  it.each(["Content", "ACTION", "act_ion"])("reports a user's response with %j", (name) => {
    const response = answer({ action: "accept", content: {}, [name]: { n: "x" } });
    const options = { revision: "2025-11-25", sender: "client" } as const;
    expect(faults(response, { ...options, requestMethod: "elicitation/create" })).toEqual([
      "/result propertyNames",
    ]);
  });

  it("reports a form that is named another way", () => {
    const asks = { resultType: "input_required", requestState: "s", InputRequests: {} };
    expect(faults(answer(asks), fromServer("tools/call", "2026-07-28"))).toEqual([
      "/result propertyNames",
    ]);
    const form = { message: "m", mode: "form", requestedschema: {} };
    const request = bytes({ jsonrpc: "2.0", id: 1, method: "elicitation/create", params: form });
    expect(faults(request, { revision: "2025-11-25", sender: "server" })).toContain(
      "/params propertyNames",
    );
  });

  it("examines the result of a task", () => {
    const result = { resultType: "complete", result: { content, structured_content: 1 } };
    const found = faults(answer(result), { ...fromServer("tasks/get"), tasksExtension: true });
    expect(found).toEqual(["/result/result propertyNames"]);
  });

  it.each([
    ["another case", "Tools/Call"],
    ["white space at its end", "tools/call "],
    ["white space at its start", "\ttools/call"],
    ["white space inside", "tools /call"],
    ["a NUL at its end", "tools/call\0"],
    ["a byte order mark", "\ufefftools/call"],
    ["a long s", "tool\u017f/call"],
    ["an underscore", "tools_/call"],
    ["another method of the protocol", "Notifications/Cancelled"],
  ])("reports a method name with %s", (_, method) => {
    expect(faults(bytes({ ...call, method }), legacy)).toEqual(["/method const"]);
  });

  it.each([1_025, 5_000, 100_000])("reports a method of %i characters", (length) => {
    const method = `tools/call${" ".repeat(length - 10)}`;
    expect(faults(bytes({ ...call, method }), legacy)).toEqual(["/method maxLength"]);
  });

  it.each([
    ["of NULs", `arguments${"\0".repeat(1_016)}`],
    ["of underscores", `arg${"_".repeat(1_016)}uments`],
    ["of 100,000 characters", "N".repeat(1e5)],
  ])("reports a member whose name is too long to be compared: %s", (_, name) => {
    const params = { name: "t", arguments: {}, [name]: { path: "/" } };
    expect(faults(request("tools/call", params), legacy)).toEqual(["/params propertyNames"]);
  });

  it.each(["vendor/Tools/Call", "tools/called", "x".repeat(1_024), "tool/call"])(
    "accepts the extension method %.30s",
    (method) => {
      expect(faults(bytes({ ...call, method }), legacy)).toEqual([]);
    },
  );

  it.each([
    ["further members", request("tools/call", { name: "t", arguments: {}, extra: { Name: 1 } })],
    ["arguments in any case", request("tools/call", { name: "t", arguments: { Name: "n" } })],
    ["an extension's method", request("vendor/x", { Name: 1, URI: "x" })],
    ["metadata", request("tools/call", { name: "t", meta: {}, _meta: {} })],
    ["a key of 1,024 characters", request("tools/call", { name: "t", ["N".repeat(1_024)]: 1 })],
  ])("accepts %s", (_, message) => {
    expect(faults(message, legacy)).toEqual([]);
  });

  it("accepts similar names in a result if nothing checks those members", () => {
    const result = { content, Content: 1, server_info: 1, next_cursor: 1, Status: 1, meta: 1 };
    expect(faults(answer(result), fromServer("tools/call"))).toEqual([]);
  });

  it("accepts any members in the result of an extension method", () => {
    expect(faults(answer({ Content: 1 }), fromServer("vendor/x"))).toEqual([]);
  });
});
