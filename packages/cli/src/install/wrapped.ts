import { basename } from "node:path";
import { type Entry, stringsOf } from "./entries.ts";

/** Options of `touchstone wrap` that take a value. */
const VALUED: ReadonlySet<string> = new Set([
  ...["--name", "--url", "--header", "--header-env", "--capture", "--installed", "--config"],
  ...["--data-dir", "--log-level", "--log-format"],
  ...["--mode", "--input-mode", "--output-mode", "--protocol-mode", "--max-bytes"],
  ...["--max-depth", "--missing-structured-content", "--on-invalid-schema", "--on-unknown-schema"],
]);

/** An entry that starts `touchstone wrap`, by the places of its arguments. */
export interface Wrapped {
  readonly args: readonly string[];
  /** The place of the server's command; undefined where there is a URL. */
  readonly command: number | undefined;
  /** The places of the values of each option. */
  readonly options: ReadonlyMap<string, readonly number[]>;
}

function isTouchstone(command: string): boolean {
  return /^touchstone(?:\.(?:cmd|exe|js))?$/i.test(basename(command.replaceAll("\\", "/")));
}

/** What an entry wraps; undefined where it is not wrapped. */
export function wrappedBy({ members }: Entry): Wrapped | undefined {
  const command = members.get("command")?.value;
  const args = stringsOf(members.get("args")?.value);
  if (command?.type !== "string" || args === undefined) return undefined;
  // `touchstone wrap …`, or `node …/touchstone.js wrap …`.
  const verb = isTouchstone(String(command.value)) ? 0 : isTouchstone(args[0] ?? "") ? 1 : -1;
  if (verb < 0 || args[verb] !== "wrap") return undefined;
  const options = new Map<string, number[]>();
  let at = verb + 1;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--" || !arg.startsWith("-")) break;
    if (!VALUED.has(arg)) continue;
    at += 1;
    options.set(arg, [...(options.get(arg) ?? []), at]);
  }
  const place = args[at] === "--" ? at + 1 : at;
  return { args, command: place < args.length ? place : undefined, options };
}
