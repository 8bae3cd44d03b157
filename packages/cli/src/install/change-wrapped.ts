import type { CliIo } from "../io.ts";
import { applyEdits, type Entry } from "./entries.ts";
import { optionValue, type Rewrap, rewrapEntry } from "./rewrap-entry.ts";
import type { ReadEntries } from "./shown-change.ts";
import type { Change } from "./wrap-entry.ts";
import { type Wrapped, wrappedBy } from "./wrapped.ts";
import { modesText, type WrappedSettings, wrappedSettings } from "./wrapped-settings.ts";

/** The options that override `--mode` for one direction. */
const MODES_OF_ONE = ["--input-mode", "--output-mode", "--protocol-mode"] as const;

/**
 * Returns the edits that change a wrapped entry as `install` was asked to, and says what they change: `mode warn →
 * strict`. Changes nothing if all of it is so already.
 */
export function changeWrapped(
  text: string,
  entry: Entry,
  wanted: Rewrap,
  { env, reader }: { readonly env: CliIo["env"]; readonly reader: ReadEntries },
): Change {
  const before = wrappedBy(entry);
  if (before === undefined) return { left: "not wrapped" };
  const had = settingsIn(before, env);
  const options = wanted.options.filter(
    ([flag, value]) => flag !== "--mode" || !isModeAlready(before, had, value),
  );
  const change = rewrapEntry(text, entry, { ...wanted, options });
  if ("left" in change) return change;
  if (change.edits.length === 0) {
    return { left: ["wrapped", ...(had === undefined ? [] : [modesText(had)])].join(", ") };
  }
  const after = reader(applyEdits(text, change.edits)).find(
    ({ name, project }) => name === entry.name && project === entry.project,
  );
  const wrapped = after && wrappedBy(after);
  const said = options.flatMap(([flag, value]) => {
    const old = lastValue(before, flag);
    if (old === value) return [];
    if (flag !== "--mode")
      return [old === undefined ? `${flag} ${value}` : `${flag} ${old} → ${value}`];
    return [modeChange(had, wrapped && settingsIn(wrapped, env), value) + staying(before)];
  });
  const started = wanted.program === undefined ? [] : [`starts ${wanted.program.join(" ")}`];
  return { edits: change.edits, said: [...said, ...started].join("; ") };
}

function settingsIn(wrapped: Wrapped, env: CliIo["env"]): WrappedSettings | undefined {
  try {
    return wrappedSettings(wrapped, env);
  } catch {
    // A configuration that wrap refuses: its modes are unknown.
    return undefined;
  }
}

/** Whether no option sets the mode and it has the value all the same. */
function isModeAlready(
  wrapped: Wrapped,
  settings: WrappedSettings | undefined,
  mode: string,
): boolean {
  return lastValue(wrapped, "--mode") === undefined && settings !== undefined
    ? modesText(settings) === `mode ${mode}`
    : false;
}

function lastValue(wrapped: Wrapped, flag: string): string | undefined {
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

/** Names the options of the entry that `--mode` does not change. */
function staying(wrapped: Wrapped): string {
  const kept = MODES_OF_ONE.filter((flag) => lastValue(wrapped, flag) !== undefined);
  return kept.length === 0 ? "" : ` (its ${kept.join(" and ")} stays)`;
}
