import { compileDeclared, type Issue } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { recordWith } from "../testing/record.ts";
import { payloadPlace, schemaOf, schemaPlace } from "./places.ts";

const SCHEMA = {
  type: "object",
  $defs: {
    stop: { type: "object", properties: { "a b/c": { type: "integer" } }, required: ["x"] },
  },
  properties: {
    stop: { $ref: "#/$defs/stop" },
    kind: { anyOf: [{ type: "string" }, { enum: [1] }] },
  },
  additionalProperties: false,
};

const issue = (path: string, schemaPath?: string): Issue => ({
  ...{ path, message: "m", rule: "value" },
  ...(schemaPath === undefined ? {} : { schemaPath }),
});

describe("the place of an issue in the schema", () => {
  it("is found for each issue that core reports", () => {
    const text = JSON.stringify(SCHEMA);
    const { errors } = compileDeclared({ text }).validateText(
      '{"stop":{"a b/c":"1"},"kind":true,"z":0}',
    );
    const found = errors.map(({ path, schemaPath }) => {
      const place = schemaPlace(text, issue(path, schemaPath));
      return [path, place?.marked.split(":")[0]];
    });
    expect(found).toEqual(
      expect.arrayContaining([
        ["/z", '"additionalProperties"'],
        ["/stop/x", '"required"'],
        ["/stop/a b~1c", '"type"'],
        ["/kind", '"anyOf"'],
      ]),
    );
    expect(found.map(([, marked]) => marked)).not.toContain(undefined);
  });

  it("is undefined if the schema has changed, or is not named", () => {
    expect(schemaPlace("{}", issue("/a", "#/properties/a/type"))).toBeUndefined();
    expect(schemaPlace("{}", issue("/a"))).toBeUndefined();
  });

  it("is searched for in the schema for the direction, as it was written", () => {
    const tool = '{"name":"t","inputSchema":{"maximum":1.0},"outputSchema":true}';
    expect(schemaOf(tool, "input")).toBe('{"maximum":1.0}');
    expect(schemaOf(tool, "output")).toBe("true");
    expect(schemaOf(tool, "protocol")).toBeUndefined();
    expect(schemaOf('{"name":"t"}', "output")).toBeUndefined();
    expect(schemaOf("<html>", "input")).toBeUndefined();
  });
});

describe("the place of an issue in the payload", () => {
  const decision = recordWith({ type: "policy_decision" });
  const call = recordWith({
    arguments: '{"city":1}',
    result: '{"content":[],"structuredContent":{"temperature":"21"}}',
  });

  it("is in the arguments, or in the structured content of the result", () => {
    const input = payloadPlace(issue("/city"), "input", [decision, call]);
    expect(input).toMatchObject({ kind: "found", excerpt: { marked: '"city": 1' } });
    const output = payloadPlace(issue("/temperature"), "output", [decision, call]);
    expect(output).toMatchObject({ kind: "found", excerpt: { marked: '"temperature": "21"' } });
    const missing = payloadPlace(issue("/units"), "input", [decision, call]);
    expect(missing).toMatchObject({ kind: "found", excerpt: { found: false } });
  });

  it.each([
    ["none", "input", decision],
    ["message", "protocol", call],
    ["message", null, call],
    ["cut", "input", recordWith({ arguments: '{"city":"Ber…' })],
    ["cut", "output", recordWith({ result: '{"structuredContent":{"a…' })],
    ["absent", "output", recordWith({ result: '{"content":[]}' })],
  ] as const)("is not found (%s) for %s", (kind, direction, kept) => {
    expect(payloadPlace(issue("/a"), direction, [decision, kept])).toEqual({ kind });
  });
});
