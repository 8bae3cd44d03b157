// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written as they are in the file
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandWithoutSecrets, parseConfig } from "@touchstone/gateway/config";
import fc from "fast-check";
import { expect, it } from "vitest";
import { outcomeOf, tempDir } from "../testing/touchstone.ts";
import type { FoundServer } from "./found-servers.ts";
import { withReferences } from "./secret-values.ts";

const server = (name: string, entry: FoundServer["entry"]): FoundServer => ({
  name,
  client: "Cursor",
  entry,
});
const refer = (variable: string): string => `\${${variable}}`;
const TOKEN = "ghp_abcdefghijklmnop1234";

it.each([
  [
    "a name of env",
    { env: { API_KEY: "x", DEBUG: "1" } },
    { env: { API_KEY: "${API_KEY}", DEBUG: "1" } },
  ],
  ["a value of env", { env: { PAT: TOKEN } }, { env: { PAT: "${PAT}" } }],
  [
    "a reference of env, which stays",
    { env: { API_KEY: "${OTHER}", TOKEN: "" } },
    { env: { API_KEY: "${OTHER}", TOKEN: "" } },
  ],
  [
    "a header, whose scheme stays",
    { headers: { Authorization: "Bearer abc", "X-Api-Key": "k", Accept: "a" } },
    {
      headers: {
        Authorization: "Bearer ${S_AUTHORIZATION}",
        "X-Api-Key": "${S_X_API_KEY}",
        Accept: "a",
      },
    },
  ],
  [
    "options",
    { args: ["-y", "p", "--token", "abc", "--api-key=k", "--port", "1", "--secret", "--x"] },
    {
      args: [
        ...["-y", "p", "--token", "${S_TOKEN}", "--api-key=${S_API_KEY}", "--port", "1"],
        ...["--secret", "--x"],
      ],
    },
  ],
  [
    "names of env that only end like a secret's",
    { env: { GITHUB_PAT: "x", OPENAI_KEY: "y", KEYBOARD: "z" } },
    { env: { GITHUB_PAT: "${GITHUB_PAT}", OPENAI_KEY: "${OPENAI_KEY}", KEYBOARD: "z" } },
  ],
  [
    "a URL with a secret, in env",
    { env: { HOOK: "https://x.example/mcp?sig=abc", BASE: "https://x.example/mcp" } },
    { env: { HOOK: "${HOOK}", BASE: "https://x.example/mcp" } },
  ],
  [
    "variables and headers in args, whose scheme stays",
    {
      args: [
        ...["-e", "MY_TOKEN=abc", "-e", "LOG=info", "--header", "X-Api-Key:abc"],
        ...["--header", "Authorization: Bearer abc", "-H", "Accept: a"],
      ],
    },
    {
      args: [
        ...["-e", "MY_TOKEN=${S_MY_TOKEN}", "-e", "LOG=info", "--header"],
        ...["X-Api-Key:${S_X_API_KEY}", "--header", "Authorization: Bearer ${S_AUTHORIZATION}"],
        ...["-H", "Accept: a"],
      ],
    },
  ],
  [
    "options whose names only end like a secret's, and short ones",
    { args: ["--pat", "abc", "-k", "abc", "-kdef", "-u", "me:pw", "--user=me:pw2", "-p", "80"] },
    {
      args: [
        ...["--pat", "${S_PAT}", "-k", "${S_K}", "-k${S_ARG_5}", "-u", "me:${S_ME}"],
        ...["--user=me:${S_USER}", "-p", "80"],
      ],
    },
  ],
  [
    "the password of a program that takes it as -p",
    { command: "mysql", args: ["-pabc"] },
    { command: "mysql", args: ["-p${S_ARG_1}"] },
  ],
  [
    "a script, whole",
    { command: "sh", args: ["-c", "run --pat abc --port 80"] },
    { command: "sh", args: ["-c", "${S_ARG_2}"] },
  ],
  [
    "a secret beside a reference",
    { args: ["https://${HOST}/mcp?key=abc", "--token", "${OTHER}"] },
    { args: ["https://${HOST}/mcp?${S_ARG_1}", "--token", "${OTHER}"] },
  ],
  [
    "a header with several words, of which only a known scheme stays",
    { headers: { "X-Api-Key": "correct horse", Authorization: "basic abc" } },
    { headers: { "X-Api-Key": "${S_X_API_KEY}", Authorization: "basic ${S_AUTHORIZATION}" } },
  ],
  [
    "a word of args",
    { args: ["postgres://u:pw@h/d", "/home/u"] },
    { args: ["${S_ARG_1}", "/home/u"] },
  ],
  ["a query of a URL", { url: "https://x.example/mcp?api_key=abc" }, { url: "${S_URL}" }],
  [
    "a URL that is only an address",
    { url: "https://x.example/mcp" },
    { url: "https://x.example/mcp" },
  ],
])("refers to %s", (_, entry, wanted) => {
  const [found] = withReferences([server("s", entry)], refer, {}).servers;
  expect(found?.entry).toEqual(wanted);
});

const NAMES = ["token", "pat", "api-key", "MY_TOKEN", "Authorization", "X-Api-Key", "user", "log"];
const VALUES = ["abc", "a b", "Bearer abc", "me:pw", "$", "-x", TOKEN, "postgres://u:pw@h/d"];
const WORDS = fc.oneof(
  fc.constantFrom("-e", "-u", "-k", "-kabc", "-pabc", "-H", "-y", "--", "mysql", ...VALUES),
  fc.constantFrom("https://x.example/mcp?a=b", "https://t@x.example/s/key12345/sse", "C:\\x:y"),
  fc.constantFrom(...NAMES).map((name) => `--${name}`),
  fc
    .tuple(
      fc.constantFrom("", "-", "--"),
      fc.constantFrom(...NAMES),
      fc.constantFrom("=", ":", ": ", "$="),
      fc.constantFrom(...VALUES),
    )
    .map((parts) => parts.join("")),
  fc.string({ minLength: 1 }),
);

it("keeps no word of args that a command line is not shown with, and loses none", () => {
  fc.assert(
    fc.property(fc.constantFrom("npx", "mysql"), fc.array(WORDS), (command, words) => {
      const args = words.filter((word) => !word.includes("${"));
      const { servers, secrets } = withReferences([server("s", { command, args })], refer, {});
      const found = servers[0]?.entry["args"] as readonly string[];
      const hidden = commandWithoutSecrets([command, ...args]).slice(1);
      for (const [at, arg] of args.entries()) {
        if (hidden[at] !== arg) expect(found[at]).not.toBe(arg);
      }
      // With these variables, the configuration has the same command line.
      const text = JSON.stringify({ mcpServers: { s: { command, args: found } } });
      const env = Object.fromEntries(secrets.map(({ variable, value }) => [variable, value]));
      const [read] = parseConfig(text, { file: "t.json", env }).servers;
      expect(read?.upstream).toMatchObject({ command, args });
    }),
  );
});

it("uses one variable for one value, and another for each other one", () => {
  const entry = (API_KEY: string) => ({ command: "x", env: { API_KEY } });
  const servers = [server("a", entry("1")), server("b", entry("2")), server("c", entry("1"))];
  const { servers: found, secrets } = withReferences(servers, refer, {});
  expect(found.map((each) => Object(each.entry["env"])["API_KEY"])).toEqual([
    "${API_KEY}",
    "${B_API_KEY}",
    "${API_KEY}",
  ]);
  expect(secrets).toEqual([
    { variable: "API_KEY", value: "1", places: ["env of a", "env of c"] },
    { variable: "B_API_KEY", value: "2", places: ["env of b"] },
  ]);
  // A variable with another value belongs to another program.
  const [own] = withReferences([server("a", entry("1"))], refer, { API_KEY: "other" }).servers;
  expect(own?.entry["env"]).toEqual({ API_KEY: "${A_API_KEY}" });
});

function place() {
  const [home, cwd] = [tempDir(), tempDir()];
  mkdirSync(join(home, ".cursor"));
  const mcpServers = {
    github: { command: "npx", args: ["-y", "gh"], env: { GITHUB_TOKEN: TOKEN, LOG: "info" } },
    web: { url: "https://x.example/mcp", headers: { Authorization: "Bearer hunter2-hunter2" } },
  };
  writeFileSync(join(home, ".cursor/mcp.json"), JSON.stringify({ mcpServers }));
  return { home, cwd, env: { HOME: home, XDG_CONFIG_HOME: join(home, "config") } };
}

it("init writes references, and prints which variables to set", async () => {
  const { cwd, env } = place();
  const { code, out, err } = await outcomeOf(["init", "--yes"], { cwd, env });
  expect([code, err]).toEqual([0, ""]);
  const text = readFileSync(join(cwd, "touchstone.json"), "utf8");
  expect(text).toContain('"GITHUB_TOKEN": "${GITHUB_TOKEN}"');
  expect(text).toContain('"Authorization": "Bearer ${WEB_AUTHORIZATION}"');
  expect(text).toContain('"LOG": "info"');
  expect(out).toMatch(
    /^2 values that look like secrets are not in the file\. Set these variables/m,
  );
  expect(out).toMatch(/^ {2}GITHUB_TOKEN {7}env of github$/m);
  expect(out).toMatch(/^ {2}WEB_AUTHORIZATION {2}headers of web$/m);
  for (const shown of [text, out]) expect(shown).not.toMatch(/ghp_|hunter2/);
  const set = { GITHUB_TOKEN: TOKEN, WEB_AUTHORIZATION: "hunter2-hunter2" };
  const { servers } = parseConfig(text, { file: join(cwd, "touchstone.json"), env: set });
  expect(servers.map(({ upstream }) => upstream)).toMatchObject([
    { env: { GITHUB_TOKEN: TOKEN } },
    { headers: { Authorization: "Bearer hunter2-hunter2" } },
  ]);
});

it("init --user keeps secrets in files beside the user's, which wrap reads", async () => {
  const { home, cwd, env } = place();
  const { code, out } = await outcomeOf(["init", "--user", "--yes"], { cwd, env });
  expect(code).toBe(0);
  const folder = join(home, "config/touchstone");
  const text = readFileSync(join(folder, "touchstone.json"), "utf8");
  expect(text).toContain('"GITHUB_TOKEN": "${file:secrets/GITHUB_TOKEN}"');
  for (const shown of [text, out]) expect(shown).not.toMatch(/ghp_|hunter2/);
  expect(out).toContain(
    `2 values that look like secrets are in files of ${join(folder, "secrets")}`,
  );
  expect(readdirSync(join(folder, "secrets"))).toEqual(["GITHUB_TOKEN", "WEB_AUTHORIZATION"]);
  expect(statSync(join(folder, "secrets/GITHUB_TOKEN")).mode & 0o077).toBe(0);
  const { servers } = parseConfig(text, { file: join(folder, "touchstone.json"), env: {} });
  expect(servers[0]?.upstream).toMatchObject({ env: { GITHUB_TOKEN: TOKEN } });
});

it("names variables so that a shell takes them", () => {
  const { secrets } = withReferences(
    [
      server("my server/β-1", { headers: { "X-Api-Key": "k" } }),
      server("9", { args: ["--token", "t"] }),
    ],
    refer,
    {},
  );
  for (const { variable } of secrets) {
    expect(
      execFileSync("sh", ["-c", `${variable}=1; echo "$${variable}"`], { encoding: "utf8" }),
    ).toBe("1\n");
  }
});
