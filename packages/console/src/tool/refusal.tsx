import type { ReactElement } from "react";
import { Block } from "../page/shown.tsx";

/** How to turn on what the server refused, by status. */
export function Refusal({ status }: { readonly status: number }): ReactElement | null {
  if (status !== 403) return null;
  return (
    <>
      <p>
        To run tools from here, the host has to allow it: pass <code>allowExecute: true</code> to
        <code> createHandler</code>, <code>createNodeHandler</code> or <code>buildUIRoutes</code>,
        and guard it with <code>authHook</code>; in a gateway's <code>touchstone.json</code>, set{" "}
        <code>http.allow_execute</code> to <code>true</code>. Validation works without.
      </p>
      <Block
        label="How to allow execution"
        text="createNodeHandler(tools, handleCall, { allowExecute: true, authHook })"
      />
    </>
  );
}
