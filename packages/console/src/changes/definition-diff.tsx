import type { ReactElement } from "react";
import { besideOfDiff } from "../text/line-diff.ts";
import { Card } from "../ui/card.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Diff } from "../ui/diff.tsx";
import { SideBySide } from "../ui/side-by-side.tsx";

/** Maximum size of a definition whose text the gateway keeps, as text. */
const MAX_KEPT = "256 KiB";

/** Shows how two definitions differ, line by line. */
export function DefinitionDiff({
  diff,
  title,
  sides,
  same = "Only white space or the order of keys differs.",
}: {
  /** Null if one of the texts is not kept. */
  readonly diff: string | null;
  readonly title: string;
  /** The names of the two definitions, if they are shown next to each other. */
  readonly sides?: readonly [before: string, after: string];
  /** The text to show if nothing differs. */
  readonly same?: string;
}): ReactElement {
  const isShown = diff !== null && diff !== "";
  return (
    <Card
      title={title}
      hint={isShown ? "Canonical JSON. Invisible characters are escaped." : undefined}
      actions={isShown && <CopyButton text={diff} what="difference" />}
    >
      {isShown && sides === undefined && <Diff label={`${title}, line by line`} text={diff} tall />}
      {isShown && sides !== undefined && <SideBySide labels={sides} rows={besideOfDiff(diff)} />}
      {diff === null && (
        <p className="text-soft">
          A text is not kept: it has more than {MAX_KEPT}, or it was forgotten.
        </p>
      )}
      {diff === "" && <p className="text-soft">{same}</p>}
    </Card>
  );
}
