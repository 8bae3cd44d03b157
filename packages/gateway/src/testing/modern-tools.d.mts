import type { McpServer } from "@modelcontextprotocol/server";

export function createModernServer(): McpServer;
