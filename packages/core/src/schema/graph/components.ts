/**
 * The strongly connected components of a directed graph (Tarjan's algorithm, iterative), each after
 * those that it leads to.
 * @param count vertices are the numbers from 0 to `count` - 1
 */
export function components(
  count: number,
  edges: (vertex: number) => Iterable<number>,
): readonly (readonly number[])[] {
  const index = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const open = new Uint8Array(count);
  const stack: number[] = [];
  const found: number[][] = [];
  let next = 0;
  const enter = (vertex: number): Frame => {
    index[vertex] = next;
    low[vertex] = next;
    next += 1;
    stack.push(vertex);
    open[vertex] = 1;
    return { vertex, targets: edges(vertex)[Symbol.iterator]() };
  };
  const lower = (vertex: number, value: number): void => {
    if (value < (low[vertex] as number)) low[vertex] = value;
  };
  for (let start = 0; start < count; start += 1) {
    if (index[start] !== -1) continue;
    const frames = [enter(start)];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const { vertex } = frame;
      const { value: target, done } = frame.targets.next();
      if (!done) {
        if (index[target] === -1) frames.push(enter(target));
        else if (open[target] === 1) lower(vertex, index[target] as number);
        continue;
      }
      frames.pop();
      const parent = frames.at(-1);
      if (parent !== undefined) lower(parent.vertex, low[vertex] as number);
      if (low[vertex] === index[vertex]) found.push(close(vertex, stack, open));
    }
  }
  return found;
}

interface Frame {
  readonly vertex: number;
  readonly targets: Iterator<number>;
}

function close(vertex: number, stack: number[], open: Uint8Array): number[] {
  const component: number[] = [];
  for (;;) {
    const member = stack.pop();
    if (member === undefined) return component;
    open[member] = 0;
    component.push(member);
    if (member === vertex) return component;
  }
}
