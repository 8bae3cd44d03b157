import type { ReactElement } from "react";
import { cx } from "./classes.ts";
import { CopyButton } from "./copy.tsx";
import { ExternalText } from "./external-text.tsx";

export const CODE_BOX_CLASS: string =
  "max-h-96 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-[0.8125rem] leading-5 whitespace-pre-wrap scroll-thin";

/** Preformatted text that can be scrolled with the keyboard. With `copy`, it can be copied. */
export function Code({
  text,
  label,
  copy,
}: {
  readonly text: string;
  /** Label for screen readers. */
  readonly label: string;
  /** Names what is copied, as in "Copy entry". */
  readonly copy?: string;
}): ReactElement {
  return (
    <div className="relative min-w-0 text-start">
      <section
        className={cx(CODE_BOX_CLASS, copy !== undefined && "pe-11")}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus its end cannot be scrolled to with a keyboard
        tabIndex={0}
      >
        <pre className="whitespace-pre-wrap">
          <ExternalText text={text} />
        </pre>
      </section>
      {copy !== undefined && (
        <span className="absolute end-1 top-1 rounded-md bg-sunken">
          <CopyButton text={text} what={copy} compact />
        </span>
      )}
    </div>
  );
}
