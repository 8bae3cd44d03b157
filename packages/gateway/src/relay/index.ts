export { ChildLink, type ChildOptions } from "./child.ts";
export { inheritedEnvironment, serverEnvironment } from "./child-environment.ts";
export type { LinkEnd, LinkEvents } from "./link.ts";
export { type SseEvent, SseSplitter } from "./sse.ts";
