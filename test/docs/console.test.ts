import { afterEach, describe, expect, it } from "vitest";
import { eachOf } from "../../packages/core/src/testing/sample.ts";
import { callThrough } from "./calls.ts";
import { type Block, readPages } from "./markdown.ts";
import { prepare } from "./scenes.ts";
import { type Step, stepsOf, wordsOf } from "./shell.ts";
import { Stage } from "./stage.ts";

/** Commands that do not end, with what they print once they are ready. */
const LONG: readonly [RegExp, RegExp][] = [
  [/^(?:npx )?touchstone serve /, /touchstone info: ready/],
  [/^touchstone activity watch /, /blocked/],
  [/node examples\/http\/with-/, /user: ada/],
];
/** Commands whose status 1 says that they found something. */
const FINDS =
  /touchstone (?:check|lint|lock .*--check|replay|validate|doctor|config import|audit)\b|--fail-on/;
/** Programs that are run. A block with any other program has a marker with the reason why it is not run. */
const PROGRAMS = new Set(["touchstone", "npx", "node", "curl", "openssl", "echo", "npm"]);
/** CI has already run these commands. */
const INSTALLS = /^npm (?:ci|install)\b/;

const isRun = ({ language, marker }: Block): boolean =>
  ((language === "sh" || language === "console") &&
    !["not run", "form"].includes(marker?.word ?? "")) ||
  marker?.word === "output";

/** Returns the commands of a block, or the command whose partial output the block shows. */
const commandsOf = (block: Block): readonly Step[] =>
  block.marker?.word === "output"
    ? [{ command: block.marker.rest, shown: `…${block.text.trimEnd()}…` }]
    : stepsOf(block);

/** Replaces times, ids, hashes and numbers, for which a page shows examples. */
const figures = (text: string): string =>
  text.replaceAll(/sha256:[0-9a-f]+|\b[0-9A-HJKMNP-TV-Z]{26}\b|\d[\d.,:TZ-]*/g, "#");

/** Returns a pattern for the output that a page shows, in which `…` matches anything. */
function patternOf(shown: string): RegExp {
  const parts = shown.trimEnd().split("…");
  const escaped = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${escaped.join("[\\s\\S]*?")}\\s*$`);
}

let stage: Stage | undefined;
afterEach(() => stage?.close());

async function runStep(on: Stage, { command, shown }: Step, before: number, block: Block) {
  const long = LONG.find(([pattern]) => pattern.test(command.replace(/^\w+=\S+ /, "")));
  if (long !== undefined) {
    const typed = command.replace(/\s+#[^'"]*$/, "");
    const isGateway = /touchstone serve /.test(typed);
    // In separate records, because the others are counted.
    const watched = "--data-dir watched";
    const blocked = () => callThrough(on, `--mode strict ${watched}`, [["get_weather", {}]]);
    const started = isGateway ? `${typed} --listen 127.0.0.1:0` : typed;
    const said = /activity watch/.test(typed)
      ? await on.start(`${typed} ${watched}`, long[1], blocked)
      : await on.start(started, long[1]);
    const url = /^(http\S+) {2}\(user: ada\)/m.exec(said)?.[1];
    if (url) on.replace.set("http://127.0.0.1:8000/explorer/", url);
    return 0;
  }
  const { status, output } = await on.run(command, before);
  const place = `${block.page}:${block.line}: ${command}\n${output}`;
  if (shown === undefined) {
    expect([place, status]).toEqual([place, FINDS.test(command) && status === 1 ? 1 : 0]);
    return status ?? 0;
  }
  const told = block.marker?.word === "figures" ? figures : (text: string) => text;
  const pattern = patternOf(told(on.here(shown)));
  if (shown !== "" && !pattern.test(told(output))) expect(output).toBe(shown);
  return status ?? 0;
}

/**
 * The first pages for a reader, and one page each with a gateway, with output and with a lock file. Each page starts
 * a dozen programs, so `npm test` runs only these; `commands.test.ts` checks the commands of all pages.
 */
const FIRST = new Set(["README.md", "docs/reference/lock-file.md"]);
const pages = readPages()
  .filter(({ blocks }) => blocks.some(isRun))
  .map((page) => [page.path, page] as const);
const isFirst = ([path]: (typeof pages)[number]): boolean => FIRST.has(path);

it("the pages that every run takes exist", () => {
  expect(new Set(pages.filter(isFirst).map(([path]) => path))).toEqual(FIRST);
});

describe("commands in the docs print what the page shows", { timeout: 240_000 }, () => {
  eachOf(pages, isFirst)("%s", async (_, page) => {
    const on = new Stage();
    stage = on;
    await prepare(on, page);
    for (const block of page.blocks.filter(isRun)) {
      let before = 0;
      for (const step of commandsOf(block)) {
        const commands = wordsOf(step.command);
        const names = commands.map((words) => words.find((word) => !/^\w+=/.test(word)) ?? "");
        expect(names.filter((name) => !PROGRAMS.has(name))).toEqual([]);
        if (INSTALLS.test(commands[0]?.join(" ") ?? "")) continue;
        before = await runStep(on, step, before, block);
      }
    }
    const ended = await on.stop();
    const ours = ended.filter(({ command }) => command.includes("touchstone "));
    expect(ours.filter(({ status }) => status !== 0)).toEqual([]);
  });
});

describe("output in a page is compared", () => {
  it("exactly, except for …", () => {
    expect(patternOf("a … c.").test("a b c.\n")).toBe(true);
    expect(patternOf("a … c.").test("a b cd")).toBe(false);
    expect(patternOf("a").test("ab")).toBe(false);
  });

  it("only in form if the figures are examples", () => {
    expect(figures("at 2026-08-31T09:12:44.310Z 12,410 of sha256:6f0c")).toBe("at # # of #");
  });
});
