/** The part of the acceptance list that is the same in both eras, against the running product. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { type Postern, startPostern } from "../support/postern.ts";
import { call, post, type RawReply, send, stateless, statelessCall, statelessHeaders } from "../support/rpc.ts";

let postern: Postern;
let token: string;
beforeAll(async () => {
  postern = await startPostern();
  token = await postern.token();
});
afterAll(() => postern.stop());

describe("either era", () => {
  it.each(["GET", "DELETE", "PUT", "PATCH", "HEAD"])(
    `${verifies("mcp.2026-07-28.post-only", "mcp.handshake.no-stream-without-session")}: %s answers 405 and names POST`,
    async (method) => {
      for (const headers of [{}, { "mcp-protocol-version": stateless }, { "mcp-session-id": "x", accept: "text/event-stream" }]) {
        const reply = await send(postern.url, { method, headers: { authorization: `Bearer ${token}`, ...headers } });
        expect([reply.status, reply.headers["allow"], reply.text]).toEqual([405, "POST", ""]);
      }
    },
  );

  it.each(["text/plain", "application/jsonp", "application/json5", "", "multipart/form-data"])(
    `${verifies("mcp.content-type")}: content-type %j is refused with 415`,
    async (type) => {
      expect(
        (await post(postern.url, token, statelessCall(1, "ping"), { ...statelessHeaders("tools/call", "ping"), "content-type": type }))
          .status,
      ).toBe(415);
    },
  );

  it("a body in another encoding is refused with 415, not guessed at", async () => {
    for (const encoding of ["gzip", "br", "deflate, gzip"])
      expect((await post(postern.url, token, call(1, "ping"), { "content-encoding": encoding })).status).toBe(415);
    expect((await post(postern.url, token, call(1, "ping"), { "content-encoding": "identity" })).status).toBe(200);
  });

  it("serves both spellings of the path, without a redirect", async () => {
    expect((await post(`${postern.url}/`, token, call(1, "ping"))).json().result.structuredContent.client).toBe("local");
  });

  it("refuses a foreign Origin with 403 and takes its own", async () => {
    expect((await post(postern.url, token, call(1, "ping"), { origin: "https://evil.example" })).status).toBe(403);
    expect((await post(postern.url, token, call(1, "ping"), { origin: new URL(postern.url).origin })).status).toBe(200);
  });

  it("never mixes up answers of callers that use the same ids at the same time", async () => {
    const replies = await Promise.all(
      Array.from({ length: 1000 }, async (_, index) => {
        const isModern = index % 2 === 0;
        const reply: RawReply = isModern
          ? await post(postern.url, token, statelessCall(7, "ping"), statelessHeaders("tools/call", "ping"))
          : await post(postern.url, token, call(7, "ping"));
        return [isModern ? "stateless" : "handshake", reply.json().result.structuredContent.era];
      }),
    );
    for (const [sent, received] of replies) expect(received).toBe(sent);
  });
});
