/** Which of our endpoints a `resource` parameter means (RFC 8707). */

export type Resource = {
  /** URLs that mean this endpoint, such as its 127.0.0.1 and localhost spellings. The first is the one that tokens and grants remember. */
  readonly spellings: readonly [string, ...string[]];
  /** What its tokens carry as `aud`. A client without an audience has no entry: it is revoked. */
  readonly audience: string;
  /** Sentences for the consent page: what an app that gets in may do. Default: read the vault. */
  readonly abilities?: readonly string[];
};

/** Compared as text; only where there is no path is `https://h` the same as `https://h/`. */
export function findResource(resources: readonly Resource[], requested: string): Resource | null {
  const wanted = withoutEmptyPath(requested);
  return resources.find(({ spellings }) => spellings.some((spelling) => withoutEmptyPath(spelling) === wanted)) ?? null;
}

/** The first spelling of what is meant; anything unknown stays as it is, to be refused by name later. */
export function canonicalResource(resources: readonly Resource[], requested: string): string {
  return findResource(resources, requested)?.spellings[0] ?? requested;
}

function withoutEmptyPath(url: string): string {
  return /^[a-z]+:\/\/[^/?#]+\/$/.test(url) ? url.slice(0, -1) : url;
}
