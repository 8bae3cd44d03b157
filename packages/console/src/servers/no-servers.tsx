import type { ReactElement } from "react";

const EXAMPLE = `"mcpServers": {
  "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"] }
}`;

/** Says that the gateway has no server, and how to add one. */
export function NoServers(): ReactElement {
  return (
    <section className="part" aria-label="No servers">
      <p>
        The configuration names no server. Add one under <code>mcpServers</code> in the file that
        the gateway was started with. It is served as soon as the file is saved:
      </p>
      <pre>{EXAMPLE}</pre>
    </section>
  );
}
