import type { ReactElement } from "react";

/** What is reported at once. */
const SHOWN = 10;
/** Fewer more are reported at once too: to unfold them would cost as much room as they take. */
const SPARE = 2;

interface Props {
  readonly className: string;
  /** Each a `li`. */
  readonly items: readonly ReactElement[];
}

/** A list of which the first 10 items are seen, and the others once they are asked for. */
export function Folded({ className, items }: Props): ReactElement {
  const shown = items.length > SHOWN + SPARE ? SHOWN : items.length;
  const others = items.slice(shown);
  return (
    <>
      <ul className={className}>{items.slice(0, shown)}</ul>
      {others.length > 0 && (
        <details>
          <summary>{others.length} more lines</summary>
          <ul className={className}>{others}</ul>
        </details>
      )}
    </>
  );
}
