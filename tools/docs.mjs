// `npm run docs -- [--port N] [--open]`: serves the documentation as a site, and follows changes to its pages.
import "./help.mjs";

import { parseArgs } from "node:util";
import { vitepress } from "./docs/vitepress.mjs";

const { values } = parseArgs({ options: { port: { type: "string" }, open: { type: "boolean" } } });
const port = values.port === undefined ? [] : ["--port", values.port];
process.exitCode = vitepress("dev", [...port, ...(values.open ? ["--open"] : [])]);
