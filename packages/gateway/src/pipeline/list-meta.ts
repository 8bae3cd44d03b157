import { joinPointer } from "@touchstone/core";
import {
  type Frame,
  LATEST,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
} from "@touchstone/protocol";

const KEYS = [META_PROTOCOL_VERSION, META_CLIENT_INFO, META_CLIENT_CAPABILITIES];

/** Source text of the `_meta` of a request that the gateway makes in nobody's name, from 2026-07-28 on. */
export const OWN_META: string = JSON.stringify({
  [META_PROTOCOL_VERSION]: LATEST.version,
  [META_CLIENT_CAPABILITIES]: {},
});

/**
 * The `_meta` for a request of the gateway's own in the name of a client: what the client's frame
 * says of its revision, itself and its capabilities, word for word, and nothing else of it.
 */
export function listMeta(frame: Frame): string {
  const members = KEYS.flatMap((key) => {
    const range = frame.range(joinPointer("/params/_meta", key));
    return range === undefined ? [] : [`${JSON.stringify(key)}:${frame.text(range)}`];
  });
  return `{${members.join(",")}}`;
}
