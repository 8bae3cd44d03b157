import { messageOf } from "@touchstone/core";
import type { Overrides } from "@touchstone/gateway";
import { hideSecrets } from "../config/secrets.ts";
import type { ReachableServer } from "../configured.ts";
import { behindWrap } from "../install/wrapped-settings.ts";
import { type Examination, examine } from "./examine.ts";

/**
 * Examines a server as `examine` does. If its entry starts `touchstone wrap`, examines the server behind that, with
 * the options of that wrap. Never rejects.
 */
export async function examineEntry(
  server: ReachableServer,
  overrides: Overrides,
  asking: Parameters<typeof examine>[2],
): Promise<Examination> {
  let wrapped: ReachableServer;
  try {
    wrapped = behindWrap(server, asking.env, overrides);
  } catch (error) {
    const { input, output, protocol } = server.settings;
    return {
      server: server.name,
      transport: server.upstream.type,
      wrapped: true,
      upstream: described(server),
      modes: { input: input.mode, output: output.mode, protocol: protocol.mode },
      reachable: false,
      reason: messageOf(error),
      broken: [],
    };
  }
  const found = await examine(wrapped, described(wrapped), asking);
  return wrapped === server ? found : { ...found, wrapped: true };
}

function described({ upstream }: ReachableServer): string {
  if (upstream.type === "stdio") return hideSecrets([upstream.command, ...upstream.args]).join(" ");
  return hideSecrets([upstream.url]).join("");
}
