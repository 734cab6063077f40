#!/usr/bin/env node
// The command `postern`. Plain, old syntax on purpose: an old Node must get far enough to be told that it is too old.
import fs from "node:fs";
import module from "node:module";

var major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  process.stderr.write(
    "postern: needs Node 24 or newer; this is Node " +
      process.versions.node +
      ".\nOn Linux, `npm ci` brings the right one and npm uses it: npm start, npm run …, npx postern …\nElsewhere install Node 24.\n",
  );
  process.exit(78);
}
// Compiled code is kept between starts; it halves the time to the first answer.
module.enableCompileCache();
// A checkout runs from source; the published package holds JavaScript only.
var source = new URL("./main.ts", import.meta.url);
import(fs.existsSync(source) ? source.href : new URL("../../dist/main.js", import.meta.url).href).then(function (cli) {
  return cli.main(process.argv.slice(2));
});
