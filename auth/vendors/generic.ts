/** Any other app: nothing but its own host is an allowed origin. */
export const generic = { origins: [] } as const;
