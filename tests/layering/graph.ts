/** Import cycles among files that need each other at run time. */

/** Every cycle once, as the files in import order, the first (in byte order) first. */
export function cyclesOf(edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const cycles = new Map<string, readonly string[]>();
  const done = new Set<string>();
  const walk = (file: string, trail: readonly string[]): void => {
    const seenAt = trail.indexOf(file);
    if (seenAt !== -1) {
      const cycle = fromSmallest(trail.slice(seenAt));
      cycles.set(cycle.join(" "), cycle);
      return;
    }
    if (done.has(file)) return;
    for (const next of edges.get(file) ?? []) walk(next, [...trail, file]);
    done.add(file);
  };
  for (const file of edges.keys()) walk(file, []);
  return [...cycles.values()];
}

function fromSmallest(cycle: readonly string[]): readonly string[] {
  const smallest = cycle.reduce((least, file, index) => (file < (cycle[least] ?? "") ? index : least), 0);
  return [...cycle.slice(smallest), ...cycle.slice(0, smallest)];
}
