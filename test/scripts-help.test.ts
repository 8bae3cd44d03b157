import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { eachOf } from "../packages/core/src/testing/sample.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
const FILES = new Set(
  Object.values<string>(scripts).flatMap((line) =>
    [...line.matchAll(/node (?:--\S+ )*(\S+\.mjs)/g)].map(([, file = ""]) => file),
  ),
);

/** Runs a script from the root of the checkout. */
function run(args: readonly string[]): Promise<{ code: unknown; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...args], { cwd: ROOT, timeout: 25_000 }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

eachOf([...FILES], 3)("%s prints help for --help, and does nothing", async (file) => {
  const [first = ""] = readFileSync(ROOT + file, "utf8").split("\n");
  const { code, out, err } = await run([file, "--help"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out.split("\n")[0]).toBe(first.replace("// ", ""));
  expect(out).not.toMatch(/^(?:import|const) /m);
});

it("each file that a tool imports by its path exists", () => {
  const tools = readdirSync(`${ROOT}tools`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".mjs") && !file.includes("node_modules"))
    .map((file) => `${ROOT}tools/${file}`);
  const missing = tools.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)"/g)]
      .map(([, path = ""]) => join(dirname(file), path))
      // What a package builds is there after `npm run build` only: its source is there always.
      .map((path) => path.replace(/(packages\/\w+)\/(?:build|dist)\/(.+)\.js$/, "$1/src/$2.ts"))
      .filter((path) => !existsSync(path))
      .map((path) => `${file}: ${path}`),
  );
  expect(missing).toEqual([]);
});

it("each script has the name of its file", () => {
  const misplaced = Object.entries<string>(scripts).filter(([name, line]) => {
    const [, file] = /node (?:--\S+ )*(\S+\.mjs)$/.exec(line) ?? [];
    return file !== undefined && file !== `tools/${name.replace(":", "/")}.mjs`;
  });
  expect(misplaced).toEqual([]);
});

it("an unknown option is reported without a stack trace", async () => {
  const { code, out, err } = await run(["tools/bench/gateway.mjs", "--nope"]);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toBe("Unknown option '--nope'\n--help lists the options\n");
});
