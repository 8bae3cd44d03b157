import { describe, expect, it } from "vitest";
import { commandFault, helpExamples, knownOptions } from "./command-line.ts";
import { readPages } from "./markdown.ts";
import { stepsOf, wordsOf } from "./shell.ts";

const pages = readPages();

describe("the reader of shell commands", () => {
  it.each([
    ['a \'b c\' "d \\"e" f\\ g', [["a", "b c", 'd "e', "f g"]]],
    ["a b # c 'd", [["a", "b"]]],
    ["A=1 a > f 2>&1 && b | c; d", [["A=1", "a"], ["b"], ["c"], ["d"]]],
    ["a \\\n  b#c", [["a", "b#c"]]],
  ])("reads %s", (command, words) => {
    expect(wordsOf(command)).toEqual(words);
  });

  it("refuses an unclosed quote", () => {
    expect(() => wordsOf("a 'b")).toThrow("cannot be read");
  });

  it("joins continued lines, and separates the shown output", () => {
    const block = { page: "", line: 1, language: "console", marker: undefined };
    const text = "$ a \\\n  b\nout\n\n$ c '{\n}'\n";
    expect(stepsOf({ ...block, text })).toEqual([
      { command: "a \\\n  b", shown: "out\n\n" },
      { command: "c '{\n}'", shown: "" },
    ]);
  });

  it.each([
    ["touchstone wrapp -- a", "no command"],
    ["touchstone activity lst", "no command"],
    ["touchstone wrap --mod strict -- a", "--mod"],
    ["touchstone wrap --mode hard -- a", "hard"],
    ["touchstone activity show", "1 argument"],
    ["touchstone activity list files", "takes no"],
    ["npx touchstone activity list --since", "argument missing"],
    ["npm run nothing", "no script"],
    ["node examples/nothing.mjs", "no examples"],
    ["A=1 touchstone nothing", "no command"],
  ])("detects what is wrong with %s", (command, fault) => {
    expect(commandFault(wordsOf(command)[0] ?? [])).toContain(fault);
  });
});

describe("commands in code blocks exist, with their options", () => {
  const shells = pages
    .flatMap(({ blocks }) => blocks)
    .filter(({ language, text }) => /^(?:sh|console)$/.test(language) || text.includes("- run: "));
  it.each(shells.map((block) => [`${block.page}:${block.line}`, block] as const))(
    "%s",
    (_, block) => {
      const steps = stepsOf(block);
      expect(steps.length).toBeGreaterThan(0);
      const reading = { isForm: block.marker?.word === "form" };
      const faults = steps
        .flatMap(({ command }) => wordsOf(command))
        .flatMap((words) => commandFault(words, reading) ?? []);
      expect(faults).toEqual([]);
    },
  );
});

describe("commands in running text", () => {
  const spans = pages.flatMap(({ path, spans }) => spans.map((span) => [path, span] as const));

  it("exist", () => {
    const commands = spans.filter(([, span]) =>
      /^(?:npx )?(?:touchstone [a-z]|npm run |node |bash )/.test(span),
    );
    expect(commands.length).toBeGreaterThan(20);
    const faults = commands.map(([path, span]) => {
      const [words = []] = wordsOf(span.replaceAll("|", "/"));
      return [path, span, commandFault(words, { isForm: true })] as const;
    });
    expect(faults.filter(([, , fault]) => fault !== undefined)).toEqual([]);
  });

  it("have existing options", () => {
    const known = knownOptions();
    // Options of other programs.
    const foreign = /^(?:systemctl|docker|kubectl|podman|npm|mcp-proxy|mcp-remote|supergateway) /;
    const ours = spans.filter(
      ([path, span]) =>
        (path === "README.md" || /^docs\/(?!guides\/agents\/)/.test(path)) && !foreign.test(span),
    );
    const named = ours.flatMap(([path, span]) =>
      [...span.matchAll(/(?:^|\s)(--[a-z][\w-]*)/g)].map(
        ([, option = ""]) => [path, option] as const,
      ),
    );
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(([, option]) => !known.has(option))).toEqual([]);
  });
});

describe("the examples in --help are valid", () => {
  it.each(helpExamples())("%s", (example) => {
    const faults = wordsOf(example).map((words) => commandFault(words));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });
});
