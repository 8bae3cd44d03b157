/**
 * Error codes of JSON-RPC 2.0 (section 5.1) and of MCP, as found in `error.code`. The range -32000 to
 * -32019 is left to implementations that used it before MCP reserved the range.
 */
export const ERROR_CODES = {
  /** JSON-RPC: the text is not JSON. The response's id is null if none could be read. */
  parseError: -32700,
  /** JSON-RPC: JSON, but not a request. */
  invalidRequest: -32600,
  /** JSON-RPC: no such method. Sent with status 404 over Streamable HTTP from 2026-07-28 on. */
  methodNotFound: -32601,
  /** JSON-RPC: the params do not fit the method. In MCP also used for an unknown tool. */
  invalidParams: -32602,
  /** JSON-RPC: an internal fault of the responder. */
  internalError: -32603,
  /** MCP up to 2025-11-25: no such resource. Must not be sent from 2026-07-28 on. */
  resourceNotFound: -32002,
  /** MCP 2025-11-25: the user has to visit a URL first. Must not be sent from 2026-07-28 on. */
  urlElicitationRequired: -32042,
  /** MCP 2026-07-28: a header is missing or disagrees with the body. Sent with status 400. */
  headerMismatch: -32020,
  /** MCP 2026-07-28: the client lacks a capability; `data.requiredCapabilities` names it. */
  missingRequiredClientCapability: -32021,
  /** MCP 2026-07-28: `data.supported` lists the versions, `data.requested` is the requested one. */
  unsupportedProtocolVersion: -32022,
} as const;

/** One of {@link ERROR_CODES}. */
export type ErrorCode = (typeof ERROR_CODES)[keyof typeof ERROR_CODES];
