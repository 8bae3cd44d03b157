import type { ReactElement } from "react";
import { LINK_CLASS } from "../ui/button.tsx";
import { ExternalText } from "../ui/external-text.tsx";

const PRE =
  "overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-[0.8125rem] whitespace-pre-wrap";
const EXAMPLE = `"mcpServers": {
  "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"] }
}`;

/**
 * Explains how to add servers to a gateway that has none.
 * @param file the name of the configuration file of the gateway; null if it has none
 */
export function NoServers({ file }: { readonly file: string | null }): ReactElement {
  return (
    <section className="flex max-w-3xl flex-col gap-2" aria-label="No servers">
      <h2 className="mb-2 text-base font-semibold">No server is served here</h2>
      <p>
        To check the calls of a client that you use already, put Touchstone in front of its servers.
        Their calls then appear under{" "}
        <a className={LINK_CLASS} href="#/activity">
          Activity
        </a>
        :
      </p>
      <pre className={PRE}>touchstone install --client cursor</pre>
      {file === null ? (
        <>
          <p>
            To serve servers over HTTP, write a configuration with them and start the gateway with
            it:
          </p>
          <pre className={PRE}>{"touchstone init\ntouchstone serve"}</pre>
        </>
      ) : (
        <>
          <p>
            To serve one over HTTP, add it to{" "}
            <code>
              <ExternalText text={file} />
            </code>
            . <code>touchstone serve</code> applies the change as soon as the file is saved:
          </p>
          <pre className={PRE}>{EXAMPLE}</pre>
        </>
      )}
    </section>
  );
}
