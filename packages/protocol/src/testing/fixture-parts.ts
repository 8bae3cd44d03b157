const ANNOTATIONS = { audience: ["user", "assistant"], priority: 0.5, lastModified: "2026-01-01" };
const NOTED = { annotations: ANNOTATIONS, _meta: { x: 1 } };

export const RESOURCE: Readonly<Record<string, unknown>> = {
  ...NOTED,
  uri: "file:///a",
  name: "n",
  title: "t",
  description: "d",
  mimeType: "text/plain",
  size: 3,
  icons: [{ src: "https://a.example/i.svg" }],
};

type Block = Readonly<Record<string, unknown>>;

/** One content block of each type that a revision has. */
export function blocksOf(version: string): readonly Block[] {
  const contents = { uri: "file:///a", mimeType: "text/plain", _meta: {} };
  return [
    ...mediaOf(version),
    { type: "resource", ...NOTED, resource: { ...contents, text: "t" } },
    { type: "resource", ...NOTED, resource: { ...contents, blob: "AA==" } },
    ...(version >= "2025-06-18" ? [{ ...RESOURCE, type: "resource_link" }] : []),
  ];
}

function mediaOf(version: string): readonly Block[] {
  const media = { data: "AA==", ...NOTED };
  return [
    { type: "text", text: "t", ...NOTED },
    { type: "image", mimeType: "image/png", ...media },
    ...(version >= "2025-03-26" ? [{ type: "audio", mimeType: "audio/wav", ...media }] : []),
  ];
}

/** One content block of each type that a revision has in sampling. */
export function samplingBlocksOf(version: string): readonly Block[] {
  if (version < "2025-11-25") return mediaOf(version);
  const result = { content: blocksOf(version), isError: false, structuredContent: { a: 1 } };
  return [
    ...mediaOf(version),
    { type: "tool_use", id: "i", name: "n", input: { a: 1 }, _meta: {} },
    { type: "tool_result", toolUseId: "i", ...result, _meta: {} },
  ];
}

/** One field of each kind that an elicitation may ask for. */
export function fieldsOf(version: string): Readonly<Record<string, unknown>> {
  const shown = { title: "t", description: "d" };
  const since = { default: "x" };
  const titled = [{ const: "a", title: "A" }];
  const several = { type: "array", minItems: 0, maxItems: 2, default: ["a"], ...shown };
  return {
    text: { type: "string", format: "email", minLength: 1, maxLength: 9, ...since, ...shown },
    count: { type: "integer", minimum: 0, maximum: 9.5, default: 1, ...shown },
    share: { type: "number", ...shown },
    flag: { type: "boolean", default: true, ...shown },
    choice: { type: "string", enum: ["a"], enumNames: ["A"], ...since, ...shown },
    ...(version < "2025-11-25"
      ? {}
      : {
          titled: { type: "string", oneOf: titled, ...since, ...shown },
          several: { ...several, items: { type: "string", enum: ["a"] } },
          severalTitled: { ...several, items: { anyOf: titled } },
        }),
  };
}
