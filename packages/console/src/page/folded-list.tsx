import type { ReactElement } from "react";

/** Items shown initially. */
const SHOWN = 10;
/** Up to this many further items are shown too: the button to unfold them would take as much space. */
const SPARE = 2;

interface Props {
  readonly className: string;
  /** Each item is an `li` element. */
  readonly items: readonly ReactElement[];
}

/** A list that shows its first 10 items, and the others after a click. */
export function FoldedList({ className, items }: Props): ReactElement {
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
