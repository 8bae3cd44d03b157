import type { ReactElement } from "react";
import type { Excerpt } from "../json/excerpt.ts";
import { cx } from "../ui/classes.ts";
import { CODE_BOX_CLASS } from "../ui/code.tsx";
import { ExternalText } from "../ui/external-text.tsx";

/** Shows a part of a JSON text with one location highlighted. */
export function ExcerptView({
  excerpt,
  label,
}: {
  readonly excerpt: Excerpt;
  readonly label: string;
}): ReactElement {
  const { before, marked, after, moreBefore, moreAfter } = excerpt;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus its end cannot be scrolled to with a keyboard
    <section className={cx(CODE_BOX_CLASS, "max-h-72")} aria-label={label} tabIndex={0}>
      <pre className="whitespace-pre-wrap">
        {moreBefore && "…\n"}
        <ExternalText text={before} />
        <mark>
          <ExternalText text={marked} />
        </mark>
        <ExternalText text={after} />
        {moreAfter && "\n…"}
      </pre>
    </section>
  );
}
