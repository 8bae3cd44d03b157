import type { ReactElement } from "react";
import { Shown } from "../page/shown.tsx";
import type { LeftOut } from "./left-out.ts";

/** The entries of a client's file that are not served, and why; nothing if there are none. */
export function LeftOutView({
  leftOut,
}: {
  readonly leftOut: readonly LeftOut[];
}): ReactElement | null {
  if (leftOut.length === 0) return null;
  return (
    <section className="part" aria-label="Left out">
      <h2>Left out</h2>
      <p className="hint">
        These entries of the configuration cannot be served. Fix them in the file; the gateway takes
        them up without a restart.
      </p>
      <ul className="left-out">
        {leftOut.map(({ server, reason }) => (
          <li key={server}>
            <strong>
              <Shown text={server} />
            </strong>{" "}
            <span className="error-text">
              <Shown text={reason} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
