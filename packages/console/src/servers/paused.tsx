import type { ReactElement } from "react";
import { When } from "../page/when.tsx";

/** Shows that a server's checks are paused, and what that means. */
export function Paused({ until }: { readonly until: string }): ReactElement {
  return (
    <span className="text-[0.8125rem] text-soft">
      Checks are paused until <When time={until} />: strict only warns, and nothing is blocked.
    </span>
  );
}
