import type { ReactElement } from "react";
import { cx } from "./classes.ts";
import { CODE_BOX_CLASS } from "./code.tsx";
import { ExternalText } from "./external-text.tsx";

const LOOKS: Readonly<Record<string, string>> = {
  "+": "bg-good-soft text-good",
  "-": "bg-bad-soft text-bad",
  "@": "text-soft",
};
/** Longer lines are not compared letter by letter. */
const MAX_LINE = 2_000;

/** A line, with the range that has changed in it. */
interface Line {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Returns which part differs between two lines: its start, and how many characters at the end are the same. */
function apart(one: string, other: string): readonly [start: number, end: number] {
  const most = Math.min(one.length, other.length);
  let start = 1;
  while (start < most && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  // The range must not split a surrogate pair.
  const isSecond = (text: string, at: number): boolean => /^[\udc00-\udfff]/.test(text.slice(at));
  if (isSecond(one, start) || isSecond(other, start)) start -= 1;
  if (isSecond(one, one.length - end) || isSecond(other, other.length - end)) end -= 1;
  return [start, Math.max(0, end)];
}

/** Maximum number of unchanged characters that stay at each side of a change. */
const KEPT = 60;

/** Returns a changed line with its unchanged text shortened: an entry may be one long line. */
function shortened({ text, from, to }: Line): Line {
  if (from >= to) return { text, from, to };
  const mark = text.slice(0, 1);
  const start = Math.max(1, from - KEPT);
  const end = Math.min(text.length, to + KEPT);
  const before = start > 1 ? `${mark}… ` : mark;
  const after = end < text.length ? " …" : "";
  const moved = before.length - start;
  return { text: `${before}${text.slice(start, end)}${after}`, from: from + moved, to: to + moved };
}

/** Returns whether two lines have enough in common that marking the difference helps. */
function isAlike(one: string, other: string, [start, end]: readonly [number, number]): boolean {
  const kept = one.slice(1, start).trim().length + end;
  return kept * 3 >= Math.min(one.trim().length, other.trim().length) - 1;
}

/** Returns how many lines at the start name the files. */
function headLength(texts: readonly string[]): number {
  return texts[0]?.startsWith("--- ") === true && texts[1]?.startsWith("+++ ") === true ? 2 : 0;
}

/** Finds what has changed in each line, where lines were replaced by as many lines. */
function readLines(texts: readonly string[]): readonly Line[] {
  const lines = texts.map((text): Line => ({ text, from: 0, to: 0 }));
  for (let at = headLength(texts); at < texts.length; ) {
    let [gone, come] = [0, 0];
    while (texts[at + gone]?.startsWith("-") === true) gone += 1;
    while (texts[at + gone + come]?.startsWith("+") === true) come += 1;
    for (let pair = 0; gone === come && pair < gone; pair += 1) {
      const [old, now] = [texts[at + pair] ?? "", texts[at + gone + pair] ?? ""];
      if (old.length > MAX_LINE || now.length > MAX_LINE) continue;
      const [start, end] = apart(old, now);
      if (!isAlike(old, now, [start, end])) continue;
      lines[at + pair] = { text: old, from: start, to: old.length - end };
      lines[at + gone + pair] = { text: now, from: start, to: now.length - end };
    }
    at += Math.max(1, gone + come);
  }
  return lines;
}

/** Returns the lines of a difference without those that name files and line numbers, with long lines shortened. */
export function briefLines(texts: readonly string[]): readonly Line[] {
  const lines = readLines(texts).slice(headLength(texts));
  return lines.filter(({ text }) => !text.startsWith("@@ -")).map(shortened);
}

function Marked({ text, from, to }: Line): ReactElement {
  if (from >= to) return <ExternalText text={text} />;
  const [before, changed, after] = [text.slice(0, from), text.slice(from, to), text.slice(to)];
  return (
    <>
      <ExternalText text={before} />
      <span className="underline decoration-2 underline-offset-2">
        <ExternalText text={changed} />
      </span>
      {after !== "" && <ExternalText text={after} />}
    </>
  );
}

/**
 * A unified diff (in the format of `diff -u`). Lines keep their `+` and `-`, so that colors are not needed. In a line
 * that replaces another line, the different part is underlined.
 */
export function Diff({
  text,
  label,
  tall = false,
  isBrief = false,
}: {
  readonly text: string;
  readonly label: string;
  /** Whether the diff is the main content of a page, and may fill most of it. */
  readonly tall?: boolean;
  /** Whether the context already names the file: then only the changes are shown. */
  readonly isBrief?: boolean;
}): ReactElement {
  const texts = text.replace(/\n$/, "").split("\n");
  const head = headLength(texts);
  const lines = isBrief ? briefLines(texts) : readLines(texts);
  return (
    <section
      className={cx(CODE_BOX_CLASS, "px-0", tall && "max-h-[70vh]")}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus its end cannot be scrolled to with a keyboard
      tabIndex={0}
    >
      {lines.map((line, index) => {
        const look = !isBrief && index < head ? "text-soft" : LOOKS[line.text.charAt(0)];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
          <div key={index} className={cx("px-3", look)}>
            {line.text === "" ? "\u00a0" : line.text === "@@" ? "⋯" : <Marked {...line} />}
          </div>
        );
      })}
    </section>
  );
}
