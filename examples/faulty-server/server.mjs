#!/usr/bin/env node
import { appendFileSync } from "node:fs";
import { serveTools } from "./mcp.mjs";
import { TOOLS } from "./tools.mjs";

/** Written before the response, so that whoever has the response can read the line. */
function logCall(name, rawArguments) {
  const file = process.env["FAULTY_SERVER_LOG"];
  if (!file) return;
  const received = rawArguments === undefined ? "" : `,"arguments":${rawArguments}`;
  appendFileSync(file, `{"name":${JSON.stringify(name)}${received}}\n`);
}

serveTools({
  info: { name: "faulty-server", title: "Faulty server", version: "0.1.0" },
  tools: TOOLS,
  // `broken_schema` stands alone on the second page: the v1 SDK client compiles every output schema of a page at
  // once and throws for the whole page.
  pageSize: TOOLS.length - 1,
  onCall: logCall,
});
