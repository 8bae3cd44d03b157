import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { ActivityError } from "./errors.ts";
import { ACTIVITY_FILTERS, parseActivityFilter } from "./filter.ts";

const NOW = new Date("2026-08-31T12:00:00.000Z");
const ID = "01K40000000000000000000000";

function fault(input: Record<string, string>): ActivityError {
  try {
    parseActivityFilter(input, NOW);
  } catch (error) {
    if (error instanceof ActivityError) {
      return error;
    }
    throw error;
  }
  throw new Error("the filter was accepted");
}

describe("parseActivityFilter", () => {
  it("accepts an empty time range", () => {
    const input = { since: "2026-08-31T00:00:00Z", until: "2026-08-31T02:00:00+02:00" };
    const { since, until } = parseActivityFilter(input, NOW);
    expect(since).toEqual(until);
  });

  it("defaults to the 50 newest records", () => {
    expect(parseActivityFilter({ type: undefined }, NOW)).toEqual({ limit: 50, offset: 0 });
  });

  it.each([
    [{ type: "tool_call,policy_decision" }, { types: ["tool_call", "policy_decision"] }],
    [{ type: "tool_call, tool_call" }, { types: ["tool_call"] }],
    [{ status: "blocked,rejected" }, { statuses: ["blocked", "rejected"] }],
    [{ direction: "output" }, { directions: ["output"] }],
    [{ decision: "blocked,warning" }, { decisions: ["blocked", "warning"] }],
    [
      { server: "a", tool: "b" },
      { server: "a", tool: "b" },
    ],
    [{ tool: "t".repeat(300) }, { tool: `${"t".repeat(255)}…` }],
    [{ request: "r1" }, { request: "r1" }],
    [{ session: `sha256:${"a".repeat(64)}` }, { session: `sha256:${"a".repeat(64)}` }],
    [
      { session: "abc" },
      { session: "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    ],
    [{ since: "24h" }, { since: new Date("2026-08-30T12:00:00.000Z") }],
    [{ until: "2026-08-31T00:00:00+02:00" }, { until: new Date("2026-08-30T22:00:00.000Z") }],
    [
      { since: "1h", until: "1h" },
      { since: new Date("2026-08-31T11:00:00.000Z"), until: new Date("2026-08-31T11:00:00.000Z") },
    ],
    [{ limit: "1" }, { limit: 1 }],
    [{ limit: "1000" }, { limit: 1000 }],
    [{ offset: "7" }, { offset: 7 }],
    [{ cursor: encodeCursor(ID) }, { after: ID }],
    [{ query: "" }, {}],
    [
      { query: "server:a status:blocked,error since:1h" },
      { server: "a", statuses: ["blocked", "error"], since: new Date("2026-08-31T11:00:00.000Z") },
    ],
    [
      { query: "-status:success tool:a,b", server: "s" },
      {
        server: "s",
        where: [
          { field: "status", values: ["success"], isExcluded: true },
          { field: "tool", values: ["a", "b"], isExcluded: false },
        ],
      },
    ],
    [
      { query: "tool:b", tool: "a" },
      { tool: "a", where: [{ field: "tool", values: ["b"], isExcluded: false }] },
    ],
  ])("reads %j", (input, expected) => {
    expect(parseActivityFilter(input, NOW)).toEqual({ limit: 50, offset: 0, ...expected });
  });

  it.each([
    [{ type: "call" }, "type", "tool_call, policy_decision, schema_change"],
    [{ type: "" }, "type", '"" is none of'],
    [{ type: "tool_call," }, "type", '"" is none of'],
    [
      { status: "Blocked" },
      "status",
      "success, error, blocked, warning, repaired, denied, held, out_of_bounds, limited, rejected",
    ],
    [{ direction: "in" }, "direction", "input, output, protocol"],
    [{ decision: "block" }, "decision", "allowed, warning, repaired, blocked"],
    [{ server: "" }, "server", "must not be empty"],
    [{ session: "sha256:12" }, "session", "64 hexadecimal digits"],
    [{ since: "yesterday" }, "since", "15m, 24h or 7d"],
    [{ since: "1h", until: "2h" }, "since", "is later than until"],
    [{ limit: "0" }, "limit", "from 1 to 1000"],
    [{ limit: "1001" }, "limit", "from 1 to 1000"],
    [{ limit: "5.0" }, "limit", "from 1 to 1000"],
    [{ limit: "" }, "limit", "from 1 to 1000"],
    [{ offset: "-1" }, "offset", "not a whole number"],
    [{ offset: "99999999999999999" }, "offset", "not a whole number"],
    [{ cursor: "nonsense" }, "cursor", "next_cursor"],
    [{ cursor: encodeCursor(`${ID}0`) }, "cursor", "next_cursor"],
    [{ cursor: encodeCursor(`0${ID}`) }, "cursor", "next_cursor"],
    [{ cursor: `${encodeCursor(ID)}=` }, "cursor", "next_cursor"],
    [{ cursor: encodeCursor(ID), offset: "0" }, "offset", "together with cursor"],
    [{ stauts: "blocked" }, "stauts", ACTIVITY_FILTERS.join(", ")],
    [JSON.parse('{"__proto__":"x"}'), "__proto__", "is not a filter"],
  ])("refuses %j", (input: Record<string, string>, field, text) => {
    const error = fault(input);
    expect(error).toMatchObject({ code: "BAD_FILTER", field });
    expect(error.message.startsWith(`${field}: `)).toBe(true);
    expect(error.message).toContain(text);
  });

  it("ignores inherited members", () => {
    const input = Object.create({ limit: "1" }) as Record<string, string>;
    expect(parseActivityFilter(input, NOW).limit).toBe(50);
  });

  it("either returns a filter or says what is wrong", () => {
    const names = fc.oneof(fc.constantFrom(...ACTIVITY_FILTERS), fc.string());
    fc.assert(
      fc.property(fc.dictionary(names, fc.string({ unit: "binary" })), (input) => {
        try {
          expect(parseActivityFilter(input, NOW).limit).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(ActivityError);
          expect((error as ActivityError).message.length).toBeLessThan(400);
        }
      }),
    );
  });
});

describe("cursor", () => {
  it("decodes back to the id", () => {
    expect(decodeCursor(encodeCursor(ID))).toBe(ID);
  });

  it("decodes only text that it encodes", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
        const id = decodeCursor(text);
        expect(id === undefined || encodeCursor(id) === text).toBe(true);
      }),
    );
  });
});
