/**
 * The results that a server may return, as texts in which every byte matters: odd spaces, `1.0`, numbers beyond 2^53,
 * escapes, an order of keys that no serializer would choose.
 */

export const SCHEMAS = ["none", "declared"];
export const STRUCTURED = {
  absent: undefined,
  null: "null",
  empty: "{ }",
  object: '{"b":9223372036854775807, "a":1.0,"é":"\\u00e9\\/"}',
  array: "[1.50, {}]",
  scalar: "-0.0",
};
export const CONTENT = {
  empty: "[]",
  equal: (structured) => `[{"text":${JSON.stringify(structured ?? "")},"type":"text"}]`,
  different: '[{"type":"text","text":"something \\ud83d\\ude00 else"}]',
  image: '[ {"mimeType":"image/png","type":"image","data":"iVBORw0KGgo="} ]',
};
export const KINDS = ["result", "error", "announced", "fetched"];

/** Every combination that may occur in a session. */
export const CASES = SCHEMAS.flatMap((schema) =>
  Object.keys(STRUCTURED).flatMap((structured) =>
    Object.keys(CONTENT).flatMap((content) =>
      KINDS.map((kind) => ({ schema, structured, content, kind })),
    ),
  ),
);

/** The output schema of the tool `declared`; only the structured value `object` meets it. */
export const OUTPUT_SCHEMA = {
  type: "object",
  required: ["a"],
  properties: { a: { type: "integer" } },
};

const TASK = (id) =>
  `"taskId":"${id}","status":"working", "createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":60000`;

/** The text of the result that answers a call. */
export function resultText({ structured, content, kind }, modern, task) {
  const value = STRUCTURED[structured];
  const blocks = CONTENT[content];
  const members = [
    ...(value === undefined ? [] : [`"structuredContent" : ${value}`]),
    `"content":${typeof blocks === "function" ? blocks(value) : blocks}`,
    ...(kind === "error" ? ['"isError" :true'] : []),
    ...(kind === "announced" ? [modern ? TASK(task) : `"task":{${TASK(task)}}`] : []),
    ...(modern ? [`"resultType":"${kind === "announced" ? "task" : "complete"}"`] : []),
    '"_meta":{ "x.example/n":1.0}',
  ];
  return `{ ${members.join(",\t")} }`;
}

/** The text of the result that only announces the task of a call. */
export function announcement(modern, task) {
  return modern ? `{"resultType":"task",${TASK(task)}}` : `{"task":{ ${TASK(task)} }}`;
}
