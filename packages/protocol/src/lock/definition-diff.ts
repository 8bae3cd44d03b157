import { canonicalText } from "@touchstone/core";

/** Longer definitions are neither sorted nor compared: a text of megabytes would hold everybody up. */
const MAX_TEXT = 262_144;
/** What is shown of a longer one. */
const MAX_CUT = 100_000;
/** Lines of a difference that are returned. */
const MAX_LINES = 2_000;
/** Lines of both texts, multiplied, that are compared one by one. */
const MAX_COMPARED = 1_000_000;
/** A longer line is broken after the line feeds in it, and one of {@link MAX_LINE} in any case. */
const LONG_LINE = 100;
const MAX_LINE = 400;
/** Unchanged lines that are shown around what changed. */
const CONTEXT = 3;
/** Characters that people do not see, or see elsewhere than they are. */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]|[\u007f-\u009f]/gu;

/**
 * Returns how two definitions differ, line by line, as `diff -u` writes it: `-` what was, `+` what is, lines that are
 * the same around them, and a line that begins with `@@` where lines are left out or something is to be known. Both are
 * shown as canonical JSON, so that only changes that mean something show; characters that nobody sees are escaped, and
 * long lines are broken. Of definitions of more than 262,144 characters the beginning is shown as it is. Never more than about
 * 2,000 lines. Never throws.
 * @param before JSON; undefined if there was nothing
 * @param after JSON; undefined if there is nothing any more
 * @returns an empty text if they are the same
 */
export function definitionDiff(before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  const isLarge = [before, after].some((text = "") => text.length > MAX_TEXT);
  if (isLarge) {
    const remark = `@@ too large to compare: ${sizeOf(before)} before, ${sizeOf(after)} now. The beginning of each is shown as text.`;
    const [old, now] = [before, after].map((text = "") => rawLines(text.slice(0, MAX_CUT)));
    return textOf([remark, ...marked("-", old ?? []), ...marked("+", now ?? [])]);
  }
  return lineDiff(linesOf(before), linesOf(after));
}

function sizeOf(text: string | undefined): string {
  return `${(text?.length ?? 0).toLocaleString("en")} characters`;
}

function marked(mark: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => mark + line);
}

function linesOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : rawLines(canonicalText(text, "  ") ?? text);
}

function rawLines(text: string): readonly string[] {
  if (text === "") return [];
  return text
    .split("\n")
    .flatMap((line) => pieces(line).map((one) => one.replace(UNSEEN, escaped)));
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    const unit = character.charCodeAt(at).toString(16);
    return `\\u${unit.padStart(4, "0")}`;
  }).join("");
}

/** Returns a line in pieces that people can compare. Those after the first are indented. */
function pieces(line: string): readonly string[] {
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
    if (isEscape && line[at] === "n" && at + 1 < line.length) add(at + 1);
    // Not between the halves of a character.
    else if (at - start >= MAX_LINE && !/[\udc00-\udfff]/.test(line[at] ?? "")) add(at);
  }
  add(line.length);
  return found;
}

/** Returns the lines that differ, with some around them; see {@link definitionDiff}. */
function lineDiff(before: readonly string[], after: readonly string[]): string {
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start])
    start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const all = [
    ...marked(" ", before.slice(0, start)),
    ...changes(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...marked(" ", before.slice(before.length - end)),
  ];
  const isNear = all.map(() => false);
  for (const [at, line] of all.entries()) {
    if (line.startsWith(" ")) continue;
    isNear.fill(true, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  }
  const last = isNear.lastIndexOf(true);
  return textOf(
    all.flatMap((line, at) => {
      if (isNear[at] === true) return [line];
      return isNear[at + 1] === true || (at > 0 && at - 1 === last) ? ["@@"] : [];
    }),
  );
}

function textOf(lines: readonly string[]): string {
  if (lines.length === 0) return "";
  const left = lines.length - MAX_LINES;
  const shown =
    left > 0
      ? [...lines.slice(0, MAX_LINES), `@@ ${left.toLocaleString("en")} more lines are not shown`]
      : lines;
  return `${shown.join("\n")}\n`;
}

/** Returns the lines of both texts by the longest sequence that they have in common, unless that takes too long. */
function changes(before: readonly string[], after: readonly string[]): readonly string[] {
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
