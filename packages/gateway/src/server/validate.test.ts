import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ActivityError } from "../../../records/src/errors.ts";
import { AdminError } from "./admin/errors.ts";
import type { Body, Parameter } from "./api/operation.ts";
import { ROUTES } from "./routes.ts";
import { parseBody, readQuery } from "./validate.ts";

const rowOf = (id: string) => ROUTES.find((row) => row.id === id);
const modes = rowOf("changeModes");
const parameters = (id: string) => rowOf(id)?.query as Readonly<Record<string, Parameter>>;

describe("parseBody", () => {
  const read = (text: string) => parseBody(Buffer.from(text), modes?.body as Body, modes);

  it("accepts a subset of the modes, and null", () => {
    expect(read('{"input":"strict","protocol":null}')).toEqual({ input: "strict", protocol: null });
  });

  it.each([
    ["", /Expected a value/],
    ["{", /Expected/],
    ['{"input":"off",}', /Expected/],
    ["[]", /not an object/],
    ["null", /not an object/],
    ["{}", /sets nothing\. Send/],
    ['{"reason":"r"}', /sets nothing\. Send/],
    ['{"imput":"off"}', /"imput" is not known — did you mean "input"\? Send/],
    ['{"a/b~c":"off"}', /"a\/b~c" is not known\. Send/],
    ['{"input":"Strict"}', /the value of "input" is not a mode.*"off", "warn", "strict" or null/],
    ['{"input":1}', /is not a mode/],
    ['{"input":"off","input":"strict"}', /"input" occurs twice/],
    ['{"__proto__":"off","input":"off"}', /__proto__/],
  ])("refuses %j", (text, words) => {
    expect(() => read(text)).toThrow(words);
  });

  it("throws only the route's own error, for any bytes", () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.json().map(Buffer.from)), (bytes) => {
        try {
          parseBody(bytes, modes?.body as Body, modes);
        } catch (error) {
          expect(error).toBeInstanceOf(AdminError);
          expect(error).toMatchObject({ code: "BAD_REQUEST", status: 400 });
        }
      }),
    );
  });
});

describe("readQuery", () => {
  it("returns parameters by name", () => {
    const search = "?limit=1000&offset=0&server=a%2Fb+c";
    expect(readQuery(search, parameters("listActivity"))).toEqual({
      limit: "1000",
      offset: "0",
      server: "a/b c",
    });
    expect(readQuery("", parameters("listActivity"))).toEqual({});
  });

  it.each([
    ["listActivity", "limit=0", 'limit: "0" is not a whole number from 1 to 1000'],
    ["listActivity", "limit=1001", 'limit: "1001" is not a whole number from 1 to 1000'],
    ["listActivity", "limit=1e2", 'limit: "1e2" is not a whole number from 1 to 1000'],
    ["listActivity", "offset=-1", 'offset: "-1" is not a whole number from 0 to 9007199254740991'],
    ["listActivity", "cursor=", "cursor: must not be empty"],
    ["listActivity", "tool=a&tool=b", '"tool" is given twice; give it once'],
    [
      "summariseActivity",
      "limit=5",
      /^limit: is not a filter here; the filters are type, .*, period$/,
    ],
    ["summariseActivity", "__proto__=5", /^__proto__: is not a filter here/],
    [
      "summariseActivity",
      "period=1y",
      'period: "1y" is not a length of time such as 15m, 24h or 7d',
    ],
    ["exportActivity", "format=xml", 'format: "xml" is none of jsonl, csv, ecs, ocsf'],
    ["getRollout", "suggest=yes", 'suggest: "yes" is neither true nor false'],
    ["getRollout", "suggest", 'suggest: "" is neither true nor false'],
    ["getDrift", "server=a", "tool: is required"],
    ["getDrift", "server=a&tool=", "tool: must not be empty"],
    ["getDrift", "server=a&tool=b&since=1h", /^since: .* server, tool$/],
  ])("for %s refuses %s", (id, search, words) => {
    const asked = parameters(id);
    expect(() => readQuery(search, asked)).toThrow(
      expect.objectContaining({
        code: "BAD_FILTER",
        message: typeof words === "string" ? words : expect.stringMatching(words),
      }),
    );
  });

  it("throws only its own error, for any text", () => {
    fc.assert(
      fc.property(fc.string(), fc.webQueryParameters(), (text, query) => {
        for (const search of [text, query]) {
          try {
            readQuery(search, parameters("getRollout"));
          } catch (error) {
            expect(error).toBeInstanceOf(ActivityError);
          }
        }
      }),
    );
  });
});
