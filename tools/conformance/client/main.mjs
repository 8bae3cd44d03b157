// A client for the suite's client scenarios: uses whatever the server offers.
// Run as `main.mjs [--via serve|wrap] [--mode MODE] URL`; the suite appends the URL.
import { parseArgs } from "node:util";
import { connect } from "./connect.mjs";
import { exercise } from "./exercise.mjs";

const { values, positionals } = parseArgs({
  options: { via: { type: "string", default: "direct" }, mode: { type: "string" } },
  allowPositionals: true,
});
const [url] = positionals;
if (url === undefined) throw new Error("usage: main.mjs [--via serve|wrap] [--mode MODE] URL");

const { client, close } = await connect(url, values);
try {
  await exercise(client, process.env.MCP_CONFORMANCE_CONTEXT);
} finally {
  await close();
}
