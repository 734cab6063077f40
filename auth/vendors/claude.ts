/** Claude on the web, desktop and phone; one hosted runtime. */
export const claude = { origins: ["https://claude.ai", "https://claude.com"] } as const;
