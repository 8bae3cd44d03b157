import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { REVISIONS, readFrame } from "@touchstone/protocol/advanced";
import { openActivityReader } from "../../../../records/src/open-sqlite.ts";
import type { ActivityRecord } from "../../../../records/src/record.ts";
import { createLogger } from "../../../../util/src/log.ts";
import { settingsFromOverrides } from "../../config/overrides.ts";
import type { Mode } from "../../settings/validation.ts";
import { wrap } from "../../wrap.ts";
import { startTestGateway } from "../gateway.ts";
import { initialize, modern, post, request } from "../http.ts";
import { LineLog } from "../line-log.ts";
import { answers } from "../messages.ts";
import { CASES, type Case, resultText } from "./cases.mjs";

/** The settings of a whole session. */
export interface Setting {
  readonly mode: Mode;
  readonly revision: string;
  readonly transport: "stdio" | "http json" | "http sse";
}
/** A case that failed. */
export interface Failure extends Setting {
  readonly case: Case;
  readonly wrong: string;
}

const UPSTREAM = fileURLToPath(new URL("upstream.mjs", import.meta.url));
const MODES: readonly Mode[] = ["off", "warn", "strict"];
const TRANSPORTS = ["stdio", "http json", "http sse"] as const;
const MODERN = "2026-07-28";

export const SETTINGS: readonly Setting[] = MODES.flatMap((mode) =>
  REVISIONS.flatMap(({ version }) =>
    TRANSPORTS.map((transport) => ({ mode, revision: version, transport })),
  ),
);

/** Returns the cases that a revision supports: tasks exist since 2025-11-25. */
export function casesOf({ revision }: Setting): readonly Case[] {
  const tasks = revision >= "2025-11-25";
  return CASES.filter(({ kind }) => tasks || kind === "result" || kind === "error");
}

/** Returns the expected decision about a case. */
function expected({ schema, structured, kind }: Case, mode: Mode): "success" | "error" | Mode {
  if (kind === "error") return "error";
  const missing = structured === "absent";
  const judged = schema === "declared" && mode !== "off" && !missing;
  return judged && structured !== "object" ? mode : "success";
}

/** Sends a request; returns the bytes of the response. */
type Ask = (method: string, params: Record<string, unknown>) => Promise<string>;
interface Session {
  readonly ask: Ask;
  close(): Promise<void>;
}

function overStdio({ mode, revision }: Setting, dataDir: string): Session {
  const input = new PassThrough();
  const output = new PassThrough();
  const received = new LineLog();
  output.on("data", (chunk: Buffer) => received.push(chunk));
  const ended = wrap({
    name: "matrix",
    command: process.execPath,
    args: [UPSTREAM],
    settings: settingsFromOverrides({ outputMode: mode, inputMode: mode, protocolMode: "off" }),
    dataDir,
    env: process.env,
    input,
    output,
    stderr: () => {},
    log: createLogger(() => {}, "silent"),
    signal: new AbortController().signal,
  });
  let last = 0;
  const send = (id: number, method: string, params: Record<string, unknown>): Promise<string> => {
    const body = revision === MODERN ? modern(method, params, { id }).body : undefined;
    const from = received.lines.length;
    input.write(`${body ?? JSON.stringify(request(id, method, params))}\n`);
    return received.find(answers(id), from);
  };
  return {
    async ask(method, params) {
      last += 1;
      return await send(last, method, params);
    },
    async close() {
      input.end();
      await ended;
    },
  };
}

async function startHttp(shape: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [UPSTREAM, "--http", shape], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (child.stderr === null) throw new Error("no stderr");
  const [said] = await once(child.stderr, "data");
  const port = /port (\d+)/.exec(String(said))?.[1];
  return { child, url: `http://127.0.0.1:${port}/mcp` };
}

async function overHttp({ mode, revision, transport }: Setting, dataDir: string): Promise<Session> {
  const { child, url: upstream } = await startHttp(transport.slice(5));
  const gateway = await startTestGateway(
    {
      mcpServers: { matrix: { url: upstream } },
      input_validation: { mode },
      output_validation: { mode },
      protocol_validation: { mode: "off" },
    },
    dataDir,
  );
  const url = gateway.url("matrix");
  const session = revision === MODERN ? {} : await initialize(url, revision);
  let last = 0;
  return {
    async ask(method, params) {
      last += 1;
      const { body, headers } =
        revision === MODERN
          ? modern(method, params, { id: last })
          : { body: JSON.stringify(request(last, method, params)), headers: session };
      return (await post(url, body, headers)).messages.at(-1) ?? "";
    },
    async close() {
      await gateway.gateway.close();
      child.kill();
      await once(child, "exit");
    },
  };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Returns the text of the result in a response; for a finished task, the result inside. */
function resultIn(answer: string, inside: boolean): string {
  const frame = readFrame(Buffer.from(answer));
  const range = frame.range(inside ? "/result/result" : "/result");
  return range === undefined ? `no result in ${answer}` : frame.text(range);
}

/** All records, oldest first. */
async function recordsIn(dataDir: string): Promise<readonly ActivityRecord[]> {
  const reader = await openActivityReader({ dataDir });
  const records: ActivityRecord[] = [];
  for (let more = true; more; ) {
    const page = (await reader?.scan({}, { after: records.at(-1)?.id, limit: 1000 })) ?? [];
    records.push(...page);
    more = page.length > 0;
  }
  await reader?.close();
  return records;
}

/** Runs cases in one session; returns those whose bytes or records are wrong. */
export async function runSession(
  setting: Setting,
  cases: readonly Case[],
): Promise<readonly Failure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "byte-matrix-"));
  const failures: Failure[] = [];
  const { mode, revision } = setting;
  const isModern = revision === MODERN;
  const fail = (each: Case, wrong: string) => failures.push({ ...setting, case: each, wrong });
  try {
    const session =
      setting.transport === "stdio"
        ? overStdio(setting, dataDir)
        : await overHttp(setting, dataDir);
    if (!isModern && setting.transport === "stdio") {
      const clientInfo = { name: "t", version: "1" };
      await session.ask("initialize", { protocolVersion: revision, capabilities: {}, clientInfo });
    }
    await session.ask("tools/list", {});
    for (const [index, each] of cases.entries()) {
      const task = `task-${index}`;
      const asTask = each.kind === "announced" || each.kind === "fetched";
      const params = {
        name: each.schema,
        arguments: { ...each, task },
        ...(asTask && !isModern ? { task: {} } : {}),
      };
      let answer = await session.ask("tools/call", params);
      const fetches = each.kind === "fetched";
      if (fetches) {
        answer = await session.ask(isModern ? "tasks/get" : "tasks/result", { taskId: task });
      }
      const sent = sha256(resultText(each, isModern, task));
      const got = sha256(resultIn(answer, fetches && isModern));
      const blocked = expected(each, mode) === "strict";
      const wrong = blocked ? "it was not blocked" : `other bytes: ${answer.slice(0, 300)}`;
      if (blocked === (sent === got)) fail(each, wrong);
    }
    await session.close();
    const records = await recordsIn(dataDir);
    const calls = records.filter(({ type }) => type === "tool_call");
    if (calls.length !== cases.length) {
      throw new Error(`${calls.length} tool_call records of ${cases.length} calls`);
    }
    const decisions = records.filter(({ type }) => type === "policy_decision");
    const failing = cases.filter((each) => ["warn", "strict"].includes(expected(each, mode)));
    for (const [index, each] of failing.entries()) {
      const wanted = mode === "strict" ? "blocked" : "warning";
      const { decision, tool } = decisions[index] ?? {};
      if (decision !== wanted || tool !== each.schema) fail(each, `decision ${decision}`);
    }
    if (decisions.length !== failing.length) {
      throw new Error(`${decisions.length} decisions where ${failing.length} checks failed`);
    }
    return failures;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
