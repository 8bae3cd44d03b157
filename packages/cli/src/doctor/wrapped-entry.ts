import { messageOf } from "@touchstone/core/advanced";
import type { Overrides } from "@touchstone/gateway";
import { hideSecrets } from "../config/secrets.ts";
import type { ReachableServer } from "../config-file/configured.ts";
import { asWrapped } from "../install/wrapped-settings.ts";
import { examineServer, type ServerExamination } from "./examine.ts";

/**
 * Examines a server as `examineServer` does. If its entry starts `touchstone wrap`, examines the wrapped server, with
 * the options of that wrap. Never rejects.
 */
export async function examineEntry(
  server: ReachableServer,
  overrides: Overrides,
  asking: Parameters<typeof examineServer>[2],
): Promise<ServerExamination> {
  let wrapped: ReachableServer;
  try {
    wrapped = asWrapped(server, asking.env, overrides);
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
  const found = await examineServer(wrapped, described(wrapped), asking);
  return wrapped === server ? found : { ...found, wrapped: true };
}

function described({ upstream }: ReachableServer): string {
  if (upstream.type === "stdio") return hideSecrets([upstream.command, ...upstream.args]).join(" ");
  return hideSecrets([upstream.url]).join("");
}
