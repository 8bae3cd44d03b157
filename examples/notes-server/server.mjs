#!/usr/bin/env node
// A server that does what it declares: notes that live as long as the process. `touchstone demo` puts it beside the
// faulty one.
import { serveTools } from "../faulty-server/mcp.mjs";

const notes = new Map();

const id = { type: "integer", minimum: 1, description: "Number of the note" };
const note = {
  type: "object",
  properties: { id, title: { type: "string" }, text: { type: "string" } },
  required: ["id", "title", "text"],
  additionalProperties: false,
};
const object = (properties, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

const good = (value) => {
  const structured = JSON.stringify(value);
  return { text: structured, structured };
};
const bad = (text) => ({ text, isError: true });
const unknown = (given) => bad(`There is no note ${given}. list_notes returns the notes.`);

const isTitle = (text) => typeof text === "string" && text.length >= 1 && text.length <= 80;

const TOOLS = [
  {
    name: "add_note",
    title: "Add note",
    description: "Adds a note and returns it with its number.",
    inputSchema: object({
      title: { type: "string", minLength: 1, maxLength: 80 },
      text: { type: "string" },
    }),
    outputSchema: note,
    call({ title, text }) {
      if (!isTitle(title) || typeof text !== "string") return bad("A note has a title and a text.");
      const added = { id: notes.size + 1, title, text };
      notes.set(added.id, added);
      return good(added);
    },
  },
  {
    name: "list_notes",
    title: "List notes",
    description: "Returns the numbers and titles of all notes.",
    inputSchema: object({}),
    outputSchema: object({
      notes: { type: "array", items: object({ id, title: { type: "string" } }) },
    }),
    call: () => good({ notes: [...notes.values()].map(({ id, title }) => ({ id, title })) }),
  },
  {
    name: "read_note",
    title: "Read note",
    description: "Returns a note by its number.",
    inputSchema: object({ id }),
    outputSchema: note,
    call({ id: wanted }) {
      const found = notes.get(wanted);
      return found === undefined ? unknown(wanted) : good(found);
    },
  },
];

serveTools({ info: { name: "notes-server", title: "Notes", version: "0.1.0" }, tools: TOOLS });
