/** The words of `clients.<name>.tools`, checked at the start: a misspelt `-vault_read` would leave open what it was to take away. */
import { chooseNames, profiles } from "../../gateway/toolset.ts";
import { nearestOf } from "./complaints.ts";

/** Tools that exist; a test holds this against the catalogue. */
export const builtTools: readonly string[] = ["ping", "vault_list", "vault_search", "vault_read"];
/** Profiles that are named in the documentation and come with the tools they need. */
const laterProfiles: readonly string[] = ["minimal", "recon", "chatgpt"];
const known: readonly string[] = [...new Set(Object.values(profiles).flat())];

const wordsOf = (spec: string): readonly string[] => spec.split(",").map((word) => word.trim());

/** A sentence a word that chooses nothing. Words are counted, not repeated: a value is never shown. */
export function faultsOfTools(spec: string): readonly string[] {
  return wordsOf(spec).flatMap((word, index) => {
    const fault = word === "" ? null : faultOf(word.replace(/^-/, ""));
    return fault === null ? [] : [`holds a word (number ${index + 1}) that ${fault}`];
  });
}

function faultOf(word: string): string | null {
  if (!word.startsWith("@")) return chooseNames(word, known).size > 0 ? null : `matches no tool${hint(word, known)}`;
  const profile = word.slice(1);
  if (Object.hasOwn(profiles, profile)) return null;
  if (laterProfiles.includes(profile)) return "is a profile which is not built yet";
  const names = Object.keys(profiles).map((name) => `@${name}`);
  return `is no profile; there are ${names.join(", ")}${hint(word, names)}`;
}

function hint(word: string, names: readonly string[]): string {
  const nearest = nearestOf(word, names);
  return nearest === null ? "" : `; did you mean ${nearest}?`;
}

/**
 * Tools that a spec asks for by name or profile and that do not exist yet. `@read`, which is what a client gets unasked, and
 * patterns that also match a built tool ask for what there is.
 */
export function unbuiltToolsOf(spec: string): readonly string[] {
  const asked = wordsOf(spec).filter((word) => word !== "" && word !== "@read" && !word.startsWith("-"));
  const missing = asked.flatMap((word) => {
    const names = [...chooseNames(word, known)];
    return word.includes("*") && names.some((name) => builtTools.includes(name)) ? [] : names;
  });
  return [...chooseNames(spec, known)].filter((name) => missing.includes(name) && !builtTools.includes(name));
}
