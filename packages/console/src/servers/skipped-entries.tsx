import type { ShownSettings } from "@touchstone/gateway/api";
import type { ReactElement } from "react";
import { ExternalText } from "../ui/external-text.tsx";

/** Shows the entries of a client's file that are not served, and why; nothing if there are none. */
export function SkippedEntries({
  leftOut,
}: {
  readonly leftOut: ShownSettings["configuration"]["leftOut"];
}): ReactElement | null {
  if (leftOut.length === 0) return null;
  return (
    <section className="mt-6" aria-label="Skipped">
      <h2 className="mb-2 text-base font-semibold">Skipped</h2>
      <p className="text-[0.8125rem] text-soft">
        These entries of the configuration cannot be served. Fix them in the file; the gateway loads
        them without a restart.
      </p>
      <ul className="mt-2 flex flex-col gap-1">
        {leftOut.map(({ server, reason }) => (
          <li key={server}>
            <strong>
              <ExternalText text={server} />
            </strong>{" "}
            <span className="text-bad">
              <ExternalText text={reason} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
