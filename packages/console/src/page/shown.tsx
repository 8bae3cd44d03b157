import type { ReactElement } from "react";
import { visiblePieces } from "../text/visible.ts";

/** Longer texts are cut, so that a result of megabytes does not stop the page. */
const MAX_SHOWN = 200_000;

/** A text from outside: characters that nobody sees are named, as `[U+202E]`. */
export function Shown({ text }: { readonly text: string }): ReactElement {
  const pieces = visiblePieces(text.slice(0, MAX_SHOWN));
  let at = 0;
  return (
    <bdi>
      {pieces.map((piece) => {
        const key = at;
        at += piece.text.length;
        return piece.hidden ? (
          <span key={key} className="hidden-character" title="A character that cannot be seen">
            {piece.text}
          </span>
        ) : (
          piece.text
        );
      })}
      {text.length > MAX_SHOWN && <em> … {text.length - MAX_SHOWN} characters more</em>}
    </bdi>
  );
}

/** A text from outside in lines of its own, that can be scrolled with the keyboard. */
export function Block({
  text,
  label,
}: {
  readonly text: string;
  readonly label: string;
}): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus its end cannot be scrolled to with a keyboard
    <section className="block" aria-label={label} tabIndex={0}>
      <pre>
        <Shown text={text} />
      </pre>
    </section>
  );
}
