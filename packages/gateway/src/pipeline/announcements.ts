import { jsonText, locatePointers } from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";
import { eraOf } from "../eras/eras.ts";
import { LISTEN, toolListChange } from "./list-change.ts";
import type { PipelineState } from "./state.ts";

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const TOOLS = "/notifications/toolsListChanged";
/** Longer filters name thousands of resources, and are not read. */
const MAX_FILTER = 1_048_576;

/** Notes that a server will send a subscription notifications about changes of its list of tools. */
export function noteListSubscription({ inflight }: PipelineState, frame: Frame): void {
  if (frame.method !== ACKNOWLEDGED || frame.kind !== "notification") return;
  const { params } = frame.ranges;
  const listening = inflight.get(frame.subscriptionIdKey ?? "");
  if (params === undefined || listening?.method !== LISTEN) return;
  if (params.end - params.start > MAX_FILTER) return;
  const own = frame.bytes.subarray(params.start, params.end);
  const place = locatePointers(own, [TOOLS]).get(TOOLS);
  listening.hearsOfTools = place?.found === true && jsonText(own, place.value) === "true";
}

/**
 * Returns the notifications that a client's list of tools has changed, as the server itself would send them: one in a
 * session whose server has declared that it sends them, and one for each open subscription to such changes. None if
 * the client expects none.
 */
export function toolsChanged({ conversation, inflight }: PipelineState): readonly Uint8Array[] {
  const inSession =
    conversation.announcesTools === true && eraOf(conversation.revision).hasHandshake;
  const subscriptions = inflight.which(({ hearsOfTools }) => hearsOfTools === true);
  return [
    ...(inSession ? [toolListChange()] : []),
    ...subscriptions.map(({ id }) => toolListChange(id)),
  ];
}
