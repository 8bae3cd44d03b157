import { LATEST, META_CLIENT_CAPABILITIES, META_PROTOCOL_VERSION } from "@touchstone/protocol";

/**
 * Source text of the `_meta` of the gateway's own requests from 2026-07-28 on. It is never a client's: what one
 * client sends must not decide what the gateway learns for others.
 */
export const OWN_META: string = JSON.stringify({
  [META_PROTOCOL_VERSION]: LATEST.version,
  [META_CLIENT_CAPABILITIES]: {},
});
