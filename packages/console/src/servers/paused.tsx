import type { ReactElement } from "react";
import { When } from "../page/when.tsx";

/** That a server's checks are paused, and what that means. */
export function Paused({ until }: { readonly until: string }): ReactElement {
  return (
    <span className="hint">
      Checks are paused until <When time={until} />: strict only warns, and nothing is blocked.
    </span>
  );
}
