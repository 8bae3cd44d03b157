import type { ReactElement } from "react";
import { visiblePieces } from "../text/visible.ts";
import { ExternalText } from "../ui/external-text.tsx";

/** Repeats the text of a field, with names for characters that the field cannot show. */
export function InvisibleCharacters({ text }: { readonly text: string }): ReactElement | null {
  if (!visiblePieces(text).some(({ hidden }) => hidden)) return null;
  return (
    <p className="description">
      With invisible characters: <ExternalText text={text} />
    </p>
  );
}
