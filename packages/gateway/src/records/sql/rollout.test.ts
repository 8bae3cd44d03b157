import { describe, expect, it } from "vitest";
import { split } from "../../../../core/src/testing/sample.ts";
import type { Excuses } from "../../policy/excuses.ts";
import type { ActivityEntry } from "../record.ts";
import { closing, usePlaces } from "../testing/places.ts";

const CALLS = 1_100;
const call = (n: number): readonly ActivityEntry[] => {
  const where = { source: "gateway", server: "s", tool: `t${n}`, request_id: `r${n}` } as const;
  const [rule, path] = n % 2 === 0 ? (["type", `/a${n}`] as const) : (["extra", `/b${n}`] as const);
  const issues = [{ path, message: "is wrong", rule, schemaPath: "#" }];
  const warning = { status: "warning", mode: "warn", decision: "warning" } as const;
  return [
    {
      ...where,
      ...warning,
      type: "policy_decision",
      direction: "input",
      outcome: "violation",
      issues,
    },
    { ...where, type: "tool_call", status: "warning", checks: "input warn violation" },
  ];
};

const all = { direction: "input", server: undefined, tool: undefined, rules: [] } as const;
const tools = (rules: (n: number) => Excuses[number]["rules"]): Excuses =>
  Array.from({ length: CALLS }, (_, n) => ({
    ...{ direction: "input", server: "s", tool: `t${n}`, rules: rules(n) },
  }));

for (const [places, options] of split(usePlaces(), 1))
  describe.each(places)("a rollout of many tools on %s", options, (_kind, open) => {
    it("is judged by the rules of each, however many there are", async (context) => {
      const at = await open((reason) => context.skip(reason));
      const store = closing(await at.store());
      await store.append(Array.from({ length: CALLS }, (_, n) => call(n)).flat());
      const reader = closing(await at.reader());
      const blocked = async (excuses: Excuses): Promise<readonly number[]> => {
        const { calls, checked, would_block } = await reader.rollout({}, { excuses, modes: [] });
        return [calls, checked, would_block];
      };
      const half = CALLS / 2;
      expect(await blocked([])).toEqual([CALLS, CALLS, CALLS]);
      expect(await blocked([{ ...all, rules: ["type"] }])).toEqual([CALLS, CALLS, half]);
      // The most specific one applies: of a tool, of a server, of all.
      const ofServer = { ...all, server: "s", rules: ["extra"] } as const;
      expect(await blocked([ofServer, { ...all, rules: ["type"] }])).toEqual([CALLS, CALLS, half]);
      const other = { ...all, server: "other", rules: ["extra", "type"] } as const;
      expect(await blocked([other])).toEqual([CALLS, CALLS, CALLS]);
      // Names that no database, or only SQLite, can have.
      const odd = ["a\0b", "\ud800"].map((tool) => ({ ...ofServer, tool }));
      expect(await blocked([...odd, ofServer])).toEqual([CALLS, CALLS, half]);
      const each = tools((n) => (n < 100 ? ["format"] : ["type", "extra"]));
      expect(await blocked([...each, ofServer])).toEqual([CALLS, CALLS, 100]);
      // Of at most 1,000 lists of issues, each of which is its own here, the places are looked up.
      const places = { "/**": "warning" } as const;
      expect(await blocked([{ ...all, places }])).toEqual([CALLS, CALLS, CALLS - 1_000]);
    });
  });

describe.each(usePlaces())(
  "a call whose decision is not among the records on %s",
  (_kind, open) => {
    const T0 = Date.now();
    it("is not known to be safe", async (context) => {
      const at = await open((reason) => context.skip(reason));
      let now = T0;
      const store = closing(await at.store({ now: () => new Date(now) }));
      const [decision, made] = call(0);
      if (decision === undefined || made === undefined) throw new Error("no call");
      await store.append([decision]);
      now += 60_000;
      await store.append([made, { ...made, request_id: "gone" }]);
      await store.append([
        { ...made, request_id: "ignored", checks: "input warn violation less:0123456789" },
      ]);
      const reader = closing(await at.reader());
      const rollout = async (since?: Date) => {
        const scope = since === undefined ? {} : { since };
        const { tools, not_known, would_block } = await reader.rollout(scope, {
          excuses: [],
          modes: [],
        });
        return [tools[0]?.input.text, not_known, would_block];
      };
      expect(await rollout()).toEqual(["would block 1 of 2; not known: 1 call", 1, 1]);
      expect(await rollout(new Date(T0 + 1_000))).toEqual([
        "safe: 1 checked, 0 would be blocked; not known: 2 calls",
        2,
        0,
      ]);
    });
  },
);
