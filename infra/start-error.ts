/** Why Postern could not start, in one line for a person, with the exit code that says the same to a script. */

/** After sysexits.h where it has a fitting number. */
export const exitCodes = {
  /** Wrong words on the command line. */
  usage: 64,
  /** A vault is missing, is not a repository, or is not the configured folder itself. */
  vault: 66,
  /** A program Postern needs, such as git, cannot be started; or the running Postern cannot be reached. */
  unavailable: 69,
  /** The address is taken or may not be used. */
  address: 71,
  /** The data directory or its database cannot be used. */
  home: 73,
  /** The configuration cannot be read or is not valid. */
  configuration: 78,
} as const;

export class StartError extends Error {
  readonly exitCode: number;
  constructor(kind: keyof typeof exitCodes, message: string) {
    super(message);
    this.name = "StartError";
    this.exitCode = exitCodes[kind];
  }
}
