/** Longer texts are not compared line by line: the time grows with the product of both line counts. */
const MAX_LINES = 1_500;
/** Number of unchanged lines shown around a change. */
const AROUND = 3;

/** A line that is kept (" "), removed ("-") or added ("+"). */
type Line = readonly [mark: " " | "-" | "+", text: string];

/** Two texts next to each other: lines that only one has are next to `null`. */
export type Beside = readonly (readonly [before: string | null, after: string | null])[];

/** Returns the lines of two texts next to each other; lines that both have are on one row. Never throws. */
export function linesBeside(before: string, after: string): Beside {
  return beside(linesOf(before.split("\n"), after.split("\n")));
}

/**
 * Returns the lines of a difference, in the format of `diff -u`, next to each other; notes are on both sides. Never
 * throws.
 */
export function besideOfDiff(diff: string): Beside {
  const lines = diff.replace(/\n$/, "").split("\n");
  return beside(
    lines.map((line): Line => {
      const [mark, text] = [line.charAt(0), line.slice(1)];
      if (mark === "-" || mark === "+" || mark === " ") return [mark, text];
      return [" ", line === "@@" ? "⋯" : line.replace(/^@@ /, "")];
    }),
  );
}

function beside(lines: readonly Line[]): Beside {
  const rows: [string | null, string | null][] = [];
  let open = 0;
  for (const [mark, text] of lines) {
    if (mark === " ") {
      rows.push([text, text]);
      open = rows.length;
    } else if (mark === "-") {
      rows.push([text, null]);
    } else {
      while (open < rows.length && rows[open]?.[1] !== null) open += 1;
      const row = rows[open];
      if (row === undefined) rows.push([null, text]);
      else row[1] = text;
    }
  }
  return rows;
}

function linesOf(before: readonly string[], after: readonly string[]): readonly Line[] {
  const all = (mark: Line[0], texts: readonly string[]): readonly Line[] =>
    texts.map((text) => [mark, text]);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++;
  const [gone, come] = [before, after].map((lines) => lines.slice(start, lines.length - end));
  if (gone === undefined || come === undefined) return [];
  return [
    ...all(" ", before.slice(0, start)),
    ...(gone.length > MAX_LINES || come.length > MAX_LINES
      ? [...all("-", gone), ...all("+", come)]
      : compared(gone, come)),
    ...all(" ", before.slice(before.length - end)),
  ];
}

/** Computes the longest common subsequence with a table. */
function compared(before: readonly string[], after: readonly string[]): readonly Line[] {
  const width = after.length + 1;
  const longest = new Uint16Array((before.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push([" ", before[i] ?? ""]);
      [i, j] = [i + 1, j + 1];
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push(["-", before[i++] ?? ""]);
    } else {
      lines.push(["+", after[j++] ?? ""]);
    }
  }
  return lines;
}

/**
 * Returns the differences between two texts, line by line: each line with its mark, unchanged lines only around
 * changes, and `@@` where some are left out. Empty if the texts are the same. If more than 1,500 lines differ, the
 * texts are shown as replaced. Never throws.
 */
export function lineDiff(before: string, after: string): string {
  const lines = linesOf(before.split("\n"), after.split("\n"));
  const isNear = lines.map(() => false);
  for (const [index, [mark]] of lines.entries()) {
    if (mark === " ") continue;
    const last = Math.min(lines.length - 1, index + AROUND);
    for (let near = Math.max(0, index - AROUND); near <= last; near++) isNear[near] = true;
  }
  const shown: string[] = [];
  for (const [index, [mark, text]] of lines.entries()) {
    if (isNear[index] === true) shown.push(mark + text);
    else if (isNear[index + 1] === true) shown.push("@@");
  }
  return shown.join("\n");
}
