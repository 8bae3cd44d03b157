import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SchemaCache } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { long, sample } from "../../../core/src/testing/sample.ts";
import { createLogger } from "../../../util/src/log.ts";
import { openCapture } from "../insight/capture/open.ts";
import {
  ADD,
  all,
  bytesOf,
  call,
  type Json,
  LEGACY,
  MemoryLog,
  MODERN,
  messageText,
  request,
  structured,
  toolList,
  toolResult,
} from "../pipeline/testing/harness.ts";
import { ServerRuntime } from "../relay/server-runtime.ts";
import type { Mode } from "../settings/validation.ts";
import { replayCapture } from "./replay.ts";

const log = createLogger(() => {}, "silent");

/** One request of a client, and the server's response. */
interface Exchange {
  readonly args: string;
  readonly answer: string;
}
type Told = readonly (string | undefined)[];

const exchange: fc.Arbitrary<Exchange> = fc.record({
  args: fc.constantFrom('{"a":1}', '{"a":"1"}', "{}", '{"a":1,"c":2}', "null", '{"a":1.0}'),
  answer: fc.constantFrom('{"sum":1}', '{"sum":"1"}', "{}", "none", "error"),
});

function answerTo(id: number, { answer }: Exchange, revision: string): string {
  if (answer === "none") return toolResult(id, "", revision);
  if (answer === "error") return toolResult(id, ',"isError":true', revision);
  return structured(id, answer, revision);
}

/** Runs a conversation under a mode; returns the decisions and the capture. */
async function live(exchanges: readonly Exchange[], mode: Mode, revision: string, batch: boolean) {
  const dir = mkdtempSync(join(tmpdir(), "touchstone-replay-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "c.jsonl");
  const activity = new MemoryLog();
  const capture = openCapture(file, log);
  const runtime = new ServerRuntime(
    { name: "s", settings: all(mode), tools: new Map() },
    {
      activity,
      contracts: {
        replace: async () => [],
        used: async () => {},
        tool: async () => undefined,
        toolNames: async () => new Set(),
      },
      cache: new SchemaCache(),
      log,
      capture,
    },
  );
  const conversation =
    revision === MODERN ? runtime.sharedConversation(undefined) : runtime.ownConversation("x");
  if (revision !== MODERN) conversation.revision = revision;
  const pipeline = runtime.pipeline(conversation, async () =>
    bytesOf({ jsonrpc: "2.0", id: 0, result: toolList([ADD], revision) }),
  );
  const pass = async (asked: Json, answer: string): Promise<void> => {
    const { passage } = await pipeline.fromClient(pipeline.read(bytesOf(asked)));
    const { onward } = await passage;
    if (onward !== undefined) await pipeline.fromServer(pipeline.read(bytesOf(answer)));
  };
  for (const [id, each] of exchanges.entries()) {
    const asked = call(id, "add", each.args, "", revision);
    const ping = messageText(request(1000 + id, "ping", {}, revision));
    const answers = [
      answerTo(id, each, revision),
      `{"jsonrpc":"2.0","id":${1000 + id},"result":{}}`,
    ];
    if (!batch) await pass(asked, answers[0] ?? "");
    else await pass(`[${asked},${ping}]`, mode === "strict" ? `[${answers[1]}]` : `[${answers}]`);
  }
  await capture.close();
  const told: Told[] = activity
    .of("policy_decision")
    .map(({ direction, decision, reason }) => [direction ?? "", decision ?? "", reason ?? ""]);
  return { file, told };
}

async function replayed(file: string, mode: Mode): Promise<Told[]> {
  const told: Told[] = [];
  for await (const event of replayCapture(file, () => ({ settings: all(mode) }))) {
    if (event.kind !== "decision") continue;
    const { direction, decision, reason } = event.decision;
    told.push([direction, decision, reason]);
  }
  return told;
}

describe("a replay", () => {
  const conversations = fc.array(exchange, { minLength: 1, maxLength: 6 });
  const modes = fc.constantFrom<Mode>("off", "warn", "strict");

  it("makes the same decisions as the relay under the same settings", async () => {
    await fc.assert(
      fc.asyncProperty(
        conversations,
        modes,
        fc.constantFrom(LEGACY, MODERN),
        async (each, mode, revision) => {
          const { file, told } = await live(each, mode, revision, false);
          expect(await replayed(file, mode)).toEqual(told);
        },
      ),
      { numRuns: sample(4, 25) },
    );
  }, 60_000);

  it("decides under strict as strict would have, from a capture in warn", {
    ...long,
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(conversations, fc.constantFrom(LEGACY, MODERN), async (each, revision) => {
        const { file } = await live(each, "warn", revision, false);
        const { told } = await live(each, "strict", revision, false);
        expect(await replayed(file, "strict")).toEqual(told);
      }),
      { numRuns: sample(4, 25) },
    );
  });

  it("ignores responses in a batch to requests that are now blocked", async () => {
    const bad = { args: '{"a":"1"}', answer: '{"sum":"x"}' };
    const { file, told } = await live([bad], "warn", "2025-03-26", true);
    expect(told.map(([direction]) => direction)).toEqual(["input", "output"]);
    const strict = await replayed(file, "strict");
    expect(strict.map(([direction, decision]) => [direction, decision])).toEqual([
      ["input", "blocked"],
    ]);
  });

  it("finds in the capture what the gateway sent in place of a blocked message", async () => {
    const { file } = await live([{ args: "{}", answer: "none" }], "strict", LEGACY, false);
    const lines = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => JSON.parse(line));
    expect(lines.map(({ from, to, answers }) => [from, to, answers])).toEqual([
      ["client", "server", undefined],
      ["server", "gateway", "tools/list"],
      ["gateway", "client", undefined],
    ]);
    expect(JSON.parse(lines[2].text)).toMatchObject({ id: 0, result: { isError: true } });
  });
});
