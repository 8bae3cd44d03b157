import type { ReactElement } from "react";
import { cx } from "./classes.ts";
import { CODE_BOX } from "./code.tsx";
import { Shown } from "./shown.tsx";

const LOOKS: Readonly<Record<string, string>> = {
  "+": "bg-good-soft text-good",
  "-": "bg-bad-soft text-bad",
  "@": "text-soft",
};

/** A unified diff (as of `diff -u`). Lines keep their `+` and `-`, so that colours are not needed. */
export function Diff({
  text,
  label,
}: {
  readonly text: string;
  readonly label: string;
}): ReactElement {
  const lines = text.replace(/\n$/, "").split("\n");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus its end cannot be scrolled to with a keyboard
    <section className={cx(CODE_BOX, "px-0")} aria-label={label} tabIndex={0}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
        <div key={index} className={cx("px-3", LOOKS[line.charAt(0)])}>
          {line === "" ? "\u00a0" : <Shown text={line} />}
        </div>
      ))}
    </section>
  );
}
