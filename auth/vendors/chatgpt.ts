/** ChatGPT apps and connectors. */
export const chatgpt = { origins: ["https://chatgpt.com"] } as const;
