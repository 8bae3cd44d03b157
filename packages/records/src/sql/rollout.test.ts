import { SchemaCache } from "@touchstone/core/advanced";
import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { long, split } from "../../../core/src/testing/sample.ts";
import { ToolContract } from "../../../gateway/src/contracts/contract.ts";
import type { ActivityEntry } from "../record.ts";
import type { Exemptions } from "../rollout/exemption.ts";
import type { PlacedModes } from "../rollout/settings.ts";
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
const tools = (rules: (n: number) => Exemptions[number]["rules"]): Exemptions =>
  Array.from({ length: CALLS }, (_, n) => ({
    ...{ direction: "input", server: "s", tool: `t${n}`, rules: rules(n) },
  }));

for (const [places, options] of split(usePlaces(), 1))
  describe.each(places)("a rollout of many tools on %s", options, (_kind, open) => {
    it("is judged by the rules of each, however many there are", long, async (context) => {
      const at = await open((reason) => context.skip(reason));
      const store = closing(await at.store());
      await store.append(Array.from({ length: CALLS }, (_, n) => call(n)).flat());
      const reader = closing(await at.reader());
      const blocked = async (excuses: Exemptions): Promise<readonly number[]> => {
        const { calls, checked, would_block } = await reader.rollout({}, { excuses, modes: [] });
        return [calls, checked, would_block];
      };
      const half = CALLS / 2;
      expect(await blocked([])).toEqual([CALLS, CALLS, CALLS]);
      expect(await blocked([{ ...all, rules: ["type"] }])).toEqual([CALLS, CALLS, half]);
      // The most specific exemption applies: that of a tool, of a server, or of all servers.
      const ofServer = { ...all, server: "s", rules: ["extra"] } as const;
      expect(await blocked([ofServer, { ...all, rules: ["type"] }])).toEqual([CALLS, CALLS, half]);
      const other = { ...all, server: "other", rules: ["extra", "type"] } as const;
      expect(await blocked([other])).toEqual([CALLS, CALLS, CALLS]);
      // Names that no database can store, or only SQLite.
      const odd = ["a\0b", "\ud800"].map((tool) => ({ ...ofServer, tool }));
      expect(await blocked([...odd, ofServer])).toEqual([CALLS, CALLS, half]);
      const each = tools((n) => (n < 100 ? ["format"] : ["type", "extra"]));
      expect(await blocked([...each, ofServer])).toEqual([CALLS, CALLS, 100]);
      // Places are only read from 1,000 lists of issues, and each call here has another list.
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
      expect(await rollout()).toEqual(["would block 1 of 2; unknown: 1 call", 1, 1]);
      expect(await rollout(new Date(T0 + 1_000))).toEqual([
        "safe: 1 checked, 0 would be blocked; unknown: 2 calls",
        2,
        0,
      ]);
    });
  },
);

describe.each(usePlaces())(
  "a call of a process whose clock was an hour ahead on %s",
  (_kind, open) => {
    it("is no evidence for a schema that changed later", async (context) => {
      const at = await open((reason) => context.skip(reason));
      const store = closing(await at.store());
      const scope = { server: "s", revision: "r", authorization: "" };
      const list = (input: string) => [
        new ToolContract({ name: "t", inputSchema: Buffer.from(input) }, new SchemaCache()),
      ];
      await store.contracts.replace(scope, list('{"type":"object"}'));
      const where = { source: "gateway", server: "s", tool: "t" } as const;
      await store.append([
        { ...where, type: "tool_call", status: "success", checks: "input warn pass" },
      ]);
      const reader = closing(await at.reader());
      const state = async () => {
        const { tools: found } = await reader.rollout({}, { excuses: [], modes: [] });
        return found[0]?.input.text;
      };
      expect(await state()).toBe("safe: 1 checked, 0 would be blocked");
      const later = ulid(Date.now() + 3_600_000);
      await at.query(`UPDATE activity SET id = '${later}' WHERE type = 'tool_call' RETURNING id`);
      const changes = await store.contracts.replace(
        scope,
        list('{"type":"object","maxProperties":1}'),
      );
      await store.append(
        changes.map(({ tool }) => ({
          ...{ ...where, tool },
          ...{ type: "schema_change", direction: "input", reason: "it has changed" },
        })),
      );
      expect(await state()).toBe("not checked: 1 call");
    });
  },
);

describe.each(usePlaces())("calls that strict decided by other settings on %s", (_kind, open) => {
  const DEFAULTS = { input: undefined, output: undefined } as const;
  const MORE = { input: "more:0123456789", output: undefined } as const;
  const blocks = { external: true, others: true };
  const warn = { input: "warn", output: "warn", protocol: "warn" } as const;
  const placed = (basis: PlacedModes["basis"], more: Partial<PlacedModes> = {}): PlacedModes => ({
    ...{ server: undefined, tool: undefined, basis, looksFor: DEFAULTS, blocksMissing: false },
    ...{ blocksUnusable: { input: blocks, output: blocks }, ...more },
  });
  /** Undeclared arguments and wrong formats are warnings. */
  const excuse = { ...all, places: { format: "warning" }, undeclared: "warning" } as const;
  const byClass = { ...all, rules: ["format", "extra"] } as const;
  type How = "blocked" | "forwarded" | "warned" | "off" | "denied";
  const decided = (
    request_id: string,
    rule: "extra" | "format" | "type",
    token = "",
    how: How = "blocked",
  ): readonly ActivityEntry[] => {
    if (how === "off" || how === "denied") {
      const where = { source: "gateway", server: "s", tool: "t", request_id } as const;
      const by = how === "off" ? "allowed" : "blocked";
      const status = how === "off" ? "success" : "denied";
      return [{ ...where, type: "tool_call", status, decision: by, checks: "none" }];
    }
    const keyword = rule === "extra" ? "undeclared" : rule;
    const issues = [{ path: "/a", message: "is wrong", rule, keyword, schemaPath: "#" }];
    const where = { source: "gateway", server: "s", tool: "t", request_id } as const;
    const mode = how === "warned" ? "warn" : "strict";
    const status = how === "blocked" ? "blocked" : "warning";
    const by = { mode, decision: status, direction: "input" } as const;
    return [
      { ...where, ...by, status, type: "policy_decision", outcome: "violation", issues },
      { ...where, mode, status, type: "tool_call", checks: `input ${mode} violation${token}` },
    ];
  };
  const TOKEN = ` ${MORE.input}`;

  const IN_FORCE = [placed("in_force", { server: "s", modes: warn }), placed("assumed")];
  const CONSIDERED = [placed("considered")];
  /** Settings from the user's file, and from a command line with `wrap`. */
  const ASSUMED = [placed("assumed", { modes: warn })];
  /** A server of another gateway. */
  const UNKNOWN = [placed("assumed", { looksFor: undefined })];

  const ELSEWHERE = "not set in the file";
  const ALLOWED = "the current settings allow 1 of these";
  const ROWS: readonly {
    readonly name: string;
    readonly calls: readonly (readonly [
      rule: "extra" | "format" | "type",
      token: string,
      how: How,
    ])[];
    readonly modes: readonly PlacedModes[];
    readonly shown: readonly [text: string, checked: number, wouldBlock: number, offences: number];
  }[] = [
    ...(["extra", "format"] as const).flatMap((rule) => {
      const calls = [[rule, TOKEN, "blocked"] as const];
      return [
        {
          ...{ name: `${rule}, blocked under a preset of the wrap line`, calls, modes: ASSUMED },
          shown: [`strict already: blocks 1 of 1 checked; ${ELSEWHERE}`, 1, 1, 1],
        } as const,
        {
          ...{ name: `${rule}, blocked by another gateway`, calls, modes: UNKNOWN },
          shown: ["strict already: blocks 1 of 1 checked", 1, 1, 1],
        } as const,
        {
          ...{ name: `${rule}, blocked before the file allowed it`, calls, modes: IN_FORCE },
          shown: [`blocked 1 of 1; ${ALLOWED}`, 1, 1, 0],
        } as const,
        {
          ...{ name: `${rule}, which a named file allows`, calls, modes: CONSIDERED },
          shown: [`strict already: blocked 1 of 1 checked; ${ALLOWED}`, 1, 1, 0],
        } as const,
      ];
    }),
    {
      name: "blocked by a check that looked for less than now",
      calls: [["format", " less:0123456789", "blocked"]],
      modes: CONSIDERED,
      shown: ["strict already: blocks 1 of 1 checked", 1, 1, 0],
    },
    {
      name: "two, of which the settings allow one",
      calls: [
        ["format", "", "blocked"],
        ["type", "", "blocked"],
      ],
      modes: IN_FORCE,
      shown: [`would block 2 of 2; ${ALLOWED}`, 2, 2, 1],
    },
    {
      name: "warned under a preset whose mode the wrap line sets to warn",
      calls: [["extra", TOKEN, "warned"]],
      modes: ASSUMED,
      shown: [`would block 1 of 1; ${ELSEWHERE}`, 1, 1, 1],
    },
    {
      name: "warned with the settings of the file",
      calls: [["format", "", "warned"]],
      modes: ASSUMED,
      shown: ["safe: 1 checked, 0 would be blocked", 1, 0, 0],
    },
    {
      name: "blocked with the mode of a wrap line, then a call without it",
      calls: [
        ["type", "", "blocked"],
        ["format", "", "warned"],
      ],
      modes: ASSUMED,
      shown: ["would block 1 of 2", 2, 1, 1],
    },
    {
      name: "blocked with the mode of a wrap line, then a call with mode off",
      calls: [
        ["type", "", "blocked"],
        ["type", "", "off"],
      ],
      modes: ASSUMED,
      shown: [`would block 1 of 1; ${ELSEWHERE}; not checked: 1 call`, 1, 1, 1],
    },
    {
      name: "blocked with the mode of a wrap line, then denied by policy",
      calls: [
        ["type", "", "blocked"],
        ["type", "", "denied"],
      ],
      modes: ASSUMED,
      shown: [`strict already: blocks 1 of 1 checked; ${ELSEWHERE}; not checked: 1 call`, 1, 1, 1],
    },
    {
      name: "what strict of a wrap line forwards, and the file would block",
      calls: [["type", "", "forwarded"]],
      modes: ASSUMED,
      shown: [`strict already: blocks 0 of 1 checked; ${ELSEWHERE}`, 1, 0, 0],
    },
    {
      name: "what strict forwarded before the file of this gateway changed",
      calls: [["type", "", "forwarded"]],
      modes: IN_FORCE,
      shown: ["would block 1 of 1", 1, 1, 1],
    },
  ];

  it("are facts, and not called safe by settings that may be others", async (context) => {
    const at = await open((reason) => context.skip(reason));
    const store = closing(await at.store());
    const servers = ROWS.map((_, at) => `s${at}`);
    const own = (modes: readonly PlacedModes[], server: string): readonly PlacedModes[] =>
      modes.map((each) => (each.server === undefined ? each : { ...each, server }));
    for (const [row, { calls }] of ROWS.entries()) {
      for (const [index, [rule, token, how]] of calls.entries()) {
        const entries = decided(`${row}/${index}`, rule, token, how);
        await store.append(entries.map((each) => ({ ...each, server: servers[row] as string })));
      }
    }
    const reader = closing(await at.reader());
    for (const [row, { name, modes, shown }] of ROWS.entries()) {
      const server = servers[row] as string;
      for (const one of name.startsWith("extra") ? [excuse, byClass] : [excuse]) {
        const { tools, checked, would_block, offences } = await reader.rollout(
          { server },
          { excuses: [one], modes: own(modes, server) },
        );
        const text = tools[0]?.input.text;
        expect([name, text, checked, would_block, offences.length]).toEqual([name, ...shown]);
      }
    }
  });

  it("are counted by the overview as by the rollout, with the places that rules allow", async (context) => {
    const at = await open((reason) => context.skip(reason));
    const store = closing(await at.store());
    await store.append([
      ...decided("a", "format", "", "warned"),
      ...decided("b", "type", "", "warned"),
    ]);
    const reader = closing(await at.reader());
    const times = { since: new Date(Date.now() - 60_000), until: new Date(Date.now() + 60_000) };
    const counted = async (excuses: Exemptions) => {
      const { totals } = await reader.overview({ ...times, buckets: 2, excuses });
      const { would_block } = await reader.rollout({}, { excuses, modes: CONSIDERED });
      return [totals.would_block, would_block];
    };
    expect(await counted([])).toEqual([2, 2]);
    expect(await counted([excuse])).toEqual([1, 1]);
    expect(await counted([byClass])).toEqual([1, 1]);
  });
});
