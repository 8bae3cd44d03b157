import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { long } from "../../packages/core/src/testing/sample.ts";
import { ROOT } from "./files.ts";
import { type Block, readPages } from "./markdown.ts";

const folder = mkdtempSync(join(tmpdir(), "touchstone-docs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Names that a block does not import are imported from `given/`, as the comment before it lists them. */
const GIVEN = /^(\{.*\}) from "([a-z]+)"$/;
/** SDKs that require a newer Node than this project, and that do not load here. */
const absent: string[] = [];
for (const sdk of ["ai", "@openai/agents"]) {
  try {
    await import(sdk);
  } catch (error) {
    if (process.env["REQUIRE_ALL"] === "1") throw error;
    absent.push(sdk);
  }
}

/**
 * Returns the output of a block according to the comments after `console.log`; undefined if one of them has no
 * comment.
 */
function outputOf(text: string): readonly string[] | undefined {
  const lines = text.split("\n");
  const said = lines.flatMap((line, i): readonly (string | undefined)[] => {
    if (!line.includes("console.log(")) return [];
    const after = /\); \/\/ (.*)$|, \/\/ (.*)$/.exec(line);
    const below = lines.slice(i + 1);
    const end = below.findIndex((next) => !next.startsWith("// "));
    const shown = below.slice(0, end === -1 ? below.length : end).map((next) => next.slice(3));
    return after === null ? (shown.length > 0 ? shown : [undefined]) : [after[1] ?? after[2]];
  });
  return said.length === 0 || said.includes(undefined) ? undefined : (said as string[]);
}

interface Snippet extends Block {
  readonly title: string;
  readonly file: string;
  readonly source: string;
}

function snippetOf(block: Block): Snippet {
  const { page, line, language, text, marker } = block;
  const title = `${page}:${line}`;
  const [, names, from] = GIVEN.exec(marker?.word === "given" ? marker.rest : "") ?? [];
  const given = names === undefined ? "" : `import ${names} from "./given/${from}.js"; `;
  // The imports are in the block's first line, so that the compiler's line numbers match the page.
  const source = `${given}${text}export {};\n`;
  return { ...block, title, file: `${title.replaceAll(/[/:]/g, "-")}.${language}`, source };
}

const snippets = readPages()
  .flatMap(({ blocks }) => blocks)
  .filter(({ language }) => language === "js" || language === "ts")
  .map(snippetOf);

type Code = Pick<Snippet, "file" | "language" | "source">;

/** The guides for agents in the form for TypeScript users, with types for the handlers. */
const typed: readonly Code[] = snippets
  .filter(
    ({ page, source }) => page.startsWith("docs/guides/agents/") && source.includes("days = 1"),
  )
  .map(({ file, source }) => ({
    language: "ts",
    file: file.replace(/js$/, "typed.ts"),
    source: source
      .replace("({ city, days = 1 })", "({ city, days = 1 }: { city: string; days?: number })")
      .replaceAll(/\((model|client|args)\)(?= (?:=>|\{))/g, "($1: any)"),
  }));
const all: readonly Code[] = [...snippets, ...typed];

/** Compiles in the situation of a user of the packages: they are installed and built. */
function compile(language: "js" | "ts"): string {
  const project = {
    compilerOptions: {
      target: "es2023",
      lib: ["es2023", "dom", "dom.iterable"],
      module: "nodenext",
      strict: true,
      // JavaScript has no types for parameters.
      noImplicitAny: language === "ts",
      exactOptionalPropertyTypes: language === "ts",
      allowJs: true,
      checkJs: true,
      skipLibCheck: true,
      types: ["node"],
      rootDir: folder,
      outDir: join(folder, "out"),
    },
    files: all.filter((one) => one.language === language).map(({ file }) => file),
  };
  writeFileSync(join(folder, `${language}.json`), JSON.stringify(project));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", join(folder, `${language}.json`), "--pretty", "false"];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" }).stdout;
}

symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
cpSync(fileURLToPath(new URL("given", import.meta.url)), join(folder, "given"), {
  recursive: true,
});
writeFileSync(join(folder, "package.json"), '{"type":"module"}');
// Its default port may be in use on a developer's machine.
const sample = readFileSync(join(ROOT, "examples/touchstone.json"), "utf8");
const listening = sample.replace("{", '{ "listen": { "address": "127.0.0.1:0" },');
writeFileSync(join(folder, "touchstone.json"), listening);
for (const { file, source } of all) writeFileSync(join(folder, file), source);
const said = `${compile("ts")}${compile("js")}`;

describe("code in the docs", () => {
  it("exists in both languages", () => {
    expect(snippets.filter(({ language }) => language === "ts").length).toBeGreaterThan(3);
    expect(snippets.filter(({ language }) => language === "js").length).toBeGreaterThan(10);
  });

  it("compiles against the built packages, including the TypeScript guides for agents", () => {
    expect(typed).toHaveLength(6);
    expect(said).toBe("");
  });

  const whole = snippets.filter(({ marker }) => marker?.word !== "served");
  it("prints what the READMEs of packages say, five times in each of the libraries", () => {
    const shown = whole.filter(({ page, text }) => /^packages\//.test(page) && outputOf(text));
    for (const library of ["core", "protocol", "runner", "http", "capability"]) {
      const own = shown.filter(({ page }) => page === `packages/${library}/README.md`);
      expect([library, own.length >= 5]).toEqual([library, true]);
    }
  });

  for (const [index, { title, page, file, source, text }] of whole.entries()) {
    const sdk = absent.find((name) =>
      [`"${name}"`, `given/${name}.js`].some((at) => source.includes(at)),
    );
    const name = `${title} runs${sdk ? ` (${sdk} does not load on this Node)` : ""}`;
    // Each block is a separate process; all blocks have been compiled above.
    it.skipIf(sdk)(name, index % 4 === 0 ? {} : long, () => {
      const program = join(folder, "out", file.replace(/ts$/, "js"));
      const run = spawnSync(process.execPath, [program], { cwd: folder, encoding: "utf8" });
      expect(run).toMatchObject({ status: 0, signal: null });
      const output = page.startsWith("packages/") ? outputOf(text) : undefined;
      if (output !== undefined) expect(run.stdout.trimEnd().split("\n")).toEqual(output);
    });
  }
});
