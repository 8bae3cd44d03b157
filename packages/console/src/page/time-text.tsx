import type { ReactElement } from "react";
import { localTime } from "../text/local-time.ts";
import { ExternalText } from "../ui/external-text.tsx";

/** Shows a time in the local time zone; its title is the original text. */
export function TimeText({ time }: { readonly time: string }): ReactElement {
  if (Number.isNaN(new Date(time).getTime())) return <ExternalText text={time} />;
  return (
    <time dateTime={time} title={time} className="whitespace-nowrap">
      {localTime(time)}
    </time>
  );
}
