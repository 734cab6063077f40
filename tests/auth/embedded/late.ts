/** Says when oidc-provider was imported: a process of its own, because an import cannot be undone. */
import { registerHooks } from "node:module";

let loaded = false;
registerHooks({
  resolve(specifier, context, next) {
    loaded ||= specifier === "oidc-provider";
    return next(specifier, context);
  },
});
const { register, start } = await import("./harness.ts");
const server = await start();
for (const path of ["/oauth/jwks", "/.well-known/oauth-authorization-server", "/oauth/nothing"]) await fetch(server.issuer + path);
await server.embedded.mint({ audience: "a", subject: "b", scopes: [], ttlSeconds: 60 });
const afterDocumentsAndTokens = loaded;
await register(server.issuer);
process.send?.({ afterDocumentsAndTokens, afterRegistration: loaded });
await server.stop();
process.exit(0);
