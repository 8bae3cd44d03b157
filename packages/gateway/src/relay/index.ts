export { concatBytes } from "../concat-bytes.ts";
export { ToolContract } from "../contracts/contract.ts";
export { ChildLink, type ChildOptions } from "./child.ts";
export { inheritedEnvironment, serverEnvironment } from "./child-environment.ts";
export type { LinkEnd, LinkEvents, ServerLink } from "./link.ts";
export { type SseEvent, SseSplitter } from "./sse.ts";
