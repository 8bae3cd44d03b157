import type { ReactElement } from "react";
import { Shown } from "../ui/shown.tsx";
import { localTime } from "./local-time.ts";

/** Shows a time in the local time zone; its title is the original text. */
export function When({ time }: { readonly time: string }): ReactElement {
  if (Number.isNaN(new Date(time).getTime())) return <Shown text={time} />;
  return (
    <time dateTime={time} title={time} className="whitespace-nowrap">
      {localTime(time)}
    </time>
  );
}
