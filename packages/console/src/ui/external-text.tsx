import type { ReactElement } from "react";
import { visiblePieces } from "../text/visible.ts";

/** Longer texts are cut, so that a result of megabytes does not freeze the page. */
const MAX_SHOWN = 200_000;

/** Shows external text: invisible characters are named, as `[U+202E]`. */
export function ExternalText({ text }: { readonly text: string }): ReactElement {
  const pieces = visiblePieces(text.slice(0, MAX_SHOWN));
  let at = 0;
  return (
    <bdi>
      {pieces.map((piece) => {
        const key = at;
        at += piece.text.length;
        return piece.hidden ? (
          <span
            key={key}
            className="rounded-sm border border-current px-0.5 font-mono text-[0.8em] text-bad"
            title="A character that cannot be seen"
          >
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
