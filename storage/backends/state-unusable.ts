/** The database cannot be used. `message` is one line for the operator, without anything from the file itself. */
export class StateUnusable extends Error {
  override readonly name = "StateUnusable";
}
