/** How the gateway's own HTTP API introduces itself: it shows tools as their server lists them. */
const OWN_CLIENT = "touchstone-http/";

/** Returns whether a list is for the gateway's own HTTP API, which checks calls by it. */
export function isOwnClient(client: string | undefined): boolean {
  return client?.startsWith(OWN_CLIENT) === true;
}
