import type { createNodeHandler, NodeHandler } from "@touchstone/http";
import type { Logger } from "../../util/log.ts";

/**
 * {@link createNodeHandler}, whose package is loaded with the first request that is for it: a gateway
 * that has just been started answers its clients sooner without it.
 */
export function createLazyHandler(
  log: Logger,
  ...parts: Parameters<typeof createNodeHandler>
): NodeHandler {
  let made: NodeHandler | undefined;
  return (request, response) => {
    if (made !== undefined) {
      made(request, response);
      return;
    }
    import("@touchstone/http")
      .then((http) => {
        made ??= http.createNodeHandler(...parts);
        made(request, response);
      })
      .catch((error: unknown) => {
        log.error("the tool API cannot be loaded", { reason: String(error) });
        response.destroy();
      });
  };
}
