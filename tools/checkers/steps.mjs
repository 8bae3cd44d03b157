// Examines the text of a step before it is sent: it need not be JSON.

/** Returns whether a step of the server is the response to the request before it. */
export const isResponseText = (text) => /\$ID\b/.test(text);
/** Returns the methods that a text names, however they are escaped. */
export const methodsOf = (text) =>
  [...text.matchAll(/"method"\s*:\s*("(?:[^"\\]|\\.)*")/g)].map(([, name]) => JSON.parse(name));
/** Returns whether a text is a request: it has a method and an id. */
export const isRequest = (text) => methodsOf(text).length > 0 && /"id"\s*:/.test(text);
