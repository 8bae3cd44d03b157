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
/** The offset of a schema that accepts everything. */
const ANYTHING = 0;

/** Writes each schema of a graph once. */
class GraphWriter {
  private readonly writer = new ImageWriter();
  private readonly outlines = new Outlines();
  private readonly offsets = new Map<SchemaNode, number>();
  private readonly waiting: SchemaNode[] = [];

  write({ root }: SchemaGraph): Uint8Array {
    const header = this.writer.take(HEADER_SIZE);
    this.writer.word(header + ROOT, this.offset(root));
    // Not recursive, because authors decide how deep schemas nest.
    for (let node = this.waiting.pop(); node !== undefined; node = this.waiting.pop()) {
      this.fill(node, this.offsets.get(node) as number);
    }
    return this.writer.done();
  }

  /** Returns the offset of a schema, which may be written later. */
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
    // OWN without an allowed kind accepts nothing.
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

  /** Returns whether a schema accepts nothing because its `not` accepts everything. */
  private refusesAll({ not }: SchemaNode): boolean {
    return not !== undefined && this.offset(not) === ANYTHING;
  }

  /** Writes the schemas that a schema applies in place. @returns whether there are any */
  private inPlace(node: SchemaNode, at: number): boolean {
    let any = false;
    const write = (field: number, value: number): void => {
      this.writer.word(at + field, value);
      any = true;
    };
    const all = [node.$ref, node.$dynamicRef, ...(node.allOf ?? [])];
    const condition = this.offset(node.if);
    // If `if` accepts everything, `then` always applies.
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
 * Writes a schema as an image, which the scanner uses to check the bytes of a JSON text; see
 * packages/core/assembly/image.ts. The image marks what it cannot hold.
 * @returns undefined if it would be larger than 64 KiB, or if the schema has numbers that no double holds
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
