/** A map that forgets what was used longest ago once the weights of its entries exceed a bound. */

export type Lru<Value> = {
  get(key: string): Value | undefined;
  /** A single value heavier than the bound is not kept. */
  set(key: string, value: Value, weight: number): void;
  delete(key: string): void;
};

/** `capacity`: the sum of weights kept, in whatever unit the caller weighs in. */
export function createLru<Value>(capacity: number): Lru<Value> {
  const entries = new Map<string, { readonly value: Value; readonly weight: number }>();
  let total = 0;
  const remove = (key: string): void => {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    total -= entry.weight;
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, weight) {
      remove(key);
      if (weight > capacity) return;
      entries.set(key, { value, weight });
      total += weight;
      for (const oldest of entries.keys()) {
        if (total <= capacity) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
