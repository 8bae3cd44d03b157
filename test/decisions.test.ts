import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outcomeOf, tempDir } from "../packages/cli/src/testing/touchstone.ts";
import { long, sample } from "../packages/core/src/testing/sample.ts";
import { startTestGateway, type TestGateway } from "../packages/gateway/src/testing/gateway.ts";
import {
  type HttpUpstreamServer,
  modern,
  post,
  startHttpUpstream,
} from "../packages/gateway/src/testing/http.ts";
import type { ActivityRecord } from "../packages/records/src/record.ts";
import { hasPython } from "./has-python.ts";

/*
 * Sends the same calls and results to every interface, under random settings: modes, undeclared names, rules,
 * exemptions, repairs, limits, constraints, lists and pins. Each interface must decide the same and for the same
 * reasons.
 */

const SCHEMA = {
  type: "object",
  properties: {
    n: { type: "integer", maximum: 100 },
    mode: { enum: ["fast", "slow"] },
    tags: { type: "array", items: { type: "string" } },
    where: { type: "object", properties: { lat: { type: "number" } }, required: ["lat"] },
    note: { type: "string" },
  },
  required: ["n"],
};

const CLASSES = ["type", "required", "extra", "value"];
const PLACES = ["/n", "/where/**", "/tags/*", "/zz"];
const treatment = fc.constantFrom("violation", "warning", "ignore");
const inputs = fc.record(
  {
    mode: fc.constantFrom("off", "warn", "strict", "strict"),
    undeclared: fc.constantFrom("allow", "warning", "violation"),
    undeclared_at: fc.constantFrom("root", "deep"),
    rules: fc.dictionary(fc.constantFrom(...CLASSES, ...PLACES), treatment, { maxKeys: 3 }),
    repair: fc.subarray(["safe", "drop-nulls", "rename-properties"], { minLength: 1 }),
    max_depth: fc.constantFrom(2, 64),
  },
  { requiredKeys: ["mode"] },
);
const narrows = fc.constantFrom(
  { properties: { n: { maximum: 10 } } },
  { properties: { note: { within: ["/notes"] } } },
  { required: ["mode"] },
);
const settings = fc.record(
  {
    input_validation: inputs,
    protocol_validation: fc.record({ mode: fc.constantFrom("off", "warn", "strict") }),
    narrow: narrows,
  },
  { requiredKeys: ["input_validation"] },
);

/** Values as texts, because a double cannot represent some of the numbers. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  n: ["1", "50", "1000", '"5"', '"x"', "null", "2.5", "9007199254740993.5"],
  mode: ['"fast"', '"FAST"', "null"],
  tags: ['["a"]', '"a"', "[1]", '"[\\"a\\"]"'],
  where: ['{"lat":1}', '{"lat":"1"}', "{}", '{"lat":1,"lon":2}'],
  note: ['"/notes/a"', '"/etc/passwd"', "5"],
  zz: ["1"],
  nots: ['"a"'],
};
const members = fc
  .uniqueArray(fc.constantFrom(...Object.keys(VALUES)), { maxLength: 4 })
  .chain((names) =>
    fc
      .tuple(...names.map((name) => fc.constantFrom(...(VALUES[name] ?? []))))
      .map((values) => values.map((value, at) => `"${names[at]}":${value}`)),
  );
const isOther = (member: string): boolean => !member.startsWith('"n":');
const args = fc.oneof(
  members.map((all) => `{${['"n":1', ...all.filter(isOther)].join(",")}}`),
  members.map((all) => `{${all.join(",")}}`),
);

type OutputSettings = ReturnType<(typeof outputs)["generate"]>["value"];

/** Returns the settings as `touchstone call` applies them: it shows what a server returned, of any length. */
function asStrictOutput({ output_validation: output }: OutputSettings): object {
  const off = { mode: "off" };
  return { output_validation: { ...output, mode: "strict" }, protocol_validation: off };
}

/** Settings of a tool whose results are checked against the protocol alone. */
const BY_PROTOCOL = { output_validation: { mode: "off" }, protocol_validation: { mode: "strict" } };

type Settings = ReturnType<(typeof settings)["generate"]>["value"];

/** Returns the settings as interfaces apply them that never send invalid arguments. */
function asStrict({ input_validation: input, ...set }: Settings): Settings {
  const repair = input.mode === "off" ? [] : (input.repair ?? []);
  return { ...set, input_validation: { ...input, mode: "strict", repair: repair as never } };
}

const OUTPUT = {
  type: "object",
  properties: { n: { type: "integer" }, mode: { enum: ["fast", "slow"] } },
  required: ["n"],
  additionalProperties: false,
};
const outputs = fc.record(
  {
    output_validation: fc.record(
      {
        mode: fc.constantFrom("off", "warn", "strict", "strict"),
        missing_structured_content: fc.constantFrom("allow", "block"),
        rules: fc.dictionary(fc.constantFrom(...CLASSES, "/n"), treatment, { maxKeys: 2 }),
      },
      { requiredKeys: ["mode"] },
    ),
    protocol_validation: fc.record({ mode: fc.constantFrom("off", "warn", "strict") }),
    limits: fc.constant({ result_bytes: 90 }),
    narrow: fc.constant({ required: ["result"] }),
  },
  { requiredKeys: ["output_validation"] },
);
const text = { type: "text", text: "a text of some length, so that a small limit matters" };
const results = fc
  .record(
    {
      content: fc.constantFrom([], [text], [{ type: "text" }], "text"),
      // Only objects: POST /api/v1/check applies the revision 2025-11-25, which allows nothing else.
      structuredContent: fc.constantFrom<object[]>(
        ...[{ n: 1 }, { n: "1" }, { n: 1, mode: "no" }, { n: 1, zz: 1 }, {}],
      ),
      isError: fc.constantFrom<unknown[]>(true, true, false, "true"),
    },
    { requiredKeys: [] },
  )
  .map((result) => JSON.stringify({ resultType: "complete", ...result }));

const TOOLS = sample(16, 60, 300);
const CALLS = sample(6, 10, 20);
const SERVERS = ["open", "denied", "pinned"] as const;

interface Case {
  readonly server: (typeof SERVERS)[number];
  readonly tool: string;
  readonly args: string;
}

/** A tool that returns its argument `result`. */
interface ResultCase {
  readonly tool: string;
  readonly result: string;
}

let cases: readonly Case[];
let resultCases: readonly ResultCase[];
let upstreams: readonly HttpUpstreamServer[];
let touchstone: TestGateway;
let config: string;

/** A server whose definitions change after its first list, if it `drifts`. */
function upstream(names: readonly string[], drifts: boolean): Promise<HttpUpstreamServer> {
  let lists = 0;
  return startHttpUpstream(({ body }, response) => {
    const { id, method, params } = JSON.parse(body) as {
      id: number;
      method: string;
      params?: { readonly name?: string; readonly arguments?: { readonly result?: object } };
    };
    if (method === "tools/list") lists += 1;
    const description = (at: number) => (drifts && lists > 1 && at % 5 === 0 ? "new" : "old");
    // A tool and the tool with the strict settings are otherwise the same.
    const tools = names
      .map((name) => [name, Number(/\d+/.exec(name))] as const)
      .map(([name, at]) => ({
        ...{ name, description: description(at), inputSchema: SCHEMA },
        ...(name.startsWith("r") ? { inputSchema: { type: "object" }, outputSchema: OUTPUT } : {}),
        annotations: { readOnlyHint: at % 3 > 0, destructiveHint: false },
      }));
    const isCall = method === "tools/call";
    const given = isCall && params?.name?.startsWith("r") ? params.arguments?.result : undefined;
    const result = given ?? {
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      ...(isCall ? { content: [] } : { tools, ttlMs: 3_600_000, cacheScope: "public" }),
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
}

beforeAll(async () => {
  const all = fc.sample(settings, TOOLS);
  const tools = Object.fromEntries(
    all.flatMap((set, at) => [
      [`t${at}`, set],
      [`t${at}-strict`, asStrict(set)],
    ]),
  );
  const ofResults = Object.fromEntries(
    fc.sample(outputs, TOOLS).flatMap((set, at) => [
      [`r${at}`, set],
      [`r${at}-strict`, asStrictOutput(set)],
    ]),
  );
  const forOpen = { ...tools, ...ofResults, "r-protocol": BY_PROTOCOL };
  const names = Object.keys(forOpen);
  upstreams = [await upstream(names, false), await upstream(names, true)];
  const [still, drifting] = upstreams.map(({ url }) => url);
  const mcpServers = {
    open: { url: still, touchstone: { tools: forOpen } },
    denied: {
      url: still,
      touchstone: { tools, policy: { read_only: true, deny_tools: ["t1*"] } },
    },
    pinned: { url: drifting, touchstone: { tools, pin: "strict", lock: "first_use" } },
  };
  const file = { capability: "add", http: { allow_execute: true }, mcpServers };
  touchstone = await startTestGateway(file);
  config = join(tempDir({ onTestFinished: afterAll } as never), "touchstone.json");
  writeFileSync(config, JSON.stringify(file));
  for (const server of [...SERVERS, ...SERVERS]) {
    const list = modern("tools/list");
    await post(touchstone.url(server), list.body, list.headers);
  }
  cases = fc
    .sample(fc.tuple(fc.nat(TOOLS - 1), args, fc.constantFrom(...SERVERS)), TOOLS * CALLS)
    .map(([at, text, server]) => ({ server, tool: `t${at}`, args: text }));
  resultCases = fc
    .sample(fc.tuple(fc.nat(TOOLS - 1), results), TOOLS * CALLS)
    .map(([at, result]) => ({ tool: `r${at}`, result }));
}, 60_000);
afterAll(async () => {
  await touchstone.close();
  await Promise.all(upstreams.map((one) => one.close()));
});

async function send(path: string, body: string) {
  const response = await fetch(`http://127.0.0.1:${touchstone.gateway.port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

type Issues = readonly { readonly path: string; readonly keyword?: string }[];
const places = (issues: Issues = []): readonly string[] =>
  issues.map(({ path, keyword = "" }) => `${path} ${keyword}`).sort();

/**
 * Returns what `/api/v1/check` decides: the decision, the places of the issues, and whether the tool itself is
 * hidden.
 */
async function checked({ server, tool, args: text }: Case) {
  const { body } = await send(
    "/api/v1/check",
    `{"server":"${server}","tool":"${tool}","arguments":${text}}`,
  );
  const issues: Issues = body.input?.issues ?? [];
  const HIDING = ["deny_tools", "read_only", "pin"];
  const isHidden = body.decision === "blocked" && HIDING.includes(issues[0]?.keyword ?? "");
  return {
    decision: body.decision as string,
    issues: places(issues),
    isHidden,
    sent: body.arguments,
  };
}
const strict = (one: Case): Case => ({ ...one, tool: `${one.tool}-strict` });
const about = (one: Case): string => `${one.server} ${one.tool} ${one.args}`;

/** Returns the outcome of each case, by what was sent. */
async function each<T>(
  work: (one: Case) => Promise<T>,
): Promise<readonly (readonly [string, T])[]> {
  const found: (readonly [string, T])[] = [];
  for (const one of cases) found.push([about(one), await work(one)]);
  return found;
}

const isCall = ({ body }: { readonly body: string }): boolean => body.includes('"tools/call"');

describe("every interface decides the same", () => {
  it("as cases that reach each decision", async () => {
    const found = (await each(checked)).map(([, one]) => one);
    const decisions = new Set(found.map(({ decision }) => decision));
    expect(decisions).toEqual(new Set(["allowed", "warning", "repaired", "blocked"]));
    expect(found.some(({ isHidden }) => isHidden)).toBe(true);
  });

  it("/mcp", async () => {
    const before = new Set((await touchstone.records({ type: "tool_call" })).map(({ id }) => id));
    await each(async ({ server, tool, args: text }) => {
      const { body, headers } = modern("tools/call", { name: tool, arguments: "ARGUMENTS" });
      await post(
        touchstone.url(server),
        body.replace('"ARGUMENTS"', () => text),
        headers,
      );
    });
    const records = async (type: string): Promise<readonly ActivityRecord[]> =>
      (await touchstone.records({ type })).filter(
        ({ source, id }) => source === "gateway" && !before.has(id),
      );
    const decided = new Map(
      (await records("policy_decision")).map((record) => [
        `${record.request_id} ${record.direction}`,
        record,
      ]),
    );
    const calls = await records("tool_call");
    const found = cases.map((one, at) => {
      const { decision, request_id: id, tool } = calls[at] as ActivityRecord;
      const issues = ["protocol", "input"].flatMap(
        (way) => decided.get(`${id} ${way}`)?.issues ?? [],
      );
      return [about({ ...one, tool: tool ?? "" }), { decision, issues: places(issues) }];
    });
    const expected = await each(async (one) => {
      const { decision, issues } = await checked(one);
      return { decision, issues };
    });
    expect(found).toEqual(expected);
  });

  it("/validate, alone and in a batch", async () => {
    const shown = async (one: Case) => {
      const { decision, issues, isHidden } = await checked(strict(one));
      return isHidden ? { isHidden } : { decision, issues, valid: decision !== "blocked" };
    };
    const validated = async (one: Case) => {
      const path = `/servers/${one.server}`;
      const { status, body } = await send(
        `${path}/tools/${one.tool}/validate?detail=full`,
        one.args,
      );
      const calls = `{"calls":[{"tool":"${one.tool}","arguments":${one.args}}]}`;
      const batch = await send(`${path}/validate?detail=full`, calls);
      const { valid, decision, errors, warnings } = body;
      if (status === 404) return { isHidden: true };
      expect(batch.body.results).toEqual([body]);
      const list: Issues = valid ? warnings : errors;
      const told = new Set((await checked(strict(one))).issues);
      // Further warnings, such as those about numbers, do not affect the decision.
      const kept = valid ? places(list).filter((place) => told.has(place)) : places(list);
      return { decision, issues: kept, valid };
    };
    expect(await each(validated)).toEqual(await each(shown));
  });

  it("/call", async () => {
    const expected = await each(async (one) => (await checked(strict(one))).decision !== "blocked");
    const sent = await each(async (one) => {
      const before = upstreams.map(({ seen }) => seen.filter(isCall).length);
      await send(`/servers/${one.server}/tools/${one.tool}/call`, one.args);
      return upstreams.some(({ seen }, at) => seen.filter(isCall).length > (before[at] ?? 0));
    });
    expect(sent).toEqual(expected);
  });

  it("the added validation tool", async () => {
    const expected = await each(async (one) => {
      const { decision, issues, isHidden } = await checked(strict(one));
      return isHidden ? { valid: false } : { decision, issues, valid: decision !== "blocked" };
    });
    const found = await each(async (one) => {
      const { body, headers } = modern("tools/call", {
        name: "validate",
        arguments: { tool: one.tool, arguments: "ARGUMENTS" },
      });
      const answer = await post(
        touchstone.url(one.server),
        body.replace('"ARGUMENTS"', () => one.args),
        headers,
      );
      const { structuredContent: verdict = {} } =
        JSON.parse(answer.messages[0] ?? "{}").result ?? {};
      const { valid = false, decision, issues = [] } = verdict;
      if (decision === undefined) return { valid };
      const told = new Set((await checked(strict(one))).issues);
      const errors = places(
        issues.filter(({ severity }: { severity: string }) => severity === "error"),
      );
      const kept = valid ? places(issues).filter((place) => told.has(place)) : errors;
      return { decision, issues: kept, valid };
    });
    expect(found).toEqual(expected);
  });

  it("touchstone call", { timeout: 120_000 }, async () => {
    // Pins belong to the gateway: a direct call to a server is not affected by them.
    const chosen = cases.filter(
      ({ server }, at) => server !== "pinned" && at % sample(16, 16, 8) === 0,
    );
    for (const one of chosen) {
      const { decision, issues } = await checked(strict(one));
      const words = ["call", "--config", config, one.server, one.tool, one.args, "-o", "json"];
      const { out } = await outcomeOf(words);
      const { input, result, repair } = JSON.parse(out);
      const isSent = result !== undefined;
      expect([about(one), isSent]).toEqual([about(one), decision !== "blocked"]);
      expect([about(one), repair !== undefined]).toEqual([about(one), decision === "repaired"]);
      if (!isSent) expect([about(one), places(input.errors)]).toEqual([about(one), issues]);
    }
  });

  describe("about results:", () => {
    /** Returns what `/api/v1/check` decides about a result, with the arguments or without them. */
    async function checkedResult({ tool, result }: ResultCase, isAlone = false) {
      const args = isAlone ? "" : `"arguments":{"result":${result}},`;
      const call = `{"server":"open","tool":"${tool}",${args}"result":${result}}`;
      const { body } = await send("/api/v1/check", call);
      return {
        decision: body.decision as string,
        outcome: (body.output?.outcome ?? "") as string,
        issues: places(body.output?.issues),
      };
    }
    const strictly = (one: ResultCase): ResultCase => ({ ...one, tool: `${one.tool}-strict` });
    async function eachResult<T>(work: (one: ResultCase) => Promise<T>) {
      const found: (readonly [string, T])[] = [];
      for (const one of resultCases) found.push([`${one.tool} ${one.result}`, await work(one)]);
      return found;
    }

    it("cases reach each decision", async () => {
      const found = (await eachResult(checkedResult)).map(([, { decision }]) => decision);
      expect(new Set(found)).toEqual(new Set(["allowed", "warning", "blocked"]));
    });

    it("a result alone, and with its arguments", async () => {
      expect(await eachResult((one) => checkedResult(one, true))).toEqual(
        await eachResult((one) => checkedResult(one)),
      );
    });

    it("/mcp", async () => {
      // One listing contains at most 1,000 records.
      const kinds = ["tool_call", "policy_decision"];
      const read = async () =>
        (await Promise.all(kinds.map((type) => touchstone.records({ type })))).flat();
      const before = new Set((await read()).map(({ id }) => id));
      const isForwarded: boolean[] = [];
      for (const { tool, result } of resultCases) {
        const { body, headers } = modern("tools/call", {
          name: tool,
          arguments: { result: JSON.parse(result) },
        });
        const { messages } = await post(touchstone.url("open"), body, headers);
        isForwarded.push(messages[0]?.endsWith(`"result":${result}}`) === true);
      }
      const records = (await read()).filter(({ id }) => !before.has(id));
      const calls = records.filter(({ type }) => type === "tool_call");
      const found = resultCases.map(({ tool, result }, at) => {
        const { decision, request_id: id } = calls[at] as ActivityRecord;
        const decided = records.filter(
          ({ type, request_id: of }) => type === "policy_decision" && of === id,
        );
        const issues = places(decided.flatMap(({ issues: all = [] }) => all));
        return [`${tool} ${result}`, { decision, issues, isForwarded: isForwarded[at] }];
      });
      const expected = await eachResult(async (one) => {
        const { decision, issues } = await checkedResult(one);
        return { decision, issues, isForwarded: decision !== "blocked" };
      });
      expect(found).toEqual(expected);
    });

    it("/call", async () => {
      const found = await eachResult(async ({ tool, result }) => {
        const { body } = await send(`/servers/open/tools/${tool}/call`, `{"result":${result}}`);
        return body.isError === true;
      });
      const expected = await eachResult(async (one) => {
        // The HTTP API has a format for results only.
        const { isError, content } = JSON.parse(one.result);
        const isFailed = Boolean(isError) || !Array.isArray(content);
        return isFailed || (await checkedResult(one)).decision === "blocked";
      });
      expect(found).toEqual(expected);
    });

    it("touchstone call", { ...long, timeout: 120_000 }, async () => {
      const chosen = resultCases.filter((_, at) => at % sample(16, 16, 8) === 0);
      for (const one of chosen) {
        const { decision, outcome, issues } = await checkedResult(strictly(one));
        const words = ["call", "--config", config, "open", `${one.tool}-strict`];
        const { out, code } = await outcomeOf([...words, `{"result":${one.result}}`, "-o", "json"]);
        const { output, protocol } = JSON.parse(out);
        const isBlocked = output?.valid === false;
        const label = `${one.tool} ${one.result}`;
        expect([label, isBlocked]).toEqual([label, decision === "blocked"]);
        // A missing value has no text at its place.
        if (isBlocked && outcome !== "missing") {
          expect([label, places(output.errors)]).toEqual([label, issues]);
        }
        if (isBlocked) expect([label, output.outcome]).toEqual([label, outcome]);
        const byProtocol = await checkedResult({ ...one, tool: "r-protocol" });
        expect([label, protocol.valid]).toEqual([label, byProtocol.decision !== "blocked"]);
        const isFailed = JSON.parse(one.result).isError === true;
        const isFine = !isBlocked && protocol.valid && !isFailed;
        expect([label, code]).toEqual([label, isFine ? 0 : 1]);
      }
    });
  });

  it.skipIf(!hasPython)("Python", { timeout: 120_000 }, async () => {
    // Python does not preserve the notation of numbers.
    const chosen = cases.filter(
      ({ args: text }, at) => !/9007199254740993/.test(text) && at % sample(2, 4, 2) === 0,
    );
    const program = `import json, os, sys
from touchstone_gateway.check import Touchstone
gateway = Touchstone(os.environ["TOUCHSTONE_URL"])
print(json.dumps([gateway.check(c["server"], c["tool"], json.loads(c["args"])).decision for c in json.load(sys.stdin)]))`;
    const child = spawn("python3", ["-c", program], {
      env: {
        ...process.env,
        PYTHONPATH: fileURLToPath(new URL("../python/src", import.meta.url)),
        TOUCHSTONE_URL: `http://127.0.0.1:${touchstone.gateway.port}`,
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.stdin.end(JSON.stringify(chosen));
    const found = JSON.parse(await textOf(child.stdout)) as string[];
    const expected: string[] = [];
    for (const one of chosen) expected.push((await checked(one)).decision);
    expect(found.map((decision, at) => [about(chosen[at] as Case), decision])).toEqual(
      expected.map((decision, at) => [about(chosen[at] as Case), decision]),
    );
  });
});
