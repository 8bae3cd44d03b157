/** A value, or the wait for one: there is a wait only where something has to come first. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with a value in the same turn where it is there, else once it is. */
export function whenReady<T, R>(
  value: Awaitable<T>,
  next: (value: T) => Awaitable<R>,
): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
