/** The Gemini app. */
export const gemini = { origins: ["https://gemini.google.com"] } as const;
