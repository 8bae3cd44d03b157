import { type Context, createContext, type ReactElement, useContext } from "react";
import { Code } from "../ui/code.tsx";

/** The kind of server behind the page: a gateway, or a program that uses the library. */
export const HostContext: Context<"gateway" | "library"> = createContext<"gateway" | "library">(
  "library",
);

/** How to turn execution on, as the host that serves the page explains it. */
export function AllowExecution(): ReactElement {
  const isGateway = useContext(HostContext) === "gateway";
  return (
    <>
      {isGateway ? (
        <p>
          To run tools from here, set <code>http.allow_execute</code> in the gateway's{" "}
          <code>touchstone.json</code>. The gateway applies the change without a restart; then
          reload this page. Validation always works.
        </p>
      ) : (
        <p>
          To run tools from here, the program that serves this page has to allow it: pass{" "}
          <code>allowExecute: true</code>, and guard it with <code>authHook</code>. Validation
          always works.
        </p>
      )}
      <Code
        label="How to allow execution"
        text={
          isGateway
            ? '"http": { "allow_execute": true }'
            : "createNodeHandler(tools, handleCall, { allowExecute: true, authHook })"
        }
      />
    </>
  );
}

/** How to enable what the server refused, by status. */
export function RefusalHelp({ status }: { readonly status: number }): ReactElement | null {
  return status === 403 ? <AllowExecution /> : null;
}
