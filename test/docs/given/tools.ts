// Names that the pages use without an import: a host's tools.
export const tools = [{ name: "get_weather", inputSchema: { type: "object" } }];
export const handleCall = async (): Promise<{ content: [] }> => ({ content: [] });
