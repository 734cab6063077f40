/** The passcode of the built-in login: made anew at every start and printed, never stored. */
import { randomInt } from "node:crypto";

/** Without letters and digits that look alike. */
const alphabet = "ABCDEFGHJKMNPQRSTVWXYZ23456789";

/** Three groups of four, such as `K7PX-22MD-QZ4H`: 58 bits. */
export function newPasscode(): string {
  const group = (): string => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join("");
  return [group(), group(), group()].join("-");
}
