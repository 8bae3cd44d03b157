/**
 * Error codes of JSON-RPC 2.0 (section 5.1) and of MCP. They are what `error.code` holds; -32000 to
 * -32019 are left to implementations that had taken them before MCP reserved the range.
 */
export const ERROR_CODES = {
  /** JSON-RPC: the text is not JSON. The response's id is null if none could be read. */
  parseError: -32700,
  /** JSON-RPC: JSON, but no request. */
  invalidRequest: -32600,
  /** JSON-RPC: no such method. Over Streamable HTTP from 2026-07-28 on with status 404. */
  methodNotFound: -32601,
  /** JSON-RPC: the params do not fit the method. In MCP an unknown tool, too. */
  invalidParams: -32602,
  /** JSON-RPC: a fault of the one who answers. */
  internalError: -32603,
  /** MCP up to 2025-11-25: no such resource. Not to be sent from 2026-07-28 on. */
  resourceNotFound: -32002,
  /** MCP 2025-11-25: the user has to visit a URL first. Not to be sent from 2026-07-28 on. */
  urlElicitationRequired: -32042,
  /** MCP 2026-07-28: a header is missing or says something else than the body. With status 400. */
  headerMismatch: -32020,
  /** MCP 2026-07-28: the client lacks a capability; `data.requiredCapabilities` names it. */
  missingRequiredClientCapability: -32021,
  /** MCP 2026-07-28: `data.supported` lists the versions, `data.requested` is the one asked for. */
  unsupportedProtocolVersion: -32022,
} as const;

/** One of {@link ERROR_CODES}. */
export type ErrorCode = (typeof ERROR_CODES)[keyof typeof ERROR_CODES];
