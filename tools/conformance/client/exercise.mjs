const ECHO = "json_schema_echo";
const OF_TYPE = { string: "text", integer: 1, number: 1.5, boolean: true, array: [], object: {} };

/** Returns arguments for everything that a tool's schema requires. */
function argumentsFor({ name, inputSchema }, tools) {
  // The suite compares the schema that it gets back with the one it sent.
  if (name === ECHO) return { schema: tools.find((tool) => tool.name !== ECHO)?.inputSchema };
  const { properties = {}, required = [] } = inputSchema;
  return Object.fromEntries(required.map((key) => [key, OF_TYPE[properties[key]?.type] ?? null]));
}

/** Runs an action. The suite sees failures itself, so the client only logs them and continues. */
async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return undefined;
  }
}

/**
 * Lists and uses everything that a server offers.
 * @param context what the scenario passes to its client, as JSON: may name the calls to make
 */
export async function exercise(client, context) {
  const capabilities = client.getServerCapabilities() ?? {};
  const listed = await attempt(() => client.listTools());
  const tools = listed?.tools ?? [];
  const given = context === undefined ? undefined : JSON.parse(context).toolCalls;
  const calls =
    given ?? tools.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool, tools) }));
  for (const call of calls) await attempt(() => client.callTool(call));
  if (capabilities.resources) {
    const { resources = [] } = (await attempt(() => client.listResources())) ?? {};
    for (const { uri } of resources) await attempt(() => client.readResource({ uri }));
  }
  if (capabilities.prompts) {
    const { prompts = [] } = (await attempt(() => client.listPrompts())) ?? {};
    for (const { name } of prompts) await attempt(() => client.getPrompt({ name }));
  }
}
