export { concatBytes } from "@touchstone/util";
export { type SseEvent, SseSplitter } from "./http/sse.ts";
export type { LinkEnd, LinkEvents, ServerLink } from "./link.ts";
export { ChildLink, type ChildOptions } from "./stdio/child.ts";
export { inheritedEnvironment, serverEnvironment } from "./stdio/child-environment.ts";
