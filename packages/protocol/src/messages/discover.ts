import { cacheableResult, typedResult } from "./base.ts";
import {
  anyOf,
  type Definitions,
  listOf,
  mapOf,
  object,
  ref,
  STRING,
  unionByMember,
} from "./schema.ts";

/** MCP 2026-07-28, Base Protocol, Discovery. */
export const DISCOVER_2026_07_28: Definitions = {
  DiscoverResult: cacheableResult(
    { supportedVersions: listOf(STRING), capabilities: ref("ServerCapabilities") },
    { instructions: STRING },
  ),
};

function asked(params: string): ReturnType<typeof object> {
  return object({ params: ref(params) });
}

/** MCP 2026-07-28, Base Protocol, Multi Round-Trip Requests (SEP-2322). */
export const INPUT_2026_07_28: Definitions = {
  InputRequest: unionByMember("method", {
    "sampling/createMessage": asked("CreateMessageRequestParams"),
    "elicitation/create": asked("ElicitRequestParams"),
    "roots/list": object({}, { params: ref("ListRootsRequestParams") }),
  }),
  InputRequests: mapOf(ref("InputRequest")),
  InputRequiredResult: typedResult(
    {},
    { inputRequests: ref("InputRequests"), requestState: STRING },
  ),
  InputResponses: mapOf(
    anyOf(ref("CreateMessageResult"), ref("ListRootsResult"), ref("ElicitResult")),
  ),
};
