/** The lines that processes of a soak may write to stderr; anything else is a fault. */
const KNOWN = [
  /^touchstone (info|debug): /,
  // The table of the servers.
  /^( {3}SERVER +(?:MCP +)?(?:BRIDGE +)?TOOLS|[✓…] {2}\S+ )/,
  // One line per fault and per block.
  /^touchstone warn: \S+( input| output| protocol)* (blocked|forwarded with a warning): /,
  /^touchstone warn: \S+: the output schema cannot be used, so nothing is checked against it: /,
  /^touchstone warn: \S+: a message of the server belongs to no request and is dropped /,
  /^touchstone warn: \S+: server sent something that is not a JSON-RPC message: /,
  /^touchstone warn: \S+: (the body is larger than the limit|the client closed the connection)/,
  // Servers that crash or are killed.
  /^touchstone (warn|error): \S+: (the )?server (exited with|was ended by|ended by|was killed)/,
  /^touchstone warn: could not fetch tools\/list; .* server=crashing reason="the server crashed/,
  /^touchstone warn: there is no current tool list; the last known one is used server=crashing/,
  // After a server is killed before its session has begun, there is a pause before the next start.
  /^touchstone warn: crashing: a session was refused: the server crashed and is started again in \d+ s /,
  /^touchstone error: the changed configuration is refused; the old one stays in effect: /,
];

/** Counts lines on stderr by their form. */
export class Lines {
  total = 0;
  /** Lines that no process should have written, by form, with the first of each. */
  unexpected = new Map();

  take(name, line) {
    this.total += 1;
    if (line === "" || KNOWN.some((known) => known.test(line))) return;
    const form = line.replace(/\d+/g, "0").slice(0, 160);
    const one = this.unexpected.get(form) ?? { count: 0, first: `${name}: ${line.slice(0, 400)}` };
    one.count += 1;
    this.unexpected.set(form, one);
  }
}
