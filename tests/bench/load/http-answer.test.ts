import { describe, expect, it } from "vitest";
import { readAnswer } from "./http-answer.ts";

const declared = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n문a ");
const chunked = Buffer.from("HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n문a\r\n1\r\n.\r\n0\r\n\r\n");

describe("the load driver's reader of HTTP answers", () => {
  it.each([
    ["a declared length", declared, { status: 200, body: "문a " }],
    ["chunks", chunked, { status: 202, body: "문a." }],
  ])("waits for the last byte of an answer with %s", (_kind, bytes, answer) => {
    for (let length = 0; length < bytes.length; length += 1) expect(readAnswer(bytes.subarray(0, length))).toBeNull();
    expect(readAnswer(bytes)).toEqual(answer);
  });

  it("refuses bytes beyond the answer, because they belong to no call", () => {
    expect(() => readAnswer(Buffer.concat([declared, declared]))).toThrow("more bytes");
    expect(() => readAnswer(Buffer.concat([chunked, chunked]))).toThrow("more bytes");
  });

  it("refuses what is no HTTP answer, and an answer without a length", () => {
    expect(() => readAnswer(Buffer.from("SSH-2.0-x\r\n\r\n"))).toThrow("not an HTTP answer");
    expect(() => readAnswer(Buffer.from("HTTP/1.1 200 OK\r\n\r\n"))).toThrow("unknown length");
  });
});
