import { canonicalTextSteps, encodeUtf8, runSteps, scanJson } from "@touchstone/core/advanced";
import { showInvisible } from "./invisible-characters.ts";

/** Longer definitions are neither sorted nor compared: megabytes of text would block everything else. */
const MAX_TEXT = 262_144;
/** How much of a longer definition is shown. */
const MAX_CUT = 100_000;
/** The largest number of lines in a returned diff. */
const MAX_LINES = 2_000;
/** The largest product of both texts' line counts for a line-by-line comparison. */
const MAX_COMPARED = 1_000_000;
/** A longer line is broken after the line feeds in its strings, and in any case at {@link MAX_LINE}. */
const LONG_LINE = 100;
const MAX_LINE = 400;
/**
 * A definition beyond these limits, on depth, size after indentation and number of lines, is shown as its original
 * text.
 */
const MAX_DEPTH = 100;
const MAX_INDENTED = 1_048_576;
const MAX_BROKEN = 20_000;
/** Rows of the table of common lines, and lines of the result, in one step. */
const STEP_ROWS = 64;
/** How many unchanged lines are shown around a change. */
const CONTEXT = 3;

/**
 * Returns the differences between two definitions line by line, as `diff -u` writes them: `-` for old lines, `+` for
 * new lines, unchanged lines around them, and a line that begins with `@@` for omitted lines and for notes. Shows
 * both as canonical JSON, so that only meaningful changes appear; escapes invisible characters and breaks long lines.
 * If a definition has more than 262,144 characters, shows its beginning as it is. Never returns more than about 2,000
 * lines. Never throws.
 * @param before JSON; undefined if there was nothing
 * @param after JSON; undefined if there is nothing anymore
 * @returns an empty text if they are the same
 */
export function definitionDiff(before: string | undefined, after: string | undefined): string {
  return runSteps(definitionDiffSteps(before, after));
}

/** {@link definitionDiff} in steps of some milliseconds, for any two definitions. */
export function* definitionDiffSteps(
  before: string | undefined,
  after: string | undefined,
): Generator<void, string, void> {
  if (before === after) return "";
  const isLarge = [before, after].some((text = "") => text.length > MAX_TEXT);
  if (isLarge) {
    const remark = `@@ too large to compare: ${sizeOf(before)} before, ${sizeOf(after)} now. The beginning of each is shown as text.`;
    const [old, now] = [before, after].map((text = "") => rawLines(text.slice(0, MAX_CUT)));
    return yield* textOf([remark, ...marked("-", old ?? []), ...marked("+", now ?? [])]);
  }
  const old = yield* linesOf(before);
  const now = yield* linesOf(after);
  return yield* lineDiff(old, now);
}

function sizeOf(text: string | undefined): string {
  return `${(text?.length ?? 0).toLocaleString("en")} characters`;
}

function marked(mark: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => mark + line);
}

function* linesOf(text: string | undefined): Generator<void, readonly string[], void> {
  if (text === undefined) return [];
  const lines = rawLines((yield* indented(text)) ?? text);
  yield;
  return lines.length > MAX_BROKEN ? rawLines(text, false) : lines;
}

/** Returns the canonical form of a text on several lines; undefined if it is not JSON, or beyond the bounds. */
function* indented(text: string): Generator<void, string | undefined, void> {
  if (scanJson(encodeUtf8(text), { maxDepth: MAX_DEPTH }).error !== undefined) return undefined;
  const lines = yield* canonicalTextSteps(text, { indent: "  " });
  return lines.length > MAX_INDENTED ? undefined : lines;
}

function rawLines(text: string, breaks = true): readonly string[] {
  return text === "" ? [] : text.split("\n").flatMap((line) => pieces(line, breaks));
}

/**
 * Returns a line in pieces that people can compare. Those after the first are indented.
 * @param breaks whether it is broken after line feeds
 */
function pieces(line: string, breaks: boolean): readonly string[] {
  if (line.length <= LONG_LINE) return [line];
  const indent = `${/^ */.exec(line)?.[0] ?? ""}    `.slice(0, MAX_LINE / 2);
  const found: string[] = [];
  const add = (end: number): void => {
    found.push(found.length === 0 ? line.slice(0, end) : indent + line.slice(start, end));
    start = end;
  };
  let start = 0;
  for (let at = 0; at < line.length; at += 1) {
    const isEscape = line[at] === "\\";
    if (isEscape) at += 1;
    if (breaks && isEscape && line[at] === "n" && at + 1 < line.length) add(at + 1);
    // Do not split between the two halves of a surrogate pair.
    else if (at - start >= MAX_LINE && !/[\udc00-\udfff]/.test(line[at] ?? "")) add(at);
  }
  add(line.length);
  return found;
}

/** Returns the lines that differ, with some context; see {@link definitionDiff}. */
function* lineDiff(
  before: readonly string[],
  after: readonly string[],
): Generator<void, string, void> {
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start])
    start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const [gone, come] = [before, after].map((lines) => lines.slice(start, lines.length - end));
  const changed = yield* changes(gone ?? [], come ?? []);
  const all = [
    ...marked(" ", before.slice(0, start)),
    ...changed,
    ...marked(" ", before.slice(before.length - end)),
  ];
  const isNear = all.map(() => false);
  for (const [at, line] of all.entries()) {
    if (line.startsWith(" ")) continue;
    isNear.fill(true, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  }
  const last = isNear.lastIndexOf(true);
  return yield* textOf(
    all.flatMap((line, at) => {
      if (isNear[at] === true) return [line];
      return isNear[at + 1] === true || (at > 0 && at - 1 === last) ? ["@@"] : [];
    }),
  );
}

function* textOf(lines: readonly string[]): Generator<void, string, void> {
  let text = "";
  for (const [at, line] of lines.slice(0, MAX_LINES).entries()) {
    text += `${showInvisible(line)}\n`;
    if (at % STEP_ROWS === 0) yield;
  }
  const left = lines.length - MAX_LINES;
  return left > 0 ? `${text}@@ ${left.toLocaleString("en")} more lines are not shown\n` : text;
}

/** Compares the lines of both texts by their longest common subsequence, unless that takes too long. */
function* changes(
  before: readonly string[],
  after: readonly string[],
): Generator<void, readonly string[], void> {
  if (before.length * after.length > MAX_COMPARED) {
    const remark = "@@ too many lines differ to compare them one by one";
    return [remark, ...marked("-", before), ...marked("+", after)];
  }
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const below = common[(i + 1) * width + j] as number;
      const right = common[i * width + j + 1] as number;
      common[i * width + j] =
        before[i] === after[j]
          ? (common[(i + 1) * width + j + 1] as number) + 1
          : Math.max(below, right);
    }
    if (i % STEP_ROWS === 0) yield;
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push(` ${before[i]}`);
      i += 1;
      j += 1;
    } else if (
      j >= after.length ||
      (i < before.length &&
        (common[(i + 1) * width + j] as number) >= (common[i * width + j + 1] as number))
    ) {
      lines.push(`-${before[i]}`);
      i += 1;
    } else {
      lines.push(`+${after[j]}`);
      j += 1;
    }
  }
  return lines;
}
