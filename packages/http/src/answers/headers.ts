/** Headers of every response: browsers must not execute, frame, sniff or cache it. */
export const API_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * The Content-Security-Policy of the playground, which sends nothing: its worker is made of its own script, and has the
 * same policy.
 */
export const PLAYGROUND_POLICY: string = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src blob:",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The Content-Security-Policy (Level 3) of the page: only its own files, and no inline script or style. */
export const PAGE_POLICY: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  // Images and sounds in a tool's result are base64.
  "img-src 'self' data: blob:",
  "media-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
