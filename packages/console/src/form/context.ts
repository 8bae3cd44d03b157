import { joinPointer } from "@touchstone/core";
import { type ComponentType, type Context, createContext, type ReactNode } from "react";
import type { JsonPath } from "../json/edit.ts";
import type { JsonTree } from "../json/tree.ts";
import type { Finding } from "../verdict/verdict.ts";
import { type Part, SchemaSource } from "./source.ts";

/** Another tree for the one that a form shows. */
export type Edit = (tree: JsonTree) => JsonTree;

/**
 * Hears which branch of a union is shown.
 * @param pointer RFC 6901, to the value
 * @param branch RFC 6901, to the branch, in the schema; undefined if none is shown any more
 */
export type OnChoice = (pointer: string, branch: string | undefined) => void;

/** What the fields of a form share. */
export interface FormState {
  readonly source: SchemaSource;
  /** By the pointer of the field that they are about. */
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
  /** Whether fields that nobody has come to are marked as missing too. */
  readonly showsMissing: boolean;
  readonly shown: ShownFields;
  readonly edit: (edit: Edit) => void;
  readonly onChoice: OnChoice;
}

/** How many fields a form opens by itself: the rest is opened by whoever wants it. */
export class FieldBudget {
  #left = 300;

  /** Returns whether that many more fields may be opened, and counts them. */
  take(count: number): boolean {
    if (count > this.#left) return false;
    this.#left -= count;
    return true;
  }
}

/** Which values have a field on the page: what is wrong with others has to be listed. */
export class ShownFields {
  readonly #counts = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  #isNoted = false;
  #snapshot: ReadonlySet<string> = new Set();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same set until fields come or go. */
  readonly get = (): ReadonlySet<string> => this.#snapshot;

  /** Notes a field; returns what takes it off again. */
  add(pointer: string): () => void {
    this.#counts.set(pointer, (this.#counts.get(pointer) ?? 0) + 1);
    this.#note();
    return () => {
      const left = (this.#counts.get(pointer) ?? 0) - 1;
      if (left > 0) this.#counts.set(pointer, left);
      else this.#counts.delete(pointer);
      this.#note();
    };
  }

  /** Many fields come and go at once, and are reported once. */
  #note(): void {
    if (this.#isNoted) return;
    this.#isNoted = true;
    queueMicrotask(() => {
      this.#isNoted = false;
      this.#snapshot = new Set(this.#counts.keys());
      for (const listener of this.#listeners) listener();
    });
  }
}

export const FormContext: Context<FormState> = createContext<FormState>({
  source: new SchemaSource("{}"),
  findings: new Map(),
  showsMissing: false,
  shown: new ShownFields(),
  edit: () => undefined,
  onChoice: () => undefined,
});

/** The RFC 6901 pointer of a path. */
export function pointerOf(path: JsonPath): string {
  return path.reduce(joinPointer, "");
}

function idOf(what: string, pointer: string): string {
  return `${what}${encodeURIComponent(pointer.toWellFormed())}`;
}

/**
 * The id of the field for a value. Spaces, which would end an id, are encoded.
 * @param pointer RFC 6901, to the value
 */
export function fieldIdOf(pointer: string): string {
  return idOf("argument", pointer);
}

/** The id of the element that says what is wrong with a value. */
export function issuesIdOf(pointer: string): string {
  return idOf("issues", pointer);
}

export const BudgetContext: Context<FieldBudget> = createContext(new FieldBudget());

/** One value of a form, as a part of others. */
export interface FieldProps {
  readonly path: JsonPath;
  /** What the value is called. */
  readonly name: string;
  /** What applies to the value. */
  readonly parts: readonly Part[];
  readonly tree: JsonTree | undefined;
  readonly isRequired?: boolean;
  /** Whether the value keeps its place if it is emptied. */
  readonly isKept?: boolean;
  /** What is shown instead of the name. */
  readonly heading?: ReactNode;
  /** Buttons beside the name. */
  readonly actions?: ReactNode;
  /** Sets the value, or takes it off, in another way than at its path. */
  readonly onSet?: (tree: JsonTree | undefined) => void;
}

/** What draws one value. The fields of an object and of a list need it, and it needs them. */
export const FieldContext: Context<ComponentType<FieldProps>> = createContext<
  ComponentType<FieldProps>
>(() => null);
