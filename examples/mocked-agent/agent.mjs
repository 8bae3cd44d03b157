// An agent without a model: it asks a weather server about cities, and says what to take along. It has to say what is
// wrong if the server misbehaves.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const TOOL = "forecast";
const TIMEOUT_MS = 30_000;
const MAX_RESULT = 100_000;
const TAKE = { clear: "sunglasses", clouds: "nothing", rain: "an umbrella", snow: "boots" };

/** Returns one line for each city. */
export async function advice(url, cities, timeout = TIMEOUT_MS) {
  const client = new Client({ name: "advice", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  try {
    const lines = [];
    for (const city of cities) lines.push(lineOf(await forecast(client, city, timeout)));
    return lines;
  } finally {
    await client.close();
  }
}

async function forecast(client, city, timeout) {
  const { tools } = await client.listTools();
  const args = { city };
  const { required = [] } = tools.find(({ name }) => name === TOOL).inputSchema;
  const unknown = required.filter((name) => !(name in args));
  if (unknown.length > 0) throw new Error(`${TOOL} requires ${unknown} now`);
  const result = await client.callTool({ name: TOOL, arguments: args }, { timeout });
  const size = JSON.stringify(result).length;
  if (size > MAX_RESULT) throw new Error(`the result is too large: ${size} characters`);
  if (result.isError) throw new Error(result.content[0].text);
  return result.structuredContent;
}

const lineOf = ({ city, day, sky, degrees }) =>
  `${city}, ${day}: ${sky}, ${degrees} degrees. Take ${TAKE[sky]}.`;
