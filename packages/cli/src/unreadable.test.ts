import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { EventEmitter } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { openActivityStore, parseActivityFilter } from "@touchstone/gateway/activity";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eachOf, split } from "../../core/src/testing/sample.ts";
import { run } from "./program.ts";
import { needsOtherUser, TOUCHSTONE, touchstone } from "./testing/touchstone.ts";

/** Kinds of file-system entries in place of a valid file. */
const KINDS = ["missing", "directory", "unreadable", "empty", "binary"] as const;
type Kind = (typeof KINDS)[number];

let folder = "";
const at = (name: string): string => join(folder, name);
const fileOf = (kind: Kind): string => at(`${kind}.json`);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "touchstone-unreadable-"));
  chmodSync(folder, 0o755);
  mkdirSync(fileOf("directory"));
  writeFileSync(fileOf("unreadable"), "{}");
  chmodSync(fileOf("unreadable"), 0);
  writeFileSync(fileOf("empty"), "");
  writeFileSync(fileOf("binary"), Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 0xff, 0xfe, 0x0a));
  for (const name of ["schema.json", "document.json"]) writeFileSync(at(name), "{}");
  writeFileSync(at("records"), "");
  mkdirSync(at("data"));
  chmodSync(at("data"), 0o777);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Each command that reads a file, with `@` as its path. */
const COMMANDS: readonly (readonly string[])[] = [
  ["check", "@"],
  ["lint", "--for", "openai", "@"],
  ["audit", "@"],
  ["validate", "--schema", "schema.json", "@"],
  ["validate", "--schema", "@", "document.json"],
  ["validate", "--schema", "schema.json", "--document", "urn:x=@", "document.json"],
  ["replay", "@"],
  ["mock", "@"],
  ["verify", "@", "--", process.execPath],
  ["replay", "--config", "@", "document.json"],
  ["activity", "verify", "--checkpoint", "@", "--public-key", "schema.json"],
  ["activity", "checkpoint", "--key", "@"],
  ["config", "check", "--config", "@"],
  ["config", "show", "--servers", "@"],
  ["config", "import", "@"],
  ["install", "--file", "@"],
  ["uninstall", "--file", "@"],
  ["doctor", "--config", "@"],
  ["serve", "--config", "@"],
  ["wrap", "--config", "@", "--", process.execPath, "--version"],
  ["call", "echo", "@@", "--", process.execPath, "--version"],
];
/** Commands that accept such an entry: as a document with faults, or because they do not need its content yet. */
const TAKES: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  empty: ["audit", "validate", "activity"],
  binary: ["validate", "activity"],
};

const RAW = /\b(?:E[A-Z]{4,}|errno|syscall|illegal operation)\b|\n +at /;
const SAID: Readonly<Record<Kind, RegExp>> = {
  missing: /there is no such file; \w+/,
  directory: /is a directory; \w+/,
  unreadable: /reading it is not permitted; \w+/,
  empty: /a value is expected here|the text ends|is empty/,
  binary: /not UTF-8|not JSON/,
};

interface Ended {
  readonly code: number | NodeJS.Signals;
  readonly said: string;
}

/** Runs a command line in this process. */
async function here(args: readonly string[]): Promise<Ended> {
  let said = "";
  let code = 0;
  await run([...args], {
    stdin: Readable.from([]),
    stdout: { write: () => true },
    stdoutStream: new PassThrough(),
    stderr: { write: (text) => (said += text) },
    env: { ...process.env, TOUCHSTONE_DATA_DIR: at("data") },
    now: () => new Date(),
    signals: new EventEmitter(),
    exit: (status) => {
      code = status;
    },
  });
  return { code, said };
}

/** Runs it as a user who may not read everything, unlike root. */
async function asNobody(args: readonly string[]): Promise<Ended> {
  if (process.geteuid?.() !== 0) return here(args);
  process.setegid?.(65534);
  process.seteuid?.(65534);
  try {
    return await here(args);
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

describe("a file that cannot be used", () => {
  const rows = KINDS.flatMap((kind) => COMMANDS.map((command) => ({ kind, command })));
  it.for(rows)("$kind: $command", async ({ kind, command }, context) => {
    if (kind === "unreadable") needsOtherUser(context);
    const file = fileOf(kind);
    const args = command.map((word) =>
      /^(?:schema|document)\.json$/.test(word) ? at(word) : word.replace(/(?<=^@?|=)@$/, file),
    );
    const { code, said } = await (kind === "unreadable" ? asNobody : here)(args);
    expect(said).not.toMatch(RAW);
    if (TAKES[kind]?.includes(command[0] ?? "") === true) return;
    expect([code, said]).toEqual([expect.toBeOneOf([2, 3]), expect.stringMatching(SAID[kind])]);
    expect(said).toMatch(/^touchstone: /);
    expect(said).toContain(file);
  });
});

describe("a data directory that is a file", () => {
  const reads = ["list", "summary", "rollout", "export", "verify", "prune --max-records 1"];
  it.each(reads)("%s reports it, and what to do", async (command) => {
    const args = ["activity", ...command.split(" "), "--data-dir", at("records")];
    const { code, said } = await here(args);
    expect([code, said]).toEqual([
      3,
      expect.stringMatching(/it is not a directory\. Choose another/),
    ]);
  });
});

describe("a data directory of another user", () => {
  for (const [commands, options] of split(["list", "verify", "export"], 1))
    it.for(commands)("%s reports that it may not be read", options, async (command, context) => {
      needsOtherUser(context);
      // Root may read everything, so the process changes to another user, who does not own this directory.
      mkdirSync(at(`secret-${command}`), process.getuid?.() === 0 ? 0o700 : 0);
      const { child, ended, stderr } = touchstone(["activity", command], {
        dataDir: at(`secret-${command}`),
        ...(process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}),
      });
      child.stdin.end();
      expect(await ended).toBe(3);
      expect(stderr()).not.toMatch(RAW);
      expect(stderr()).toMatch(/cannot be read: this user may not look into it\. Choose another/);
    });
});

describe("an empty option value, as from an unset variable", () => {
  it.each([
    ["wrap", "--data-dir", "", "--", process.execPath, "--version"],
    ["wrap", "--capture=", "--", process.execPath, "--version"],
    ["activity", "list", "--data-dir", ""],
    ["config", "check", "--config", ""],
    ["lint", "--for", "openai", "--rewrite", "", "tools.json"],
    ["install", "--file", ""],
  ])("is refused: %s %s %s", async (...args) => {
    const { code, said } = await here(args);
    expect([code, said]).toEqual([
      2,
      expect.stringMatching(/^error: option '--.*must not be empty/),
    ]);
  });
});

describe("redirected standard streams", () => {
  const streams = (script: string, input: string) =>
    spawnSync("sh", ["-c", script, process.execPath, TOUCHSTONE], { encoding: "utf8", input });

  eachOf(
    [
      ["check", "[]", "<stdin>: 0 checked"],
      ["lint --for openai", "[]", "<stdin>: 0 checked"],
      ["audit", "# Tools", "<stdin>"],
    ],
    1,
  )("%s - reads standard input", (command, input, out) => {
    const { status, stdout, stderr } = streams(`"$0" "$1" ${command} -`, input);
    expect([stderr, stdout]).toEqual(["", expect.stringContaining(out)]);
    expect(status).toBe(command === "audit" ? 1 : 0);
  });

  it.each([
    ["replay", "-"],
    ["replay", "--config", "-", "x"],
    ["activity", "checkpoint", "--key", "-"],
    ["config", "check", "-"],
    ["config", "show", "--servers", "-"],
    ["config", "import", "-"],
    ["install", "--file", "-"],
    ["doctor", "--config", "-"],
  ])("%s %s %s refuses standard input", async (...args) => {
    const { code, said } = await here(args);
    const wanted =
      /^touchstone: -(?: cannot be read)?: standard input is not read here; name a file\n$/;
    expect([code, said]).toEqual([2, expect.stringMatching(wanted)]);
  });

  it.each(["check", "audit"])("%s - calls the file <stdin> in errors", (command) => {
    const { status, stderr } = streams(`"$0" "$1" ${command} - | cat; exit 9`, "\uFFFD".repeat(2));
    expect(status).toBe(9);
    if (command === "check") expect(stderr).toMatch(/^touchstone: <stdin>: not JSON/);
  });

  it.each(["--version", "--help"])("%s reports a full disk", (option) => {
    const { status, stderr } = streams(`"$0" "$1" ${option} > /dev/full`, "");
    expect(stderr).toMatch(/^touchstone: standard output cannot be written: the disk is full/);
    expect(status).toBe(3);
  });

  it.each(["junit", "pretty"])(
    "exits with 3 if a %s report with findings cannot be written",
    (format) => {
      const { status, stderr } = streams(`"$0" "$1" audit -f ${format} - > /dev/full`, "# Tools");
      expect(stderr).toMatch(/^touchstone: standard output cannot be written: the disk is full/);
      expect(status).toBe(3);
    },
  );
});

describe("check and lint", () => {
  eachOf(["check", "lint --for openai"], 1)("%s reads tools from a pipe", (command) => {
    const tools =
      '[{"name":"a","description":"x","inputSchema":{"type":"object","properties":{}}}]';
    const script = `echo '${tools}' | "$@"`;
    const args = ["-c", script, "sh", process.execPath, TOUCHSTONE, ...command.split(" ")];
    const { status, stdout } = spawnSync("sh", [...args, "/dev/stdin"], { encoding: "utf8" });
    expect([status, stdout]).toEqual([0, expect.stringContaining("1 checked")]);
  });

  it("runs the word after -- as a command, even if a directory has its name", async () => {
    const { code, said } = await here(["check", "--", fileOf("directory")]);
    expect([code, said]).toEqual([
      3,
      expect.stringMatching(/cannot be reached: it is not executable/),
    ]);
  });

  it("prefers a configured server to a directory of the same name", async () => {
    const config = at("servers.json");
    writeFileSync(config, '{"mcpServers":{"gone":{"command":"no-such-command-x"}}}');
    mkdirSync(at("gone"));
    const before = process.cwd();
    process.chdir(folder);
    try {
      const { said } = await here(["check", "--config", config, "gone"]);
      expect(said).toMatch(/^touchstone: gone cannot be reached: command not found/);
      expect((await here(["check", "gone"])).said).toMatch(
        /gone cannot be read: it is a directory/,
      );
    } finally {
      process.chdir(before);
    }
  });
});

describe.runIf(process.getuid?.() === 0)("records of another user that may be read", () => {
  const commands = [
    "list",
    "summary",
    "rollout",
    "export",
    "verify",
    "drift s t",
    "checkpoint --key",
  ];
  it.for(commands)("%s warns that the newest records may be missing", async (command, context) => {
    needsOtherUser(context);
    const dataDir = mkdtempSync(join(folder, "readable-"));
    const store = await openActivityStore({ dataDir, sync: "normal" });
    const entry = { type: "system_start", source: "gateway" } as const;
    await store.append([entry]);
    await store.list(parseActivityFilter({}, new Date()));
    await store.append([entry]);
    chmodSync(dataDir, 0o755);
    for (const name of readdirSync(dataDir)) {
      chmodSync(join(dataDir, name), name.endsWith(".jsonl") ? 0o600 : 0o644);
    }
    const key = command.endsWith("--key") ? [keyFile()] : [];
    const args = ["activity", ...command.split(" "), ...key, "--data-dir", dataDir];
    const { code, said } = await asNobody(args);
    await store.close();
    expect([code, said]).toEqual([
      0,
      expect.stringContaining("touchstone: The newest records of "),
    ]);
    expect(said).not.toMatch(RAW);
    expect(said).toMatch(/may be missing: .* Try again as the user that it runs as\.\n/);
  });
});

function keyFile(): string {
  const { privateKey } = generateKeyPairSync("ed25519");
  writeFileSync(at("key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  chmodSync(at("key.pem"), 0o644);
  return at("key.pem");
}
