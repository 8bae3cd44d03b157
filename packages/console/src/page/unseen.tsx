import type { ReactElement } from "react";
import { visiblePieces } from "../text/visible.ts";
import { Shown } from "../ui/shown.tsx";

/** The text of a field once more where it holds characters that the field cannot show. */
export function Unseen({ text }: { readonly text: string }): ReactElement | null {
  if (!visiblePieces(text).some(({ hidden }) => hidden)) return null;
  return (
    <p className="description">
      With what cannot be seen: <Shown text={text} />
    </p>
  );
}
