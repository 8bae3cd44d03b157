// A stdio MCP server of the official SDK that speaks 2026-07-28 only, for tests of the bridge.
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createModernServer } from "./modern-tools.mjs";

serveStdio(createModernServer, { legacy: "reject" });
