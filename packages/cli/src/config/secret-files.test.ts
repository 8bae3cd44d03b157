// biome-ignore-all lint/suspicious/noTemplateCurlyInString: files refer to others by ${file:PATH}
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { FAULTY_SERVER, outcomeOf, tempDir, touchstone } from "../testing/touchstone.ts";

const SECRET = "a-secret-of-a-file-0123";

function folderWith(content: object | string, name = "touchstone.json") {
  const folder = tempDir();
  const file = join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return { folder, file, at: (other: string): string => join(folder, other) };
}

const shown = (file: string) => outcomeOf(["config", "show", "--config", file, "-o", "json"]);
const checked = (file: string) => outcomeOf(["config", "check", "--config", file]);

describe("${file:PATH}", () => {
  it("is the text of a file, relative to the configuration, without its last line break", async () => {
    const name = "${file:names/audience}";
    const { file, at } = folderWith({
      auth: { jwt: { issuer: name, audience: "x${file:b}y", jwks_url: "https://i.example/k" } },
    });
    mkdirSync(at("names"));
    writeFileSync(at("names/audience"), "one\r\n");
    writeFileSync(at("b"), "2\n\n");
    const { out } = await shown(file);
    expect(JSON.parse(out).auth.jwt).toMatchObject({ issuer: "one", audience: "x2\ny" });
  });

  it("works in a client's file, and for an absolute path", async () => {
    const { folder, file, at } = folderWith("");
    writeFileSync(at("secret"), `${SECRET}\n`);
    const faulty = {
      command: process.execPath,
      args: [FAULTY_SERVER],
      env: { TOKEN: `\${file:${folder}/secret}` },
    };
    writeFileSync(file, JSON.stringify({ servers: { faulty } }));
    const { code, out } = await outcomeOf(["config", "show", "--servers", file, "-o", "json"]);
    expect(code).toBe(0);
    expect(out).not.toContain(SECRET);
  });

  it("is hidden wherever settings are shown", async () => {
    const url = "https://x.example/mcp/${file:secret}";
    const args = ["--dsn", "${file:secret}", "x=${file:secret}"];
    const { file, at } = folderWith({
      auth: { api_key: "${file:secret}", admin_key: "${file:other}" },
      mcpServers: {
        a: { command: "c", args, env: { A: "${file:secret}" } },
        b: { url, headers: { "X-Any": "${file:secret}" } },
      },
      alerts: [{ when: "blocked", command: ["notify", "${file:secret}"] }],
    });
    writeFileSync(at("secret"), SECRET);
    writeFileSync(at("other"), "another-secret-of-a-file");
    for (const output of ["json", "yaml"]) {
      const { code, out, err } = await outcomeOf([
        "config",
        "show",
        "--config",
        file,
        "-o",
        output,
      ]);
      expect(code, err).toBe(0);
      expect(out).not.toMatch(/secret-of-a-file/);
    }
  });

  it("can be written literally", async () => {
    const { file } = folderWith({ mcpServers: { a: { command: "c", args: ["$${file:x}"] } } });
    expect((await shown(file)).out).toContain("{file:x}");
  });

  const cases: readonly (readonly [string, string, (path: string) => void, RegExp])[] = [
    ["is missing", "gone", () => {}, /does not exist/],
    ["is a directory", "folder", (path) => mkdirSync(path), /is a directory/],
    [
      "is too large",
      "large",
      (path) => writeFileSync(path, "x".repeat(64 * 1024 + 1)),
      /has more than 65536 bytes/,
    ],
    [
      "has a NUL",
      "nul",
      (path) => writeFileSync(path, `${SECRET}\0`),
      /contains the character NUL/,
    ],
    [
      "is not UTF-8",
      "latin",
      (path) => writeFileSync(path, Buffer.from([0x61, 0xff])),
      /is not UTF-8/,
    ],
    [
      "is a link in a circle",
      "circle",
      (path) => symlinkSync(path, path),
      /cannot be read \(ELOOP\)/,
    ],
    ["is empty", "empty", (path) => writeFileSync(path, ""), /visible ASCII/],
    ["has quotes", "quoted", (path) => writeFileSync(path, `"${SECRET}"\n`), /wrapped in quotes/],
  ];
  it.each(cases)("a file that %s is an error with its place", async (_, name, make, wanted) => {
    const { file, at } = folderWith({ auth: { api_key: `\${file:${name}}` } });
    make(at(name));
    const { code, err } = await checked(file);
    expect(code).toBe(2);
    expect(err).toMatch(/touchstone\.json:1:\d+: \/auth\/api_key: /);
    expect(err).toMatch(wanted);
    expect(err).not.toContain(SECRET);
  });

  it.each([
    ["${file:}", /needs the path of a file/],
    ["${file:/dev/null}", /is not a regular file/],
  ])("%s is an error", async (key, wanted) => {
    const { code, err } = await checked(folderWith({ auth: { api_key: key } }).file);
    expect([code, err]).toEqual([2, expect.stringMatching(wanted)]);
  });

  it("takes a file of exactly 64 KiB", async () => {
    const { file, at } = folderWith({
      mcpServers: { a: { command: "c", env: { A: "${file:a}" } } },
    });
    writeFileSync(at("a"), "x".repeat(64 * 1024));
    expect((await checked(file)).code).toBe(0);
  });

  it.each([
    ["a file", "${file:a}"],
    ["a variable", "${HOME}"],
  ])("adds at most 4 MiB, of %s that is named often", async (_, reference) => {
    const { file, at } = folderWith({
      mcpServers: { a: { command: "c", args: [reference.repeat(60_000)] } },
    });
    writeFileSync(at("a"), "x".repeat(64 * 1024));
    const { code, err } = await outcomeOf(["config", "check", "--config", file], {
      env: { HOME: "x".repeat(100) },
    });
    expect([code, err]).toEqual([2, expect.stringMatching(/args\/0: .* more than 4 MiB of text/)]);
    expect(err.length).toBeLessThan(1_000);
  });

  it("names at most 100 files", async () => {
    const args = Array.from({ length: 101 }, (_, n) => `\${file:f${n}}`);
    const { file, at } = folderWith({ mcpServers: { a: { command: "c", args } } });
    for (let n = 0; n < 101; n += 1) writeFileSync(at(`f${n}`), "x");
    const { code, err } = await checked(file);
    expect([code, err]).toEqual([2, expect.stringMatching(/args\/100: more than 100 files/)]);
  });
});

it(
  "serve takes a changed key from its file, as a mounted secret changes, and logs neither",
  long,
  async () => {
    const faulty = {
      command: process.execPath,
      args: [FAULTY_SERVER, "--key", "${file:keys/key}"],
    };
    const { file, at } = folderWith({
      listen: { address: "127.0.0.1:0" },
      auth: { api_key: "${file:keys/key}" },
      mcpServers: { faulty },
    });
    const [first, second] = [`${SECRET}-1`, `${SECRET}-2`];
    // Kubernetes replaces a link to the folder.
    for (const [name, key] of [
      ["v1", first],
      ["v2", second],
    ] as const) {
      mkdirSync(at(name));
      writeFileSync(join(at(name), "key"), `${key}\n`);
    }
    symlinkSync("v1", at("keys"));
    const dataDir = tempDir();
    const args = ["serve", "--config", file, "--log-level", "debug"];
    const { seen, stdout, stderr, child, ended } = touchstone(args, { dataDir });
    const [, listen = ""] = await seen("stderr", /ready.*listen=(\S+)/);
    const ask = (key: string, path = "/api/v1/servers"): Promise<Response> =>
      fetch(`http://${listen}${path}`, { headers: { "x-api-key": key } });
    expect((await ask(first)).status).not.toBe(401);
    expect((await ask(second)).status).toBe(401);
    const token = readFileSync(join(dataDir, "operator-token"), "utf8").trim();
    const texts = [
      await (await ask(token)).text(),
      await (await ask(token, "/api/v1/settings")).text(),
    ];

    symlinkSync("v2", at("next"));
    renameSync(at("next"), at("keys"));
    await seen("stderr", /the configuration has changed/);
    expect((await ask(second)).status).not.toBe(401);
    expect((await ask(first)).status).toBe(401);

    rmSync(at("keys"));
    await seen("stderr", /configuration is refused; the old one stays in effect: .*does not exist/);
    expect((await ask(second)).status).not.toBe(401);

    // If a refused configuration is the first one to name a file, that file is watched as well.
    const third = `${SECRET}-3`;
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("keys/key", "third"));
    await seen("stderr", /refused; the old one stays in effect: .*"third" of .* does not exist/);
    expect(stderr().match(/refused; .*"third"/g)).toHaveLength(1);
    writeFileSync(at("third"), third);
    await seen("stderr", /the configuration has changed[\s\S]*the configuration has changed/);
    expect((await ask(third)).status).not.toBe(401);
    child.kill("SIGTERM");
    await ended;
    for (const text of [stdout(), stderr(), ...texts]) expect(text).not.toContain(SECRET);
  },
);
