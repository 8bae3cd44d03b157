import { fileURLToPath } from "node:url";

const at = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Run as `node SCRIPTED_SERVER [--on METHOD=ACTION]...`; its own first comment lists the options. */
export const SCRIPTED_SERVER: string = at("./scripted-server.mjs");
/** Run as `node RECORDER --in FILE --out FILE -- COMMAND ARGUMENT...`. */
export const RECORDER: string = at("./recorder.mjs");
/** Run as `node TOOLS_SERVER TEXT`: serves the tools and results that the text names. */
export const TOOLS_SERVER: string = at("./tools-server.mjs");
/** The example server whose tools break what they declare. */
export const FAULTY_SERVER: string = at("../../../../examples/faulty-server/server.mjs");
