import type { OfferedPrompt } from "@touchstone/gateway/mcp-server";

/** The prompts of `touchstone mcp`. */
export const PROMPTS: readonly OfferedPrompt[] = [
  {
    definition: {
      name: "explain_blocked_call",
      title: "Find out why my call was blocked",
      description: "Explains a blocked tool call, and how to call the tool so that it is accepted.",
      arguments: [
        {
          name: "call",
          description: "The id of the call's record (default: the newest blocked call)",
          required: false,
        },
      ],
    },
    text: ({ call = "blocked" }) =>
      `Find out why a tool call was blocked. Call the tool explain_call with ${JSON.stringify({ call })}. ` +
      "Name the value that was wrong, what the tool's schema requires there, and arguments that it accepts: check " +
      "them with validate_value. If the schema itself is wrong, say what its author should change. Call no other tool.",
  },
  {
    definition: {
      name: "fix_server_schemas",
      title: "Fix my server's schemas",
      description:
        "Finds what is wrong in the tool definitions of a server, and changes its source.",
      arguments: [
        {
          name: "target",
          description: "The server: a URL, a command, or a file with its tools/list result",
          required: true,
        },
        {
          name: "clients",
          description: "The model providers and clients that must accept the tools (default: all)",
          required: false,
        },
      ],
    },
    text: ({ target = "", clients = "all providers and clients" }) =>
      `Fix the tool definitions of this MCP server: ${JSON.stringify(target)}. Call check_server, then lint_tools for ` +
      `${clients}. For each error, then each warning, change the source of the server so that the schema says the same to ` +
      "callers and is accepted. Check changed schemas with validate_value and arguments that callers send. Call both tools " +
      "again at the end, and report what is left and why. If there is a lock file, call compare_lock and report what is breaking.",
  },
];
