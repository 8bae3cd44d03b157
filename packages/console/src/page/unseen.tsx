import type { ReactElement } from "react";
import { visiblePieces } from "../text/visible.ts";
import { Shown } from "../ui/shown.tsx";

/** Repeats the text of a field if it contains characters that the field cannot show. */
export function Unseen({ text }: { readonly text: string }): ReactElement | null {
  if (!visiblePieces(text).some(({ hidden }) => hidden)) return null;
  return (
    <p className="description">
      With invisible characters: <Shown text={text} />
    </p>
  );
}
