import { renderForModel } from "@touchstone/core";
import { describe, expect, it } from "vitest";
import { sample } from "../../packages/core/src/testing/sample.ts";
import { sharedPath } from "../../packages/core/src/testing/shared.ts";
import { randomFrom } from "../../packages/protocol/src/inclusion/sample.ts";
import { follow } from "./agent.ts";
import { listedTools, ownTools, type Tool, type WrongCall, wrongCalls } from "./calls.ts";
import { secretsOf, untruths } from "./truth.ts";

const CALLS = sample(300, 1_000, 5_000);
const MAX_ROUNDS = 5;

function linesFor({ tool }: WrongCall, args: unknown): readonly string[] {
  const text = renderForModel(tool.schema.validateText(JSON.stringify(args)), { tool: tool.name });
  return text.split("\n").flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
}

/** Returns what is false in a text about a call, and which parts of the call's texts it shows. */
function liesIn(call: WrongCall, args: unknown, lines: readonly string[]): readonly string[] {
  const { schema, text } = call.tool;
  const declared: unknown = JSON.parse(text);
  const found: string[] = [];
  let moved = args;
  for (const line of lines) {
    // A line with "then" is about the arguments after the line before it.
    const isThen = line.startsWith("Then ");
    const now = isThen ? moved : args;
    for (const why of untruths(line, { schema, declared, args: now }))
      found.push(`${line}: ${why}`);
    if (!isThen) moved = follow([line], args);
  }
  const shown = lines.join("\n");
  return [...found, ...secretsOf(args, text).filter((secret) => shown.includes(secret))];
}

/** How many wrong calls became valid after each number of rounds, and what went wrong. */
interface Outcome {
  readonly calls: number;
  readonly rounds: readonly number[];
  readonly circles: readonly unknown[];
  readonly lies: readonly string[];
}

function tried(tools: readonly Tool[]): Outcome {
  const rounds: number[] = Array.from({ length: MAX_ROUNDS }, () => 0);
  const circles: unknown[] = [];
  const lies: string[] = [];
  let calls = 0;
  for (const call of wrongCalls(tools, 20_261_129)) {
    if (calls === CALLS) break;
    calls += 1;
    const seen = new Set([JSON.stringify(call.args)]);
    let { args } = call;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const lines = linesFor(call, args);
      lies.push(...liesIn(call, args, lines));
      args = follow(lines, args);
      if (call.tool.schema.validateText(JSON.stringify(args)).valid) {
        rounds[round] = (rounds[round] ?? 0) + 1;
        break;
      }
      const text = JSON.stringify(args);
      if (seen.has(text)) {
        circles.push([call.tool.name, call.faults, text.slice(0, 300), lines.slice(0, 3)]);
        break;
      }
      seen.add(text);
    }
  }
  return { calls, rounds, circles, lies };
}

function expectAdvice(name: string, { calls, rounds, circles, lies }: Outcome): void {
  const share = (count: number): number => Math.floor((1000 * count) / calls) / 10;
  const [one = 0, two = 0] = rounds;
  // The table of docs/reference/issues.md.
  process.stdout.write(
    `${name}: ${calls} calls, ${share(one)} % valid after one round, ${share(one + two)} % after two\n`,
  );
  expect(lies).toEqual([]);
  expect(circles).toEqual([]);
  expect(share(one)).toBeGreaterThanOrEqual(95);
  expect(share(one + two)).toBeGreaterThanOrEqual(99);
}

describe("an agent that follows each line of a text literally", () => {
  const folder = sharedPath("corpus", "tools-list");

  it.skipIf(folder === undefined)("corrects calls of tools that published servers list", () => {
    const tools = listedTools(folder ?? "", randomFrom(1));
    expect(tools.length).toBeGreaterThan(200);
    expectAdvice("published servers", tried(tools));
  });

  it("corrects calls of tools with unions, formats, references and other keywords", () => {
    const tools = ownTools(randomFrom(1));
    expect(tools.length).toBeGreaterThan(30);
    expectAdvice("other schemas", tried(tools));
  });
});
