import type { SchemaGraph, SchemaNode } from "../keywords/node.ts";
import { writeList, writeProperties, writeValues } from "./image-lists.ts";
import { hasRequirement, NodeKindCache } from "./kinds.ts";
import {
  HEADER_SIZE,
  IN_PLACE_FLAG,
  JUDGED_SHIFT,
  KINDS,
  NODE_OFFSETS,
  NODE_SIZE,
  OWN_FLAG,
  ROOT_OFFSET,
  UNSURE_SHIFT,
} from "./layout.ts";
import { ImageSizeError, ImageWriter } from "./writer.ts";

const MAX_COUNT = 0xffff_ffff;
/** The offset of a schema that accepts everything. */
const ANYTHING = 0;

/** Writes each schema of a graph once. */
class GraphWriter {
  private readonly writer = new ImageWriter();
  private readonly outlines = new NodeKindCache();
  private readonly offsets = new Map<SchemaNode, number>();
  private readonly waiting: SchemaNode[] = [];

  write({ root }: SchemaGraph): Uint8Array {
    const header = this.writer.take(HEADER_SIZE);
    this.writer.word(header + ROOT_OFFSET, this.offset(root));
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
    const own = hasRequirement(kinds) ? OWN_FLAG : 0;
    const sets = kinds.allowed | (unsure << UNSURE_SHIFT) | (kinds.judged << JUDGED_SHIFT);
    // OWN without an allowed kind accepts nothing.
    const never = node.always === false || this.refusesAll(node);
    writer.word(
      at + NODE_OFFSETS.kinds,
      never ? OWN_FLAG : sets | own | (this.inPlace(node, at) ? IN_PLACE_FLAG : 0),
    );
    if (node.enum !== undefined)
      writer.word(at + NODE_OFFSETS.enum, writeValues(writer, node.enum));
    if (node.const !== undefined)
      writer.word(at + NODE_OFFSETS.const, writeValues(writer, [node.const]));
    writer.word(at + NODE_OFFSETS.minLength, least(node.minLength));
    writer.word(at + NODE_OFFSETS.maxLength, most(node.maxLength));
    const divisor = node.multipleOf?.value ?? 0;
    if ((unsure & KINDS.number) === 0) writer.word(at + NODE_OFFSETS.multipleOf, divisor);
    writer.double(at + NODE_OFFSETS.minimum, node.minimum?.value ?? -Infinity);
    writer.double(at + NODE_OFFSETS.maximum, node.maximum?.value ?? Infinity);
    writer.double(at + NODE_OFFSETS.exclusiveMinimum, node.exclusiveMinimum?.value ?? -Infinity);
    writer.double(at + NODE_OFFSETS.exclusiveMaximum, node.exclusiveMaximum?.value ?? Infinity);
    writer.word(at + NODE_OFFSETS.items, this.offset(node.items));
    if (node.prefixItems !== undefined) {
      const prefix = node.prefixItems.map((item) => this.offset(item));
      writer.word(at + NODE_OFFSETS.prefixItems, writeList(writer, prefix));
    }
    writer.word(at + NODE_OFFSETS.minItems, least(node.minItems));
    writer.word(at + NODE_OFFSETS.maxItems, most(node.maxItems));
    if ((unsure & KINDS.object) === 0) {
      const list = writeProperties(writer, node, (schema) => this.offset(schema));
      writer.word(at + NODE_OFFSETS.properties, list);
    }
    writer.word(at + NODE_OFFSETS.additionalProperties, this.offset(node.additionalProperties));
    writer.word(at + NODE_OFFSETS.propertyNames, this.offset(node.propertyNames));
    writer.word(at + NODE_OFFSETS.minProperties, least(node.minProperties));
    writer.word(at + NODE_OFFSETS.maxProperties, most(node.maxProperties));
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
    if (needed.length > 0) write(NODE_OFFSETS.allOf, writeList(this.writer, needed));
    const either = node.anyOf?.map((part) => this.offset(part));
    if (either?.includes(ANYTHING) === false)
      write(NODE_OFFSETS.anyOf, writeList(this.writer, either));
    const one = node.oneOf?.map((part) => this.offset(part));
    if (one !== undefined) write(NODE_OFFSETS.oneOf, writeList(this.writer, one));
    if (node.not !== undefined) write(NODE_OFFSETS.not, this.offset(node.not));
    if (condition !== ANYTHING) {
      write(NODE_OFFSETS.if, condition);
      write(NODE_OFFSETS.ifTrue, this.offset(node.then));
      write(NODE_OFFSETS.ifFalse, this.offset(node.else));
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
