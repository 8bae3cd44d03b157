import { basename } from "node:path";
import { type Entry, type Node, stringsOf } from "./entries.ts";

/** Options of `touchstone wrap` that take a value. A test compares them with the command's. */
export const VALUED: ReadonlySet<string> = new Set([
  ...["--name", "--caller", "--url", "--header", "--header-env", "--capture", "--installed"],
  ...["--config", "--data-dir", "--log-level", "--log-format"],
  ...["--mode", "--input-mode", "--output-mode", "--protocol-mode", "--max-bytes"],
  ...["--policy-mode", "--pin", "--lock", "--max-depth", "--missing-structured-content"],
  ...["--on-invalid-schema", "--on-unknown-schema"],
]);

/** The words of a command line that starts `touchstone wrap`, after its program. */
export interface WrapWords {
  readonly args: readonly string[];
  /** The index of `wrap`. */
  readonly verb: number;
  /** The index after the options: the command's, or `args.length`. */
  readonly end: number;
  /** The index of the server's command; undefined if there is a URL. */
  readonly command: number | undefined;
  /** The indexes of each option's values. */
  readonly options: ReadonlyMap<string, readonly number[]>;
}

/** An entry that starts `touchstone wrap`, with the positions of its arguments. */
export interface Wrapped extends WrapWords {
  /** The server's name in records: that of `--name`, else the entry's. */
  readonly name: string;
  /** The program that the client starts. */
  readonly program: Node;
  /** The arguments as nodes of the text. */
  readonly items: readonly Node[];
}

function isTouchstone(command: string): boolean {
  return /^touchstone(?:\.(?:cmd|exe|js))?$/i.test(basename(command.replaceAll("\\", "/")));
}

/** Returns how a command line starts `touchstone wrap`; undefined if it does not. */
export function wrapWords(program: string, args: readonly string[]): WrapWords | undefined {
  // `touchstone wrap …`, or `node …/touchstone.js wrap …`.
  const verb = isTouchstone(program) ? 0 : isTouchstone(args[0] ?? "") ? 1 : -1;
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
  const end = Math.min(at, args.length);
  return { args, verb, end, command: place < args.length ? place : undefined, options };
}

/** Returns what an entry wraps; undefined if it is not wrapped. */
export function wrappedBy({ name: own, members }: Entry): Wrapped | undefined {
  const command = members.get("command")?.value;
  // opencode keeps the program and its arguments in one list.
  const whole = command?.type === "array" ? command : undefined;
  const list = whole ?? members.get("args")?.value;
  const words = stringsOf(list);
  if (command === undefined || words === undefined) return undefined;
  if (whole === undefined && command.type !== "string") return undefined;
  const program = whole === undefined ? command : whole.children?.[0];
  if (program === undefined) return undefined;
  const found = wrapWords(String(program.value), whole === undefined ? words : words.slice(1));
  if (found === undefined) return undefined;
  const items = (list?.children ?? []).slice(whole === undefined ? 0 : 1);
  const name = found.args[found.options.get("--name")?.at(-1) ?? -1] ?? own;
  return { ...found, name, program, items };
}
