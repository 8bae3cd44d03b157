import type { CliIo } from "../terminal/cli-io.ts";
import type { Entry } from "./entries.ts";
import { type RewrapOptions, rewrapEntry } from "./rewrap-entry.ts";
import type { Change } from "./wrap-entry.ts";
import {
  optionValue,
  parseWrapArguments,
  type WrapArguments,
  type WrappedEntry,
} from "./wrapped.ts";
import { modesText, type WrappedSettings, wrappedSettings } from "./wrapped-settings.ts";

/** The options that override `--mode` for one direction. */
const MODES_OF_ONE = ["--input-mode", "--output-mode", "--protocol-mode"] as const;
/** The options that override values of `--preset`. */
const ABOVE_PRESETS: readonly string[] = [
  ...["--mode", ...MODES_OF_ONE, "--policy-mode", "--pin", "--lock"],
  ...["--on-invalid-schema", "--on-unknown-schema"],
];

/**
 * Returns the edits that change a wrapped entry according to the options of `install`, and a description of the
 * changes: `mode warn → strict`. Changes nothing if the entry already has these options.
 */
export function changeWrapped(
  text: string,
  entry: Entry,
  wrapped: WrappedEntry,
  wanted: RewrapOptions,
  env: CliIo["env"],
): Change {
  const had = settingsIn(wrapped, env);
  const options = wanted.options.filter(
    ([flag, value]) => flag !== "--mode" || !isModeAlready(wrapped, had, value),
  );
  const asked = new Set(options.map(([flag]) => flag));
  // A mode would override the requested preset.
  const givesWay = asked.has("--preset") && !asked.has("--mode");
  const change = rewrapEntry(text, entry, wrapped, {
    ...wanted,
    options,
    ...(givesWay && { instead: ["--mode", "--preset"] as const }),
  });
  if ("left" in change) return change;
  const { edits, args } = change;
  if (edits.length === 0) {
    return { left: ["wrapped", ...(had === undefined ? [] : [modesText(had)])].join(", ") };
  }
  const after = parseWrapArguments("touchstone", args);
  const now = settingsIn(after, env);
  const said = options.flatMap(([flag, value]) => {
    const old = lastValue(wrapped, flag);
    if (old === value) return [];
    if (flag === "--preset") {
      return [presetChange(old, value, had, now) + staying(ABOVE_PRESETS, after)];
    }
    if (flag !== "--mode")
      return [old === undefined ? `${flag} ${value}` : `${flag} ${old} → ${value}`];
    return [modeChange(had, now, value) + staying(MODES_OF_ONE, after)];
  });
  const started = wanted.program === undefined ? [] : [`starts ${wanted.program}`];
  return { edits, said: [...said, ...started].join("; ") };
}

function settingsIn(
  words: WrapArguments | undefined,
  env: CliIo["env"],
): WrappedSettings | undefined {
  try {
    return words && wrappedSettings(words, env);
  } catch {
    // If wrap refuses the configuration, the modes are unknown.
    return undefined;
  }
}

/** Returns whether the mode already has the value although no option sets it. */
function isModeAlready(
  wrapped: WrappedEntry,
  settings: WrappedSettings | undefined,
  mode: string,
): boolean {
  if (settings === undefined || lastValue(wrapped, "--mode") !== undefined) return false;
  return modesText(settings) === `mode ${mode}`;
}

function lastValue(wrapped: WrappedEntry, flag: string): string | undefined {
  return optionValue(wrapped, flag)?.value;
}

function modeChange(
  before: WrappedSettings | undefined,
  after: WrappedSettings | undefined,
  mode: string,
): string {
  const to = after === undefined ? `mode ${mode}` : modesText(after);
  if (before === undefined) return to;
  const from = modesText(before);
  const isShort = from.startsWith("mode ") && to.startsWith("mode ");
  return `${from} → ${isShort ? to.slice("mode ".length) : to}`;
}

/** Returns how a preset changes, and the modes if they change. */
function presetChange(
  old: string | undefined,
  preset: string,
  before: WrappedSettings | undefined,
  after: WrappedSettings | undefined,
): string {
  const to = old === undefined ? `preset ${preset}` : `preset ${old} → ${preset}`;
  if (before === undefined || after === undefined) return to;
  const [from, modes] = [modesText(before), modesText(after)];
  return from === modes ? to : `${to}, ${modeChange(before, after, modes)}`;
}

/** Returns a text that names the options of an entry that override the changed one. */
function staying(overriding: readonly string[], words: WrapArguments | undefined): string {
  const kept = overriding.filter((flag) => words && optionValue(words, flag) !== undefined);
  return kept.length === 0 ? "" : ` (its ${kept.join(" and ")} stays)`;
}
