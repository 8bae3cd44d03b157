import { joinPointer } from "@touchstone/core/advanced";
import { type ComponentType, type Context, createContext, type ReactNode } from "react";
import type { Finding } from "../check/check-text.ts";
import type { JsonPath } from "../json/edit.ts";
import type { JsonTree } from "../json/tree.ts";
import { SchemaSource, type Subschema } from "./source.ts";

/** Returns the new tree for the one that a form shows. */
export type TreeEdit = (tree: JsonTree) => JsonTree;

/**
 * Called when a different branch of a union is shown.
 * @param pointer RFC 6901, to the value
 * @param branch RFC 6901, to the branch, in the schema; undefined if none is shown anymore
 */
export type OnBranchChange = (pointer: string, branch: string | undefined) => void;

/** What the fields of a form share. */
export interface FormState {
  readonly source: SchemaSource;
  /** By the pointer of the field they concern. */
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
  /** Whether to mark missing fields that the user has not visited yet. */
  readonly showsMissing: boolean;
  readonly shown: ShownFields;
  readonly edit: (edit: TreeEdit) => void;
  readonly onChoice: OnBranchChange;
}

/** How many fields a form opens by itself; the user can open the rest. */
export class FieldBudget {
  #left = 300;

  /** Returns whether that many more fields may be opened, and counts them. */
  take(count: number): boolean {
    if (count > this.#left) return false;
    this.#left -= count;
    return true;
  }
}

/** The values that have a field on the page. Issues of other values have to be listed. */
export class ShownFields {
  readonly #counts = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  #isNoted = false;
  #snapshot: ReadonlySet<string> = new Set();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Returns the same set until fields are added or removed. */
  readonly get = (): ReadonlySet<string> => this.#snapshot;

  /** Registers a field; returns a function that removes it. */
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

  /** Many fields are added and removed together, so report them once. */
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

/** Returns the RFC 6901 pointer of a path. */
export function jsonPointer(path: JsonPath): string {
  return path.reduce(joinPointer, "");
}

function idOf(what: string, pointer: string): string {
  return `${what}${encodeURIComponent(pointer.toWellFormed())}`;
}

/**
 * Returns the id of the field for a value. Spaces, which are not allowed in an id, are encoded.
 * @param pointer RFC 6901, to the value
 */
export function fieldIdOf(pointer: string): string {
  return idOf("argument", pointer);
}

/** Returns the id of the element that shows what is wrong with a value. */
export function issuesIdOf(pointer: string): string {
  return idOf("issues", pointer);
}

export const BudgetContext: Context<FieldBudget> = createContext(new FieldBudget());

/** One value of a form, as part of other values. */
export interface FieldProps {
  readonly path: JsonPath;
  /** The label of the value. */
  readonly name: string;
  /** The schemas that apply to the value. */
  readonly parts: readonly Subschema[];
  readonly tree: JsonTree | undefined;
  readonly isRequired?: boolean;
  /** Whether the value keeps its position when it is emptied. */
  readonly isKept?: boolean;
  /** Shown instead of the name. */
  readonly heading?: ReactNode;
  /** Buttons beside the name. */
  readonly actions?: ReactNode;
  /** Sets or removes the value in another way than at its path. */
  readonly onSet?: (tree: JsonTree | undefined) => void;
}

/** The component that renders one value. Object and list fields need it, and it needs them. */
export const FieldContext: Context<ComponentType<FieldProps>> = createContext<
  ComponentType<FieldProps>
>(() => null);
