import type { SchemaGraph, SchemaNode } from "../keywords/node.ts";
import { asksAnything, Outlines } from "./kinds.ts";
import {
  HEADER_SIZE,
  IN_PLACE,
  JUDGED_SHIFT,
  KINDS,
  NODE,
  NODE_SIZE,
  OWN,
  ROOT,
  UNSURE_SHIFT,
} from "./layout.ts";
import { writeList, writeProperties, writeValues } from "./lists.ts";
import { ImageSizeError, ImageWriter } from "./writer.ts";

const MAX_COUNT = 0xffff_ffff;
/** The offset of a schema that takes everything. */
const ANYTHING = 0;

/** Writes the schemas of a graph, each once. */
class GraphWriter {
  private readonly writer = new ImageWriter();
  private readonly outlines = new Outlines();
  private readonly offsets = new Map<SchemaNode, number>();
  private readonly waiting: SchemaNode[] = [];

  write({ root }: SchemaGraph): Uint8Array {
    const header = this.writer.take(HEADER_SIZE);
    this.writer.word(header + ROOT, this.offset(root));
    // Not one in another: how deep schemas nest is up to their authors.
    for (let node = this.waiting.pop(); node !== undefined; node = this.waiting.pop()) {
      this.fill(node, this.offsets.get(node) as number);
    }
    return this.writer.done();
  }

  /** Where a schema stands, or will. */
  private offset(schema: SchemaNode | undefined): number {
    const node = schema && this.outlines.written(schema);
    if (node === undefined) return ANYTHING;
    const known = this.offsets.get(node);
    if (known !== undefined) return known;
    const at = this.writer.take(NODE_SIZE);
    this.offsets.set(node, at);
    this.waiting.push(node);
    return at;
  }

  private fill(node: SchemaNode, at: number): void {
    const { writer } = this;
    const kinds = this.outlines.kinds(node);
    const { unsure } = kinds;
    const own = asksAnything(kinds) ? OWN : 0;
    const sets = kinds.allowed | (unsure << UNSURE_SHIFT) | (kinds.judged << JUDGED_SHIFT);
    // OWN without a kind that is allowed takes nothing.
    const never = node.always === false || this.refusesAll(node);
    writer.word(
      at + NODE.kinds,
      never ? OWN : sets | own | (this.inPlace(node, at) ? IN_PLACE : 0),
    );
    if (node.enum !== undefined) writer.word(at + NODE.enum, writeValues(writer, node.enum));
    if (node.const !== undefined) writer.word(at + NODE.const, writeValues(writer, [node.const]));
    writer.word(at + NODE.minLength, least(node.minLength));
    writer.word(at + NODE.maxLength, most(node.maxLength));
    const divisor = node.multipleOf?.value ?? 0;
    if ((unsure & KINDS.number) === 0) writer.word(at + NODE.multipleOf, divisor);
    writer.double(at + NODE.minimum, node.minimum?.value ?? -Infinity);
    writer.double(at + NODE.maximum, node.maximum?.value ?? Infinity);
    writer.double(at + NODE.exclusiveMinimum, node.exclusiveMinimum?.value ?? -Infinity);
    writer.double(at + NODE.exclusiveMaximum, node.exclusiveMaximum?.value ?? Infinity);
    writer.word(at + NODE.items, this.offset(node.items));
    if (node.prefixItems !== undefined) {
      const prefix = node.prefixItems.map((item) => this.offset(item));
      writer.word(at + NODE.prefixItems, writeList(writer, prefix));
    }
    writer.word(at + NODE.minItems, least(node.minItems));
    writer.word(at + NODE.maxItems, most(node.maxItems));
    if ((unsure & KINDS.object) === 0) {
      const list = writeProperties(writer, node, (schema) => this.offset(schema));
      writer.word(at + NODE.properties, list);
    }
    writer.word(at + NODE.additionalProperties, this.offset(node.additionalProperties));
    writer.word(at + NODE.propertyNames, this.offset(node.propertyNames));
    writer.word(at + NODE.minProperties, least(node.minProperties));
    writer.word(at + NODE.maxProperties, most(node.maxProperties));
  }

  /** Whether a schema takes nothing since its `not` takes everything. */
  private refusesAll({ not }: SchemaNode): boolean {
    return not !== undefined && this.offset(not) === ANYTHING;
  }

  /** Writes what a schema applies in place. @returns whether that is anything */
  private inPlace(node: SchemaNode, at: number): boolean {
    let any = false;
    const write = (field: number, value: number): void => {
      this.writer.word(at + field, value);
      any = true;
    };
    const all = [node.$ref, node.$dynamicRef, ...(node.allOf ?? [])];
    const condition = this.offset(node.if);
    // What a schema that takes everything is followed by holds always.
    if (node.if !== undefined && condition === ANYTHING) all.push(node.then);
    const needed = all.map((part) => this.offset(part)).filter((part) => part !== ANYTHING);
    if (needed.length > 0) write(NODE.allOf, writeList(this.writer, needed));
    const either = node.anyOf?.map((part) => this.offset(part));
    if (either?.includes(ANYTHING) === false) write(NODE.anyOf, writeList(this.writer, either));
    const one = node.oneOf?.map((part) => this.offset(part));
    if (one !== undefined) write(NODE.oneOf, writeList(this.writer, one));
    if (node.not !== undefined) write(NODE.not, this.offset(node.not));
    if (condition !== ANYTHING) {
      write(NODE.if, condition);
      write(NODE.ifTrue, this.offset(node.then));
      write(NODE.ifFalse, this.offset(node.else));
    }
    return any;
  }
}

const least = (count: number | undefined): number => Math.min(Math.ceil(count ?? 0), MAX_COUNT);
const most = (count: number | undefined): number =>
  Math.min(Math.floor(count ?? MAX_COUNT), MAX_COUNT);

/**
 * Writes a schema as an image, by which the scanner checks the bytes of a JSON text; see
 * packages/core/assembly/image.ts. What an image cannot hold is in it as such.
 * @returns undefined if it would be larger than 64 KiB, or the schema has numbers that no double
 * holds
 */
export function schemaImage(graph: SchemaGraph): Uint8Array | undefined {
  if (graph.lossy) return undefined;
  try {
    return new GraphWriter().write(graph);
  } catch (thrown) {
    if (thrown instanceof ImageSizeError) return undefined;
    throw thrown;
  }
}
