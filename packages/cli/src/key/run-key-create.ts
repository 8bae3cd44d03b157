import { randomBytes } from "node:crypto";
import { ConfigError, hashOfKey, KEY_HASH_PREFIX, parseConfig } from "@touchstone/gateway/config";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import type { CommonOptions } from "../options/common-options.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { terminalJson } from "../terminal/serialise.ts";

/** The options of `touchstone key create`. */
export interface KeyCreateOptions extends CommonOptions {
  readonly name: string;
  readonly role: "caller" | "viewer" | "admin";
  readonly output: "pretty" | "json";
}

/** An entry of `auth.keys`, with the hash of the key. */
interface Entry {
  readonly name: string;
  readonly role: KeyCreateOptions["role"];
  readonly key: string;
}

/** The prefix of every key, by which scanners for secrets recognize it. */
const PREFIX = "ts_";
/** As many bytes as a SHA-256 hash has, which nobody can guess. */
const KEY_BYTES = 32;

/**
 * Prints a new key and its entry for `auth.keys` on stdout, and how to use them on stderr. Does not store the key.
 * @throws CliExit 2 for a name that is not allowed in an entry
 */
export function runKeyCreate({ name, role, output }: KeyCreateOptions, io: CliIo): void {
  const key = PREFIX + randomBytes(KEY_BYTES).toString("base64url");
  const entry: Entry = { name: escaped(name), role, key: KEY_HASH_PREFIX + hashOfKey(key) };
  checkEntry(entry);
  if (output === "json") {
    io.stdout.write(terminalJson({ key, entry }, "lines"));
    return;
  }
  io.stdout.write(`${key}\n\n${terminalJson(entry, "line")}`);
  io.stderr.write(
    "The first line is the key: give it to the caller, who sends it as X-API-Key or as a Bearer token. It is not shown again.\nThe second line is its entry: add it to auth.keys.\n",
  );
}

/** Checks the entry as the gateway would read it. */
function checkEntry(entry: Entry): void {
  try {
    parseConfig(JSON.stringify({ auth: { keys: [entry] } }), { file: "--name", env: {} });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [fault] = error.faults;
    throw new CliExit(EXIT_USAGE, `--name ${fault?.message ?? "cannot be used"}`);
  }
}

/** Returns a name in the form for a file: "${" would begin a reference to a variable. */
function escaped(name: string): string {
  return name.replaceAll("${", (sign) => `$${sign}`);
}
