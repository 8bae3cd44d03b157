import { basename } from "node:path";
import { defaultServerName, defaultUrlName } from "@touchstone/gateway/wrap";
import { type Entry, type Node, stringsOf } from "./entries.ts";

/** Options of `touchstone wrap` that take a value. A test compares them with the options of the command. */
export const OPTIONS_WITH_VALUE: ReadonlySet<string> = new Set([
  ...["--name", "--caller", "--url", "--header", "--header-env", "--capture", "--installed"],
  ...["--config", "--data-dir", "--log-level", "--log-format"],
  ...["--preset", "--mode", "--input-mode", "--output-mode", "--protocol-mode", "--max-bytes"],
  ...["--policy-mode", "--pin", "--lock", "--max-depth", "--missing-structured-content"],
  ...["--on-invalid-schema", "--on-unknown-schema", "--bridge"],
]);

/** The words of a command line that starts `touchstone wrap`, after its program. */
export interface WrapArguments {
  readonly args: readonly string[];
  /** The index of the word `wrap`. */
  readonly verb: number;
  /** The index after the options: that of the command, or `args.length`. */
  readonly end: number;
  /** The index of the server's command; undefined if there is a URL. */
  readonly command: number | undefined;
  /** The indexes of each option's values. */
  readonly options: ReadonlyMap<string, readonly number[]>;
}

/** An entry that starts `touchstone wrap`, with the positions of its arguments. */
export interface WrappedEntry extends WrapArguments {
  /** {@link wrapServerName}; the client's own name for the server may differ. */
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
export function parseWrapArguments(
  program: string,
  args: readonly string[],
): WrapArguments | undefined {
  // `touchstone wrap …`, or `node …/touchstone.js wrap …`.
  const verb = isTouchstone(program) ? 0 : isTouchstone(args[0] ?? "") ? 1 : -1;
  if (verb < 0 || args[verb] !== "wrap") return undefined;
  const options = new Map<string, number[]>();
  let at = verb + 1;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--" || !arg.startsWith("-")) break;
    if (!OPTIONS_WITH_VALUE.has(arg)) continue;
    at += 1;
    options.set(arg, [...(options.get(arg) ?? []), at]);
  }
  const place = args[at] === "--" ? at + 1 : at;
  const end = Math.min(at, args.length);
  return { args, verb, end, command: place < args.length ? place : undefined, options };
}

interface OptionValue {
  readonly index: number;
  readonly value: string;
  /** Whether option and value are one word, as in `--mode=strict`. */
  readonly isJoined: boolean;
}

/** Returns the last value of an option, which is the one that counts. */
export function optionValue(
  { args, verb, end, options }: WrapArguments,
  flag: string,
): OptionValue | undefined {
  const [last = -1] = options.get(flag)?.slice(-1) ?? [];
  const joined = args.slice(verb + 1, end).findLastIndex((word) => word.startsWith(`${flag}=`));
  const index = Math.max(last, joined < 0 ? -1 : joined + verb + 1);
  if (index < 0) return undefined;
  const word = args[index] ?? "";
  const isJoined = index !== last;
  return { index, value: isJoined ? word.slice(flag.length + 1) : word, isJoined };
}

/** Returns the server's name in records and configurations, as `wrap` chooses it. */
export function wrapServerName(words: WrapArguments): string {
  const name = optionValue(words, "--name")?.value;
  if (name !== undefined) return name;
  const url = optionValue(words, "--url")?.value;
  if (url !== undefined) return defaultUrlName(url);
  const [program = "", ...args] =
    words.command === undefined ? [] : words.args.slice(words.command);
  return defaultServerName(program, args);
}

/** Returns the wrapped server of an entry; undefined if it is not wrapped. */
export function readWrappedEntry({ members }: Entry): WrappedEntry | undefined {
  const command = members.get("command")?.value;
  // opencode keeps the program and its arguments in one list.
  const whole = command?.type === "array" ? command : undefined;
  const list = whole ?? members.get("args")?.value;
  const words = stringsOf(list);
  if (command === undefined || words === undefined) return undefined;
  if (whole === undefined && command.type !== "string") return undefined;
  const program = whole === undefined ? command : whole.children?.[0];
  if (program === undefined) return undefined;
  const found = parseWrapArguments(
    String(program.value),
    whole === undefined ? words : words.slice(1),
  );
  if (found === undefined) return undefined;
  const items = (list?.children ?? []).slice(whole === undefined ? 0 : 1);
  return { ...found, name: wrapServerName(found), program, items };
}
