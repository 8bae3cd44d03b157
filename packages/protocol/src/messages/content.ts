import {
  anyOf,
  BYTES,
  type Definitions,
  extend,
  FRACTION,
  INTEGER,
  listOf,
  OBJECT,
  object,
  type Properties,
  ref,
  STRING,
  unionByMember,
} from "./schema.ts";

const ANNOTATIONS = object({}, { audience: listOf(ref("Role")), priority: FRACTION });
const NOTED: Properties = { annotations: ref("Annotations") };
const TEXT = object({ text: STRING }, NOTED);
const MEDIA = object({ data: BYTES, mimeType: STRING }, NOTED);
const EMBEDDED = object(
  { resource: anyOf(ref("TextResourceContents"), ref("BlobResourceContents")) },
  NOTED,
);
const CONTENTS = object({ uri: STRING }, { mimeType: STRING });
const RESOURCE = object(
  { name: STRING, uri: STRING },
  { ...NOTED, description: STRING, mimeType: STRING, size: INTEGER },
);
const META: Properties = { _meta: OBJECT };

const BLOCKS_2024_11_05: Properties = {
  text: ref("TextContent"),
  image: ref("ImageContent"),
  resource: ref("EmbeddedResource"),
};

/** Content of messages and results (MCP, Tools, Tool Result; Resources; Prompts, Data Types). */
export const CONTENT_2024_11_05: Definitions = {
  Annotations: ANNOTATIONS,
  TextContent: TEXT,
  ImageContent: MEDIA,
  EmbeddedResource: EMBEDDED,
  TextResourceContents: extend(CONTENTS, {}, { text: STRING }),
  BlobResourceContents: extend(CONTENTS, {}, { blob: BYTES }),
  Resource: RESOURCE,
  ContentBlock: unionByMember("type", BLOCKS_2024_11_05),
};

const BLOCKS_2025_03_26: Properties = { ...BLOCKS_2024_11_05, audio: ref("AudioContent") };

/** 2025-03-26: audio. */
export const CONTENT_2025_03_26: Definitions = {
  ...CONTENT_2024_11_05,
  AudioContent: MEDIA,
  ContentBlock: unionByMember("type", BLOCKS_2025_03_26),
};

const BLOCKS_2025_06_18: Properties = { ...BLOCKS_2025_03_26, resource_link: ref("Resource") };

/** 2025-06-18: links to resources; `_meta` everywhere. */
export const CONTENT_2025_06_18: Definitions = {
  Annotations: extend(ANNOTATIONS, { lastModified: STRING }),
  TextContent: extend(TEXT, META),
  ImageContent: extend(MEDIA, META),
  AudioContent: extend(MEDIA, META),
  EmbeddedResource: extend(EMBEDDED, META),
  TextResourceContents: extend(CONTENTS, META, { text: STRING }),
  BlobResourceContents: extend(CONTENTS, META, { blob: BYTES }),
  Resource: extend(RESOURCE, { ...META, title: STRING }),
  ContentBlock: unionByMember("type", BLOCKS_2025_06_18),
};

/** 2025-11-25: icons, and tool use within sampling (SEP-1577). */
export const CONTENT_2025_11_25: Definitions = {
  ...CONTENT_2025_06_18,
  Resource: extend(RESOURCE, { ...META, title: STRING, icons: listOf(ref("Icon")) }),
};
