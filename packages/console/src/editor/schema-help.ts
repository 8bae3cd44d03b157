import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import { hoverTooltip, keymap } from "@codemirror/view";
import { viewsAt } from "../form/lookup.ts";
import { type SchemaSource, treeText } from "../form/source.ts";
import { initialValue } from "../form/start.ts";
import { constraintSummary, type FormView, formView } from "../form/view.ts";
import type { JsonPath } from "../json/edit.ts";
import { readTree } from "../json/tree.ts";
import { visible } from "../text/visible.ts";

type SyntaxNode = ReturnType<ReturnType<typeof syntaxTree>["resolveInner"]>;

const MAX_DOCUMENT = 500_000;
const MAX_DESCRIPTION = 600;
const MAX_OPTIONS = 500;

function nameOf(state: EditorState, property: SyntaxNode): string | undefined {
  const name = property.getChild("PropertyName");
  if (name === null) return undefined;
  try {
    return String(JSON.parse(state.sliceDoc(name.from, name.to)));
  } catch {
    return undefined;
  }
}

function isValue({ name }: SyntaxNode): boolean {
  return /^(?:Object|Array|String|Number|True|False|Null)$/.test(name);
}

/** Returns the path of the value in a node, as far as the text is valid JSON. */
function pathOf(state: EditorState, node: SyntaxNode): JsonPath {
  const path: (string | number)[] = [];
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) {
    const { parent } = at;
    if (at.name === "Property") path.unshift(nameOf(state, at) ?? "");
    else if (parent?.name === "Array" && isValue(at)) {
      let index = 0;
      for (let before = at.prevSibling; before !== null; before = before.prevSibling) {
        if (isValue(before)) index += 1;
      }
      path.unshift(index);
    }
  }
  return path;
}

/** What can be completed at a position: a name in an object, or a value. */
interface Site {
  readonly kind: "name" | "value";
  /** Path of the object or value. */
  readonly path: JsonPath;
  /** The names already in the object, except the one being written. */
  readonly taken: ReadonlySet<string>;
  /** Start of the range that the completion replaces. */
  readonly from: number;
  readonly to: number;
}

const NONE: ReadonlySet<string> = new Set();

function namesIn(
  state: EditorState,
  object: SyntaxNode,
  except: SyntaxNode | null | undefined,
): ReadonlySet<string> {
  const others = object.getChildren("Property").filter(({ from }) => from !== except?.from);
  return new Set(others.map((each) => nameOf(state, each) ?? ""));
}

function siteOf(state: EditorState, pos: number): Site | undefined {
  const at = syntaxTree(state).resolveInner(pos, -1);
  const word = /["\w.+-]*$/.exec(state.sliceDoc(Math.max(0, pos - 200), pos))?.[0] ?? "";
  const from = pos - word.length;
  if (at.name === "PropertyName") {
    const object = at.parent?.parent;
    if (object == null) return undefined;
    const taken = namesIn(state, object, at.parent);
    return { kind: "name", path: pathOf(state, object), taken, from: at.from, to: at.to };
  }
  const before = state
    .sliceDoc(Math.max(0, from - 200), from)
    .trimEnd()
    .at(-1);
  if (before === ":") {
    const property = at.name === "Property" ? at : nearest(at, "Property");
    if (property === undefined) return undefined;
    return { kind: "value", path: pathOf(state, property), taken: NONE, from, to: pos };
  }
  if (before !== "{" && before !== "," && before !== "[") return undefined;
  const group = /^(?:Object|Array)$/.test(at.name) ? at : (nearest(at, "Object", "Array") ?? at);
  if (group.name === "Object") {
    const taken = namesIn(state, group, undefined);
    return { kind: "name", path: pathOf(state, group), taken, from, to: pos };
  }
  if (group.name !== "Array") return undefined;
  let index = 0;
  for (let child = group.firstChild; child !== null && child.to < from; child = child.nextSibling) {
    if (isValue(child)) index += 1;
  }
  return { kind: "value", path: [...pathOf(state, group), index], taken: NONE, from, to: pos };
}

function nearest(node: SyntaxNode, ...names: readonly string[]): SyntaxNode | undefined {
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) {
    if (names.includes(at.name)) return at;
  }
  return undefined;
}

function treeOf(state: EditorState) {
  const read = readTree(state.doc.toString());
  return read.ok ? read.tree : undefined;
}

function infoOf(view: FormView): string {
  const { description = "" } = view;
  return visible(description.slice(0, MAX_DESCRIPTION));
}

/** Returns the text to insert after a name: an initial value, or quotes for a string. */
function valueText(source: SchemaSource, view: FormView): string {
  const start = initialValue(source, view.parts);
  if (start !== undefined) return treeText(start);
  if (view.kind === "array") return "[]";
  return view.kind === "string" ? '""' : "";
}

function nameOptions(source: SchemaSource, views: readonly FormView[], taken: ReadonlySet<string>) {
  const options = new Map<string, Completion>();
  for (const view of views) {
    for (const [name, parts] of view.properties) {
      if (taken.has(name) || options.has(name) || options.size >= MAX_OPTIONS) continue;
      const first = formView(source, parts, undefined);
      const required = view.required.has(name) ? "required " : "";
      options.set(name, {
        label: JSON.stringify(name),
        displayLabel: visible(name),
        type: "property",
        detail: visible(required + constraintSummary(first)),
        boost: view.required.has(name) ? 1 : 0,
        ...(first.description === undefined ? {} : { info: infoOf(first) }),
        apply: (editor, _completion, from, to) => {
          const rest = editor.state.sliceDoc(to, to + 200);
          const value = valueText(source, first);
          const key = JSON.stringify(name);
          const insert = /^"?\s*:/.test(rest) ? key : `${key}: ${value}`;
          const end =
            rest.startsWith('"') && !editor.state.sliceDoc(from, to).endsWith('"') ? to + 1 : to;
          const isOpen = insert.endsWith('""') || insert.endsWith("[]") || insert.endsWith("{}");
          editor.dispatch({
            changes: { from, to: Math.max(to, end), insert },
            selection: { anchor: from + insert.length - (isOpen ? 1 : 0) },
            userEvent: "input.complete",
          });
        },
      });
    }
  }
  return [...options.values()];
}

function valueOptions(source: SchemaSource, views: readonly FormView[]): readonly Completion[] {
  const options = new Map<string, Completion>();
  const add = (text: string | undefined, detail: string, boost: number): void => {
    if (text === undefined || options.has(text) || options.size >= MAX_OPTIONS) return;
    options.set(text, {
      label: text,
      displayLabel: visible(text.slice(0, 80)),
      detail,
      boost,
      type: "constant",
    });
  };
  for (const view of views) {
    add(view.defaultText, "default", 2);
    for (const { text } of view.choices) add(text, "", 1);
    for (const text of view.examples) add(text, "example", 0);
    if (view.kind === "boolean") for (const text of ["true", "false"]) add(text, "", 0);
    if (view.isNullable || view.kind === "null") add("null", "", -1);
    if (view.kind === "object") {
      const start = initialValue(source, view.parts);
      add(start === undefined ? "{}" : treeText(start), "object", 0);
    }
    if (view.kind === "array") add("[]", "list", 0);
  }
  return [...options.values()];
}

/** Returns the completions that the schema allows at a position in a JSON text. */
export function completionsAt(
  source: SchemaSource,
  { state, pos, explicit }: Pick<CompletionContext, "state" | "pos" | "explicit">,
): CompletionResult | null {
  if (state.doc.length > MAX_DOCUMENT) return null;
  const site = siteOf(state, pos);
  if (site === undefined) return null;
  const { kind, path, taken, from, to } = site;
  if (!explicit && from === pos) return null;
  if (kind === "value") {
    const options = valueOptions(source, viewsAt(source, undefined, path));
    return options.length === 0 ? null : { from, to, options };
  }
  const options = nameOptions(source, viewsAt(source, treeOf(state), path), taken);
  return options.length === 0 ? null : { from, to, options };
}

/** Returns a tooltip with what the schema says about the value at a position. */
function helpFor(source: SchemaSource, state: EditorState, pos: number, side: -1 | 1) {
  const node = syntaxTree(state).resolveInner(pos, side);
  if (state.doc.length > MAX_DOCUMENT || !(isValue(node) || node.name === "PropertyName"))
    return null;
  if (node.name === "Object" || node.name === "Array") return null;
  const path = pathOf(state, node);
  const [view] = viewsAt(source, treeOf(state), path);
  if (view === undefined) return null;
  const lines = [
    [view.title, constraintSummary(view)].filter(Boolean).join(" · "),
    view.choices.length === 0
      ? ""
      : `One of ${view.choices
          .slice(0, 20)
          .map(({ text }) => text)
          .join(", ")}`,
    infoOf(view),
  ].filter((line) => line !== "");
  return lines.length === 0 ? null : { from: node.from, to: node.to, lines };
}

/** Adds completion and hover help from a schema. */
export function schemaHelp(source: SchemaSource): Extension {
  return [
    autocompletion({
      override: [(context) => completionsAt(source, context)],
      icons: false,
    }),
    keymap.of(completionKeymap),
    hoverTooltip((view, pos, side) => {
      const help = helpFor(source, view.state, pos, side);
      if (help === null) return null;
      return {
        pos: help.from,
        end: help.to,
        above: true,
        create: () => {
          const dom = document.createElement("div");
          dom.className = "cm-schema-help";
          for (const line of help.lines) {
            const part = dom.appendChild(document.createElement("p"));
            part.textContent = visible(line);
          }
          return { dom };
        },
      };
    }),
  ];
}
